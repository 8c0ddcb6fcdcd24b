// Sketches by Walsh-Hadamard transforms: SRHT of a vector, TensorSRHT of a tensor product.
//
// H is the unnormalised transform of the padded length D = the least power of two >= the input's, S random signs.
//   SRHT        z_k = (H S x)_{r(k)} / sqrt(m)
//   TensorSRHT  z_k = (H S x)_{i(k)} (H S' y)_{j(k)} / sqrt(m), a sketch of x (x) y
// E <z, z'> = <x, x'>, or <x, x'> <y, y'>. The signs alone make this true, whichever rows are taken; the rows decide
// the variance:
//   Sampling::without  SRHT takes r(k) distinct: its variance is that of sampling with replacement times
//                      (D - m)/(D - 1). Where m >= D it holds as many whole copies of H S x as fit, divided by the root
//                      of their length, then zeros: the inner products are exact.
//                      TensorSRHT takes all rows of either side equally often, as far as m allows, in random pairs. No
//                      two pairs are equal, except a few of the last m mod D if m > D, D the longer side. With x = x',
//                      y = y' and m = D the variance is half of that of independent pairs; with m = D D' the product is
//                      exact.
//   Sampling::with     independent rows, or pairs: as in the papers.
// Linear to the last bit for integer inputs (sums below 2^24) where m, or D for whole copies, is a power of 4.
//
// Memory, in 4-byte words: SRHT D + D/32 + 256, TensorSRHT D + D' + min(D, D') + max(D, D')/32 + 256 (a started 32
// counts as 32).
// Time: the transforms, and a few operations for each row.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/project.hpp"
#include "samara/status.hpp"

namespace samara {

enum class Sampling : std::uint8_t { without = 0, with = 1 };

constexpr const char* word(Sampling sampling) noexcept { return sampling == Sampling::without ? "without" : "with"; }

struct SrhtSpec {
    std::uint32_t inputs = 0;      // 1 ... 2^20
    std::uint32_t features = 1024; // m, 1 ... 2^24
    Sampling sampling = Sampling::without;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const SrhtSpec&, const SrhtSpec&) = default;
};

struct TensorSrhtSpec {
    std::uint32_t left = 0, right = 0; // inputs of x and of y, 1 ... 2^20
    std::uint32_t features = 1024;     // m, 1 ... 2^24
    Sampling sampling = Sampling::without;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const TensorSrhtSpec&, const TensorSrhtSpec&) = default;
};

namespace detail {

constexpr SpecReport check_inputs(const char* field, std::uint32_t inputs) noexcept
{
    if (inputs < 1 || inputs > most_inputs)
        return {Status::bad_spec, field, "1 to 1048576", inputs < 1 ? 1u : most_inputs};
    return {};
}
constexpr SpecReport check_sampled(std::uint32_t features, Sampling sampling) noexcept
{
    if (features < 1 || features > most_features)
        return {Status::bad_spec, "features", "1 to 16777216", features < 1 ? 1u : most_features};
    if (sampling > Sampling::with)
        return {Status::bad_spec, "sampling", "without or with"};
    return {};
}

// log2 of the least power of two >= n.
constexpr unsigned padded_log2(std::uint32_t n) noexcept
{
    unsigned k = 0;
    while ((std::uint32_t{1} << k) < n)
        ++k;
    return k;
}
constexpr std::size_t sign_words(std::size_t size) noexcept { return (size + 63) / 64 * 2; }

inline constexpr std::uint32_t row_chunk = 256; // how many rows are chosen at a time

} // namespace detail

constexpr SpecReport check(const SrhtSpec& s) noexcept
{
    if (const SpecReport inputs = detail::check_inputs("inputs", s.inputs); !inputs)
        return inputs;
    return detail::check_sampled(s.features, s.sampling);
}
constexpr SpecReport check(const TensorSrhtSpec& s) noexcept
{
    if (const SpecReport left = detail::check_inputs("left", s.left); !left)
        return left;
    if (const SpecReport right = detail::check_inputs("right", s.right); !right)
        return right;
    return detail::check_sampled(s.features, s.sampling);
}

constexpr std::size_t workspace_bytes(const SrhtSpec& s) noexcept
{
    const std::size_t d = std::size_t{1} << detail::padded_log2(s.inputs);
    return 4 * (d + detail::sign_words(d) + detail::row_chunk);
}
constexpr std::size_t workspace_bytes(const TensorSrhtSpec& s) noexcept
{
    const std::size_t a = std::size_t{1} << detail::padded_log2(s.left),
                      b = std::size_t{1} << detail::padded_log2(s.right);
    return 4 * (a + b + (a < b ? a : b) + detail::sign_words(a > b ? a : b) + detail::row_chunk);
}

// These return bad_spec, wrong_length, misaligned, small_workspace, not_finite or out_of_range, and z is as it was.
// Inputs are finite, |x_i| <= 2^40. Inputs, z and the workspace must not overlap.
Status sketch(const SrhtSpec& spec, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept;
Status sketch(const TensorSrhtSpec& spec, std::span<const float> x, std::span<const float> y, std::span<float> z,
              std::span<std::byte> work) noexcept;

// An estimate of the cost of a signed transform of n numbers, padded to a power of two.
constexpr std::uint32_t transform_operations(std::uint32_t n) noexcept
{
    return std::bit_ceil(n) * (static_cast<std::uint32_t>(std::bit_width(n)) + 1);
}

} // namespace samara
