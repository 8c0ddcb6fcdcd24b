// CNTKSketch: power series of a window's vectors. SPEC.md, section 28.3.
#include "map/cntk/walk.hpp"
#include "map/engine/values.hpp"

namespace samara::engine {

namespace {

// Least squares with coefficients >= 0, at points whose angles are equally dense, so that k1(a) - a/2 and k0(a) - 1/2,
// which are even and odd, are met, and that the sum is 1/2 (tests/reference/fit_arccos.py). Row p has the coefficients
// of the powers 0, 2, ..., 2p + 2, or 1, 3, ..., 2p + 1. The largest errors on [-1, 1] fall from .0058 to .0001 and
// from .11 to .022.
constexpr float fitted_relu[most_fitted_order + 1][most_fitted_order + 2] = {
    {0.313670844f, 0.186329141f},
    {0.319033891f, 0.148787618f, 0.0321784951f},
    {0.318300933f, 0.161494911f, 0.0f, 0.020204166f},
    {0.31819582f, 0.161510855f, 0.00810336228f, 0.0f, 0.0121899508f},
    {0.318260223f, 0.159841835f, 0.013505646f, 0.0f, 0.0f, 0.00839230139f},
    {0.318309754f, 0.158752769f, 0.0163404197f, 0.0f, 0.0f, 0.0f, 0.00659705978f},
    {0.318339646f, 0.15820615f, 0.0172796529f, 0.000775282795f, 0.0f, 0.0f, 0.0f, 0.00539924949f},
    {0.318329006f, 0.158613101f, 0.0150832562f, 0.00375459692f, 0.0f, 0.0f, 0.0f, 0.0f, 0.00422004005f}};
constexpr float fitted_step[most_fitted_order + 1][most_fitted_order + 1] = {
    {0.5f},
    {0.220506907f, 0.279493093f},
    {0.29105556f, 0.0f, 0.208944455f},
    {0.316737384f, 0.0f, 0.0f, 0.183262601f},
    {0.330653608f, 0.0f, 0.0f, 0.0f, 0.169346407f},
    {0.339267552f, 0.000717404298f, 0.0f, 0.0f, 0.0f, 0.160015047f},
    {0.332927048f, 0.0248632114f, 0.0f, 0.0f, 0.0f, 0.0f, 0.142209738f},
    {0.328053504f, 0.0416556969f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.130290791f}};

TwoRoots fitted_roots(std::uint32_t relu_order, std::uint32_t step_order) noexcept
{
    TwoRoots both{};
    both.relu.of[1] = both.step.of[0] = SAMARA_ARCH::sqrt_scalar(0.5f);
    for (std::uint32_t i = 0; i < relu_order + 2; ++i)
        both.relu.of[2 * i] = SAMARA_ARCH::sqrt_scalar(fitted_relu[relu_order][i]);
    for (std::uint32_t i = 0; i < step_order + 1; ++i)
        both.step.of[2 * i + 1] = SAMARA_ARCH::sqrt_scalar(fitted_step[step_order][i]);
    return both;
}

// phi, or phi_dot, of mu.
Status features_of_series(const CntkJob& job, bool relu, float factor) noexcept
{
    const CntkSpec& s = job.spec;
    const std::span<float> out = relu ? job.relu : job.step;
    const SeriesPlan plan = relu ? cntk_relu_series(s) : cntk_step_series(s);
    const Status status = mix_series({.plan = plan,
                                      .roots = relu ? job.series->relu : job.series->step,
                                      .powers = cntk_seed(s, job.layer, relu ? CntkSeed::relu : CntkSeed::step),
                                      .mix = cntk_seed(s, job.layer, relu ? CntkSeed::relu_mix : CntkSeed::step_mix)},
                                     job.v, out, job.scratch);
    if (status == Status::ok)
        SAMARA_KERNEL(simd, scaled_copy)(out.data(), out.size(), factor, out.data());
    return status;
}

Status sketch_features(const CntkJob& job) noexcept
{
    const CntkSpec& s = job.spec;
    const auto q = static_cast<float>(s.patch);
    if (s.series == CntkSeries::taylor)
        SAMARA_KERNEL(simd, scaled_copy)(job.v.data(), job.v.size(), 1.0f / job.length, job.v.data());
    else
        normalise(job.v.data(), static_cast<std::uint32_t>(job.v.size()));
    Status status = Status::ok;
    if (!job.relu.empty())
        status = features_of_series(job, true, job.length / q);
    if (status == Status::ok && !job.step.empty())
        status = features_of_series(job, false, 1.0f / q);
    return status;
}

} // namespace

Status run_cntk_sketch(const CntkSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                       std::span<std::byte> work) noexcept
{
    const TwoRoots roots = s.series == CntkSeries::fitted
                               ? fitted_roots(s.relu_degree, s.step_degree)
                               : taylor_roots(s.relu_degree, s.step_degree, s.series == CntkSeries::fixed);
    return walk_cntk(s, sketch_features, &roots, x, z, samples, work);
}

} // namespace samara::engine
