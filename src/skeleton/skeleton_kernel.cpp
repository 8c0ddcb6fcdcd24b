// Exact compositional kernels: the recursion of arXiv 1703.07872, section 5, node after node.
#include <bit>

#include "kernel/real.hpp"
#include "samara/kernel.hpp"
#include "samara/skeleton.hpp"

namespace samara {

namespace {

using Numbers = std::span<const float>;

// cos(2 pi t). Whole turns are taken away exactly, as far as a double has a fraction.
double cosine_of_turns(double t) noexcept
{
    t = t < 0.0 ? -t : t;
    if (!(t < 0x1p52))
        return 1.0;
    double rest = t - static_cast<double>(static_cast<std::uint64_t>(t));
    rest = rest > 0.5 ? 1.0 - rest : rest;
    const bool far = rest > 0.25;
    const double cosine = real::sin_cos(2.0 * real::pi * (far ? 0.5 - rest : rest)).cosine;
    return far ? -cosine : cosine;
}

double base_kernel(const SkeletonGroup& g, std::uint32_t node, Numbers x, Numbers y) noexcept
{
    const std::size_t first = g.column + std::size_t{node} * g.columns;
    const auto turns = static_cast<double>(std::bit_cast<float>(g.value));
    switch (g.base()) {
    case SkeletonBase::binary:
        return (x[first] > 0.0f) == (y[first] > 0.0f) ? 1.0 : -1.0;
    case SkeletonBase::circle:
        return cosine_of_turns(turns * (static_cast<double>(x[first]) - static_cast<double>(y[first])));
    case SkeletonBase::gaussian:
        return gaussian_kernel(x.subspan(first, g.columns), y.subspan(first, g.columns), 0.5 / (real::pi * turns));
    case SkeletonBase::categorical:
        return x[first] == y[first] ? 1.0 : 0.0;
    default: {
        double sum = 0.0;
        for (std::size_t i = first; i < first + g.columns; ++i)
            sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
        return sum;
    }
    }
}

double dual_of(const SkeletonGroup& g, double mean) noexcept
{
    switch (g.dual()) {
    case SkeletonDual::series: {
        double sum = 0.0;
        for (std::uint32_t j = g.steps + 1; j-- > 0;)
            sum = sum * mean + static_cast<double>(g.coefficient(j)) * 0x1p-32;
        return sum;
    }
    case SkeletonDual::relu:
        return nngp_of_cosine(mean, 1);
    case SkeletonDual::step:
        return arccos0_of_cosine(mean);
    default:
        return mean;
    }
}

double sum_of(const double* values, std::uint32_t first, std::uint32_t count) noexcept
{
    double sum = 0.0;
    for (std::uint32_t i = 0; i < count; ++i)
        sum += values[first + i];
    return sum;
}

double mean_of_window(const SkeletonGroup& g, const SkeletonGroup& source, std::uint32_t node,
                      const double* values) noexcept
{
    const std::uint32_t top = node / g.width * g.stride_height, left = node % g.width * g.stride_width;
    const std::uint32_t row = source.width * source.channels, of_row = g.patch_width * source.channels;
    double sum = 0.0;
    for (std::uint32_t i = 0; i < g.patch_height; ++i)
        sum += sum_of(values, source.first + (top + i) * row + left * source.channels, of_row);
    return sum / (static_cast<double>(g.patch_height) * static_cast<double>(of_row));
}

double mean_of_ranges(const SkeletonGroup& g, const double* values) noexcept
{
    double sum = 0.0, count = 0.0;
    for (std::uint32_t i = 0; i < g.ranges; ++i) {
        const SkeletonGroup::Range range = g.range(i);
        sum += sum_of(values, range.first, range.count);
        count += static_cast<double>(range.count);
    }
    return sum / count;
}

} // namespace

Status skeleton_kernel(const Skeleton& skeleton, std::span<const float> x, std::span<const float> y,
                       std::span<double> values, double& out) noexcept
{
    if (x.size() != skeleton.inputs() || y.size() != skeleton.inputs() || skeleton.nodes() == 0)
        return Status::wrong_length;
    if (values.size() < skeleton.nodes())
        return Status::small_workspace;
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        double* const own = values.data() + g.first;
        if (g.kind == SkeletonKind::base) {
            for (std::uint32_t node = 0; node < g.nodes(); ++node)
                own[node] = base_kernel(g, node, x, y);
        } else if (g.kind == SkeletonKind::windows) {
            const SkeletonGroup source = skeleton.group(g.source);
            for (std::uint32_t node = 0; node < g.nodes(); ++node)
                own[node] = dual_of(g, mean_of_window(g, source, node, values.data()));
        } else {
            own[0] = dual_of(g, mean_of_ranges(g, values.data()));
        }
    }
    out = values[skeleton.nodes() - 1];
    return Status::ok;
}

} // namespace samara
