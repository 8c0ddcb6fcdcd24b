// Powers of two and the length of a vector, without loss for tiny and huge ones.
#pragma once

#include "simd/math.hpp"
#include "simd/vectors.hpp"

namespace samara::detail {

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

} // namespace samara::detail
