// What learners on many devices need: weights of samples, classes that come later, little memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "samara/learn.hpp"
#include "simd/support.hpp"

using namespace samara;
using samara::test::RandomNumbers;

namespace {

constexpr unsigned n = 6;

// Clusters around corners of a cube that overlap a little: z of class `label`.
void draw(RandomNumbers& numbers, std::uint32_t label, std::span<float> z)
{
    for (unsigned j = 0; j < z.size(); ++j)
        z[j] = 0.3f * numbers.symmetric() + (j == label ? 1.0f : 0.0f) + 0.5f;
}

template <class Learner>
double accuracy(const Learner& learner, unsigned classes, unsigned outputs)
{
    RandomNumbers numbers(77);
    std::vector<float> z(n), scores(outputs);
    unsigned right = 0;
    for (unsigned t = 0; t < 600; ++t) {
        draw(numbers, t % classes, z);
        REQUIRE(learner.scores(z, scores) == Status::ok);
        right += best_of(scores) == t % classes ? 1 : 0;
    }
    return right / 600.0;
}

template <class Learner>
Status take(Learner& learner, std::span<const float> z, std::uint32_t label, float weight = 1.0f)
{
    if constexpr (requires { learner.learn_class(z, label); })
        return learner.learn_class(z, label, weight);
    else
        return learner.add_class(z, label, weight);
}

template <class Learner>
void teach(Learner& learner, unsigned classes, unsigned samples, std::uint64_t seed)
{
    RandomNumbers numbers(seed);
    std::vector<float> z(n);
    for (unsigned t = 0; t < samples; ++t) {
        const std::uint32_t label = numbers.below(classes);
        draw(numbers, label, z);
        REQUIRE(take(learner, z, label) == Status::ok);
    }
}

} // namespace

TEST_CASE("a normalised step takes a share of the error away, whatever the sample's length")
{
    const SgdSpec spec{.features = 3, .rate = 0.25f};
    for (const float scale : {1e-9f, 1.0f, 1e9f}) {
        std::vector<std::byte> memory(state_bytes(spec));
        Sgd learner;
        REQUIRE(learner.open(spec, memory) == Status::ok);
        const float z[3] = {scale, -2.0f * scale, 0.5f * scale}, target = 4.0f;
        float score = 0.0f;
        REQUIRE(learner.learn(z, {&target, 1}) == Status::ok);
        REQUIRE(learner.scores(z, {&score, 1}) == Status::ok);
        CHECK(score == doctest::Approx(1.0)); // a quarter of the way from 0
        // Of a weight of 2 half of it, of 100 all of what is left, and of 0 nothing.
        REQUIRE(learner.learn(z, {&target, 1}, 2.0f) == Status::ok);
        REQUIRE(learner.scores(z, {&score, 1}) == Status::ok);
        CHECK(score == doctest::Approx(2.5));
        REQUIRE(learner.learn(z, {&target, 1}, 0.0f) == Status::ok);
        CHECK(learner.samples() == 2);
        REQUIRE(learner.learn(z, {&target, 1}, 100.0f) == Status::ok);
        REQUIRE(learner.scores(z, {&score, 1}) == Status::ok);
        CHECK(score == doctest::Approx(4.0));
    }
    CHECK_FALSE(static_cast<bool>(check(SgdSpec{.features = 3, .rate = 2.0f})));
    CHECK(static_cast<bool>(check(SgdSpec{.features = 3, .rate = 1.99f})));
    CHECK(static_cast<bool>(check(SgdSpec{.features = 3, .step = Step::constant, .rate = 2.0f})));
}

TEST_CASE("outliers of any size leave what was learned")
{
    const SgdSpec spec{.features = n, .outputs = 4};
    double right[2] = {};
    for (const bool outliers : {false, true}) {
        std::vector<std::byte> memory(state_bytes(spec));
        Sgd learner;
        REQUIRE(learner.open(spec, memory) == Status::ok);
        RandomNumbers numbers(3);
        std::vector<float> z(n);
        for (unsigned t = 0; t < 6000; ++t) {
            const std::uint32_t label = numbers.below(4);
            draw(numbers, label, z);
            if (outliers && t % 50 == 49)
                for (float& v : z)
                    v = 1e9f * numbers.symmetric();
            REQUIRE(learner.learn_class(z, label) == Status::ok);
        }
        right[outliers ? 1 : 0] = accuracy(learner, 4, 4);
    }
    CHECK(right[0] > 0.97);
    CHECK(right[1] > right[0] - 0.01);
}

TEST_CASE("a ridge weighs against samples as often as their weights say")
{
    const GramSpec spec{.features = n, .outputs = 1};
    std::vector<std::byte> memory[2] = {std::vector<std::byte>(state_bytes(spec)),
                                        std::vector<std::byte>(state_bytes(spec))};
    Gram weighted, repeated;
    REQUIRE(weighted.open(spec, memory[0]) == Status::ok);
    REQUIRE(repeated.open(spec, memory[1]) == Status::ok);
    RandomNumbers numbers(10);
    std::vector<float> z(n);
    for (unsigned t = 0; t < 40; ++t) {
        draw(numbers, t % n, z);
        const float y = z[0] - z[1] + 0.1f * numbers.symmetric();
        REQUIRE(weighted.add(z, {&y, 1}, 4.0f) == Status::ok);
        for (unsigned i = 0; i < 4; ++i)
            REQUIRE(repeated.add(z, {&y, 1}) == Status::ok);
    }
    REQUIRE(weighted.solve(0.5f) == Status::ok);
    REQUIRE(repeated.solve(0.5f) == Status::ok);
    for (unsigned j = 0; j <= n; ++j)
        CHECK(weighted.weight(0, j) == doctest::Approx(static_cast<double>(repeated.weight(0, j))).epsilon(1e-4));
}

TEST_CASE("a sample's weight says how many of them it is")
{
    RandomNumbers numbers(9);
    const RlsSpec rls{.features = n, .outputs = 1, .prior = 1e-2f};
    const GramSpec gram{.features = n, .outputs = 1};
    std::vector<std::byte> memory[4] = {
        std::vector<std::byte>(state_bytes(rls)), std::vector<std::byte>(state_bytes(rls)),
        std::vector<std::byte>(state_bytes(gram)), std::vector<std::byte>(state_bytes(gram))};
    Rls weighted, repeated;
    Gram sums, repeated_sums;
    REQUIRE(weighted.open(rls, memory[0]) == Status::ok);
    REQUIRE(repeated.open(rls, memory[1]) == Status::ok);
    REQUIRE(sums.open(gram, memory[2]) == Status::ok);
    REQUIRE(repeated_sums.open(gram, memory[3]) == Status::ok);
    std::vector<float> z(n);
    for (unsigned t = 0; t < 40; ++t) {
        draw(numbers, t % n, z);
        const float y = numbers.symmetric();
        const std::uint32_t times = t % 4;
        REQUIRE(weighted.learn(z, {&y, 1}, static_cast<float>(times)) == Status::ok);
        REQUIRE(sums.add(z, {&y, 1}, static_cast<float>(times)) == Status::ok);
        for (std::uint32_t i = 0; i < times; ++i) {
            REQUIRE(repeated.learn(z, {&y, 1}) == Status::ok);
            REQUIRE(repeated_sums.add(z, {&y, 1}) == Status::ok);
        }
    }
    CHECK(weighted.samples() == 30); // those of weight 0 are not counted
    REQUIRE(sums.solve(0.0f) == Status::ok);
    REQUIRE(repeated_sums.solve(0.0f) == Status::ok);
    for (unsigned j = 0; j < n; ++j) {
        CHECK(weighted.weight(0, j) == doctest::Approx(static_cast<double>(repeated.weight(0, j))).epsilon(1e-4));
        CHECK(sums.weight(0, j) == doctest::Approx(static_cast<double>(repeated_sums.weight(0, j))).epsilon(1e-3));
    }
    // Refused without a change.
    const float y = 1.0f;
    const std::vector<std::byte> before = memory[0];
    CHECK(weighted.learn(z, {&y, 1}, -1.0f) == Status::out_of_range);
    CHECK(weighted.learn(z, {&y, 1}, 0x1p21f) == Status::out_of_range);
    CHECK(weighted.learn(z, {&y, 1}, std::nanf("")) == Status::not_finite);
    CHECK(memory[0] == before);
}

TEST_CASE("constant and adaptive steps take a weight as a factor of the gradient")
{
    for (const Step step : {Step::constant, Step::inverse_root, Step::adagrad}) {
        const SgdSpec spec{.features = 2, .outputs = 2, .loss = Loss::logistic, .step = step, .rate = 0.1f};
        std::vector<std::byte> memory[2] = {std::vector<std::byte>(state_bytes(spec)),
                                            std::vector<std::byte>(state_bytes(spec))};
        Sgd once, half;
        REQUIRE(once.open(spec, memory[0]) == Status::ok);
        REQUIRE(half.open(spec, memory[1]) == Status::ok);
        const float z[2] = {1.0f, -0.5f};
        REQUIRE(once.learn_class(z, 1) == Status::ok);
        REQUIRE(half.learn_class(z, 1, 0.5f) == Status::ok);
        // AdaGrad's first step is the rate in the gradient's direction.
        const float factor = step == Step::adagrad ? 1.0f : 0.5f;
        for (unsigned o = 0; o < 2; ++o)
            CHECK(half.weight(o, 0) == doctest::Approx(static_cast<double>(factor * once.weight(o, 0))).epsilon(1e-4));
    }
}

TEST_CASE("a state grows to a new class, and the others stay")
{
    const auto grows = [](auto learner, const auto& spec_of, double least) {
        const auto before = spec_of(3), after = spec_of(4);
        std::vector<std::byte> memory(state_bytes(after));
        decltype(learner) small, large;
        REQUIRE(small.open(before, memory) == Status::ok);
        const std::vector<float> zeros(n + 1);
        REQUIRE(small.start(float_readout(3, n, zeros.data(), 0, zeros.data(), 0), 1234) == Status::ok);
        teach(small, 3, 900, 4);
        std::vector<float> z(n), old_scores(3), new_scores(4);
        RandomNumbers numbers(8);
        draw(numbers, 1, z);
        REQUIRE(small.scores(z, old_scores) == Status::ok);
        const std::uint64_t samples = small.samples();
        CHECK(large.grow(before, memory) == Status::ok); // nothing to do
        REQUIRE(large.grow(after, memory) == Status::ok);
        CHECK(large.samples() == samples);
        CHECK(large.features_id() == 1234);
        REQUIRE(large.scores(z, new_scores) == Status::ok);
        for (unsigned o = 0; o < 3; ++o)
            CHECK(new_scores[o] == old_scores[o]);
        CHECK(new_scores[3] == doctest::Approx(-1.0 / 3));
        CHECK(accuracy(large, 3, 4) > least);
        // A second learner takes the grown state for its own.
        decltype(learner) again;
        REQUIRE(again.resume(after, memory) == Status::ok);
        teach(again, 4, 1200, 5);
        CHECK(accuracy(again, 4, 4) > least);
        CHECK(large.grow(before, memory) == Status::wrong_length); // it would shrink
    };
    for (const bool average : {false, true})
        for (const Step step : {Step::normalised, Step::adagrad})
            grows(
                Sgd{},
                [&](std::uint32_t k) { return SgdSpec{.features = n, .outputs = k, .step = step, .average = average}; },
                0.95);
    for (const std::uint32_t block : {0u, 1u, 4u})
        grows(
            Rls{},
            [&](std::uint32_t k) { return RlsSpec{.features = n, .outputs = k, .prior = 1e-2f, .block = block}; },
            0.97);
}

TEST_CASE("sums that grow by a class are those of samples that knew it from the start")
{
    const GramSpec before{.features = n, .outputs = 3}, after{.features = n, .outputs = 5};
    std::vector<std::byte> memory(state_bytes(after)), known(state_bytes(after));
    Gram small, grown, reference;
    REQUIRE(small.open(before, memory) == Status::ok);
    REQUIRE(reference.open(after, known) == Status::ok);
    teach(small, 3, 500, 6);
    teach(reference, 3, 500, 6);
    REQUIRE(grown.grow(after, memory) == Status::ok);
    teach(grown, 5, 500, 7);
    teach(reference, 5, 500, 7);
    REQUIRE(grown.solve(1e-3f) == Status::ok);
    REQUIRE(reference.solve(1e-3f) == Status::ok);
    for (unsigned o = 0; o < 5; ++o)
        for (unsigned j = 0; j <= n; ++j)
            CHECK(std::abs(grown.weight(o, j) - reference.weight(o, j)) < 1e-4f);
    CHECK(accuracy(grown, 5, 5) > 0.97);
    CHECK(small.grow(after, memory) == Status::consumed);
}

TEST_CASE("growing refuses what is no such state")
{
    const SgdSpec spec{.features = n, .outputs = 4};
    SgdSpec fewer = spec;
    fewer.outputs = 3;
    std::vector<std::byte> memory(state_bytes(spec));
    Sgd learner;
    CHECK(learner.grow(spec, std::span(memory).first(16)) == Status::small_workspace);
    CHECK(learner.grow(spec, std::span(memory).subspan(1)) == Status::misaligned);
    CHECK(learner.grow(spec, memory) == Status::wrong_length); // zeros: no state
    REQUIRE(learner.open(fewer, memory) == Status::ok);
    const std::vector<std::byte> before = memory;
    CHECK(learner.grow(spec, std::span(memory).first(state_bytes(fewer))) == Status::small_workspace);
    SgdSpec other = spec;
    other.loss = Loss::hinge;
    CHECK(learner.grow(other, memory) == Status::different_spec);
    other = spec;
    other.features = n - 1;
    CHECK(learner.grow(other, memory) == Status::different_features);
    Rls rls;
    std::vector<std::byte> larger = memory;
    larger.resize(state_bytes(RlsSpec{.features = n, .outputs = 4}));
    CHECK(rls.grow({.features = n, .outputs = 4}, larger) == Status::different_features);
    // One output tells two classes apart with targets of its own.
    std::vector<std::byte> single(state_bytes(spec));
    REQUIRE(learner.open({.features = n, .outputs = 1}, single) == Status::ok);
    CHECK(learner.grow(spec, single) == Status::wrong_length);
    CHECK(memory == before);
}

TEST_CASE("a learner starts from a readout of fewer outputs")
{
    const float weights[2][n + 1] = {{1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f},
                                     {-1.0f, -2.0f, -3.0f, -4.0f, -5.0f, -6.0f, -7.0f}};
    const Readout sealed = float_readout(2, n, weights[0], n + 1, weights[0] + n, n + 1);
    const auto starts = [&](auto learner, const auto& spec) {
        std::vector<std::byte> memory(state_bytes(spec));
        REQUIRE(learner.open(spec, memory) == Status::ok);
        REQUIRE(learner.start(sealed, 5) == Status::ok);
        for (unsigned o = 0; o < 2; ++o)
            for (unsigned j = 0; j <= n; ++j)
                CHECK(learner.weight(o, j) == weights[o][j]);
        for (unsigned j = 0; j < n; ++j)
            CHECK(learner.weight(2, j) == 0.0f);
        CHECK(learner.bias(2) == -0.5f);
    };
    starts(Sgd{}, SgdSpec{.features = n, .outputs = 3});
    starts(Sgd{}, SgdSpec{.features = n, .outputs = 3, .average = true});
    starts(Rls{}, RlsSpec{.features = n, .outputs = 3, .block = 4});
    const SgdSpec one{.features = n, .outputs = 1}, three{.features = n, .outputs = 3};
    std::vector<std::byte> memory(state_bytes(three));
    Sgd learner;
    REQUIRE(learner.open(one, memory) == Status::ok);
    CHECK(learner.start(sealed, 5) == Status::wrong_length);
    REQUIRE(learner.open(three, memory) == Status::ok);
    CHECK(learner.start(float_readout(1, n, weights[0], n + 1, weights[0] + n, n + 1), 5) == Status::wrong_length);
    float huge[n + 1] = {};
    huge[2] = 0x1p121f;
    const std::vector<std::byte> before = memory;
    REQUIRE(learner.open(one, memory) == Status::ok);
    CHECK(learner.start(float_readout(1, n, huge, n + 1, huge + n, n + 1), 5) == Status::overflow);
    CHECK(learner.features_id() == 0);
}

TEST_CASE("blocks of one inverse: all in one block is the exact solution, and smaller ones learn with less memory")
{
    const RlsSpec exact{.features = n, .outputs = 2, .forget = 0.99f, .prior = 1e-2f};
    RlsSpec whole = exact, diagonal = exact;
    whole.block = n + 1;
    diagonal.block = 1;
    CHECK(state_bytes(diagonal) == state_header_bytes + 4 * (2 + 2 * (n + 1) + (n + 1)));
    CHECK(state_bytes(RlsSpec{.features = 256, .outputs = 10, .block = 10}) <= 16384);
    std::vector<std::byte> memory[3] = {std::vector<std::byte>(state_bytes(exact)),
                                        std::vector<std::byte>(state_bytes(whole)),
                                        std::vector<std::byte>(state_bytes(diagonal))};
    Rls a, b, c;
    REQUIRE(a.open(exact, memory[0]) == Status::ok);
    REQUIRE(b.open(whole, memory[1]) == Status::ok);
    REQUIRE(c.open(diagonal, memory[2]) == Status::ok);
    RandomNumbers numbers(12);
    std::vector<float> z(n);
    for (unsigned t = 0; t < 300; ++t) {
        draw(numbers, t % n, z);
        const float y[2] = {numbers.symmetric(), z[0]};
        REQUIRE(a.learn(z, y) == Status::ok);
        REQUIRE(b.learn(z, y) == Status::ok);
        REQUIRE(c.learn(z, y) == Status::ok);
    }
    for (unsigned o = 0; o < 2; ++o)
        for (unsigned j = 0; j <= n; ++j)
            CHECK(std::abs(a.weight(o, j) - b.weight(o, j)) < 1e-5f);
    double worst = 0.0;
    for (unsigned t = 0; t < 200; ++t) {
        float scores[2];
        draw(numbers, t % n, z);
        REQUIRE(c.scores(z, scores) == Status::ok);
        worst = std::max(worst, static_cast<double>(std::abs(scores[1] - z[0]))); // of -0.3 ... 1.8
    }
    CHECK(worst < 0.2);
    CHECK(a.resume(whole, memory[0]) == Status::different_spec);
    CHECK_FALSE(static_cast<bool>(check(RlsSpec{.features = n, .block = 33})));
    CHECK_FALSE(static_cast<bool>(check(RlsSpec{.features = n, .prior = 1e-45f})));
}
