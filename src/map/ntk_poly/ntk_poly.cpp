// The Neural Tangent Kernel by one polynomial. SPEC.md, section 18.
#include "samara/map/ntk_poly.hpp"

#include "map/engine/quadratic.hpp"
#include "map/engine/values.hpp"
#include "samara/kernel.hpp"

namespace samara {

namespace engine {

// The rows see x 2^-e. The series takes their products divided by |x| 2^-e, that is <w, x> / |x|; features are
// multiplied with |x|.
void plan_series(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan) noexcept
{
    plan.top = exponent_of(largest);
    plan.zero = largest == 0;
    const int e = plan.top >= -32 && plan.top < 32 ? 0 : plan.top;
    plan.length = plan.zero ? 1.0f : scaled_length(x, map.inputs, plan.top); // |x| 2^-top
    const float seen = e == 0 ? plan.length * power_of_two(plan.top) : plan.length;
    plan.factor = power_of_two(-e);
    plan.amplitude = map.amplitude * plan.length * power_of_two(plan.top);
    plan.centre = 1.0f / seen;
}

template <bool two>
void exact_series(const RowMap& map, const float* x, const SamplePlan& plan, float* exact, float*) noexcept
{
    exact[0] = plan.zero ? 0.0f : SAMARA_ARCH::sqrt_scalar(map.series[0]) * plan.length * power_of_two(plan.top);
    SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, SAMARA_ARCH::sqrt_scalar(map.series[1]), exact + 1);
    if constexpr (two)
        all_products(x, map.inputs, power_of_two(-plan.top), SAMARA_ARCH::sqrt_scalar(map.series[2]) / plan.length,
                     exact + 1 + map.inputs);
    for (std::uint32_t i = 1; plan.zero && i < map.exact; ++i)
        exact[i] = 0.0f; // also where x has negative zeros
}
template void exact_series<false>(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;
template void exact_series<true>(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;

} // namespace engine

void Map<NtkPolySpec>::scale(const NtkPolySpec& s, std::uint32_t m, engine::RowMap& map) noexcept
{
    map.amplitude = SAMARA_ARCH::sqrt_scalar(1.0f / static_cast<float>(m));
    map.series = s.coefficients.c;
}

double Map<NtkPolySpec>::kernel(const NtkPolySpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    return ntk_kernel(x, y, s.depth);
}

} // namespace samara
