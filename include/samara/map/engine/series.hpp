// Power series that are sketched: those of the arc-cosine kernels k1 and k0, cut off. Sizes, memory and costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "samara/map/engine/layers.hpp"
#include "samara/sketch/poly.hpp"

namespace samara {

inline constexpr std::uint32_t most_taylor_order = 15;

namespace engine {

inline constexpr std::uint32_t least_sketch = 4, most_sketch = 32768;

// A series with powers up to `degree`: the even ones, or the odd ones, as the degree is; and of both series the
// constant and the power 1, where these are not carried exactly. It has `terms` of them beside the constant, each
// sketched to `width` numbers.
struct SeriesPlan {
    std::uint32_t degree, terms, width;
    bool constant;
    PolyBase base;
};

constexpr bool has_power(const SeriesPlan& p, std::uint32_t power) noexcept
{
    return power == 1 ? p.constant : (power ^ p.degree) % 2 == 0;
}

constexpr std::uint32_t stacked(const SeriesPlan& p) noexcept { return p.terms * p.width + (p.constant ? 1 : 0); }

constexpr PolySketchSpec poly_spec(const SeriesPlan& p, std::uint32_t inputs, std::uint64_t seed) noexcept
{
    return {.inputs = inputs, .degree = p.degree, .features = p.width, .base = p.base, .seed = seed};
}

constexpr std::size_t greatest(std::initializer_list<std::size_t> all) noexcept
{
    std::size_t most = 0;
    for (const std::size_t n : all)
        most = n > most ? n : most;
    return most;
}

// The memory of one series: all powers, the constant behind them, and the larger of the two sketches.
constexpr std::size_t series_bytes(const SeriesPlan& p, std::uint32_t inputs, std::uint32_t outputs) noexcept
{
    return sizeof(float) * (std::size_t{p.degree} * p.width + 1) +
           greatest({workspace_bytes(poly_spec(p, inputs, 0)),
                     workspace_bytes(SrhtSpec{.inputs = stacked(p), .features = outputs})});
}

// The cost of all powers of phi, of their weights, and of the SRHT that mixes them.
constexpr std::uint64_t series_operations(const SeriesPlan& p, std::uint32_t phi) noexcept
{
    const std::uint64_t of_factor = p.base == PolyBase::srht ? transform_operations(phi) : 40 * std::uint64_t{phi};
    const std::uint64_t products = p.degree > 2 ? 2 * std::uint64_t{p.degree - 2} : 0;
    return call_operations + p.degree * of_factor + products * transform_operations(p.width) +
           4 * std::uint64_t{p.degree} * p.width + 2 * std::uint64_t{stacked(p)} + transform_operations(stacked(p));
}

} // namespace engine

} // namespace samara
