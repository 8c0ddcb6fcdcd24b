// The convolutional Neural Tangent Kernel by the gradient of a finite network: what the kernel is the limit of.
//
// x(0) = x, x(h) = sqrt(2 / (C q^2)) relu(W(h) * x(h-1)) for h = 1 ... depth, where * is the convolution with windows
// of q x q pixels, zero beyond the borders, W(h) has C = `filters` filters, and all weights are independent standard
// normals, regenerated. For each cell of the pooling, f is the mean of <w, x(depth)> over its pixels. The features are
// df/dW(depth), ..., df/dW(2) of the first cell, then of the next: the first layer and w are not trained. They are
//   cells (depth - 1) q^2 filters^2
// of them. E <z(x), z(y)> tends to the exact kernel (cntk_kernel) with a bias of O(1/filters); standard deviation
// O(1/sqrt(filters)), that is, of the fourth root of the features. x = 0 gives 0. All features are one block. Memory:
// (depth + 2) filters floats for each pixel, the weights of a filter, and an input. Time: every weight is made once for
// the forward pass, and for the backward pass once a cell; each of them meets every pixel, or those that the cell sees.
#pragma once

#include "samara/map/engine/image.hpp"
#include "samara/map/map.hpp"

namespace samara {

inline constexpr std::uint32_t most_filters = 4096;

struct CntkGradientSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024; // at least those of `filters`; what is left over is 0
    std::uint32_t height = 0, width = 0, channels = 0;
    std::uint32_t patch = 3;
    std::uint32_t depth = 3;
    ImagePool pool = ImagePool::average;
    std::uint32_t grid = 0;
    std::uint32_t filters = 0; // 0: the most that the features have room for
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const CntkGradientSpec&, const CntkGradientSpec&) = default;
};

template <>
struct Map<CntkGradientSpec> : WholeMap<CntkGradientSpec> {
    static constexpr MapId id{12};
    static constexpr const char* name = "cntk-gradient";
    static constexpr const char* estimates[] = {
        "the convolutional Neural Tangent Kernel of images, by the gradient of a finite "
        "network: needs many features"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        engine::image_fields(v, s);
        v.size(40, "filters", s.filters, {0, most_filters},
               "of each layer; 0: the most that the features have room for");
        v.features(s.features, most_features);
        v.seed(engine::image_seed_offset, s.seed);
    }

    static constexpr std::uint64_t features_of_filters(const CntkGradientSpec& s, std::uint64_t filters) noexcept
    {
        const CntkShape shape = cntk_shape(s);
        return std::uint64_t{shape.cells_high} * shape.cells_wide * (s.depth - 1) * s.patch * s.patch * filters *
               filters;
    }
    // The outputs of all layers, the gradients of two of them, the weights of a filter, and x at length 1.
    static constexpr std::uint64_t workspace_floats(const CntkGradientSpec& s, std::uint64_t filters) noexcept
    {
        const CntkShape shape = cntk_shape(s);
        const std::uint64_t pixels = std::uint64_t{shape.height} * shape.width;
        const std::uint64_t deepest = shape.channels > filters ? shape.channels : filters;
        return (s.depth + 2) * pixels * filters + std::uint64_t{s.patch} * s.patch * deepest + s.inputs;
    }
    // So that 32 bits count the workspace's bytes. One filter is within it, whatever the image.
    static constexpr std::uint64_t most_workspace_floats = std::uint64_t{1} << 28;
    static constexpr std::uint32_t filters_with_room(const CntkGradientSpec& s, std::uint64_t features) noexcept
    {
        std::uint32_t filters = 1;
        while (filters < most_filters && features_of_filters(s, filters + 1) <= features &&
               workspace_floats(s, filters + 1) <= most_workspace_floats)
            ++filters;
        return filters;
    }

    static constexpr SpecReport across(const CntkGradientSpec& s) noexcept
    {
        if (const SpecReport image = engine::image_across(s); !image)
            return image;
        if (workspace_floats(s, s.filters) > most_workspace_floats)
            return {Status::bad_spec, "filters", "at most those whose workspace is 2^30 bytes",
                    filters_with_room(s, ~std::uint64_t{0})};
        const std::uint64_t least = features_of_filters(s, s.filters == 0 ? 1 : s.filters);
        if (s.features < least)
            return {Status::bad_spec, "features", "at least cells x (depth - 1) x patch^2 x filters^2", least};
        return {};
    }
    static constexpr CntkGradientSpec resolve(const CntkGradientSpec& s) noexcept
    {
        CntkGradientSpec made = engine::image_resolved(s);
        if (made.filters == 0)
            made.filters = filters_with_room(made, made.features);
        return made;
    }

    static constexpr std::size_t workspace_bytes(const CntkGradientSpec& s) noexcept
    {
        return sizeof(float) * static_cast<std::size_t>(workspace_floats(s, s.filters));
    }
    static Status run(const CntkGradientSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::size_t samples, std::span<std::byte> work) noexcept;
    // Of the backward pass about half of the outputs are 0, and what the others meet is added to two vectors.
    static constexpr std::uint64_t operations(const CntkGradientSpec& s, NoData) noexcept
    {
        const CntkShape shape = cntk_shape(s);
        const auto weights = [&](std::uint64_t depth) {
            return 200 + 40 * ((std::uint64_t{s.patch} * s.patch * depth + 31) / 32 * 32);
        };
        const auto window = [&](std::uint64_t depth) { return s.patch * (40 + 3 * s.patch * depth); };
        const auto seen = [&](std::uint64_t pixels, std::uint64_t cells) {
            const std::uint64_t reached = pixels / cells + 1 + (s.depth - 2) * (s.patch - 1);
            return reached < pixels ? reached : pixels;
        };
        const std::uint64_t pixels = std::uint64_t{shape.height} * shape.width, filters = s.filters;
        const std::uint64_t cells = std::uint64_t{shape.cells_high} * shape.cells_wide;
        const std::uint64_t in_cell = seen(shape.height, shape.cells_high) * seen(shape.width, shape.cells_wide);
        return filters * (weights(shape.channels) + pixels * window(shape.channels)) +
               (s.depth - 1) * filters * (weights(filters) + pixels * window(filters)) +
               cells * (s.depth - 1) * filters * (weights(filters) + in_cell * window(filters)) + s.features;
    }
};

using CntkGradient = CntkGradientSpec;

} // namespace samara
