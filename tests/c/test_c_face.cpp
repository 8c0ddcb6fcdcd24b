// The functions of samara.h as a C program calls them: a model is opened, and its readout goes on learning.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "samara/samara.h"
#include "samara/samara.hpp"

namespace {

constexpr std::uint32_t inputs = 4, outputs = 2;

// A sealed model whose readout is 0: whatever its learner says was learned.
std::vector<std::uint32_t> sealed(std::uint32_t features, std::uint32_t count = outputs, std::uint64_t seed = 3)
{
    using namespace samara;
    const RffSpec spec = resolve(RffSpec{.inputs = inputs, .features = features, .bandwidth = 2, .seed = seed});
    const std::vector<float> weights(std::size_t{count} * features), bias(count);
    const ModelParts parts{.readout = float_readout(count, features, weights.data(), features, bias.data(), 1)};
    std::vector<std::uint32_t> words(sealed_bytes(spec, {}, parts) / 4);
    std::size_t size = 0;
    REQUIRE(seal(spec, {}, parts, std::as_writable_bytes(std::span(words)), size) == Status::ok);
    return words;
}

struct Opened {
    std::vector<std::uint32_t> bytes;
    samara_model model{};
    std::vector<float> work;
    explicit Opened(std::vector<std::uint32_t> words) : bytes(std::move(words))
    {
        REQUIRE(samara_open(&model, bytes.data(), 4 * bytes.size()) == SAMARA_OK);
        work.resize(samara_learner_workspace_bytes(&model) / 4);
    }
    std::size_t work_bytes() const { return 4 * work.size(); }
};

struct Learning : Opened {
    samara_learner learner{};
    std::vector<float> state;
    explicit Learning(std::uint32_t features = 32) : Opened(sealed(features)), state(state_floats())
    {
        REQUIRE(samara_learner_start(&learner, &model, 0.5f, state.data(), 4 * state.size()) == SAMARA_OK);
    }
    std::size_t state_floats() const { return samara_learner_state_bytes(&model) / 4; }
    int learn(const float* x, const float* targets)
    {
        return samara_learn_values(&learner, &model, x, targets, work.data(), work_bytes());
    }
    std::vector<float> scores(const float* x)
    {
        std::vector<float> found(outputs);
        std::uint32_t best = 7;
        REQUIRE(samara_learner_predict(&learner, &model, x, &best, found.data(), work.data(), work_bytes()) ==
                SAMARA_OK);
        CHECK(best == (found[1] > found[0] ? 1u : 0u));
        return found;
    }
};

constexpr float samples[3][inputs] = {{1, 0, -1, 2}, {-2, 1, 0, 0.5f}, {0, -1, 2, -1}};
constexpr float targets[3][outputs] = {{3, -1}, {0.5f, 2}, {-1, 0}};

} // namespace

TEST_CASE("C: values are learned, and go on being learned from a saved state")
{
    Learning l;
    for (const auto& x : samples)
        for (const float score : l.scores(x))
            CHECK(score == 0.0f);
    const auto distance = [](Learning& from) {
        double most = 0.0;
        for (int i = 0; i < 3; ++i) {
            const std::vector<float> found = from.scores(samples[i]);
            for (std::uint32_t o = 0; o < outputs; ++o)
                most = std::max(most, static_cast<double>(std::abs(found[o] - targets[i][o])));
        }
        return most;
    };
    const auto rounds = [](Learning& in, int count) {
        for (int i = 0; i < count; ++i)
            REQUIRE(in.learn(samples[i % 3], targets[i % 3]) == SAMARA_OK);
    };
    rounds(l, 3);
    CHECK(distance(l) < 3.0); // what it was before
    rounds(l, 297);
    CHECK(distance(l) < 0.02);

    // The same learner after its state has been elsewhere.
    Learning again;
    again.state = l.state;
    REQUIRE(samara_learner_resume(&again.learner, &again.model, 0.5f, again.state.data(), 4 * again.state.size()) ==
            SAMARA_OK);
    CHECK(again.scores(samples[1]) == l.scores(samples[1]));
    rounds(l, 6);
    rounds(again, 6);
    CHECK(std::memcmp(again.state.data(), l.state.data(), 4 * l.state.size()) == 0);
}

TEST_CASE("C: what is wrong is refused, and neither state nor outputs change")
{
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
    Learning l;
    REQUIRE(l.learn(samples[0], targets[0]) == SAMARA_OK);
    const std::vector<float> before = l.state;
    const auto same = [&] { return std::memcmp(before.data(), l.state.data(), 4 * before.size()) == 0; };

    for (const float bad : {nan, infinite, -infinite}) {
        float x[inputs] = {1, bad, 0, 0};
        CHECK(l.learn(x, targets[0]) == SAMARA_NOT_FINITE);
        CHECK(samara_learn_class(&l.learner, &l.model, x, 1, l.work.data(), l.work_bytes()) == SAMARA_NOT_FINITE);
        const float wrong[outputs] = {1, bad};
        CHECK(l.learn(samples[0], wrong) == SAMARA_NOT_FINITE);
    }
    float large[inputs] = {1, 0x1.000002p40f, 0, 0};
    CHECK(l.learn(large, targets[0]) == SAMARA_OUT_OF_RANGE);
    for (std::size_t bytes = 0; bytes < l.work_bytes(); bytes += 4)
        CHECK(samara_learn_values(&l.learner, &l.model, samples[0], targets[0], l.work.data(), bytes) ==
              SAMARA_SMALL_WORKSPACE);
    CHECK(samara_learn_class(&l.learner, &l.model, samples[0], outputs, l.work.data(), l.work_bytes()) ==
          SAMARA_WRONG_LENGTH);
    CHECK(same());

    // Another model: more features than the learner's, or more targets.
    Opened wider(sealed(64)), more(sealed(32, 3));
    const float three[3] = {1, 2, 3};
    CHECK(samara_learn_values(&l.learner, &wider.model, samples[0], three, wider.work.data(), wider.work_bytes()) ==
          SAMARA_WRONG_LENGTH);
    CHECK(samara_learn_values(&l.learner, &more.model, samples[0], three, more.work.data(), more.work_bytes()) ==
          SAMARA_WRONG_LENGTH);
    CHECK(same());

    float scores[3] = {5, 6, 7};
    std::uint32_t best = 9;
    CHECK(samara_learner_predict(&l.learner, &more.model, samples[0], &best, scores, more.work.data(),
                                 more.work_bytes()) == SAMARA_WRONG_LENGTH);
    CHECK(samara_learner_predict(&l.learner, &l.model, large, &best, scores, l.work.data(), l.work_bytes()) ==
          SAMARA_OUT_OF_RANGE);
    CHECK(samara_predict(&l.model, large, &best, scores, l.work.data(), l.work_bytes()) == SAMARA_OUT_OF_RANGE);
    CHECK(samara_scores(&l.model, samples[0], scores, l.work.data(), samara_workspace_bytes(&l.model) - 4) ==
          SAMARA_SMALL_WORKSPACE);
    CHECK(best == 9);
    CHECK(scores[0] == 5.0f);
    CHECK(scores[2] == 7.0f);
}

TEST_CASE("C: a learner is not opened in too little memory, or with another model's state")
{
    Opened o(sealed(32)), other(sealed(32, outputs, 4));
    const std::size_t bytes = samara_learner_state_bytes(&o.model);
    CHECK(bytes == SAMARA_LEARNER_STATE_BYTES(32, outputs));
    std::vector<float> state(bytes / 4 + 1);
    samara_learner learner{};
    CHECK(samara_learner_start(&learner, &o.model, 0.5f, state.data(), bytes - 4) == SAMARA_SMALL_WORKSPACE);
    CHECK(samara_learner_start(&learner, &o.model, 0.5f, reinterpret_cast<char*>(state.data()) + 1, bytes) ==
          SAMARA_MISALIGNED);
    CHECK(samara_learner_start(&learner, &o.model, -1.0f, state.data(), bytes) == SAMARA_BAD_SPEC);
    const samara_model closed{};
    CHECK(samara_learner_start(&learner, &closed, 0.5f, state.data(), bytes) == SAMARA_NOT_OPEN);
    for (const std::uint64_t part : learner.opaque)
        CHECK(part == 0);

    REQUIRE(samara_learner_start(&learner, &o.model, 0.5f, state.data(), bytes) == SAMARA_OK);
    CHECK(samara_learner_resume(&learner, &other.model, 0.5f, state.data(), bytes) == SAMARA_DIFFERENT_FEATURES);
    CHECK(samara_learner_resume(&learner, &o.model, 0.5f, state.data(), bytes) == SAMARA_OK);
}

TEST_CASE("C: bytes that are no model are refused, and every status has its sentence")
{
    std::vector<std::uint32_t> bytes = sealed(32);
    samara_model model{};
    CHECK(samara_open(&model, bytes.data(), 0) == SAMARA_NOT_A_MODEL);
    CHECK(samara_open(&model, bytes.data(), 4 * bytes.size() - 4) == SAMARA_DAMAGED_MODEL);
    CHECK(samara_open(&model, reinterpret_cast<char*>(bytes.data()) + 1, 16) == SAMARA_MISALIGNED);
    bytes[40] ^= 1;
    CHECK(samara_open(&model, bytes.data(), 4 * bytes.size()) == SAMARA_DAMAGED_MODEL);
    for (const std::uint64_t part : model.opaque)
        CHECK(part == 0);
    // Of a model that is not open all numbers are 0.
    CHECK(samara_inputs(&model) == 0);
    CHECK(samara_outputs(&model) == 0);
    CHECK(samara_features(&model) == 0);
    CHECK(std::string(samara_label(&model, 0)).empty());

    std::vector<std::string> sentences;
    const std::string unknown = samara_status_text(-1);
    CHECK(unknown == samara_status_text(256));
    CHECK(unknown == samara_status_text(255));
    for (int status = SAMARA_OK; status <= SAMARA_CONSUMED; ++status) {
        CAPTURE(status);
        const std::string sentence = samara_status_text(status);
        CHECK(!sentence.empty());
        CHECK(sentence != unknown);
        for (const std::string& earlier : sentences)
            CHECK(sentence != earlier);
        sentences.push_back(sentence);
    }
}
