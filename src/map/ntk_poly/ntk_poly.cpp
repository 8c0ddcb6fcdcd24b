#include "samara/map_ntk_poly.hpp"

#include "map/engine/quadratic.hpp"
#include "map/engine/row_map.hpp"
#include "map/engine/vector_scale.hpp"
#include "samara/kernel.hpp"
#include "simd/vectors.hpp"

namespace samara {

namespace detail {

RowMap row_map(const NtkPolySpec& s, const MapCode& code, std::uint32_t m) noexcept
{
    RowMap map = plain_row_map(s.seed, s.inputs, s.features, exact_features(s), s.rows, code);
    map.rows = row_count(s);
    map.amplitude = SAMARA_ARCH::sqrt_scalar(1.0f / static_cast<float>(m));
    map.scaled_copy = map.rows_apart = s.rows != Rows::hadamard;
    map.series = s.coefficients.c;
    return map;
}

// The rows see x 2^-e; the series takes their products over the length of that, and is multiplied with |x|.
template <bool two>
void sample_series(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan, float* exact,
                   float*) noexcept
{
    const int top = exponent_of(largest), e = top >= -32 && top < 32 ? 0 : top;
    const bool zero = largest == 0;
    const float scaled = zero ? 1.0f : scaled_length(x, map.inputs, top); // |x| 2^-top
    const float seen = e == 0 ? scaled * power_of_two(top) : scaled;
    plan = {power_of_two(-e), map.amplitude * scaled * power_of_two(top), 1.0f / seen, zero};
    if (exact == nullptr)
        return;
    exact[0] = zero ? 0.0f : SAMARA_ARCH::sqrt_scalar(map.series[0]) * scaled * power_of_two(top);
    SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, SAMARA_ARCH::sqrt_scalar(map.series[1]), exact + 1);
    if constexpr (two)
        all_products(x, map.inputs, power_of_two(-top), SAMARA_ARCH::sqrt_scalar(map.series[2]) / scaled,
                     exact + 1 + map.inputs);
    for (std::uint32_t i = 1; zero && i < map.exact; ++i)
        exact[i] = 0.0f; // of either sign in x
}
template void sample_series<false>(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;
template void sample_series<true>(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;

} // namespace detail

SAMARA_ROW_MAP(NtkPolySpec)

double kernel(const NtkPolySpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return ntk_kernel(x, y, s.depth);
}

} // namespace samara
