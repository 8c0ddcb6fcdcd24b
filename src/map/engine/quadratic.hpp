// Orders two: the part of a kernel that is quadratic in the cosine is carried exactly.
#pragma once

#include <cstdint>

#include "simd/math.hpp"

namespace samara::engine {

// Let z = <w, x> / |x| for a random row w. The part of |z| that has degree 2 in z is a (z^2 - 1). The coefficient a
// follows from E|z| = mu, E z^2 = 1 and, for unit rows, which are uniform on a sphere in k dimensions, from E|z|^3 =
// mu 2k/(k+1) and E z^4 = 3k/(k+2); for normal rows k is infinite. Half of this part's kernel, which is what the relu
// has of it, is a^2 (k cos^2 - 1)/(k+2) = quadratic_root(a)^2 cos^2 - a^2/(k+2). constant_beside() is the constant of
// the whole kernel, mu^2/2 - a^2/(k+2).
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
template <bool unit>
float constant_beside(float mu, float a, float k) noexcept
{
    return unit ? mu * mu * 0.5f - a * a / (k + 2.0f) : mu * mu * 0.5f;
}

// Writes the n (n + 1) / 2 products of entries, f = down * slope: for each i first x_i^2 f, then x_i x_j sqrt(2) f for
// j > i. The inner product of two such vectors is <x, y>^2 f^2. `down` is a power of two that brings x to a length near
// 1; it multiplies one factor of each product only, so that the products have the magnitude of x. x and out must not
// overlap.
void all_products(const float* x, std::uint32_t n, float down, float slope, float* out) noexcept;

} // namespace samara::engine
