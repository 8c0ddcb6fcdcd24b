// The back end without vectors: a Pack of one value, with the interface of the others.
#pragma once

#include <bit>
#include <concepts>

#include "simd/scalar_math.hpp"

namespace samara::SAMARA_ARCH {

template <class T>
struct Pack {
    static constexpr unsigned size = 1;
    T v;
};
struct Mask {
    bool v;
};
using F = Pack<float>;
using U = Pack<std::uint32_t>;

SAMARA_INLINE F load(const float* p) { return {*p}; }
SAMARA_INLINE U load(const std::uint32_t* p) { return {*p}; }
SAMARA_INLINE void store(float* p, F a) { *p = a.v; }
SAMARA_INLINE void store(std::uint32_t* p, U a) { *p = a.v; }
// Two templates, because std::uint32_t is not unsigned int everywhere and a literal must not be ambiguous.
template <std::same_as<float> T>
SAMARA_INLINE F broadcast(T a)
{
    return {a};
}
template <std::unsigned_integral T>
SAMARA_INLINE U broadcast(T a)
{
    return {static_cast<std::uint32_t>(a)};
}
SAMARA_INLINE U lane_index() { return {0u}; }
SAMARA_INLINE U lane_bit() { return {1u}; }

SAMARA_INLINE F operator+(F a, F b) { return {a.v + b.v}; }
SAMARA_INLINE F operator-(F a, F b) { return {a.v - b.v}; }
SAMARA_INLINE F operator*(F a, F b) { return {a.v * b.v}; }
SAMARA_INLINE F operator/(F a, F b) { return {a.v / b.v}; }
SAMARA_INLINE F fma(F a, F b, F c) { return {fma_scalar(a.v, b.v, c.v)}; }
SAMARA_INLINE F sqrt(F a) { return {sqrt_scalar(a.v)}; }

SAMARA_INLINE U operator+(U a, U b) { return {a.v + b.v}; }
SAMARA_INLINE U operator-(U a, U b) { return {a.v - b.v}; }
SAMARA_INLINE U operator&(U a, U b) { return {a.v & b.v}; }
SAMARA_INLINE U operator|(U a, U b) { return {a.v | b.v}; }
SAMARA_INLINE U operator^(U a, U b) { return {a.v ^ b.v}; }
template <int n>
SAMARA_INLINE U shift_left(U a)
{
    return {a.v << n};
}
template <int n>
SAMARA_INLINE U shift_right(U a)
{
    return {a.v >> n};
}

SAMARA_INLINE U bits(F a) { return {std::bit_cast<std::uint32_t>(a.v)}; }
SAMARA_INLINE F from_bits(U a) { return {std::bit_cast<float>(a.v)}; }
// The bits are taken as a signed number.
SAMARA_INLINE F to_float(U a) { return {static_cast<float>(static_cast<std::int32_t>(a.v))}; }

SAMARA_INLINE Mask operator<(F a, F b) { return {a.v < b.v}; }
SAMARA_INLINE Mask operator>(F a, F b) { return {a.v > b.v}; }
SAMARA_INLINE Mask operator==(F a, F b) { return {a.v == b.v}; }
SAMARA_INLINE Mask operator==(U a, U b) { return {a.v == b.v}; }
// a > b for words that are both below 2^31.
SAMARA_INLINE Mask greater_signed(U a, U b)
{
    return {static_cast<std::int32_t>(a.v) > static_cast<std::int32_t>(b.v)};
}
SAMARA_INLINE F select(Mask m, F a, F b) { return {m.v ? a.v : b.v}; }
SAMARA_INLINE U select(Mask m, U a, U b) { return {m.v ? a.v : b.v}; }
SAMARA_INLINE bool any(Mask m) { return m.v; }

// Lanes l and l ^ h of the pack are exchanged (h < size).
template <unsigned h>
SAMARA_INLINE F swap_lanes(F a)
{
    static_assert(h == 0, "a pack of one has no partners");
    return a;
}

// Rounds to the nearest integer, ties to even, and keeps the sign of zero. |a| >= 2^23 is an integer already.
SAMARA_INLINE F round_to_integer(F a)
{
    const float magnitude = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a.v) & 0x7fffffffu);
    const float rounded = magnitude < 8388608.0f ? (magnitude + 8388608.0f) - 8388608.0f : magnitude;
    return {std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) |
                                 (std::bit_cast<std::uint32_t>(a.v) & 0x80000000u))};
}

} // namespace samara::SAMARA_ARCH
