// Which inputs are allowed, and lengths of vectors, which tiny and huge ones neither lose nor overflow.
#pragma once

#include <bit>

#include "samara/status.hpp"
#include "simd/math.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

// The status of an input whose magnitude has these bits.
inline Status check_magnitude(std::uint32_t bits) noexcept
{
    if (bits <= 0x53800000u) // 2^40
        return Status::ok;
    return bits >= 0x7f800000u ? Status::not_finite : Status::out_of_range;
}

// 2^e, -126 <= e <= 127.
inline float power_of_two(int e) noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(e + 127) << 23); }

// The exponent of the largest magnitude, given as its bits; -126 for subnormals.
inline int exponent_of(std::uint32_t largest) noexcept
{
    const int field = static_cast<int>(largest >> 23);
    return field == 0 ? -126 : field - 127;
}

// |x| * 2^-e, e the exponent of the largest magnitude: between 1/2 (or tiny, if that is subnormal) and 2 sqrt(n).
inline float scaled_length(const float* x, std::uint32_t n, int e) noexcept
{
    return SAMARA_ARCH::sqrt_scalar(SAMARA_KERNEL(simd, sum_of_squares)(x, n, power_of_two(-e)));
}

// Writes x / |x| and returns |x|. For the vector 0 it writes nothing and returns 0. out may be x.
inline float unit_vector(const float* x, std::uint32_t n, float* out) noexcept
{
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(x, n);
    if (largest == 0)
        return 0.0f;
    const int top = exponent_of(largest);
    const float scaled = scaled_length(x, n, top);
    SAMARA_KERNEL(simd, scaled_copy)(x, n, power_of_two(-top), out); // first, because a tiny length has no inverse
    SAMARA_KERNEL(simd, scaled_copy)(out, n, 1.0f / scaled, out);
    return scaled * power_of_two(top);
}

// Brings a vector to length 1; 0 stays 0.
inline void normalise(float* x, std::uint32_t n) noexcept { static_cast<void>(unit_vector(x, n, x)); }

} // namespace samara::engine
