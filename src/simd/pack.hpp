// One Pack<T> for all targets: F (floats) and U (32-bit words), lanes side by side. A kernel written on it gives in each
// lane exactly what the pack of one gives, because no operation looks across lanes except swap_lanes.
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
template <int n>
SAMARA_INLINE U rotate_left(U a)
{
    return shift_left<n>(a) | shift_right<32 - n>(a);
}
// Floats chosen by the comparison of words.
template <class M>
SAMARA_INLINE F select_by_words(M m, F a, F b)
{
    return from_bits(select(m, bits(a), bits(b)));
}

} // namespace samara::SAMARA_ARCH
