// One Pack<T> for all targets: F (floats) and U (32-bit words), lanes side by side. A kernel written on it gives in
// each lane exactly what the pack of one gives, because no operation looks across lanes except swap_lanes.
#pragma once

#include "simd/arch.hpp"

#if SAMARA_ARCH_ID == 1
#include "simd/pack_scalar.hpp"
#else
#include "simd/pack_xsimd.hpp"
#endif

namespace samara::SAMARA_ARCH {

SAMARA_INLINE F absolute(F a) { return from_bits(bits(a) & broadcast(0x7fffffffu)); }
SAMARA_INLINE F flip_sign(F a, U sign_bit) { return from_bits(bits(a) ^ sign_bit); }
// Flips the sign where the word's top bit is set; its other bits do not matter.
SAMARA_INLINE F flip_sign_by(F a, U word)
{
#if SAMARA_ARCH_ID == 4
    return from_bits(
        {U::Batch(_mm512_ternarylogic_epi32(bits(a).v, word.v, broadcast(0x80000000u).v, 0x78))}); // a ^ (w & s)
#else
    return flip_sign(a, word & broadcast(0x80000000u));
#endif
}
template <int n>
SAMARA_INLINE U rotate_left(U a)
{
#if SAMARA_ARCH_ID == 4
    return {U::Batch(_mm512_rol_epi32(a.v, n))};
#else
    return shift_left<n>(a) | shift_right<32 - n>(a);
#endif
}
// select() of floats by a comparison of words.
template <class M>
SAMARA_INLINE F select_by_words(M m, F a, F b)
{
    return from_bits(select(m, bits(a), bits(b)));
}

} // namespace samara::SAMARA_ARCH
