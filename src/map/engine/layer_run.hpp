// What the maps of networks share: the state of one call, and the steps of a layer that LayerCode chooses.
#pragma once

#include "samara/map/engine/layers.hpp"

namespace samara::engine {

// Each use of randomness in a layer has a seed of its own.
enum class LayerSeed : std::uint64_t { step_rows, relu_rows, tensor, second_tensor, third_tensor, relu_square };

std::uint64_t seed_of(const LayerPlan& plan, std::uint32_t layer, LayerSeed use) noexcept;

// The random features of a layer: step features estimate k0, relu features k1.
enum class LayerFeatures { step, relu };

struct TwoSeries;

struct LayerRun {
    const LayerPlan& plan;
    const LayerCode& code;
    const TwoSeries* series;              // of ntk-sketch, whose features come from series; else null
    float length = 0;                     // |x| of the sample; its features are multiplied with it at the end
    float* unit = nullptr;                // x / |x|
    float *phi = nullptr, *psi = nullptr; // the vectors that a layer sees; see map/ntk.hpp
    float* step = nullptr;                // the layer's step features
    float* second = nullptr;              // a sketch that is added to another one
    std::span<std::byte> tables = {}, scratch = {};
    TensorSketch count = {}; // has its tables in `tables`
};

// Makes features of one kind from a layer's phi. Where low orders are carried exactly, phi has length 1.
struct FeatureJob {
    std::uint32_t layer;
    LayerFeatures kind;
    std::span<const float> phi;
    float* out; // has room for plan.step or plan.relu of them
};

// Sketches the tensor product of two vectors.
struct TensorJob {
    std::uint64_t seed;
    std::span<const float> left, right;
    std::span<float> out;
};

// All features of the samples, one sample after the other. Lengths and values have been checked.
[[nodiscard]] Status run_layers(const LayerPlan& plan, const LayerCode& code, const TwoSeries* series,
                                std::span<const float> x, std::span<float> z, std::size_t samples,
                                std::span<std::byte> work) noexcept;

} // namespace samara::engine
