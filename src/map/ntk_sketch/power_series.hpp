// Sketches of the Taylor series of the arc-cosine kernels.
#pragma once

#include "samara/map/ntk_sketch.hpp"

namespace samara::engine {

// The roots of a series' coefficients, by power: 0 where it has none.
struct SeriesRoots {
    float of[most_map_degree + 1] = {};
};

// Of k1 and of k0. Where the constant and the linear term are carried exactly they are not among them.
struct TwoSeries {
    const NtkSketchSpec& spec;
    SeriesRoots relu, step;
};
TwoSeries two_series(const NtkSketchSpec& spec) noexcept;

// All terms of one series of phi, side by side, mixed by an SRHT. Takes series_bytes() of the plan, which holds what
// makes them. overflow if a power leaves the range of floats.
Status mix_series(const TwoSeries& series, bool relu, std::uint32_t layer, std::span<const float> phi,
                  std::span<float> out, std::span<std::byte> work) noexcept;

} // namespace samara::engine
