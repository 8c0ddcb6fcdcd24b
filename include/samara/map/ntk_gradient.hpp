// The Neural Tangent Kernel by the gradient of a finite network, the baseline of arXiv 2104.01351.
//
// f(x) = <w, h(L)>, h(l) = sqrt(2/width) relu(W(l) h(l-1)), h(0) = x, all weights independent standard normals,
// regenerated. The features are df/dw, then df/dW(L), ..., df/dW(1), each row by row: exactly
//   width + (depth - 1) width^2 + inputs width of them.
// E <z(x), z(y)> = K_NTK for depth 1; from depth 2 on there is a bias of O(1/width). Standard deviation
// O(1/sqrt(width)), that is, of the fourth root of the features: the kernel's other maps need far fewer.
// x = 0 gives 0. All features are one block. Memory: 2 (depth + 1) width floats, a row of weights and an input. Time:
// every weight is made once for the forward pass and, except those of the first layer, once for the backward pass.
#pragma once

#include "samara/map/engine/layers.hpp"
#include "samara/map/map.hpp"

namespace samara {

inline constexpr std::uint32_t most_width = 4096;

struct NtkGradientSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024; // at least those of `width`; what is left over is 0
    std::uint32_t depth = 1;
    std::uint32_t width = 0; // 0: the largest that the features have room for
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NtkGradientSpec&, const NtkGradientSpec&) = default;
};

template <>
struct Map<NtkGradientSpec> : WholeMap<NtkGradientSpec> {
    static constexpr MapId id{9};
    static constexpr const char* name = "ntk-gradient";
    static constexpr const char* estimates[] = {
        "the Neural Tangent Kernel as ntk does, but by the gradient of a finite "
        "network: needs far more features"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.whole(16, "depth", s.depth, {1, most_layers}, "hidden layers");
        v.size(20, "width", s.width, {0, most_width}, "of each layer; 0: the largest that the features have room for");
        v.features(s.features, most_features);
        v.seed(24, s.seed);
    }

    static constexpr std::uint64_t features_of_width(const NtkGradientSpec& s, std::uint64_t width) noexcept
    {
        return width + (s.depth - 1) * width * width + s.inputs * width;
    }
    static constexpr SpecReport across(const NtkGradientSpec& s) noexcept
    {
        const std::uint64_t least = features_of_width(s, s.width == 0 ? 1 : s.width);
        if (s.features < least)
            return {Status::bad_spec, "features", "at least width + (depth - 1) width^2 + inputs width", least};
        return {};
    }
    static constexpr NtkGradientSpec resolve(NtkGradientSpec s) noexcept
    {
        if (s.width == 0)
            while (s.width < most_width && features_of_width(s, s.width + 1) <= s.features)
                ++s.width;
        return s;
    }

    // The layers' outputs and slopes, the gradients of two of them, a row of weights, and x at length 1.
    static constexpr std::size_t workspace_bytes(const NtkGradientSpec& s) noexcept
    {
        const std::size_t longest = s.inputs > s.width ? s.inputs : s.width;
        return sizeof(float) * (2 * (std::size_t{s.depth} + 1) * s.width + longest + s.inputs);
    }
    static Status run(const NtkGradientSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::size_t samples, std::span<std::byte> work) noexcept;
    static double kernel(const NtkGradientSpec& s, std::span<const float> x, std::span<const float> y) noexcept;
    // Every weight is made for the forward pass, and all but the first layer's for the backward pass.
    static constexpr std::uint64_t operations(const NtkGradientSpec& s, NoData) noexcept
    {
        const auto row = [](std::uint64_t weights) { return 200 + 40 * ((weights + 31) / 32 * 32); };
        const std::uint64_t width = s.width;
        return width * row(s.inputs) + (2 * (s.depth - 1) * width + 1) * row(width) + s.features;
    }
};

using NtkGradient = NtkGradientSpec;

} // namespace samara
