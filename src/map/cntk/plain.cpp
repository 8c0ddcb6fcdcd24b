// The plain form: features of random rows. SPEC.md, section 28.3.
#include "map/cntk/walk.hpp"
#include "simd/scalar_math.hpp"

namespace samara::engine {

namespace {

Status features_of_rows(const CntkJob& job, bool relu) noexcept
{
    const CntkSpec& s = job.spec;
    const RowCode code{
        .rows = hadamard_rows, .finish = relu ? finish_relu : finish_step, .plan = relu ? plan_arccos1 : plan_arccos0};
    RowSample sample;
    static_cast<RowShape&>(sample.map) =
        row_shape(cntk_seed(s, job.layer, relu ? CntkSeed::relu : CntkSeed::step),
                  static_cast<std::uint32_t>(job.v.size()), s.inner, 0, 1, Rows::hadamard, code);
    sample.map.amplitude = SAMARA_ARCH::sqrt_scalar(2.0f / static_cast<float>(s.inner)) / static_cast<float>(s.patch);
    const Status status = begin(sample, job.v, job.scratch);
    if (status == Status::ok)
        all_blocks(sample, (relu ? job.relu : job.step).data());
    return status;
}

Status plain_features(const CntkJob& job) noexcept
{
    Status status = Status::ok;
    if (!job.relu.empty())
        status = features_of_rows(job, true);
    if (status == Status::ok && !job.step.empty())
        status = features_of_rows(job, false);
    return status;
}

} // namespace

Status run_cntk_plain(const CntkSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                      std::span<std::byte> work) noexcept
{
    return walk_cntk(s, plain_features, nullptr, x, z, samples, work);
}

} // namespace samara::engine
