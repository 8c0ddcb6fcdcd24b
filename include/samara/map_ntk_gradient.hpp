// The Neural Tangent Kernel by the gradient of a finite network, the baseline of arXiv 2104.01351.
//
// f(x) = <w, h(L)>, h(l) = sqrt(2/width) relu(W(l) h(l-1)), h(0) = x, all weights independent standard normals,
// regenerated; the features are df/dw, then df/dW(L), ..., df/dW(1), each row by row:
//   width + (depth - 1) width^2 + inputs width of them, exactly.
// E <z(x), z(y)> = K_NTK for depth 1; from depth 2 on there is a bias of O(1/width). Standard deviation
// O(1/sqrt(width)), that is, of the fourth root of the features: the kernel's other maps need far fewer.
// x = 0 gives 0. All features are one block. Memory: 2 (depth + 1) width floats, a row of
// weights and an input. Time: every weight is
// made once for the way forward and once for the way back.
#pragma once

#include "samara/map_ntk.hpp"

namespace samara {

inline constexpr std::uint32_t most_width = 4096;

struct NtkGradientSpec {
    std::uint32_t inputs = 0;      // 1 ... 2^20
    std::uint32_t features = 1024; // at least those of `width`; what is left over is 0
    std::uint32_t depth = 1;       // 1 ... 16
    std::uint32_t width = 0;       // 0: the largest that the features have room for
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NtkGradientSpec&, const NtkGradientSpec&) = default;
};

template <>
inline constexpr bool whole_map<NtkGradientSpec> = true;

namespace detail {

constexpr std::uint64_t gradient_features(const NtkGradientSpec& s, std::uint64_t width) noexcept
{
    return width + (s.depth - 1) * width * width + s.inputs * width;
}

} // namespace detail

constexpr SpecReport check(const NtkGradientSpec& s) noexcept
{
    if (const SpecReport sizes = detail::check_sizes(s.inputs, s.features); !sizes)
        return sizes;
    if (s.depth < 1 || s.depth > most_layers)
        return {Status::bad_spec, "depth", "1 to 16", s.depth < 1 ? 1u : most_layers};
    if (s.width > most_width)
        return {Status::bad_spec, "width", "0 to 4096", most_width};
    const std::uint64_t least = detail::gradient_features(s, s.width == 0 ? 1 : s.width);
    if (s.features < least)
        return {Status::bad_spec, "features", "at least width + (depth - 1) width^2 + inputs width", least};
    return {};
}
constexpr NtkGradientSpec resolve(NtkGradientSpec s) noexcept
{
    if (check(s) && s.width == 0)
        while (s.width < most_width && detail::gradient_features(s, s.width + 1) <= s.features)
            ++s.width;
    return s;
}
constexpr bool resolved(const NtkGradientSpec& s) noexcept { return check(s) && s.width != 0; }

// The layers' outputs and slopes, the gradients of two of them, a row of weights, and x at length 1.
constexpr std::size_t workspace_bytes(const NtkGradientSpec& s) noexcept
{
    const std::size_t longest = s.inputs > s.width ? s.inputs : s.width;
    return sizeof(float) * (2 * (std::size_t{s.depth} + 1) * s.width + longest + s.inputs);
}

double kernel(const NtkGradientSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;

} // namespace samara
