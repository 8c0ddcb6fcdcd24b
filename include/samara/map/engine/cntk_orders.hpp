// Random features of the convolutional NTK with the low orders of every layer carried exactly: sizes, memory and costs.
#pragma once

#include "samara/map/engine/cntk_spec.hpp"

namespace samara::engine {

inline constexpr std::uint32_t most_inner = 16384, least_inner = 128;

// Numbers that are carried exactly lie in whole blocks of so many, which are mixed.
inline constexpr std::uint32_t cntk_mix = 64;

constexpr std::uint32_t round_to_mix(std::uint64_t n) noexcept
{
    return static_cast<std::uint32_t>((n + cntk_mix - 1) / cntk_mix * cntk_mix);
}

// What follows from the shape: distances in rows (y) and columns (x) of pixels.
struct CntkReach {
    std::uint32_t y, x;

    constexpr std::uint32_t high() const noexcept { return 2 * y + 1; }
    constexpr std::uint32_t wide() const noexcept { return 2 * x + 1; }
    constexpr std::uint32_t places() const noexcept { return high() * wide(); }
};
// How far the pixels are that `windows` windows, one upon the other, reach from a pixel: no farther than the image.
constexpr CntkReach cntk_reach(const CntkShape& s, std::uint32_t windows) noexcept
{
    const std::uint32_t far = windows * (s.patch / 2);
    return {far < s.height ? far : s.height - 1, far < s.width ? far : s.width - 1};
}

// The numbers that layer h = 2 ... depth carries exactly, padded: the window's constants, and the raw pixels in reach.
constexpr std::uint64_t cntk_exact_numbers(const CntkShape& s, std::uint32_t h) noexcept
{
    return std::uint64_t{cntk_reach(s, 1).places()} + std::uint64_t{cntk_reach(s, h).places()} * s.channels;
}
// Random numbers of a pixel's vector.
constexpr std::uint32_t cntk_random_numbers(const CntkShape& s, std::uint32_t inner) noexcept
{
    return inner - round_to_mix(cntk_exact_numbers(s, s.depth));
}
// Features of a cell that are exact.
constexpr std::uint64_t cntk_exact_features(const CntkShape& s) noexcept { return 2 + 3 * std::uint64_t{s.channels}; }

constexpr SpecReport check_cntk_orders(const CntkSpec&) noexcept { return {Status::bad_spec, "orders", "none"}; }
constexpr CntkSpec resolved_cntk_orders(const CntkSpec& s) noexcept { return s; }
constexpr std::size_t cntk_orders_bytes(const CntkSpec&) noexcept { return 0; }
constexpr std::uint64_t cntk_orders_operations(const CntkSpec&) noexcept { return 0; }

} // namespace samara::engine
