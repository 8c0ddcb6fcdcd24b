// Sketches of power series, such as those of the arc-cosine kernels (samara/map/engine/series.hpp).
#pragma once

#include <span>

#include "samara/map/engine/series.hpp"
#include "samara/map/map.hpp"

namespace samara::engine {

// The roots of a series' coefficients, by power.
struct SeriesRoots {
    float of[most_map_degree + 1] = {};
};

struct TwoRoots {
    SeriesRoots relu, step;
};
// Of the Taylor series of k1 and k0 with the terms 0 ... relu_order and 0 ... step_order. `complete`: what a series
// lacks to the sum 1 is added to its last coefficient. Terms that the map carries exactly are there as well.
TwoRoots taylor_roots(std::uint32_t relu_order, std::uint32_t step_order, bool complete) noexcept;

// A series with the seeds of the sketches of its powers and of the SRHT that mixes them.
struct SketchedSeries {
    const SeriesPlan& plan;
    const SeriesRoots& roots;
    std::uint64_t powers, mix;
};

// Sketches the powers of phi, weighs them as the series does, and mixes them to `out` by an SRHT. The workspace has
// series_bytes(). Returns overflow if a power leaves the range of floats.
Status mix_series(const SketchedSeries& series, std::span<const float> phi, std::span<float> out,
                  std::span<std::byte> work) noexcept;

} // namespace samara::engine
