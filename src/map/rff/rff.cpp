// Random Fourier features. SPEC.md, section 10.
#include "samara/map/rff.hpp"

#include "map/engine/finish.hpp"
#include "map/engine/values.hpp"
#include "samara/kernel.hpp"

namespace samara {

namespace engine {

void plan_fourier(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan) noexcept
{
    plan = {.factor = 1.0f, .amplitude = map.amplitude, .centre = 0.0f};
}

// K = g(x) g(y) (1 + <x,y>/b^2 + ...) with g = exp(-|x|^2/(2 b^2)). Over random rows, g is the mean of cos z, and g z
// is the linear part of sin z.
void plan_fourier_centred(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan) noexcept
{
    const int e = exponent_of(largest);
    float q = scaled_length(x, map.inputs, e) * power_of_two(e) / map.bandwidth;
    q = q < 1024.0f ? q : 1024.0f; // far beyond where g is 0; its square stays finite
    plan = {.factor = 1.0f, .amplitude = map.amplitude, .centre = SAMARA_ARCH::exp_scalar(q * q * -0.5f)};
}

void exact_fourier(const RowMap& map, const float* x, const SamplePlan& plan, float* exact, float*) noexcept
{
    exact[0] = plan.centre;
    SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, plan.centre / map.bandwidth, exact + 1);
}

namespace {

// 127 cos(2 pi (i + 1/2) / 256), rounded.
constexpr std::uint8_t cosines[64] = {127, 127, 127, 127, 126, 126, 125, 125, 124, 124, 123, 122, 121, 120, 119, 118,
                                      117, 115, 114, 113, 111, 110, 108, 106, 105, 103, 101, 99,  97,  95,  93,  91,
                                      89,  86,  84,  82,  79,  77,  74,  72,  69,  67,  64,  61,  58,  56,  53,  50,
                                      47,  44,  41,  38,  35,  32,  29,  26,  23,  20,  17,  14,  11,  8,   5,   2};

// The cosine of the middle of an angle's 256th. Higher bits of the angle are whole turns. Without branches, which
// nothing could predict.
inline std::int32_t cosine_of(std::uint32_t angle) noexcept
{
    angle ^= 0u - (angle >> 7 & 1u); // the other half turn is a mirror image
    const std::uint32_t negative = 0u - (angle >> 6 & 1u);
    const std::uint32_t cosine = cosines[(angle ^ negative) & 63u];
    return static_cast<std::int32_t>((cosine ^ negative) - negative);
}

} // namespace

void finish_integer_pair(const FinishArgs& f) noexcept
{
    for (std::uint32_t i = 0; i < f.rows; ++i) {
        const auto angle = static_cast<std::uint32_t>(f.t[i]);
        f.out[i] = static_cast<float>(cosine_of(angle));
        f.out[f.rows + i] = static_cast<float>(cosine_of(angle - 64));
    }
}

void finish_integer_phase(const FinishArgs& f) noexcept
{
    for (std::uint32_t i = 0; i < f.rows; ++i) {
        const auto angle = static_cast<std::uint32_t>(f.t[i]);
        f.out[i] = static_cast<float>(cosine_of((i & integer_sine_rows) != 0 ? angle - 64 : angle));
    }
}

void whole_waves(const IntegerRows& rows, std::uint32_t part, const std::int16_t* y, const std::uint16_t* places,
                 std::uint32_t count, std::uint8_t* out) noexcept
{
    const IntegerTurns turns = rows.turns;
    for (const std::uint16_t* const end = places + count; places != end; ++places)
        *out++ = static_cast<std::uint8_t>(cosine_of(turns.angle(y[*places], *places, part)));
}

} // namespace engine

void Map<RffSpec>::scale(const RffSpec& s, std::uint32_t m, engine::RowMap& map) noexcept
{
    if (s.numbers == Numbers::int8) {
        map.scale = s.bandwidth; // which makes the angles
        return;
    }
    constexpr float inverse_tau = 0.159154943f;
    map.scale = inverse_tau / s.bandwidth; // so that projections are in turns, which are 2 pi
    map.amplitude =
        SAMARA_ARCH::sqrt_scalar((s.form == Form::pair ? 1.0f : 2.0f) / static_cast<float>(m)); // eqs. (2), (3) of TEFM
    map.bandwidth = s.bandwidth;
}

double Map<RffSpec>::kernel(const RffSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    const auto b = static_cast<double>(s.bandwidth);
    // Whole features are not divided by their number, and are at most 127.
    const double scale = s.numbers == Numbers::int8 ? 0.5 * 127.0 * 127.0 * static_cast<double>(s.features) : 1.0;
    switch (s.kernel) {
    case Kernel::gaussian:
        return scale * gaussian_kernel(x, y, b);
    case Kernel::laplacian:
        return laplacian_kernel(x, y, b);
    case Kernel::cauchy:
        return cauchy_kernel(x, y, b);
    }
    return 0.0;
}

} // namespace samara
