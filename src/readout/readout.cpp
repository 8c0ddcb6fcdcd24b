#include "samara/readout.hpp"

#include <bit>
#include <cstring>

#include "readout/kernels.hpp"
#include "simd/scalar_math.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(readout, SAMARA_READOUT_KERNELS)

namespace {

float float_at(const std::byte* numbers, std::size_t offset) noexcept
{
    float value;
    std::memcpy(&value, numbers + offset, sizeof value);
    return value;
}

} // namespace

namespace detail {

void add_float32(const ReadoutBlock& r) noexcept { SAMARA_KERNEL(readout, add_readout_float32)(r); }
void add_float16(const ReadoutBlock& r) noexcept { SAMARA_KERNEL(readout, add_readout_float16)(r); }
void add_int8(const ReadoutBlock& r) noexcept { SAMARA_KERNEL(readout, add_readout_int8)(r); }

} // namespace detail

void Readout::clear(std::span<float> totals) const noexcept
{
    for (float& total : totals)
        total = 0.0f;
}

void Readout::add(std::uint32_t first, std::span<const float> z, std::span<float> totals) const noexcept
{
    multiply({weights, weight_stride, outputs, z.data(), static_cast<std::uint32_t>(z.size()), totals.data(), first});
}

Status Readout::finish(std::span<float> totals) const noexcept
{
    if (whole != nullptr)
        return whole->finish(*this, totals);
    float* const out = totals.data();
    for (std::uint32_t o = 0; o < outputs; ++o) {
        // Times 1 is exact, so that it is the rounded sum with the bias where there is no scale.
        const float scale = type == ReadoutType::int8 ? float_at(scales, 4 * std::size_t{o}) : 1.0f;
        out[o] = SAMARA_ARCH::fma_scalar(out[o], scale, float_at(biases, o * bias_stride));
        // Infinite or NaN, by the bits without the sign.
        if (std::bit_cast<std::uint32_t>(out[o]) << 1 >= 0xff000000u) {
            std::memset(out, 0, sizeof(float) * outputs);
            return Status::overflow;
        }
    }
    return Status::ok;
}

float Readout::weight(std::uint32_t output, std::uint32_t feature) const noexcept
{
    if (whole != nullptr)
        return whole->weight(*this, output, feature);
    // The readout's own arithmetic, on one feature that is 1.
    float total = 0.0f;
    const float one = 1.0f;
    multiply({weights + output * weight_stride, weight_stride, 1, &one, 1, &total, feature});
    return type == ReadoutType::int8 ? total * float_at(scales, 4 * std::size_t{output}) : total;
}

float Readout::bias(std::uint32_t output) const noexcept
{
    return whole != nullptr ? whole->bias(*this, output) : float_at(biases, output * bias_stride);
}

std::uint32_t best_of(std::span<const float> scores) noexcept
{
    std::uint32_t best = 0;
    for (std::uint32_t o = 1; o < scores.size(); ++o)
        if (scores[o] > scores[best])
            best = o;
    return best;
}

} // namespace samara
