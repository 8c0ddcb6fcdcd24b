// Computation skeletons: kernels that are made of simple ones by averaging and by power series (arXiv 1703.07872,
// section 5). A skeleton is a graph without cycles. Each base node has a kernel of one or a few columns of the input;
// an internal node v has a dual activation s_v, a power series without negative coefficients that add up to 1, and
//
//   k_v(x, y) = s_v(mean of k_u(x, y) over the nodes u that v is made of).
//
// The kernel of the skeleton is that of its last node. Base kernels:
//
//   binary          +1 where x and y are both positive or both are not, else -1
//   circle          cos(2 pi turns (x - y)): numbers that come back after 1/turns, as angles do
//   gaussian        exp(-(2 pi turns)^2 |x - y|^2 / 2) of a block of columns
//   categorical     1 where x = y, else 0: whole numbers from 0 to values - 1
//   sphere          <x, y> of a block of columns, a unit vector
//   sphere-uniform  the same kernel; its random features are other ones (the source's Examples 5 and 6)
//
// A skeleton is read from bytes, which it needs for as long as it is used; SPEC.md, section 27, has their form, and
// skeleton/build.hpp makes them. Nodes that differ only in their place are one group there, so that a convolution over
// an image takes a few words. Nodes have numbers, group after group, and a node is made of nodes with lower ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/memory.hpp"
#include "samara/status.hpp"

namespace samara {

inline constexpr std::uint32_t skeleton_version = 1;
inline constexpr std::uint32_t most_skeleton_bytes = 1u << 22;
inline constexpr std::uint32_t most_skeleton_nodes = 1u << 24;
inline constexpr std::uint32_t most_skeleton_depth = 64;
inline constexpr std::uint32_t most_categories = 1u << 20;
// How many factors a node has at most when a feature is drawn. With a relu 5e-9 of the probability is at the cap, with
// a step 1e-3; a series ends by itself.
inline constexpr std::uint32_t most_factors = 1u << 16;
// A mean number of factors is counted in these.
inline constexpr std::uint32_t one_factor = 1u << 16;

enum class SkeletonBase : std::uint8_t { binary, circle, gaussian, categorical, sphere, sphere_uniform };
// The series of the identity is r. relu is (sin a + (pi - a) cos a) / pi and step 1 - a / pi, where r = cos a.
enum class SkeletonDual : std::uint8_t { identity, series, relu, step };
enum class SkeletonKind : std::uint8_t { base, windows, node };

// Some nodes in a row, on a grid: node first + (row * width + column) * channels + channel.
struct SkeletonGroup {
    SkeletonKind kind = SkeletonKind::base;
    std::uint8_t what = 0; // its SkeletonBase or SkeletonDual
    // The longest way down to a base node.
    std::uint32_t depth = 0;
    // Expected base features of a random feature of such a node, the source's complexity, times one_factor; rounded
    // down, and not beyond 2^32 - 1.
    std::uint32_t cost = 0;
    std::uint32_t first = 0;
    std::uint32_t height = 1, width = 1, channels = 1;

    // Of base nodes: node i of the group has `columns` columns from column + i * columns on. `value` is a float's bits,
    // turns per unit, or the number of categories; else 0.
    std::uint32_t column = 0, columns = 1, value = 0;

    // Of windows: each is made of patch_height * patch_width places of the group `source`, with all of its channels,
    // which begin (row * stride_height, column * stride_width) there.
    std::uint32_t source = 0, patch_height = 1, patch_width = 1, stride_height = 1, stride_width = 1;

    // Of a node: how many ranges of nodes it is made of.
    std::uint32_t ranges = 0;

    // Of a series: the terms 0 ... steps, as the probabilities of at most j factors, times 2^32, for j < steps.
    std::uint32_t steps = 0;
    const std::byte* range_bytes = nullptr;
    const std::byte* step_bytes = nullptr;

    constexpr std::uint32_t nodes() const noexcept { return height * width * channels; }
    constexpr SkeletonBase base() const noexcept { return static_cast<SkeletonBase>(what); }
    constexpr SkeletonDual dual() const noexcept { return static_cast<SkeletonDual>(what); }
    // P(at most j factors) * 2^32, j < steps.
    constexpr std::uint32_t step(std::uint32_t j) const noexcept { return read_u32(step_bytes + 4 * std::size_t{j}); }
    // The probability of j factors, times 2^32, j <= steps; at most one of all is 2^32.
    constexpr std::uint64_t coefficient(std::uint32_t j) const noexcept
    {
        const std::uint64_t below = j == 0 ? 0 : step(j - 1);
        return (j == steps ? std::uint64_t{1} << 32 : step(j)) - below;
    }
    struct Range {
        std::uint32_t first, count;
    };
    constexpr Range range(std::uint32_t i) const noexcept
    {
        return {read_u32(range_bytes + 8 * std::size_t{i}), read_u32(range_bytes + 8 * std::size_t{i} + 4)};
    }
};

class Skeleton {
public:
    // Whether the bytes are a skeleton, to the last: all of them are checked, so that nothing that follows has to be.
    static constexpr bool read(std::span<const std::byte> bytes, Skeleton& out) noexcept;

    // The same of bytes that read() has taken before, without looking at them again.
    static constexpr Skeleton of_checked(std::span<const std::byte> bytes) noexcept { return Skeleton(bytes); }

    constexpr Skeleton() noexcept = default; // none: no groups
    constexpr std::span<const std::byte> bytes() const noexcept { return bytes_; }
    constexpr std::uint32_t groups() const noexcept { return bytes_.empty() ? 0 : read_u16(bytes_.data() + 6); }
    constexpr std::uint32_t nodes() const noexcept { return bytes_.empty() ? 0 : read_u32(bytes_.data() + 8); }
    // How many columns of the input there must be.
    constexpr std::uint32_t inputs() const noexcept { return bytes_.empty() ? 0 : read_u32(bytes_.data() + 12); }
    constexpr std::uint32_t depth() const noexcept { return groups() == 0 ? 0 : group(groups() - 1).depth; }
    // Of the whole: C(S) times one_factor.
    constexpr std::uint32_t cost() const noexcept { return groups() == 0 ? 0 : group(groups() - 1).cost; }

    constexpr SkeletonGroup group(std::uint32_t i) const noexcept;
    // group(i).first, for which no more than that is read.
    constexpr std::uint32_t first_of(std::uint32_t i) const noexcept { return read_u32(start_of(i) + 8); }
    // Which group a node is of.
    constexpr std::uint32_t group_of(std::uint32_t node) const noexcept { return group_of(node, groups()); }

    // The same where only the first `groups` have been checked.
    constexpr std::uint32_t group_of(std::uint32_t node, std::uint32_t groups) const noexcept;

private:
    friend class SkeletonBuilder; // of what it has written so far
    constexpr explicit Skeleton(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    constexpr const std::byte* start_of(std::uint32_t group) const noexcept
    {
        return bytes_.data() + read_u32(bytes_.data() + 16 + 4 * std::size_t{group}); // behind the header
    }

    std::span<const std::byte> bytes_;
};

namespace detail {

inline constexpr std::uint32_t skeleton_header_bytes = 16, group_header_bytes = 20;

// The expected number of factors, times one_factor.
constexpr std::uint64_t mean_factors(const SkeletonGroup& g) noexcept
{
    constexpr std::uint64_t of_step = 130; // about: the sum of C(2i, i) / 4^i / pi up to the cap, and the cap's share
    switch (g.dual()) {
    case SkeletonDual::series: {
        std::uint64_t sum = 0; // of P(more than j)
        for (std::uint32_t j = 0; j < g.steps; ++j)
            sum += (std::uint64_t{1} << 32) - g.step(j);
        return sum >> 16;
    }
    case SkeletonDual::step:
        return of_step * one_factor;
    default:
        return one_factor;
    }
}

constexpr std::uint32_t saturated(std::uint64_t n) noexcept
{
    constexpr std::uint32_t most = ~std::uint32_t{0};
    return n < most ? static_cast<std::uint32_t>(n) : most;
}

constexpr bool good_steps(const SkeletonGroup& g) noexcept
{
    if (g.what > static_cast<std::uint8_t>(SkeletonDual::step))
        return false;
    if (g.dual() != SkeletonDual::series)
        return g.steps == 0;
    // The last term is above 0, so that a series has one form.
    if (g.steps < 1 || g.steps >= most_factors)
        return false;
    for (std::uint32_t j = 1; j < g.steps; ++j)
        if (g.step(j) < g.step(j - 1))
            return false;
    return true;
}

constexpr bool good_base(const SkeletonGroup& g) noexcept
{
    constexpr std::uint32_t infinity = 0x7f800000u;
    switch (g.base()) {
    case SkeletonBase::binary:
        return g.columns == 1 && g.value == 0;
    case SkeletonBase::circle:
        return g.columns == 1 && g.value > 0 && g.value < infinity;
    case SkeletonBase::gaussian:
        return g.columns >= 1 && g.value > 0 && g.value < infinity;
    case SkeletonBase::categorical:
        return g.columns == 1 && g.value >= 2 && g.value <= most_categories;
    case SkeletonBase::sphere:
    case SkeletonBase::sphere_uniform:
        return g.columns >= 2 && g.value == 0;
    }
    return false;
}

// Works out depth and cost of a group that is made of the first `groups` of `before`. False where a field is out of
// range.
constexpr bool derive(const Skeleton& before, std::uint32_t groups, SkeletonGroup& g) noexcept
{
    constexpr std::uint32_t most_columns = 1u << 20;
    const std::uint64_t nodes = std::uint64_t{g.height} * g.width * g.channels;
    if (nodes < 1 || g.height > most_skeleton_nodes || g.width > most_skeleton_nodes ||
        g.channels > most_skeleton_nodes || nodes > most_skeleton_nodes - g.first)
        return false;
    if (g.kind == SkeletonKind::base) {
        g.depth = 0;
        g.cost = one_factor;
        return good_base(g) && g.columns <= most_columns && g.column <= most_columns &&
               nodes * g.columns <= most_columns - g.column;
    }
    if (!good_steps(g))
        return false;
    std::uint64_t mean = 0;
    g.depth = 0;
    if (g.kind == SkeletonKind::windows) {
        if (g.source >= groups || g.channels != 1 || g.patch_height < 1 || g.patch_width < 1 || g.stride_height < 1 ||
            g.stride_width < 1)
            return false;
        const SkeletonGroup source = before.group(g.source);
        if (g.patch_height > source.height || g.patch_width > source.width ||
            g.height != (source.height - g.patch_height) / g.stride_height + 1 ||
            g.width != (source.width - g.patch_width) / g.stride_width + 1)
            return false;
        mean = source.cost;
        g.depth = source.depth;
    } else {
        if (nodes != 1 || g.ranges < 1)
            return false;
        std::uint64_t count = 0, sum = 0;
        for (std::uint32_t i = 0; i < g.ranges; ++i) {
            // A range lies in one group.
            const SkeletonGroup::Range range = g.range(i);
            if (range.first >= g.first || range.count < 1)
                return false;
            const SkeletonGroup source = before.group(before.group_of(range.first, groups));
            if (range.count > source.nodes() - (range.first - source.first))
                return false;
            count += range.count;
            sum += std::uint64_t{range.count} * source.cost; // fewer than 2^16 ranges of 2^24 nodes: below 2^72
            if (count > most_skeleton_nodes)
                return false;
            g.depth = source.depth > g.depth ? source.depth : g.depth;
        }
        mean = sum / count;
    }
    ++g.depth;
    g.cost = saturated(saturated(mean_factors(g)) * mean >> 16);
    return g.depth <= most_skeleton_depth;
}

} // namespace detail

constexpr SkeletonGroup Skeleton::group(std::uint32_t i) const noexcept
{
    const std::byte* const p = start_of(i);
    SkeletonGroup g;
    g.kind = static_cast<SkeletonKind>(read_u8(p));
    g.what = static_cast<std::uint8_t>(read_u8(p + 1));
    g.depth = read_u16(p + 2);
    g.cost = read_u32(p + 4);
    g.first = read_u32(p + 8);
    g.height = read_u16(p + 12);
    g.width = read_u16(p + 14);
    g.channels = read_u32(p + 16);
    const std::byte* const own = p + detail::group_header_bytes;
    if (g.kind == SkeletonKind::base) {
        g.column = read_u32(own);
        g.columns = read_u32(own + 4);
        g.value = read_u32(own + 8);
    } else if (g.kind == SkeletonKind::windows) {
        g.source = read_u16(own);
        g.patch_height = read_u16(own + 2);
        g.patch_width = read_u16(own + 4);
        g.stride_height = read_u16(own + 6);
        g.stride_width = read_u16(own + 8);
        g.steps = read_u16(own + 10);
        g.step_bytes = own + 12;
    } else {
        g.ranges = read_u16(own);
        g.steps = read_u16(own + 2);
        g.range_bytes = own + 4;
        g.step_bytes = own + 4 + 8 * std::size_t{g.ranges};
    }
    return g;
}

constexpr std::uint32_t Skeleton::group_of(std::uint32_t node, std::uint32_t groups) const noexcept
{
    std::uint32_t low = 0, high = groups;
    while (high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        (first_of(middle) <= node ? low : high) = middle;
    }
    return low;
}

constexpr bool Skeleton::read(std::span<const std::byte> bytes, Skeleton& out) noexcept
{
    const std::byte* const p = bytes.data();
    const std::size_t size = bytes.size();
    if (size < detail::skeleton_header_bytes || size > most_skeleton_bytes || read_u32(p) != size ||
        read_u16(p + 4) != skeleton_version)
        return false;
    const Skeleton all(bytes);
    const std::uint32_t groups = all.groups();
    std::size_t at = detail::skeleton_header_bytes + 4 * std::size_t{groups};
    std::uint32_t nodes = 0, inputs = 0;
    for (std::uint32_t i = 0; i < groups; ++i) {
        // A group's length is known once its own fields are, and those are within the bytes.
        if (size < at + detail::group_header_bytes + 12 ||
            read_u32(p + detail::skeleton_header_bytes + 4 * std::size_t{i}) != at || read_u8(p + at) > 2)
            return false;
        SkeletonGroup g = all.group(i);
        const SkeletonGroup found = g;
        at += detail::group_header_bytes + 12;
        if (g.kind != SkeletonKind::base) {
            const std::size_t own = g.kind == SkeletonKind::windows ? 12 : 4 + 8 * std::size_t{g.ranges};
            at += own + 4 * std::size_t{g.steps} - 12;
        }
        if (at > size || g.first != nodes || !detail::derive(all, i, g) || g.depth != found.depth ||
            g.cost != found.cost)
            return false;
        nodes += g.nodes();
        if (g.kind == SkeletonKind::base) {
            const std::uint32_t end = g.column + g.nodes() * g.columns;
            inputs = end > inputs ? end : inputs;
        }
    }
    if (groups < 1 || at != size || all.nodes() != nodes || all.inputs() != inputs)
        return false;
    out = all;
    return true;
}

// How many normal numbers a factor takes at most: the columns of the longest block of a gaussian or a sphere-uniform
// base.
constexpr std::uint32_t skeleton_normals(const Skeleton& skeleton) noexcept
{
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        const bool drawn = g.kind == SkeletonKind::base &&
                           (g.base() == SkeletonBase::gaussian || g.base() == SkeletonBase::sphere_uniform);
        most = drawn && g.columns > most ? g.columns : most;
    }
    return most;
}

// Whether the features have no imaginary parts: all bases are binary or sphere-uniform.
constexpr bool skeleton_is_real(const Skeleton& skeleton) noexcept
{
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        if (g.kind == SkeletonKind::base && g.base() != SkeletonBase::binary &&
            g.base() != SkeletonBase::sphere_uniform)
            return false;
    }
    return true;
}

// The exact kernel of x and y, each of skeleton.inputs() columns (wrong_length else), in double; the same bits on every
// target. `values` has room for skeleton.nodes() numbers (small_workspace else), which then are the kernels of all
// nodes; `out` is that of the last. A mean of kernels outside [-1, 1], which only a sphere's columns of other lengths
// than 1 can make, counts as -1 or 1 for relu and step.
Status skeleton_kernel(const Skeleton& skeleton, std::span<const float> x, std::span<const float> y,
                       std::span<double> values, double& out) noexcept;

} // namespace samara
