// Learners whose states stay finite whatever they are given, and scores that are numbers or a status.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "samara/learn.hpp"
#include "simd/support.hpp"

using namespace samara;
using samara::test::RandomNumbers;

namespace {

bool finite(std::span<const std::byte> state)
{
    for (std::size_t i = state_header_bytes; i < state.size(); i += 4) {
        std::uint32_t word;
        std::memcpy(&word, state.data() + i, 4);
        if ((word & 0x7f800000u) == 0x7f800000u)
            return false;
    }
    return true;
}

// A number whose magnitude is anything from 2^-most to 2^most.
float wild(RandomNumbers& numbers, int most)
{
    const int exponent = static_cast<int>(numbers.below(2 * static_cast<std::uint32_t>(most) + 1)) - most;
    return std::ldexp(numbers.symmetric(), exponent);
}

// A state without the numbers that mean nothing between two calls.
template <class Spec>
std::vector<std::byte> meaning_of(const Spec& spec, std::vector<std::byte> state)
{
    std::fill_n(state.begin() + state_header_bytes, 4 * spec.outputs, std::byte{});
    if constexpr (requires { spec.block; })
        if (spec.block == 0)
            std::fill_n(state.end() - 8 * (spec.features + 1), 8 * (spec.features + 1), std::byte{});
    return state;
}

// Learns ordinary and absurd samples in turn.
template <class Learner, class Spec, class Learn>
void attack(const Spec& spec, std::uint64_t seed, Learn learn)
{
    std::vector<std::byte> memory(state_bytes(spec));
    Learner learner;
    REQUIRE(learner.open(spec, memory) == Status::ok);
    RandomNumbers numbers(seed);
    std::vector<float> z(spec.features), y(spec.outputs), scores(spec.outputs);
    unsigned learned = 0;
    for (unsigned t = 0; t < 300; ++t) {
        const bool absurd = numbers.below(3) == 0;
        for (float& v : z)
            v = absurd ? wild(numbers, 40) : numbers.symmetric();
        for (float& v : y)
            v = absurd && numbers.below(2) == 0 ? wild(numbers, 127) : numbers.symmetric();
        const float weight = absurd && numbers.below(2) == 0 ? std::abs(wild(numbers, 20)) : 1.0f;
        const std::vector<std::byte> before = memory;
        const Status status = learn(learner, z, y, numbers.below(spec.outputs), weight);
        REQUIRE((status == Status::ok || status == Status::overflow));
        REQUIRE(finite(memory));
        learned += status == Status::ok ? 1 : 0;
        if (status != Status::ok)
            REQUIRE(meaning_of(spec, memory) == meaning_of(spec, before));
        const Status scored = learner.scores(z, scores);
        for (const float score : scores)
            REQUIRE(std::isfinite(score));
        REQUIRE((scored == Status::ok || scored == Status::overflow || scored == Status::not_open));
        Learner again;
        REQUIRE(again.resume(spec, memory) == Status::ok);
    }
    CHECK(learned > 0);
}

} // namespace

TEST_CASE("a state too large for the machine's addresses has no size that wraps")
{
    // 32 bits count 2^32 bytes; these states have more, and there must be no memory that is large enough for them.
    static_assert(state_bytes(GramSpec{.features = 50'000}) >= 0xffffffffu);
    static_assert(state_bytes(GramSpec{.features = most_learner_features, .outputs = most_outputs}) >= 0xffffffffu);
    static_assert(state_bytes(RlsSpec{.features = 50'000}) >= 0xffffffffu);
    static_assert(state_bytes(RlsSpec{.features = most_learner_features, .outputs = most_outputs}) >= 0xffffffffu);
    static_assert(state_bytes(GramSpec{.features = 40'000}) == 32 + 4 * (40'001ull * 40'002 / 2 + 40'001 + 1));
    std::vector<std::byte> memory(4096);
    Gram gram;
    CHECK(gram.open({.features = 50'000}, memory) == Status::small_workspace);
    Rls rls;
    CHECK(rls.open({.features = most_learner_features}, memory) == Status::small_workspace);
}

TEST_CASE("no sample takes a learner out of the range of floats, and a refused one leaves the state as it was")
{
    const auto learn_values = [](auto& l, auto& z, auto& y, std::uint32_t, float w) { return l.learn(z, y, w); };
    const auto learn_class = [](auto& l, auto& z, auto&, std::uint32_t label, float w) {
        return l.learn_class(z, label, w);
    };
    std::uint64_t seed = 0;
    for (const Step step : {Step::normalised, Step::constant, Step::inverse_root, Step::adagrad})
        for (const Loss loss : {Loss::squared, Loss::logistic, Loss::hinge})
            for (const float rate : {0.1f, 1.9f, 1e12f})
                for (const float ridge : {0.0f, 1e-3f, 1e6f}) {
                    const SgdSpec spec{.features = 5,
                                       .outputs = 2,
                                       .loss = loss,
                                       .step = step,
                                       .rate = step == Step::normalised && rate > 2.0f ? 1e-30f : rate,
                                       .ridge = ridge,
                                       .average = ++seed % 2 == 0};
                    CAPTURE(seed);
                    attack<Sgd>(spec, seed, learn_class);
                    if (loss == Loss::squared)
                        attack<Sgd>(spec, seed, learn_values);
                }
    for (const float forget : {0.5f, 0.99f, 1.0f})
        for (const float prior : {1e-18f, 1e-3f, 1.0f, 1e18f})
            for (const std::uint32_t block : {0u, 1u, 2u, 7u}) {
                const RlsSpec spec{.features = 5, .outputs = 2, .forget = forget, .prior = prior, .block = block};
                CAPTURE(++seed);
                attack<Rls>(spec, seed, learn_values);
                attack<Rls>(spec, seed, learn_class);
            }
    for (unsigned i = 0; i < 20; ++i)
        attack<Gram>(GramSpec{.features = 5, .outputs = 2}, ++seed,
                     [](auto& l, auto& z, auto& y, std::uint32_t, float w) { return l.add(z, y, w); });
}
