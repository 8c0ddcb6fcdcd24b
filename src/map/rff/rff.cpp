#include "map/engine/row_map.hpp"
#include "map/engine/vector_scale.hpp"
#include "simd/vectors.hpp"

namespace samara {

namespace detail {

namespace {

constexpr float inverse_tau = 0.159154943f;

} // namespace

RowMap row_map(const RffSpec& s, const MapCode& code, std::uint32_t m) noexcept
{
    RowMap map = plain_row_map(s.seed, s.inputs, s.features, exact_features(s), s.rows, code);
    map.rows = row_count(s);
    map.per_row = features_per_row(s);
    map.scale = inverse_tau / s.bandwidth; // rows in turns
    map.amplitude =
        SAMARA_ARCH::sqrt_scalar((s.form == Form::pair ? 1.0f : 2.0f) / static_cast<float>(m)); // eqs. (2), (3) of TEFM
    map.bandwidth = s.bandwidth;
    map.rows_apart = s.rows == Rows::dense;
    map.by_position = s.form == Form::phase;
    return map;
}

void sample_fourier(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan, float*, float*) noexcept
{
    plan = {1.0f, map.amplitude, 0.0f, false};
}

// K = g(x) g(y) (1 + <x,y>/b^2 + ...), g = exp(-|x|^2/(2 b^2)): the mean of cos z and the slope of sin z are g.
void sample_fourier_centred(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan, float* exact,
                            float*) noexcept
{
    const int e = exponent_of(largest);
    float q = scaled_length(x, map.inputs, e) * power_of_two(e) / map.bandwidth;
    q = q < 1024.0f ? q : 1024.0f; // far beyond where g is 0; its square stays finite
    const float g = SAMARA_ARCH::exp_scalar(q * q * -0.5f);
    plan = {1.0f, map.amplitude, g, false};
    if (exact != nullptr) {
        exact[0] = g;
        SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, g / map.bandwidth, exact + 1);
    }
}

} // namespace detail

SAMARA_ROW_MAP(RffSpec)

} // namespace samara
