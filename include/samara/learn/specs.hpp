// What learners are told to be: their specs, which specs are good, and how many bytes a state has.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "samara/readout.hpp"
#include "samara/status.hpp"

namespace samara {

inline constexpr std::uint32_t most_learner_features = 1u << 16;
inline constexpr std::uint32_t most_rls_block = 32;
inline constexpr std::size_t state_header_bytes = 32; // of every state

enum class Loss : std::uint8_t { squared = 0, logistic = 1, hinge = 2 };
enum class Step : std::uint8_t { constant = 0, inverse_root = 1, adagrad = 2, normalised = 3 };

// Stochastic gradient of loss + ridge |w|^2 / 2, without ridge for the bias. One output with logistic or hinge loss
// tells class 1 (score > 0) from class 0; several: softmax, or the hinge of Crammer and Singer (the right class against
// the best wrong one). With squared loss a class is the target 1 - 1/outputs for its output and -1/outputs for the
// others, as in training.
//
// A normalised step cannot diverge, whatever the features are: with squared loss it takes the share `rate` of the
// sample's error away, so an outlier of any magnitude moves the weights no farther than another sample. The other steps
// are for features whose length is known: a constant one must be below 2 / (|z|^2 + 1) for squared loss.
struct SgdSpec {
    std::uint32_t features = 0; // 1 ... 65,536
    std::uint32_t outputs = 1;  // 1 ... 4,096
    Loss loss = Loss::squared;
    // rate / (|z|^2 + 1 + ridge), rate, rate / sqrt(t), or rate / sqrt(sum of squared gradients) for each weight
    Step step = Step::normalised;
    float rate = 0.1f; // positive; below 2 where the step is normalised
    float ridge = 0;
    // scores() use the mean of all weights so far; after 65,536 samples one that forgets as slowly as if it were of so
    // many. What is learned late, as a class that came by grow(), shows in it as slowly.
    bool average = false;
    friend constexpr bool operator==(const SgdSpec&, const SgdSpec&) = default;
};

// Minimises sum over t of forget^(T-t) (y - w z)^2 + prior |w|^2 exactly. The inverse is kept as U D U' (Bierman),
// which stays positive definite in float32; forgetting never makes it larger than it was at the start, so inputs that
// do not change for a long time do no harm.
//
// With `block` the inverse is that of each block of so many features by itself, as if the others were not there: less
// memory and time, and between Sgd and the exact solution in how few samples it needs: with blocks of 8 or 10 nearer to
// the latter. `block = 1` keeps one number a feature. The step is taken with all blocks at once, shortened so that it
// never goes beyond the sample's target.
//
// Least squares believe every sample: one of magnitude 1e9 counts as 10^18 ordinary ones, and where it lies nothing
// more is learned until it is forgotten. That is one direction of all with `block = 0`, and one in every block else, so
// a few of them end the learning. Clip what may bring such samples, or take Sgd.
struct RlsSpec {
    std::uint32_t features = 0;
    std::uint32_t outputs = 1;
    float forget = 1;        // 2^-1 ... 1
    float prior = 1;         // 1e-18 ... 1e18; a thousandth of |z|^2 where nothing else is known
    std::uint32_t block = 0; // 1 ... 32 features, or 0: all in one, the exact solution
    friend constexpr bool operator==(const RlsSpec&, const RlsSpec&) = default;
};

struct GramSpec {
    std::uint32_t features = 0;
    std::uint32_t outputs = 1;
    friend constexpr bool operator==(const GramSpec&, const GramSpec&) = default;
};

namespace detail {
// A positive finite float, by its bits.
constexpr bool positive_bits(std::uint32_t u) noexcept { return u > 0 && u < 0x7f800000u; }
// Positive floats are in the order of their bits.
constexpr bool between(float least, float value, float most) noexcept
{
    const auto u = std::bit_cast<std::uint32_t>(value);
    return u >= std::bit_cast<std::uint32_t>(least) && u <= std::bit_cast<std::uint32_t>(most);
}
// Rows of weights: the features, then the bias.
constexpr std::size_t weight_floats(std::uint32_t features, std::uint32_t outputs) noexcept
{
    return (std::size_t{features} + 1) * outputs;
}
constexpr std::size_t packed_floats(std::size_t n) noexcept
{
    return static_cast<std::size_t>(std::uint64_t{n} * (n + 1) / 2); // of 65,537 below 2^32
}
// U of every block without its diagonal, and D.
constexpr std::size_t block_floats(std::size_t n, std::size_t block) noexcept
{
    return n / block * packed_floats(block) + packed_floats(n % block);
}
// The bytes of a state of so many floats. Where a size_t cannot count them it is the largest one, which no memory has.
constexpr std::size_t bytes_of_state(std::uint64_t floats) noexcept
{
    constexpr std::size_t most = ~std::size_t{0};
    const std::uint64_t bytes = state_header_bytes + sizeof(float) * floats;
    return bytes < most ? static_cast<std::size_t>(bytes) : most;
}
constexpr SpecReport check_learner_sizes(std::uint32_t features, std::uint32_t outputs) noexcept
{
    if (features < 1 || features > most_learner_features)
        return {Status::bad_spec, "features", "1 to 65536"};
    if (outputs < 1 || outputs > most_outputs)
        return {Status::bad_spec, "outputs", "1 to 4096"};
    return {};
}
} // namespace detail

constexpr SpecReport check(const SgdSpec& s) noexcept
{
    if (const SpecReport sizes = detail::check_learner_sizes(s.features, s.outputs); !sizes)
        return sizes;
    if (s.loss > Loss::hinge)
        return {Status::bad_spec, "loss", "squared, logistic or hinge"};
    if (s.step > Step::normalised)
        return {Status::bad_spec, "step", "normalised, constant, inverse_root or adagrad"};
    const auto rate = std::bit_cast<std::uint32_t>(s.rate);
    if (!detail::positive_bits(rate))
        return {Status::bad_spec, "rate", "a positive number"};
    if (s.step == Step::normalised && rate >= std::bit_cast<std::uint32_t>(2.0f))
        return {Status::bad_spec, "rate", "a positive number below 2, as the step is normalised"};
    const auto ridge = std::bit_cast<std::uint32_t>(s.ridge);
    if (ridge != 0 && !detail::positive_bits(ridge))
        return {Status::bad_spec, "ridge", "0 or a positive number"};
    return {};
}
constexpr SpecReport check(const RlsSpec& s) noexcept
{
    if (const SpecReport sizes = detail::check_learner_sizes(s.features, s.outputs); !sizes)
        return sizes;
    if (!detail::between(0.5f, s.forget, 1.0f))
        return {Status::bad_spec, "forget", "0.5 to 1"};
    if (!detail::between(1e-18f, s.prior, 1e18f))
        return {Status::bad_spec, "prior", "1e-18 to 1e18"};
    if (s.block > most_rls_block)
        return {Status::bad_spec, "block", "0 to 32"};
    return {};
}
constexpr SpecReport check(const GramSpec& s) noexcept { return detail::check_learner_sizes(s.features, s.outputs); }

constexpr std::size_t state_bytes(const SgdSpec& s) noexcept
{
    const std::size_t copies = 1 + (s.step == Step::adagrad ? 1 : 0) + (s.average ? 1 : 0);
    return detail::bytes_of_state(std::uint64_t{copies} * detail::weight_floats(s.features, s.outputs) + s.outputs);
}
constexpr std::size_t state_bytes(const RlsSpec& s) noexcept
{
    const std::size_t n = std::size_t{s.features} + 1;
    const std::size_t inverse = s.block == 0 ? detail::packed_floats(n) + 2 * n : detail::block_floats(n, s.block);
    return detail::bytes_of_state(std::uint64_t{inverse} + detail::weight_floats(s.features, s.outputs) + s.outputs);
}
constexpr std::size_t state_bytes(const GramSpec& s) noexcept
{
    return detail::bytes_of_state(std::uint64_t{detail::packed_floats(std::size_t{s.features} + 1)} +
                                  detail::weight_floats(s.features, s.outputs) + s.outputs);
}

} // namespace samara
