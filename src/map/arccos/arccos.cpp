// Arc-cosine features. SPEC.md, section 11.
#include "samara/map/arccos.hpp"

#include "map/engine/magnitude.hpp"
#include "map/engine/quadratic.hpp"
#include "map/engine/values.hpp"
#include "samara/kernel.hpp"

namespace samara {

namespace engine {

namespace {

constexpr float root_half = 0.707106781f;

// The rows see x 2^-e. e is 0, unless the largest entry of x lies outside 2^-32 ... 2^32; then that of x 2^-e lies in
// [1, 2).
int scale_exponent(std::uint32_t largest) noexcept
{
    const int e = exponent_of(largest);
    return e >= -32 && e < 32 ? 0 : e;
}

// Sets the plan's top, zero, factor and length, and returns the length of what the rows see, |x| times the factor. The
// vector 0 counts as one of length `if_zero`, so that quotients by it are finite.
[[gnu::noinline]] float plan_length(const RowMap& map, const float* x, std::uint32_t largest, float if_zero,
                                    SamplePlan& plan) noexcept
{
    const int e = scale_exponent(largest);
    plan.top = exponent_of(largest);
    plan.zero = largest == 0;
    plan.factor = power_of_two(-e);
    plan.length = plan.zero ? if_zero : scaled_length(x, map.inputs, plan.top);
    return e == 0 ? plan.length * power_of_two(plan.top) : plan.length;
}

// The exact features of x = 0: +0, also where x has negative zeros.
void clear_exact(const RowMap& map, float* exact) noexcept
{
    for (std::uint32_t i = 0; i < map.exact; ++i)
        exact[i] = 0.0f;
}

} // namespace

// Order 0 does not depend on the length of x, so nothing makes up for the factor.
void plan_arccos0(const RowMap& map, const float*, std::uint32_t largest, SamplePlan& plan) noexcept
{
    plan = {.factor = power_of_two(-scale_exponent(largest)),
            .amplitude = map.amplitude,
            .centre = 0.0f,
            .zero = largest == 0};
}

// Order 1 is proportional to the length of x: its amplitude makes up for the factor.
void plan_arccos1(const RowMap& map, const float*, std::uint32_t largest, SamplePlan& plan) noexcept
{
    const int e = scale_exponent(largest);
    plan = {
        .factor = power_of_two(-e), .amplitude = map.amplitude * power_of_two(e), .centre = 0.0f, .zero = largest == 0};
}

// Whole features are shifted, and no other amplitude is theirs.
void plan_arccos1_integer(const RowMap& map, const float*, std::uint32_t, SamplePlan& plan) noexcept
{
    plan = {.factor = 1.0f,
            .amplitude = power_of_two(-static_cast<int>(integer_feature_shift(map.inputs))),
            .centre = 0.0f};
}

void plan_arccos1_centred(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan) noexcept
{
    plan.centre = map.centre * plan_length(map, x, largest, 0.0f, plan);
    plan.amplitude = map.amplitude * power_of_two(scale_exponent(largest));
}

void exact_arccos1(const RowMap& map, const float* x, const SamplePlan& plan, float* exact, float*) noexcept
{
    if (plan.zero)
        return clear_exact(map, exact);
    exact[0] = plan.length * (map.centre * root_half) * power_of_two(plan.top);
    SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, root_half, exact + 1);
}

void plan_arccos0_centred(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan) noexcept
{
    plan.centre = map.centre / plan_length(map, x, largest, 1.0f, plan);
    plan.amplitude = map.amplitude;
}

void exact_arccos0(const RowMap& map, const float* x, const SamplePlan& plan, float* exact, float*) noexcept
{
    if (plan.zero)
        return clear_exact(map, exact);
    exact[0] = root_half;
    // x 2^-top first: the quotient by the length of a tiny vector would overflow.
    SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, power_of_two(-plan.top), exact + 1);
    SAMARA_KERNEL(simd, scaled_copy)(exact + 1, map.inputs, map.centre * root_half / plan.length, exact + 1);
}

template <bool unit>
void plan_arccos1_two(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan) noexcept
{
    const float seen = plan_length(map, x, largest, 1.0f, plan), mu = map.centre;
    const float a = quadratic_of_magnitude<unit>(mu, static_cast<float>(map.inputs));
    plan.amplitude = map.amplitude * power_of_two(scale_exponent(largest));
    plan.centre = (mu - a) * seen;
    plan.square = -(a / seen);
}

template <bool unit, bool sketched>
void exact_arccos1_two(const RowMap& map, const float* x, const SamplePlan& plan, float* exact, float* work) noexcept
{
    if (plan.zero)
        return clear_exact(map, exact);
    const std::uint32_t n = map.inputs;
    const float k = static_cast<float>(n), mu = map.centre, a = quadratic_of_magnitude<unit>(mu, k);
    const float constant = unit ? SAMARA_ARCH::sqrt_scalar(constant_beside<unit>(mu, a, k)) : mu * root_half;
    const float slope = quadratic_root<unit>(a, k) / plan.length, down = power_of_two(-plan.top);
    float *const linear = exact + 1, *const pairs = linear + n;
    exact[0] = plan.length * constant * power_of_two(plan.top);
    if constexpr (sketched) {
        // One factor of the product is kept where the linear features go afterwards. The sketch cannot fail: lengths
        // are right and numbers finite.
        SAMARA_KERNEL(simd, scaled_copy)(x, n, down, linear);
        SAMARA_KERNEL(simd, scaled_copy)(linear, n, slope, linear);
        const TensorSrhtSpec spec = pair_sketch(n, map.exact - 1 - n, map.seed);
        static_cast<void>(sketch(spec, {linear, n}, {x, n}, {pairs, spec.features},
                                 std::as_writable_bytes(std::span(work, map.code.exact_floats))));
    } else {
        all_products(x, n, down, slope, pairs);
    }
    SAMARA_KERNEL(simd, scaled_copy)(x, n, root_half, linear);
}

template void plan_arccos1_two<false>(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
template void plan_arccos1_two<true>(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
template void exact_arccos1_two<false, false>(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;
template void exact_arccos1_two<false, true>(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;
template void exact_arccos1_two<true, false>(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;
template void exact_arccos1_two<true, true>(const RowMap&, const float*, const SamplePlan&, float*, float*) noexcept;

} // namespace engine

void Map<ArcCosSpec>::scale(const ArcCosSpec& s, std::uint32_t m, engine::RowMap& map) noexcept
{
    // Exact orders carry one half of sqrt2 relu(z) = (z + |z|)/sqrt2 and of sqrt2 step(z) = (1 + sign z)/sqrt2. The
    // random features are the other half, sqrt(1/2) |z| and sqrt(1/2) sign z.
    const bool half = map.exact != 0 || s.orders == Orders::even;
    map.amplitude = SAMARA_ARCH::sqrt_scalar((half ? 0.5f : 2.0f) / static_cast<float>(m));
    map.centre = engine::mean_magnitude(map.code, s.inputs);
}

namespace {

// What numbers=int8 multiplies a kernel with: the features are not divided by their number, relu(z) is E relu(z)
// relu(z') = A1/2 and |z| is twice the even part of A1, and products and features are shifted.
double integer_scale(const ArcCosSpec& s) noexcept
{
    const unsigned shift = integer_feature_shift(s.inputs) + integer_halvings(s.inputs);
    const double each = (s.orders == Orders::even ? 2.0 : 0.5) * integer_row_square(s.inputs);
    return each * static_cast<double>(s.features) / static_cast<double>(std::uint64_t{1} << (2 * shift));
}

} // namespace

double Map<ArcCosSpec>::kernel(const ArcCosSpec& s, std::span<const float> x, std::span<const float> y) noexcept
{
    if (s.order == 0)
        return arccos0_kernel(x, y);
    // Of orders even: A1 less its odd part, <x,y>/2.
    double value = arccos1_kernel(x, y);
    if (s.orders == Orders::even && x.size() == y.size())
        for (std::size_t i = 0; i < x.size(); ++i)
            value -= 0.5 * static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return s.numbers == Numbers::int8 ? value * integer_scale(s) : value;
}

} // namespace samara
