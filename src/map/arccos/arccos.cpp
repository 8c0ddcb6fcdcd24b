#include "map/engine/quadratic.hpp"
#include "map/engine/row_map.hpp"
#include "map/engine/vector_scale.hpp"
#include "samara/map_arccos.hpp"
#include "simd/vectors.hpp"

namespace samara {

namespace detail {

namespace {

constexpr float root_half = 0.707106781f;

} // namespace

float mean_magnitude(std::uint32_t k) noexcept
{
    constexpr float small[] = {1.0f,         0.900316316f, 0.866025404f, 0.848826363f, 0.838525492f, 0.831676588f,
                               0.826797285f, 0.823146346f, 0.8203125f,   0.818049416f, 0.816200632f, 0.814662033f,
                               0.813361665f, 0.812248214f, 0.811284109f, 0.810441208f};
    if (k <= 16)
        return small[k - 1];
    const float r = 1.0f / static_cast<float>(k);
    return 0.797884561f * (1.0f + r * (0.25f + r * (0.03125f - r * (0.0390625f + r * 0.0102539062f))));
}

RowMap row_map(const ArcCosSpec& s, const MapCode& code, std::uint32_t m) noexcept
{
    RowMap map = plain_row_map(s.seed, s.inputs, s.features, exact_features(s), s.rows, code);
    map.rows = row_count(s);
    map.sweeps = s.sweeps;
    // With the linear part carried apart, sqrt2 relu = (z + |z|)/sqrt2 and sqrt2 step = (1 + sign)/sqrt2 leave
    // sqrt(1/2) of |z| and of the sign.
    map.amplitude = SAMARA_ARCH::sqrt_scalar((map.exact != 0 ? 0.5f : 2.0f) / static_cast<float>(m));
    map.centre = s.rows == Rows::unit ? mean_magnitude(s.inputs) : 0.797884561f; // sqrt(2/pi) for normal rows
    map.scaled_copy = map.rows_apart = s.rows != Rows::hadamard;                 // those multiply as they copy
    map.by_position = s.order == 0;
    return map;
}

namespace {

// Of vectors beyond 2^-32 ... 2^32 the rows see a copy whose largest entry lies in [1, 2).
int scale_exponent(std::uint32_t largest) noexcept
{
    const int e = exponent_of(largest);
    return e >= -32 && e < 32 ? 0 : e;
}

// Zeros of either sign in x are +0 in the features.
void clear_exact(const RowMap& map, float* exact) noexcept
{
    for (std::uint32_t i = 0; i < map.exact; ++i)
        exact[i] = 0.0f;
}

} // namespace

// Order 0 does not change with the factor.
void sample_arccos0(const RowMap& map, const float*, std::uint32_t largest, SamplePlan& plan, float*, float*) noexcept
{
    plan = {power_of_two(-scale_exponent(largest)), map.amplitude, 0.0f, largest == 0};
}

// Order 1 is homogeneous: its amplitude undoes the factor.
void sample_arccos1(const RowMap& map, const float*, std::uint32_t largest, SamplePlan& plan, float*, float*) noexcept
{
    const int e = scale_exponent(largest);
    plan = {power_of_two(-e), map.amplitude * power_of_two(e), 0.0f, largest == 0};
}

void sample_arccos1_centred(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan, float* exact,
                            float*) noexcept
{
    const int e = scale_exponent(largest), top = exponent_of(largest);
    const float length = scaled_length(x, map.inputs, top); // |x| 2^-top
    const float seen = e == 0 ? length * power_of_two(top) : length;
    plan = {power_of_two(-e), map.amplitude * power_of_two(e), map.centre * seen, largest == 0};
    if (exact != nullptr && plan.zero) {
        clear_exact(map, exact);
    } else if (exact != nullptr) {
        exact[0] = length * (map.centre * root_half) * power_of_two(top);
        SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, root_half, exact + 1);
    }
}

void sample_arccos0_centred(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan, float* exact,
                            float*) noexcept
{
    const int e = scale_exponent(largest), top = exponent_of(largest);
    const bool zero = largest == 0;
    const float length = zero ? 1.0f : scaled_length(x, map.inputs, top);
    const float seen = e == 0 ? length * power_of_two(top) : length;
    plan = {power_of_two(-e), map.amplitude, map.centre / seen, zero};
    if (exact != nullptr && zero) {
        clear_exact(map, exact);
    } else if (exact != nullptr) {
        exact[0] = root_half;
        // x 2^-top first: the quotient by the length of a tiny vector would overflow
        SAMARA_KERNEL(simd, scaled_copy)(x, map.inputs, power_of_two(-top), exact + 1);
        SAMARA_KERNEL(simd, scaled_copy)(exact + 1, map.inputs, map.centre * root_half / length, exact + 1);
    }
}

template <bool unit, bool sketched>
void sample_arccos1_two(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan, float* exact,
                        float* work) noexcept
{
    const int e = scale_exponent(largest), top = exponent_of(largest);
    const bool zero = largest == 0;
    const std::uint32_t n = map.inputs;
    const float length = zero ? 1.0f : scaled_length(x, n, top);
    const float seen = e == 0 ? length * power_of_two(top) : length;
    const float k = static_cast<float>(n), mu = map.centre;
    const float a = quadratic_of_magnitude<unit>(mu, k);
    plan = {power_of_two(-e), map.amplitude * power_of_two(e), (mu - a) * seen, zero, -(a / seen)};
    if (exact == nullptr)
        return;
    if (zero)
        return clear_exact(map, exact);
    const float constant = unit ? SAMARA_ARCH::sqrt_scalar(constant_beside<unit>(mu, a, k)) : mu * root_half;
    const float slope = quadratic_root<unit>(a, k) / length, down = power_of_two(-top);
    float *const linear = exact + 1, *const pairs = linear + n;
    exact[0] = length * constant * power_of_two(top);
    if constexpr (sketched) {
        // One factor of the product waits where x goes afterwards. Lengths are right and numbers finite.
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

template void sample_arccos1_two<false, false>(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*,
                                               float*) noexcept;
template void sample_arccos1_two<false, true>(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*,
                                              float*) noexcept;
template void sample_arccos1_two<true, false>(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*,
                                              float*) noexcept;
template void sample_arccos1_two<true, true>(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*,
                                             float*) noexcept;

} // namespace detail

SAMARA_ROW_MAP(ArcCosSpec)

} // namespace samara
