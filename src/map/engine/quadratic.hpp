// The quadratic part of a kernel, carried exactly.
#pragma once

#include <cstdint>

#include "simd/math.hpp"

namespace samara::engine {

// The part of |z|, z = <w, x> / |x|, of degree 2 is a (z^2 - 1), because E|z| = mu, E z^2 = 1 and, for rows uniform in
// k dimensions (unit), E|z|^3 = mu 2k/(k+1) and E z^4 = 3k/(k+2); for normal rows k is infinite. Half of its kernel is
// a^2 (k cos^2 - 1)/(k+2): quadratic_root(a)^2 cos^2, and less of the constant.
template <bool unit>
float quadratic_of_magnitude(float mu, float k) noexcept
{
    return unit ? mu * ((k + 2.0f) / (2.0f * k + 2.0f)) : mu * 0.5f;
}
template <bool unit>
float quadratic_root(float a, float k) noexcept
{
    return unit ? a * SAMARA_ARCH::sqrt_scalar(k / (k + 2.0f)) : a;
}
// Half of mu^2 less that.
template <bool unit>
float constant_beside(float mu, float a, float k) noexcept
{
    return unit ? mu * mu * 0.5f - a * a / (k + 2.0f) : mu * mu * 0.5f;
}

// n (n + 1) / 2 products, row by row of their triangle: x_i^2 f, then x_i x_j sqrt(2) f for j > i, so that of two
// vectors the inner product is <x, y>^2 f^2, f = down * slope. `down`, a power of two that may be tiny, is taken from
// one factor alone, so that the other one keeps the magnitude. x and out must not overlap.
void all_products(const float* x, std::uint32_t n, float down, float slope, float* out) noexcept;

} // namespace samara::engine
