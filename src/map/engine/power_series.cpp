#include "map/engine/power_series.hpp"

#include "kernel/series.hpp"
#include "samara/memory.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

float root(double v) noexcept { return SAMARA_ARCH::sqrt_scalar(static_cast<float>(v)); }

} // namespace

TwoRoots taylor_roots(std::uint32_t relu_order, std::uint32_t step_order, bool complete) noexcept
{
    TwoRoots both{};
    double relu = 1.0 / real::pi + 0.5, step = 0.5; // sums of the coefficients so far
    both.relu.of[0] = root(1.0 / real::pi);
    both.step.of[0] = root(0.5);
    both.relu.of[1] = root(0.5);
    real::ArcCosTerms terms;
    for (std::uint32_t i = 0; i <= relu_order || i <= step_order; ++i, terms.next()) {
        if (i <= relu_order)
            both.relu.of[2 * i + 2] = root(complete && i == relu_order ? 1.0 - relu : terms.relu());
        if (i <= step_order)
            both.step.of[2 * i + 1] = root(complete && i == step_order ? 1.0 - step : terms.step());
        relu += terms.relu();
        step += terms.step();
    }
    return both;
}

Status mix_series(const SketchedSeries& series, std::span<const float> phi, std::span<float> out,
                  std::span<std::byte> work) noexcept
{
    const SeriesPlan& plan = series.plan;
    const std::size_t all = std::size_t{plan.degree} * plan.width;
    Bump bump(work);
    float* const powers = bump.take<float>(all + 1);
    if (powers == nullptr)
        return Status::small_workspace;
    const std::span<std::byte> scratch = work.last(bump.left());
    const PolySketchSpec poly = poly_spec(plan, static_cast<std::uint32_t>(phi.size()), series.powers);
    if (const Status status = prefixes(poly, phi, {powers, all}, scratch); status != Status::ok)
        return status;
    // The powers that the series has move down to each other; the constant follows them.
    float* end = powers;
    for (std::uint32_t j = 1; j <= plan.degree; ++j) {
        if (!has_power(plan, j))
            continue;
        SAMARA_KERNEL(simd, scaled_copy)(powers + std::size_t{j - 1} * plan.width, plan.width, series.roots.of[j], end);
        end += plan.width;
    }
    if (plan.constant)
        *end = series.roots.of[0];
    const SrhtSpec mix{.inputs = stacked(plan), .features = static_cast<std::uint32_t>(out.size()), .seed = series.mix};
    return sketch(mix, {powers, mix.inputs}, out, scratch);
}

} // namespace samara::engine
