#include "map/ntk_sketch/power_series.hpp"

#include "kernel/series.hpp"
#include "samara/memory.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

// The sketches of a layer's series have a seed each; those from 4 on are SketchSeed in ntk_sketch.cpp.
enum class SeriesSeed : std::uint64_t { relu_powers = 0, step_powers = 1, relu_mix = 2, step_mix = 3 };

std::uint64_t seed_of(const NtkSketchSpec& s, std::uint32_t layer, SeriesSeed use) noexcept
{
    return stream_key(s.seed, Domain::ntk_sketch_layers, 8 * std::uint64_t{layer} + static_cast<std::uint64_t>(use))
        .value;
}

float root(double v) noexcept { return SAMARA_ARCH::sqrt_scalar(static_cast<float>(v)); }

} // namespace

TwoSeries two_series(const NtkSketchSpec& s) noexcept
{
    TwoSeries both{s, {}, {}};
    double relu = 1.0 / real::pi + 0.5, step = 0.5; // sums of the coefficients so far
    if (s.orders != Orders::one) {
        both.relu.of[0] = root(1.0 / real::pi);
        both.relu.of[1] = both.step.of[0] = root(0.5);
    }
    real::ArcCosTerms terms;
    for (std::uint32_t i = 0; i <= s.relu_degree || i <= s.step_degree; ++i, terms.next()) {
        if (i <= s.relu_degree)
            both.relu.of[2 * i + 2] = root(s.fix_diagonal && i == s.relu_degree ? 1.0 - relu : terms.relu());
        if (i <= s.step_degree && (i > 0 || s.orders != Orders::one))
            both.step.of[2 * i + 1] = root(s.fix_diagonal && i == s.step_degree ? 1.0 - step : terms.step());
        relu += terms.relu();
        step += terms.step();
    }
    return both;
}

Status mix_series(const TwoSeries& both, LayerFeatures kind, std::uint32_t layer, std::span<const float> phi,
                  std::span<float> out, std::span<std::byte> work) noexcept
{
    const NtkSketchSpec& s = both.spec;
    const bool relu = kind == LayerFeatures::relu;
    const SeriesPlan plan = relu ? relu_series(s) : step_series(s);
    const SeriesRoots& roots = relu ? both.relu : both.step;
    const std::size_t all = std::size_t{plan.degree} * plan.width;
    Bump bump(work);
    float* const powers = bump.take<float>(all + 1);
    if (powers == nullptr)
        return Status::small_workspace;
    const std::span<std::byte> scratch = work.last(bump.left());
    const PolySketchSpec poly = poly_spec(plan, static_cast<std::uint32_t>(phi.size()),
                                          seed_of(s, layer, relu ? SeriesSeed::relu_powers : SeriesSeed::step_powers));
    if (const Status status = prefixes(poly, phi, {powers, all}, scratch); status != Status::ok)
        return status;
    // The powers that the series has move down to each other; the constant follows them.
    float* end = powers;
    for (std::uint32_t j = 1; j <= plan.degree; ++j) {
        if (roots.of[j] == 0.0f)
            continue;
        SAMARA_KERNEL(simd, scaled_copy)(powers + std::size_t{j - 1} * plan.width, plan.width, roots.of[j], end);
        end += plan.width;
    }
    if (plan.constant)
        *end = roots.of[0];
    const SrhtSpec mix{.inputs = stacked(plan),
                       .features = static_cast<std::uint32_t>(out.size()),
                       .seed = seed_of(s, layer, relu ? SeriesSeed::relu_mix : SeriesSeed::step_mix)};
    return sketch(mix, {powers, mix.inputs}, out, scratch);
}

} // namespace samara::engine
