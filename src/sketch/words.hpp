// Operations on packs that only the sampling of rows needs.
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

// Shifts by n < 32 bits; n is known only at run time.
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

// a ^ (b & mask)
SAMARA_INLINE U flip_masked(U a, U b, U mask)
{
#if SAMARA_ARCH_ID == 4
    return {U::Batch(_mm512_ternarylogic_epi32(a.v, b.v, mask.v, 0x78))};
#else
    return a ^ (b & mask);
#endif
}

// Lane l gets lane l ^ flip. flip is below F::size and changes too often to branch on.
SAMARA_INLINE F flipped_lanes(F v, std::uint32_t flip)
{
#if SAMARA_ARCH_ID == 4
    return {F::Batch(_mm512_permutexvar_ps((lane_index() ^ broadcast(flip)).v, v.v))};
#elif SAMARA_ARCH_ID == 3
    return {F::Batch(_mm256_permutevar8x32_ps(v.v, (lane_index() ^ broadcast(flip)).v))};
#else
    if constexpr (F::size > 1) {
        const U t = broadcast(flip), none = broadcast(0u);
        v = select_by_words((t & broadcast(1u)) == none, v, swap_lanes<1>(v));
        v = select_by_words((t & broadcast(2u)) == none, v, swap_lanes<2>(v));
    }
    return v;
#endif
}

#if SAMARA_ARCH_ID >= 2 && SAMARA_ARCH_ID <= 4
// Packs are built in registers: the gather instructions are slower than loads on many processors, and a pack that is
// loaded right after its elements were stored one by one has to wait for them.
SAMARA_INLINE __m128 four_elements(const float* values, const std::uint32_t* rows)
{
    const __m128 a = _mm_unpacklo_ps(_mm_load_ss(values + rows[0]), _mm_load_ss(values + rows[1]));
    const __m128 b = _mm_unpacklo_ps(_mm_load_ss(values + rows[2]), _mm_load_ss(values + rows[3]));
    return _mm_movelh_ps(a, b);
}
#endif

// values[rows[0]], values[rows[1]], ...
SAMARA_INLINE F elements(const float* values, const std::uint32_t* rows)
{
#if SAMARA_ARCH_ID == 1
    return {values[*rows]};
#elif SAMARA_ARCH_ID == 2
    return {F::Batch(four_elements(values, rows))};
#elif SAMARA_ARCH_ID == 3
    return {F::Batch(_mm256_set_m128(four_elements(values, rows + 4), four_elements(values, rows)))};
#elif SAMARA_ARCH_ID == 4
    const __m256 low = _mm256_set_m128(four_elements(values, rows + 4), four_elements(values, rows));
    const __m256 high = _mm256_set_m128(four_elements(values, rows + 12), four_elements(values, rows + 8));
    return {F::Batch(_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1))};
#else
    float32x4_t v = vld1q_dup_f32(values + rows[0]);
    v = vld1q_lane_f32(values + rows[1], v, 1);
    v = vld1q_lane_f32(values + rows[2], v, 2);
    return {F::Batch(vld1q_lane_f32(values + rows[3], v, 3))};
#endif
}

} // namespace samara::SAMARA_ARCH
