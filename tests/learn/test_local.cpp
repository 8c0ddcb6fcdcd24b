// Learners on local features: whole numbers from -127 to 127, which they take as they take those of any map.
#include <doctest/doctest.h>

#include <vector>

#include "../../examples/data/gestures_model.h"
#include "../../examples/gestures.hpp"
#include "samara/fixed.hpp"
#include "samara/learn.hpp"

using namespace samara;

namespace {

constexpr std::uint32_t length = 100;
constexpr LocalSpec spec{.inputs = 600, .features = 96, .channels = 6, .seed = 3};
using TheMap = Fixed<spec>;

// The features of a recording of a motion, with inputs in the range that the map takes.
std::vector<float> features_of(std::uint32_t kind, std::uint32_t number)
{
    static TheMap map;
    example::Gesture gesture(kind, number);
    std::vector<float> x(600), z(TheMap::feature_count);
    for (std::uint32_t t = 0; t < length; ++t) {
        const example::GestureSample sample = gesture.next();
        for (std::uint32_t c = 0; c < example::gesture_channels; ++c)
            x[c * length + t] = static_cast<float>(sample[c]) * 0x1p-7f;
    }
    REQUIRE(map.features(std::span<const float, 600>(x), std::span<float, TheMap::feature_count>(z)) == Status::ok);
    return z;
}

template <class Learner>
unsigned wrong_of(const Learner& learner, std::uint32_t first)
{
    unsigned wrong = 0;
    for (std::uint32_t number = first; number < first + 25; ++number) {
        for (std::uint32_t kind = 0; kind < example::gesture_count; ++kind) {
            std::vector<float> scores(example::gesture_count);
            REQUIRE(learner.scores(features_of(kind, number), scores) == Status::ok);
            wrong += best_of(scores) != kind ? 1 : 0;
        }
    }
    return wrong;
}

template <class Learner, class Spec>
unsigned wrong_after(const Spec& learned)
{
    std::vector<std::uint32_t> memory(state_bytes(learned) / 4);
    Learner learner;
    REQUIRE(learner.open(learned, std::as_writable_bytes(std::span(memory))) == Status::ok);
    for (std::uint32_t number = 0; number < 40; ++number) {
        for (std::uint32_t kind = 0; kind < example::gesture_count; ++kind) {
            const auto z = features_of(kind, number);
            if constexpr (std::is_same_v<Learner, Gram>)
                REQUIRE(learner.add_class(z, kind) == Status::ok);
            else
                REQUIRE(learner.learn_class(z, kind) == Status::ok);
        }
    }
    if constexpr (std::is_same_v<Learner, Gram>)
        REQUIRE(learner.solve(1000.0f) == Status::ok);
    return wrong_of(learner, 1000);
}

} // namespace

TEST_CASE("learners tell motions apart by local features")
{
    constexpr std::uint32_t features = TheMap::feature_count, outputs = example::gesture_count;
    // Of 100 recordings that they have not seen; by chance 75 would be wrong.
    CHECK(wrong_after<Rls>(RlsSpec{.features = features, .outputs = outputs, .prior = 1000.0f}) <= 3);
    CHECK(wrong_after<Gram>(GramSpec{.features = features, .outputs = outputs}) <= 3);
    CHECK(wrong_after<Sgd>(SgdSpec{.features = features, .outputs = outputs, .rate = 0.5f}) <= 10);
}

TEST_CASE("a learner goes on from a sealed model of local features")
{
    static FixedPredictor<gestures_model> predictor;
    using Model = FixedPredictor<gestures_model>;
    const SgdSpec learned{.features = Model::feature_count, .outputs = Model::outputs, .rate = 0.05f};
    std::vector<std::uint32_t> memory(state_bytes(learned) / 4);
    Sgd learner;
    REQUIRE(learner.open(learned, std::as_writable_bytes(std::span(memory))) == Status::ok);
    REQUIRE(learner.start(predictor) == Status::ok);
    unsigned right = 0;
    for (std::uint32_t number = 2000; number < 2010; ++number) {
        for (std::uint32_t kind = 0; kind < example::gesture_count; ++kind) {
            example::Gesture gesture(kind, number);
            std::vector<float> x(600), z(Model::feature_count), scores(Model::outputs), of_model(Model::outputs);
            for (std::uint32_t t = 0; t < length; ++t) {
                const example::GestureSample sample = gesture.next();
                for (std::uint32_t c = 0; c < example::gesture_channels; ++c)
                    x[c * length + t] = static_cast<float>(sample[c]);
            }
            const std::span<const float, 600> in(x);
            REQUIRE(predictor.features(in, std::span<float, Model::feature_count>(z)) == Status::ok);
            REQUIRE(predictor.scores(in, std::span<float, Model::outputs>(of_model)) == Status::ok);
            REQUIRE(learner.scores(z, scores) == Status::ok);
            CHECK(best_of(scores) == best_of(of_model));
            right += best_of(scores) == kind ? 1 : 0;
        }
    }
    CHECK(right >= 38);
    const auto z = features_of(0, 1); // of another map, and longer
    CHECK(learner.learn_class(z, 0) == Status::wrong_length);
    CHECK(learner.learn_class(std::span(z).first(Model::feature_count), 0) == Status::ok);
    CHECK(learner.samples() == 1);
}
