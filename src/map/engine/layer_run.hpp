// What the maps that go layer by layer share: one call's state, and how their parts reach it.
#pragma once

#include "samara/map/engine/layers.hpp"

namespace samara::engine {

// Each use of randomness in a layer has a seed of its own.
enum class Part : std::uint64_t { step_rows, relu_rows, tensor, second_tensor, third_tensor, relu_square };

std::uint64_t seed_of(const LayerPlan& plan, std::uint32_t layer, Part part) noexcept;

struct TwoSeries;

struct LayerRun {
    const LayerPlan& plan;
    const LayerCode& code;
    const TwoSeries* series; // of features that come from series
    float length;            // of the sample, for what the layers write in the end
    float *unit, *phi, *psi, *step, *second;
    std::span<std::byte> tables, scratch;
    TensorSketch count;
};

// Features of one kind (Part::step_rows or relu_rows) of a layer's phi, which has, where the map is exact, length 1.
struct FeatureJob {
    std::uint32_t layer;
    Part part;
    std::span<const float> phi;
    float* out; // plan.step or plan.relu of them
};

// Q of the tensor product of two vectors.
struct TensorJob {
    std::uint64_t seed;
    std::span<const float> left, right;
    std::span<float> out;
};

// The samples one by one; lengths and values have been checked.
[[nodiscard]] Status run_layers(const LayerPlan& plan, const LayerCode& code, const TwoSeries* series,
                                std::span<const float> x, std::span<float> z, std::size_t samples,
                                std::span<std::byte> work) noexcept;

} // namespace samara::engine
