// Algorithm 1 of arXiv 1703.07872 without recursion: the way from the last node to where the next factor is, and how
// many factors are left at each node on it.
#pragma once

#include "samara/skeleton.hpp"
#include "samara/stream.hpp"

namespace samara::detail {

// Probabilities of relu and step in 2^-62, rounded down.
inline constexpr std::uint64_t one_half = std::uint64_t{1} << 61, one_over_pi = 0x145f306dc9c882a5u,
                               one_over_two_pi = 0x0a2f9836e4e44152u;

// How many terms of a series lie below u, in 2^-62, which is taken off: the first is p, and i + 1 is
// 1 - lost(i) / (first(i) second(i)) of i. p is kept between 2^59 and 2^60 times a power of two, so that thousands of
// roundings do not show.
template <class Ratio>
std::uint32_t terms_below(std::uint64_t u, std::uint64_t p, std::uint32_t most, Ratio ratio) noexcept
{
    unsigned shift = 0;
    std::uint32_t i = 0;
    for (; i < most && u >= p >> shift; ++i) {
        u -= p >> shift;
        const auto [lost, first, second] = ratio(i);
        p -= p / first * lost / second;
        for (; p < std::uint64_t{1} << 59; p <<= 1)
            ++shift;
    }
    return i;
}

struct TermRatio {
    std::uint32_t lost, first, second;
};

// How many factors, by the inverse of the distribution at u in [0, 2^62). The probabilities of l = 2 i + 2 (relu) are
// each (2i+1)^2 / ((2i+3) (2i+4)) of the one before, those of l = 2 i + 1 (step) (2i+1)^2 / ((2i+2) (2i+3)).
[[gnu::noinline]] inline std::uint32_t relu_factors(std::uint64_t u) noexcept
{
    if (u < one_over_pi)
        return 0;
    u -= one_over_pi;
    if (u < one_half)
        return 1;
    return 2 + 2 * terms_below(u - one_half, one_over_two_pi, most_factors / 2 - 1, [](std::uint32_t i) {
                   return TermRatio{10 * i + 11, 2 * i + 3, 2 * i + 4};
               });
}
[[gnu::noinline]] inline std::uint32_t step_factors(std::uint64_t u) noexcept
{
    if (u < one_half)
        return 0;
    return 1 + 2 * terms_below(u - one_half, one_over_pi, most_factors / 2 - 1, [](std::uint32_t i) {
                   return TermRatio{6 * i + 5, 2 * i + 2, 2 * i + 3};
               });
}

inline std::uint32_t index_below(std::uint32_t word, std::uint32_t count) noexcept
{
    return static_cast<std::uint32_t>(std::uint64_t{word} * count >> 32);
}

inline std::uint32_t draw_factors(const SkeletonGroup& g, Xoshiro& words) noexcept
{
    if (g.dual() == SkeletonDual::identity)
        return 1;
    const std::uint32_t high = words.word();
    if (g.dual() == SkeletonDual::series) {
        std::uint32_t count = 0;
        while (count < g.steps && high >= g.step(count))
            ++count;
        return count;
    }
    const std::uint64_t u = std::uint64_t{high} << 30 | words.word() >> 2;
    return g.dual() == SkeletonDual::relu ? relu_factors(u) : step_factors(u);
}

// Where a node is: its group, and its number within that.
struct Place {
    std::uint32_t group, node;
};

inline Place draw_child(const Skeleton& skeleton, const SkeletonGroup& g, std::uint32_t node, Xoshiro& words) noexcept
{
    if (g.kind == SkeletonKind::windows) {
        const SkeletonGroup source = skeleton.group(g.source);
        const std::uint32_t row = g.patch_width * source.channels, all = g.patch_height * row;
        const std::uint32_t k = all == 1 ? 0 : index_below(words.word(), all);
        const std::uint32_t top = node / g.width * g.stride_height + k / row, left = node % g.width * g.stride_width;
        return {g.source, (top * source.width + left) * source.channels + k % row};
    }
    if (g.kind == SkeletonKind::base)
        return {0, 0}; // has no children, and is never asked for one
    std::uint32_t all = 0, i = 0;
    for (std::uint32_t j = 0; j < g.ranges; ++j)
        all += g.range(j).count;
    std::uint32_t k = all == 1 ? 0 : index_below(words.word(), all);
    while (k >= g.range(i).count)
        k -= g.range(i++).count;
    const std::uint32_t child = g.range(i).first + k, group = skeleton.group_of(child);
    return {group, child - skeleton.first_of(group)};
}

// A skeleton's groups, of which the base and the inner one that were used last are at hand: to read one takes longer
// than all else that is done at a node, and the way to a factor is in few of them.
class GroupsAtHand {
public:
    explicit GroupsAtHand(const Skeleton& skeleton) noexcept
        : skeleton_(skeleton), base_group_(skeleton.groups()), inner_group_(skeleton.groups())
    {}

    const Skeleton& skeleton() const noexcept { return skeleton_; }
    // Good until the next call.
    const SkeletonGroup& operator[](std::uint32_t i) noexcept
    {
        if (i == base_group_)
            return base_;
        if (i == inner_group_)
            return inner_;
        const SkeletonGroup g = skeleton_.group(i);
        const bool is_base = g.kind == SkeletonKind::base;
        (is_base ? base_group_ : inner_group_) = i;
        return (is_base ? base_ : inner_) = g;
    }

private:
    const Skeleton& skeleton_;
    std::uint32_t base_group_, inner_group_;
    SkeletonGroup base_, inner_;
};

// Calls factor(place, group, words) for each base feature of a feature; the call takes the words that the base needs.
template <class Factor>
void draw_feature(GroupsAtHand& groups, Xoshiro& words, Factor factor) noexcept
{
    struct {
        Place place;
        std::uint32_t left;
    } way[most_skeleton_depth + 1];
    std::uint32_t depth = 0;
    const Skeleton& skeleton = groups.skeleton();
    const std::uint32_t last = skeleton.groups() - 1;
    Place next{last, skeleton.nodes() - 1 - skeleton.first_of(last)};
    for (;;) {
        const SkeletonGroup& g = groups[next.group];
        if (g.kind == SkeletonKind::base)
            factor(next, g, words);
        else
            way[depth++] = {next, draw_factors(g, words)};
        while (depth > 0 && way[depth - 1].left == 0)
            --depth;
        if (depth == 0)
            return;
        --way[depth - 1].left;
        const Place& from = way[depth - 1].place;
        next = draw_child(skeleton, groups[from.group], from.node, words);
    }
}

} // namespace samara::detail
