// Two operations on packs of words that only the sampling of rows needs.
#pragma once

#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

SAMARA_INLINE U multiply_low(U a, U b)
{
#if SAMARA_ARCH_ID == 1
    return {a.v * b.v};
#elif SAMARA_ARCH_ID == 2
    const __m128i even = _mm_mul_epu32(a.v, b.v);
    const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a.v, 32), _mm_srli_epi64(b.v, 32));
    return {U::Batch(_mm_unpacklo_epi32(_mm_shuffle_epi32(even, _MM_SHUFFLE(0, 0, 2, 0)),
                                        _mm_shuffle_epi32(odd, _MM_SHUFFLE(0, 0, 2, 0))))};
#elif SAMARA_ARCH_ID == 3
    return {U::Batch(_mm256_mullo_epi32(a.v, b.v))};
#elif SAMARA_ARCH_ID == 4
    return {U::Batch(_mm512_mullo_epi32(a.v, b.v))};
#else
    return {U::Batch(vmulq_u32(a.v, b.v))};
#endif
}

// By a number of places below 32 that is known only at run time.
SAMARA_INLINE U shift_right_by(U a, unsigned n)
{
#if SAMARA_ARCH_ID == 1
    return {a.v >> n};
#elif SAMARA_ARCH_ID == 2
    return {U::Batch(_mm_srl_epi32(a.v, _mm_cvtsi32_si128(static_cast<int>(n))))};
#elif SAMARA_ARCH_ID == 3
    return {U::Batch(_mm256_srl_epi32(a.v, _mm_cvtsi32_si128(static_cast<int>(n))))};
#elif SAMARA_ARCH_ID == 4
    return {U::Batch(_mm512_srl_epi32(a.v, _mm_cvtsi32_si128(static_cast<int>(n))))};
#else
    return {U::Batch(vshlq_u32(a.v, vdupq_n_s32(-static_cast<int>(n))))};
#endif
}

} // namespace samara::SAMARA_ARCH
