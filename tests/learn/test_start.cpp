// Learners that begin with a readout, counts beyond 32 bits, and the specs that are refused.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "samara/learn.hpp"

using namespace samara;

namespace {

constexpr std::uint32_t features = 3, outputs = 2;

template <class Spec>
struct Memory {
    std::vector<std::uint32_t> words;
    explicit Memory(const Spec& spec) : words(state_bytes(spec) / 4) {}
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words)); }
};

// Words 5 and 6 of a state: SPEC.md has the places.
void set_samples(std::vector<std::uint32_t>& words, std::uint64_t samples)
{
    words[5] = static_cast<std::uint32_t>(samples);
    words[6] = static_cast<std::uint32_t>(samples >> 32);
}

template <class Learner, class Spec>
void check_start(const Spec& spec)
{
    const float weights[] = {1, -2, 0.5f, 4, 0, -1}, biases[] = {0.25f, -8};
    const Readout readout = float_readout(outputs, features, weights, features, biases, 1);
    Memory<Spec> memory(spec);
    Learner learner;
    CHECK(learner.start(readout, 77) == Status::not_open);
    REQUIRE(learner.open(spec, memory.bytes()) == Status::ok);
    const std::vector<std::uint32_t> before = memory.words;
    CHECK(learner.start(Readout{}, 77) == Status::not_open);
    CHECK(learner.start(float_readout(1, features, weights, features, biases, 1), 77) == Status::wrong_length);
    CHECK(learner.start(float_readout(outputs, 2, weights, features, biases, 1), 77) == Status::wrong_length);
    CHECK(memory.words == before);

    REQUIRE(learner.start(readout, 77) == Status::ok);
    CHECK(learner.features_id() == 77);
    for (std::uint32_t o = 0; o < outputs; ++o) {
        for (std::uint32_t j = 0; j < features; ++j)
            CHECK(learner.weight(o, j) == weights[o * features + j]);
        CHECK(learner.bias(o) == biases[o]);
    }
    const std::vector<float> z = {1, 2, -2};
    std::vector<float> scores(outputs, 9.0f);
    REQUIRE(learner.scores(z, scores) == Status::ok);
    CHECK(scores == std::vector<float>{1 - 4 - 1 + 0.25f, 4 + 2 - 8});
    std::vector<float> short_one(1, 9.0f);
    CHECK(learner.scores(z, short_one) == Status::wrong_length);
    CHECK(short_one[0] == 9.0f);
    // It goes on from there: nothing to learn where the scores are right.
    const std::vector<float> targets = scores;
    REQUIRE(learner.learn(z, targets) == Status::ok);
    REQUIRE(learner.scores(z, scores) == Status::ok);
    CHECK(scores == targets);
    CHECK(learner.samples() == 1);
}

} // namespace

TEST_CASE("learners begin with a readout, or refuse it and stay as they were")
{
    check_start<Sgd>(SgdSpec{.features = features, .outputs = outputs, .rate = 0.125f});
    check_start<Sgd>(SgdSpec{.features = features, .outputs = outputs, .rate = 0.125f, .average = true});
    check_start<Rls>(RlsSpec{.features = features, .outputs = outputs});
}

TEST_CASE("counts go on beyond 32 bits")
{
    const GramSpec spec{.features = features, .outputs = outputs};
    Memory<GramSpec> memory[2] = {Memory<GramSpec>(spec), Memory<GramSpec>(spec)};
    Gram gram[2];
    for (unsigned i = 0; i < 2; ++i)
        REQUIRE(gram[i].open(spec, memory[i].bytes()) == Status::ok);
    set_samples(memory[0].words, 0xffffffffu);
    set_samples(memory[1].words, 0x300000002u);
    CHECK(gram[0].samples() == 0xffffffffu);
    REQUIRE(gram[0].add(std::vector<float>{1, 2, 3}, std::vector<float>{1, 2}) == Status::ok);
    CHECK(gram[0].samples() == 0x100000000u);
    REQUIRE(gram[0].merge(gram[1]) == Status::ok);
    CHECK(gram[0].samples() == 0x400000002u);
}

TEST_CASE("specs of learners: the field that is wrong is named")
{
    const auto field = [](const auto& spec) { return std::string(check(spec).field); };
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(field(SgdSpec{.features = 4, .outputs = 1}).empty());
    CHECK(field(SgdSpec{.features = 0, .outputs = 1}) == "features");
    CHECK(field(SgdSpec{.features = most_learner_features + 1, .outputs = 1}) == "features");
    CHECK(field(SgdSpec{.features = 4, .outputs = 0}) == "outputs");
    CHECK(field(SgdSpec{.features = 4, .outputs = most_outputs + 1}) == "outputs");
    CHECK(field(SgdSpec{.features = 4, .outputs = 1, .loss = static_cast<Loss>(9)}) == "loss");
    CHECK(field(SgdSpec{.features = 4, .outputs = 1, .step = static_cast<Step>(9)}) == "step");
    CHECK(field(SgdSpec{.features = 4, .outputs = 1, .rate = -1.0f}) == "rate");
    CHECK(field(SgdSpec{.features = 4, .outputs = 1, .rate = nan}) == "rate");
    CHECK(field(SgdSpec{.features = 4, .outputs = 1, .ridge = -1.0f}) == "ridge");
    CHECK(field(RlsSpec{.features = 4, .outputs = 0}) == "outputs");
    CHECK(field(RlsSpec{.features = 4, .outputs = 1, .forget = 0.25f}) == "forget");
    CHECK(field(RlsSpec{.features = 4, .outputs = 1, .forget = 1.5f}) == "forget");
    CHECK(field(RlsSpec{.features = 4, .outputs = 1, .prior = 0.0f}) == "prior");
    CHECK(field(GramSpec{.features = 0, .outputs = 1}) == "features");
}
