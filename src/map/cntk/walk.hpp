// The walk over an image that the plain form and CNTKSketch share: rings, windows, products and pools. What they have
// of their own are the features of a window's vectors.
#pragma once

#include "map/engine/power_series.hpp"
#include "samara/map/cntk.hpp"

namespace samara::engine {

// Each use of randomness in a layer has a seed of its own; `last` is of a cell and not of a layer.
enum class CntkSeed : std::uint64_t {
    relu = 0,
    step = 1,
    relu_mix = 2,
    step_mix = 3,
    window = 4,
    tensor = 5,
    last = 6
};

std::uint64_t cntk_seed(const CntkSpec& s, std::uint32_t layer, CntkSeed use, std::uint32_t cell = 0) noexcept;

// The features of one pixel of layer h = 1 ... depth.
struct CntkJob {
    const CntkSpec& spec;
    const TwoRoots* series; // of form sketch
    std::uint32_t layer;
    std::span<float> v;          // the window's phi; may be overwritten
    float length;                // of form sketch: sqrt(N), above 0
    std::span<float> relu, step; // to be made, each of them if it is not empty
    std::span<std::byte> scratch;
};
using CntkFeatures = Status (*)(const CntkJob&) noexcept;

// All samples. Lengths and values were checked.
Status walk_cntk(const CntkSpec& s, CntkFeatures features, const TwoRoots* series, std::span<const float> x,
                 std::span<float> z, std::size_t samples, std::span<std::byte> work) noexcept;

} // namespace samara::engine
