// An input at length 1, and its length.
#pragma once

#include "map/engine/vector_scale.hpp"

namespace samara::detail {

// out = x / |x|; the length, or 0 for the vector 0, of which nothing is written.
inline float unit_vector(const float* x, std::uint32_t n, float* out) noexcept
{
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(x, n);
    if (largest == 0)
        return 0.0f;
    const int top = exponent_of(largest);
    const float scaled = scaled_length(x, n, top);
    SAMARA_KERNEL(simd, scaled_copy)(x, n, power_of_two(-top), out); // first: a tiny vector's length has no inverse
    SAMARA_KERNEL(simd, scaled_copy)(out, n, 1.0f / scaled, out);
    return scaled * power_of_two(top);
}

// Brings a vector to length 1; 0 stays 0.
inline void normalise(float* x, std::uint32_t n) noexcept { static_cast<void>(unit_vector(x, n, x)); }

} // namespace samara::detail
