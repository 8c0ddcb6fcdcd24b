// The kernel of convolutional ReLU networks of infinite width, the convolutional Neural Tangent Kernel (arXiv
// 1904.11955, section 4; in the form of arXiv 2106.07880), exactly.
//
// Images y and z of height x width pixels with some channels; q is the side of the window, and a sum over the window
// reaches over the q x q pixels around a pixel, of which those outside the image count as 0. With k0 and k1 as in
// samara/kernel.hpp, of pixels p of y and p' of z:
//
//   N(0)_p(y) = q^2 |y_p|^2,                N(h)_p(y) = (1/q^2) sum over a of N(h-1)_{p+a}(y)
//   G(0)_{p,p'} = <y_p, z_p'>,              S(h)_{p,p'} = sum over a of G(h-1)_{p+a,p'+a},   R = sqrt(N(h)_p(y)
//   N(h)_p'(z)) G(h)_{p,p'} = (R/q^2) k1(S(h)/R),       D(h)_{p,p'} = (1/q^2) k0(S(h)/R);   both 0 where R is 0 P(0) =
//   0,   P(h)_{p,p'} = sum over a of (P(h-1) D(h) + G(h))_{p+a,p'+a} for h < depth,   P(depth) = P(depth-1) D(depth)
//
// and the kernel is the sum over the cells of the pooling of the mean of P(depth)_{p,p'}, where p and p' run over the
// pixels of that cell in y and in z. Where the ends are trained too, P(0)_{p,p'} is S(1)_{p,p'}, and G(depth) is added
// to P(depth). A series is an image of height 1: the rows of the window beside it are empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/project.hpp"
#include "samara/status.hpp"

namespace samara {

inline constexpr std::uint32_t most_cntk_patch = 255;
inline constexpr std::uint32_t most_cntk_depth = 32;

// The shape of images and of the network. The numbers of an image are stored row by row, a pixel's channels together.
struct CntkShape {
    std::uint32_t height = 0, width = 0, channels = 1; // height * width * channels <= 2^20
    std::uint32_t patch = 3;                           // q: odd, 1 ... 255, also larger than the image
    std::uint32_t depth = 3;                           // convolutional layers, 2 ... 32
    // The pooling: averages over so many cells, at most one a pixel. Cell i of n over a length has the pixels
    // i * length / n ... (i + 1) * length / n - 1. One cell is the global average; height x width cells are no pooling.
    std::uint32_t cells_high = 1, cells_wide = 1;
    bool trained_ends = false; // also the first and the last layer are trained

    friend constexpr bool operator==(const CntkShape&, const CntkShape&) = default;
};

constexpr SpecReport check(const CntkShape& s) noexcept
{
    if (s.height < 1 || s.height > most_inputs)
        return {Status::bad_spec, "height", "1 to 1048576", s.height < 1 ? 1u : most_inputs};
    if (s.width < 1 || s.width > most_inputs / s.height)
        return {Status::bad_spec, "width", "at least 1, and at most 1048576 numbers in all"};
    if (s.channels < 1 || s.channels > most_inputs / (s.height * s.width))
        return {Status::bad_spec, "channels", "at least 1, and at most 1048576 numbers in all"};
    if (s.patch % 2 == 0 || s.patch > most_cntk_patch)
        return {Status::bad_spec, "patch", "an odd number from 1 to 255",
                s.patch < 1                 ? 1u
                : s.patch > most_cntk_patch ? most_cntk_patch
                                            : 0u};
    if (s.depth < 2 || s.depth > most_cntk_depth)
        return {Status::bad_spec, "depth", "2 to 32: the kernel of fewer layers is zero",
                s.depth < 2 ? 2u : most_cntk_depth};
    if (s.cells_high < 1 || s.cells_high > s.height)
        return {Status::bad_spec, "cells_high", "1 to the height", s.cells_high < 1 ? 1u : s.height};
    if (s.cells_wide < 1 || s.cells_wide > s.width)
        return {Status::bad_spec, "cells_wide", "1 to the width", s.cells_wide < 1 ? 1u : s.width};
    return {};
}

// The numbers of an image, of a shape that check() takes.
constexpr std::uint32_t cntk_inputs(const CntkShape& s) noexcept { return s.height * s.width * s.channels; }

// The first pixel of a cell; of cell `cells`, the pixel behind the last.
constexpr std::uint32_t cntk_cell_first(std::uint32_t cell, std::uint32_t cells, std::uint32_t length) noexcept
{
    return static_cast<std::uint32_t>(std::uint64_t{cell} * length / cells);
}
// The cell that a pixel is of.
constexpr std::uint32_t cntk_cell_of(std::uint32_t pixel, std::uint32_t cells, std::uint32_t length) noexcept
{
    return static_cast<std::uint32_t>((std::uint64_t{pixel + 1} * cells - 1) / length);
}

// Of a shape that check() takes: 2 depth + 3 numbers of double precision a pixel.
constexpr std::size_t cntk_workspace_bytes(const CntkShape& s) noexcept
{
    return 4 + 8 * (2 * std::size_t{s.depth} + 3) * s.height * s.width;
}

// The kernel of two images of finite numbers, |y_i|, |z_i| <= 2^40, in double precision; the same bits on every target.
// Errors are below 1e-14 depth of sqrt(k(y, y) k(z, z)), but where many windows are almost parallel: cosines within
// 2^-48 of 1 and of -1 are taken for these, so that equal images keep their accuracy, and k0 of those that are just not
// equal is 3e-8 wrong at worst.
//
// Where a pixel's pairs are of one displacement they are independent of all others; so there is no more memory than a
// few planes of pixels. Time O(depth patch pixels^2 / cells), as only pixels of one cell need to meet.
//
// bad_spec, wrong_length, not_finite, out_of_range, misaligned (the workspace starts at a multiple of 4 bytes),
// small_workspace; `out` is as it was then.
Status cntk_kernel(const CntkShape& shape, std::span<const float> y, std::span<const float> z, double& out,
                   std::span<std::byte> work) noexcept;

} // namespace samara
