// What maps of images share: the fields that say what a row of data and the network are, what is checked of them, how
// they resolve, and the shape that the exact kernel takes.
//
// A row holds an image row by row, the channels of a pixel together. Sizes of the image that are 0 are automatic:
//
//   one of height, width, channels   what is left of the inputs
//   channels and height or width     one channel, and what is left of the inputs
//   height and width                 refused; the desk's programs fill them in where the data have several dimensions
//
// A series is an image of height 1.
//
// A map's spec has these members, by these names:
//
//   std::uint32_t inputs = 0, height = 0, width = 0, channels = 0, patch = 3, depth = 3, grid = 0;
//   ImagePool pool = ImagePool::average;
//
// and its fields() begins with image_fields(). Offsets 13, 14, 15 and those from 40 on are the map's own; the seed is
// at
// 56. Its across() begins with image_across(), its resolve() with image_resolved().
#pragma once

#include "samara/kernel/cntk.hpp"
#include "samara/map/engine/layers.hpp"
#include "samara/map/fields.hpp"

namespace samara {

inline constexpr std::uint32_t most_patch = 15;

// Which pixels of the last layer are averaged: all, none, or those of each cell of a grid. Numbers are part of the
// format.
enum class ImagePool : std::uint8_t { average = 0, none = 1, grid = 2 };

constexpr const char* word(ImagePool pool) noexcept
{
    constexpr const char* words[] = {"average", "none", "grid"};
    return words[static_cast<unsigned>(pool)];
}

// Specs whose rows are images, as above.
template <class Spec>
concept ImageSpec = requires(const Spec& s)
{
    s.height;
    s.width;
    s.channels;
    s.patch;
    s.depth;
    s.grid;
    static_cast<ImagePool>(s.pool);
};

namespace engine {

inline constexpr std::uint32_t image_seed_offset = 56;

// The inputs and all that images share; the map's own fields, the features and the seed follow.
template <class V, class S>
constexpr void image_fields(V& v, S& s)
{
    v.inputs(s.inputs, most_inputs);
    v.whole(16, "height", s.height, {0, most_inputs}, "rows of pixels; 0: of the data's shape, or what is left");
    v.whole(20, "width", s.width, {0, most_inputs}, "pixels of a row; 0: of the data's shape, or what is left");
    v.whole(24, "channels", s.channels, {0, most_inputs},
            "of a pixel, together; 0: of the data's shape, or what is left");
    v.whole(28, "patch", s.patch, {1, most_patch}, "side of the square windows: odd");
    v.whole(32, "depth", s.depth, {1, most_layers}, "convolutional layers, from 2 on: the kernel of 1 is zero");
    v.choice(12, "pool", s.pool, {ImagePool::average, ImagePool::none, ImagePool::grid},
             "averages of the last layer over all pixels, none, or one a cell");
    v.whole(36, "grid", s.grid, {0, most_inputs},
            "with pool=grid: cells a side; 0: two, or one where there is one pixel");
}

// The sizes of an image; 0 where they cannot be told.
struct ImageSize {
    std::uint64_t height, width, channels;

    constexpr std::uint64_t values() const noexcept { return height * width * channels; }
};

template <ImageSpec Spec>
constexpr ImageSize image_size(const Spec& s) noexcept
{
    ImageSize size{s.height, s.width, s.channels};
    if (size.height == 0 && size.width == 0)
        return size;
    if (size.channels == 0 && (size.height == 0 || size.width == 0))
        size.channels = 1;
    // Each factor is at most most_inputs, so 64 bits hold the product of two.
    if (size.height == 0)
        size.height = s.inputs / (size.width * size.channels);
    else if (size.width == 0)
        size.width = s.inputs / (size.height * size.channels);
    else if (size.channels == 0)
        size.channels = s.inputs / (size.height * size.width);
    return size;
}

// The cells of a side of so many pixels.
template <ImageSpec Spec>
constexpr std::uint32_t cells_of(const Spec& s, std::uint64_t pixels) noexcept
{
    const auto side = static_cast<std::uint32_t>(pixels);
    if (s.pool == ImagePool::average)
        return 1;
    const std::uint32_t cells = s.grid == 0 ? 2 : s.grid;
    return s.pool == ImagePool::none || cells > side ? side : cells;
}

// Whether the fields fit together; each by itself is good.
template <ImageSpec Spec>
constexpr SpecReport image_across(const Spec& s) noexcept
{
    if (s.height == 0 && s.width == 0)
        return {Status::bad_spec, "height",
                "height or width, or both from an NPY of four dimensions (rows, height, width, channels) or of three"};
    const ImageSize size = image_size(s);
    if (size.values() == 0)
        return {Status::bad_spec, "inputs",
                "at least the product of those of height, width and channels that are given"};
    if (size.values() != s.inputs)
        return {Status::bad_spec, "inputs",
                s.height != 0 && s.width != 0 && s.channels != 0
                    ? "height x width x channels"
                    : "a multiple of those of height, width and channels that are given",
                size.values()};
    if (s.patch % 2 == 0)
        return {Status::bad_spec, "patch", "an odd number", s.patch + 1u};
    if (s.depth < 2)
        return {Status::bad_spec, "depth", "2 to 16, because the kernel of depth 1 is zero", 2};
    if (s.grid != 0 && s.pool != ImagePool::grid)
        return {Status::bad_spec, "grid", "it beside pool=grid"};
    const std::uint64_t longer = size.height > size.width ? size.height : size.width;
    if (s.grid > longer)
        return {Status::bad_spec, "grid", "at most the larger one of height and width", longer};
    return {};
}

// Fills in the image's sizes and the grid. Of a spec that passes image_across().
template <ImageSpec Spec>
constexpr Spec image_resolved(Spec s) noexcept
{
    const ImageSize size = image_size(s);
    s.height = static_cast<std::uint32_t>(size.height);
    s.width = static_cast<std::uint32_t>(size.width);
    s.channels = static_cast<std::uint32_t>(size.channels);
    if (s.pool == ImagePool::grid && s.grid == 0)
        s.grid = s.height > 1 || s.width > 1 ? 2 : 1;
    return s;
}

} // namespace engine

// The shape of a spec that passes check(), resolved or not. A map that may train the first and the last layer has a
// member trained_ends.
template <ImageSpec Spec>
constexpr CntkShape cntk_shape(const Spec& s) noexcept
{
    const engine::ImageSize size = engine::image_size(s);
    CntkShape shape;
    shape.height = static_cast<std::uint32_t>(size.height);
    shape.width = static_cast<std::uint32_t>(size.width);
    shape.channels = static_cast<std::uint32_t>(size.channels);
    shape.patch = s.patch;
    shape.depth = s.depth;
    shape.cells_high = engine::cells_of(s, size.height);
    shape.cells_wide = engine::cells_of(s, size.width);
    if constexpr (requires { s.trained_ends; })
        shape.trained_ends = s.trained_ends;
    return shape;
}

} // namespace samara
