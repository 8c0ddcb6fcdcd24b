// Makes the bytes of a skeleton, group after group, while compiling or at run time.
//
//   std::byte bytes[...];
//   SkeletonBuilder build(bytes, 3);
//   const auto pixels = build.circles({8, 8, 1}, 0, turns);               // columns 0 ... 63
//   const auto patches = build.windows(pixels, {3, 3, 1, 1}, {.dual = SkeletonDual::relu});
//   build.node(patches, {.dual = SkeletonDual::relu});
//   Skeleton skeleton;
//   if (build.finish(skeleton)) ...
//
// A call that cannot be done, because the bytes are full or a field is out of range, makes all that follow do nothing,
// and finish() false.
#pragma once

#include <bit>

#include "samara/skeleton.hpp"

namespace samara {

struct SkeletonGrid {
    std::uint32_t height = 1, width = 1, channels = 1;
};
struct SkeletonPatch {
    std::uint32_t height = 1, width = 1, stride_height = 1, stride_width = 1;
};
// A dual activation. Of a series the probabilities of at most j factors, times 2^32, for all but the last term.
struct SkeletonActivation {
    SkeletonDual dual = SkeletonDual::identity;
    std::span<const std::uint32_t> steps = {};
};

class SkeletonBuilder {
public:
    // The groups are at most so many.
    constexpr SkeletonBuilder(std::span<std::byte> bytes, std::uint32_t most_groups) noexcept
        : bytes_(bytes), table_(detail::skeleton_header_bytes), most_groups_(most_groups),
          at_(detail::skeleton_header_bytes + 4 * std::size_t{most_groups})
    {
        good_ = most_groups >= 1 && most_groups < 65536 && at_ <= bytes.size();
    }

    // Base nodes on a grid, each of which has `columns` columns, from `column` on. `value`: turns per unit of a circle
    // or a gaussian, as the bits of a float; the categories of a categorical one. All of these give the group's number.
    constexpr std::uint32_t base(SkeletonBase kind, const SkeletonGrid& grid, std::uint32_t column,
                                 std::uint32_t columns = 1, std::uint32_t value = 0) noexcept
    {
        SkeletonGroup g = begun(SkeletonKind::base, static_cast<std::uint8_t>(kind), grid);
        g.column = column;
        g.columns = columns;
        g.value = value;
        if (take(g, 12)) {
            write_u32(own(), g.column);
            write_u32(own() + 4, g.columns);
            write_u32(own() + 8, g.value);
        }
        return add(g);
    }
    constexpr std::uint32_t circles(const SkeletonGrid& grid, std::uint32_t column, float turns) noexcept
    {
        return base(SkeletonBase::circle, grid, column, 1, std::bit_cast<std::uint32_t>(turns));
    }

    // All patches of a group that fit into its grid.
    constexpr std::uint32_t windows(std::uint32_t source, const SkeletonPatch& patch,
                                    const SkeletonActivation& activation) noexcept
    {
        SkeletonGroup g = begun(SkeletonKind::windows, static_cast<std::uint8_t>(activation.dual), {});
        g.source = source;
        g.patch_height = patch.height;
        g.patch_width = patch.width;
        g.stride_height = patch.stride_height;
        g.stride_width = patch.stride_width;
        g.steps = static_cast<std::uint32_t>(activation.steps.size());
        good_ = good_ && source < groups_ && patch.stride_height >= 1 && patch.stride_width >= 1 &&
                patch.stride_height < 65536 && patch.stride_width < 65536 && g.steps < most_factors;
        if (good_) {
            const SkeletonGroup from = so_far().group(source);
            good_ = patch.height <= from.height && patch.width <= from.width;
            g.height = good_ ? (from.height - patch.height) / patch.stride_height + 1 : 1;
            g.width = good_ ? (from.width - patch.width) / patch.stride_width + 1 : 1;
        }
        if (take(g, 12 + 4 * std::size_t{g.steps})) {
            write_u16(own(), g.source);
            write_u16(own() + 2, g.patch_height);
            write_u16(own() + 4, g.patch_width);
            write_u16(own() + 6, g.stride_height);
            write_u16(own() + 8, g.stride_width);
            write_u16(own() + 10, g.steps);
            g.step_bytes = write_steps(own() + 12, activation);
        }
        return add(g);
    }

    // One node that is made of some ranges of nodes, each within one group; what is listed twice counts twice.
    constexpr std::uint32_t node(std::span<const SkeletonGroup::Range> ranges,
                                 const SkeletonActivation& activation) noexcept
    {
        SkeletonGroup g = begun(SkeletonKind::node, static_cast<std::uint8_t>(activation.dual), {});
        g.ranges = static_cast<std::uint32_t>(ranges.size());
        g.steps = static_cast<std::uint32_t>(activation.steps.size());
        good_ = good_ && g.ranges < 65536 && g.steps < most_factors;
        if (take(g, 4 + 8 * std::size_t{g.ranges} + 4 * std::size_t{g.steps})) {
            write_u16(own(), g.ranges);
            write_u16(own() + 2, g.steps);
            for (std::uint32_t i = 0; i < g.ranges; ++i) {
                write_u32(own() + 4 + 8 * std::size_t{i}, ranges[i].first);
                write_u32(own() + 8 + 8 * std::size_t{i}, ranges[i].count);
            }
            g.range_bytes = own() + 4;
            g.step_bytes = write_steps(own() + 4 + 8 * std::size_t{g.ranges}, activation);
        }
        return add(g);
    }
    // One node that is made of all nodes of a group.
    constexpr std::uint32_t node(std::uint32_t source, const SkeletonActivation& activation) noexcept
    {
        good_ = good_ && source < groups_;
        const SkeletonGroup from = good_ ? so_far().group(source) : SkeletonGroup{};
        const SkeletonGroup::Range all[] = {{from.first, from.nodes()}};
        return node(all, activation);
    }

    // The skeleton, in the first bytes of those that were given.
    constexpr bool finish(Skeleton& out) noexcept
    {
        if (!good_ || groups_ < 1)
            return false;
        // Room for groups that were not added goes.
        const std::size_t spare = 4 * std::size_t{most_groups_ - groups_},
                          from = table_ + 4 * std::size_t{most_groups_};
        for (std::size_t i = from; i < at_ && spare != 0; ++i)
            bytes_[i - spare] = bytes_[i];
        for (std::uint32_t i = 0; i < groups_ && spare != 0; ++i) {
            std::byte* const offset = bytes_.data() + table_ + 4 * std::size_t{i};
            write_u32(offset, read_u32(offset) - static_cast<std::uint32_t>(spare));
        }
        good_ = false;
        write_header(at_ - spare);
        return Skeleton::read(bytes_.first(at_ - spare), out);
    }

private:
    constexpr SkeletonGroup begun(SkeletonKind kind, std::uint8_t what, const SkeletonGrid& grid) const noexcept
    {
        SkeletonGroup g;
        g.kind = kind;
        g.what = what;
        g.first = nodes_;
        g.height = grid.height;
        g.width = grid.width;
        g.channels = grid.channels;
        return g;
    }
    constexpr std::byte* own() const noexcept { return bytes_.data() + at_ + detail::group_header_bytes; }
    constexpr void write_header(std::size_t size) noexcept
    {
        write_u32(bytes_.data(), static_cast<std::uint32_t>(size));
        write_u16(bytes_.data() + 4, skeleton_version);
        write_u16(bytes_.data() + 6, groups_);
        write_u32(bytes_.data() + 8, nodes_);
        write_u32(bytes_.data() + 12, inputs_);
    }
    constexpr Skeleton so_far() noexcept
    {
        write_header(at_);
        return Skeleton(bytes_);
    }
    constexpr bool take(const SkeletonGroup& g, std::size_t own_bytes) noexcept
    {
        own_ = detail::group_header_bytes + own_bytes;
        good_ = good_ && groups_ < most_groups_ && own_ <= bytes_.size() - at_ && g.height < 65536 && g.width < 65536;
        return good_;
    }
    static constexpr const std::byte* write_steps(std::byte* p, const SkeletonActivation& activation) noexcept
    {
        for (std::size_t j = 0; j < activation.steps.size(); ++j)
            write_u32(p + 4 * j, activation.steps[j]);
        return p;
    }
    constexpr std::uint32_t add(SkeletonGroup& g) noexcept
    {
        good_ = good_ && detail::derive(so_far(), groups_, g);
        if (!good_)
            return 0;
        std::byte* const p = bytes_.data() + at_;
        p[0] = static_cast<std::byte>(g.kind);
        p[1] = static_cast<std::byte>(g.what);
        write_u16(p + 2, g.depth);
        write_u32(p + 4, g.cost);
        write_u32(p + 8, g.first);
        write_u16(p + 12, g.height);
        write_u16(p + 14, g.width);
        write_u32(p + 16, g.channels);
        write_u32(bytes_.data() + table_ + 4 * std::size_t{groups_}, static_cast<std::uint32_t>(at_));
        at_ += own_;
        nodes_ += g.nodes();
        if (g.kind == SkeletonKind::base) {
            const std::uint32_t end = g.column + g.nodes() * g.columns;
            inputs_ = end > inputs_ ? end : inputs_;
        }
        return groups_++;
    }

    std::span<std::byte> bytes_;
    std::size_t table_ = 0;
    std::uint32_t most_groups_ = 0;
    std::size_t at_ = 0, own_ = 0;
    std::uint32_t groups_ = 0, nodes_ = 0, inputs_ = 0;
    bool good_ = false;
};

} // namespace samara
