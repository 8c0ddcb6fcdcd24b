// Sketches of the Taylor series of the arc-cosine kernels.
#pragma once

#include "map/engine/layer_run.hpp"
#include "samara/map/ntk_sketch.hpp"

namespace samara::engine {

// The roots of a series' coefficients, by power. 0: the series does not have this power.
struct SeriesRoots {
    float of[most_map_degree + 1] = {};
};

// The series of k1 (relu) and of k0 (step). Terms that the map carries exactly are left out.
struct TwoSeries {
    const NtkSketchSpec& spec;
    SeriesRoots relu, step;
};
TwoSeries two_series(const NtkSketchSpec& spec) noexcept;

// Sketches the powers of phi, weighs them as one of the series does, and mixes them to `out` by an SRHT. The workspace
// has series_bytes(). Returns overflow if a power leaves the range of floats.
Status mix_series(const TwoSeries& series, LayerFeatures kind, std::uint32_t layer, std::span<const float> phi,
                  std::span<float> out, std::span<std::byte> work) noexcept;

} // namespace samara::engine
