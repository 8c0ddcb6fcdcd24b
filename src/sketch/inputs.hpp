// Checks of inputs and outputs that all sketches make, and functions that they share.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "samara/sketch/hash.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara::detail {

inline Status check_magnitude(std::uint32_t bits) noexcept
{
    if (bits <= 0x53800000u) // 2^40
        return Status::ok;
    return bits >= 0x7f800000u ? Status::not_finite : Status::out_of_range;
}
inline Status check_number(float value) noexcept
{
    return check_magnitude(std::bit_cast<std::uint32_t>(value) & 0x7fffffffu);
}
inline Status check_vector(std::span<const float> x) noexcept
{
    return check_magnitude(SAMARA_KERNEL(simd, largest_magnitude_bits)(x.data(), x.size()));
}

inline float root_of_inverse(std::uint32_t n) noexcept
{
    return SAMARA_ARCH::sqrt_scalar(1.0f / static_cast<float>(n));
}
inline float osnap_scale(std::uint32_t nonzeros) noexcept { return root_of_inverse(nonzeros); }

// z = the sketch of x by one hash, or by all of an OSNAP.
void count_dense(const EntryHash& hash, std::span<const float> x, std::span<float> z) noexcept;
void osnap_dense(const Osnap& osnap, std::span<const float> x, std::span<float> z) noexcept;

// An overflow anywhere in a sketch leaves an infinity or a NaN in z. Then z is cleared and the status is overflow.
Status check_output(std::span<float> z) noexcept;

} // namespace samara::detail
