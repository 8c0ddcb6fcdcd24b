// The map of skeletons. SPEC.md, section 27.5.
#include "samara/map/skeleton.hpp"

#include <bit>

#include "map/engine/values.hpp"
#include "samara/memory.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"
#include "skeleton/generate.hpp"
#include "skeleton/kernels.hpp"
#include "sketch/inputs.hpp"

namespace samara {

namespace {

constexpr std::uint32_t sign_bit = 1u << 31;
constexpr float root_of_two = 0x1.6a09e6p+0f;

// A number of the form real: its angle is 0 or a half turn.
float with_sign(float re, std::uint32_t phase) noexcept
{
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(re) ^ (phase & sign_bit));
}

bool finite(float v) noexcept { return (std::bit_cast<std::uint32_t>(v) & 0x7f800000u) != 0x7f800000u; }

} // namespace

Status Map<SkeletonSpec>::begin(const SkeletonSpec& s, const Code&, const SkeletonData& data, std::span<const float> x,
                                std::span<std::byte> work, Sample& sample) noexcept
{
    if (const Status status =
            engine::check_call(s.inputs, s.features, block_workspace_bytes(s), x, s.features, 1, work);
        status != Status::ok)
        return status;
    Bump memory(work);
    sample.x = x;
    sample.phases = memory.take<std::uint32_t>(engine::skeleton_block_rows);
    sample.imaginary = s.form == SkeletonForm::phase ? memory.take<float>(engine::skeleton_block_rows) : nullptr;
    sample.normals = memory.take<float>(s.normals);
    return detail::check_skeleton_inputs(data.skeleton(), x);
}

Status Map<SkeletonSpec>::block(const SkeletonSpec& s, const Code&, const SkeletonData& data, const Sample& sample,
                                std::uint32_t k, std::span<float> z) noexcept
{
    constexpr std::uint32_t most = engine::skeleton_block_rows;
    const bool pair = s.form == SkeletonForm::pair, phase = s.form == SkeletonForm::phase;
    const std::uint32_t rows = static_cast<std::uint32_t>(z.size()) / (pair ? 2 : 1), first = k * most;
    std::uint32_t indices[most];
    for (std::uint32_t i = 0; i < rows; ++i)
        indices[i] = data.all() ? first + i : data.index(first + i);
    float* const re = z.data();
    float* const im = pair ? re + rows : sample.imaginary;
    const Skeleton skeleton = data.skeleton();
    detail::draw_products({skeleton, s.seed, phase}, sample.x, {indices, rows},
                          {sample.phases, re, im, {sample.normals, s.normals}});
    if (s.form == SkeletonForm::real)
        for (std::uint32_t i = 0; i < rows; ++i)
            re[i] = with_sign(re[i], sample.phases[i]);
    else
        SAMARA_KERNEL(skeleton, turn)(sample.phases, rows, re, im);
    const float scale = detail::root_of_inverse(data.all() ? row_count(s) : data.sum()) * (phase ? root_of_two : 1.0f);
    bool good = true;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const std::uint32_t times = data.all() ? 1 : data.times(first + i);
        const float weight = times == 1 ? scale : SAMARA_ARCH::sqrt_scalar(static_cast<float>(times)) * scale;
        re[i] *= weight;
        good = good && finite(re[i]);
        if (pair) {
            im[i] *= weight;
            good = good && finite(im[i]);
        }
    }
    if (good)
        return Status::ok;
    for (float& v : z)
        v = 0.0f;
    return Status::overflow;
}

} // namespace samara
