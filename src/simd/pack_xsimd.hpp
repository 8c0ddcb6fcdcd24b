// The vector back ends. xsimd carries what all its versions from 8.1 on agree on (registers, arithmetic, comparison,
// selection); what 8.1 lacks or gets wrong is written with the target's own instructions in the block of that target:
// fma on SSE2 and AVX-512, bit casts (renamed later), lane exchanges.
#pragma once

#include <concepts>

#include <xsimd/xsimd.hpp>

#include "simd/scalar_math.hpp"

namespace samara::SAMARA_ARCH {

#if SAMARA_ARCH_ID == 2
using Target = xsimd::sse2;
#elif SAMARA_ARCH_ID == 3
using Target = xsimd::fma3<xsimd::avx2>;
#elif SAMARA_ARCH_ID == 4
using Target = xsimd::avx512bw;
#elif SAMARA_ARCH_ID == 5
using Target = xsimd::neon64;
#endif

template <class T>
struct Pack {
    using Batch = xsimd::batch<T, Target>;
    static constexpr unsigned size = static_cast<unsigned>(Batch::size);
    Batch v;
};
template <class T>
struct MaskOf {
    xsimd::batch_bool<T, Target> v;
};
using F = Pack<float>;
using U = Pack<std::uint32_t>;

SAMARA_INLINE F load(const float* p) { return {F::Batch::load_unaligned(p)}; }
SAMARA_INLINE U load(const std::uint32_t* p) { return {U::Batch::load_unaligned(p)}; }
SAMARA_INLINE void store(float* p, F a) { a.v.store_unaligned(p); }
SAMARA_INLINE void store(std::uint32_t* p, U a) { a.v.store_unaligned(p); }
template <std::same_as<float> T>
SAMARA_INLINE F broadcast(T a)
{
    return {F::Batch(a)};
}
template <std::unsigned_integral T>
SAMARA_INLINE U broadcast(T a)
{
    return {U::Batch(static_cast<std::uint32_t>(a))};
}
SAMARA_INLINE U lane_index()
{
    alignas(64) static constexpr std::uint32_t index[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return load(index);
}
SAMARA_INLINE U lane_bit()
{
    alignas(64) static constexpr std::uint32_t bit[16] = {1u << 0,  1u << 1,  1u << 2,  1u << 3, 1u << 4,  1u << 5,
                                                          1u << 6,  1u << 7,  1u << 8,  1u << 9, 1u << 10, 1u << 11,
                                                          1u << 12, 1u << 13, 1u << 14, 1u << 15};
    return load(bit);
}

SAMARA_INLINE F operator+(F a, F b) { return {a.v + b.v}; }
SAMARA_INLINE F operator-(F a, F b) { return {a.v - b.v}; }
SAMARA_INLINE F operator*(F a, F b) { return {a.v * b.v}; }
#if SAMARA_ARCH_ID != 5
SAMARA_INLINE F operator/(F a, F b) { return {a.v / b.v}; }
SAMARA_INLINE F sqrt(F a) { return {xsimd::sqrt(a.v)}; }
#endif

SAMARA_INLINE U operator+(U a, U b) { return {a.v + b.v}; }
SAMARA_INLINE U operator-(U a, U b) { return {a.v - b.v}; }
SAMARA_INLINE U operator&(U a, U b) { return {a.v & b.v}; }
SAMARA_INLINE U operator|(U a, U b) { return {a.v | b.v}; }
SAMARA_INLINE U operator^(U a, U b) { return {a.v ^ b.v}; }

SAMARA_INLINE MaskOf<float> operator<(F a, F b) { return {a.v < b.v}; }
SAMARA_INLINE MaskOf<float> operator>(F a, F b) { return {a.v > b.v}; }
SAMARA_INLINE MaskOf<float> operator==(F a, F b) { return {a.v == b.v}; }
SAMARA_INLINE MaskOf<std::uint32_t> operator==(U a, U b) { return {a.v == b.v}; }
SAMARA_INLINE F select(MaskOf<float> m, F a, F b) { return {xsimd::select(m.v, a.v, b.v)}; }
SAMARA_INLINE U select(MaskOf<std::uint32_t> m, U a, U b) { return {xsimd::select(m.v, a.v, b.v)}; }
template <class T>
SAMARA_INLINE bool any(MaskOf<T> m)
{
    return xsimd::any(m.v);
}

#if SAMARA_ARCH_ID == 2

template <int n>
SAMARA_INLINE U shift_left(U a)
{
    return {U::Batch(_mm_slli_epi32(a.v, n))};
}
template <int n>
SAMARA_INLINE U shift_right(U a)
{
    return {U::Batch(_mm_srli_epi32(a.v, n))};
}
SAMARA_INLINE U bits(F a) { return {U::Batch(_mm_castps_si128(a.v))}; }
SAMARA_INLINE F from_bits(U a) { return {F::Batch(_mm_castsi128_ps(a.v))}; }
SAMARA_INLINE F to_float(U a) { return {F::Batch(_mm_cvtepi32_ps(a.v))}; }
SAMARA_INLINE MaskOf<std::uint32_t> greater_signed(U a, U b)
{
    return {xsimd::batch_bool<std::uint32_t, Target>(_mm_cmpgt_epi32(a.v, b.v))};
}

// Two lanes of fma_through_double, without branches.
SAMARA_INLINE __m128d fma_to_odd(__m128d a, __m128d b, __m128d c)
{
    const __m128d product = _mm_mul_pd(a, b);
    const __m128d sum = _mm_add_pd(product, c);
    const __m128d back = _mm_sub_pd(sum, product);
    const __m128d error = _mm_add_pd(_mm_sub_pd(product, _mm_sub_pd(sum, back)), _mm_sub_pd(c, back));
    // Where the sum is inexact and even, move one step towards the error: +1 on the bits if it points away from zero.
    const __m128i one = _mm_set_epi32(0, 1, 0, 1);
    const __m128i even = _mm_andnot_si128(_mm_castpd_si128(sum), one);
    const __m128i inexact =
        _mm_castpd_si128(_mm_and_pd(_mm_cmpneq_pd(error, _mm_setzero_pd()), _mm_cmpord_pd(error, error)));
    const __m128i step = _mm_and_si128(even, inexact);
    // all ones where error and sum have different signs
    const __m128i differ =
        _mm_shuffle_epi32(_mm_srai_epi32(_mm_castpd_si128(_mm_xor_pd(error, sum)), 31), _MM_SHUFFLE(3, 3, 1, 1));
    const __m128i up = _mm_andnot_si128(differ, step), down = _mm_and_si128(differ, step);
    return _mm_castsi128_pd(_mm_sub_epi64(_mm_add_epi64(_mm_castpd_si128(sum), up), down));
}
SAMARA_INLINE F fma(F a, F b, F c)
{
    const __m128 x = a.v, y = b.v, z = c.v;
    const __m128d low = fma_to_odd(_mm_cvtps_pd(x), _mm_cvtps_pd(y), _mm_cvtps_pd(z));
    const __m128d high = fma_to_odd(_mm_cvtps_pd(_mm_movehl_ps(x, x)), _mm_cvtps_pd(_mm_movehl_ps(y, y)),
                                    _mm_cvtps_pd(_mm_movehl_ps(z, z)));
    return {F::Batch(_mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)))};
}
template <unsigned h>
SAMARA_INLINE F swap_lanes(F a)
{
    const __m128 x = a.v;
    if constexpr (h == 1)
        return {F::Batch(_mm_shuffle_ps(x, x, _MM_SHUFFLE(2, 3, 0, 1)))};
    else
        return {F::Batch(_mm_shuffle_ps(x, x, _MM_SHUFFLE(1, 0, 3, 2)))};
}
SAMARA_INLINE F round_to_integer(F a)
{
    const F magnitude = from_bits(bits(a) & broadcast(0x7fffffffu));
    const F big = broadcast(8388608.0f);
    const F rounded = select(magnitude < big, (magnitude + big) - big, magnitude);
    return from_bits(bits(rounded) | (bits(a) & broadcast(0x80000000u)));
}

#elif SAMARA_ARCH_ID == 3

template <int n>
SAMARA_INLINE U shift_left(U a)
{
    return {U::Batch(_mm256_slli_epi32(a.v, n))};
}
template <int n>
SAMARA_INLINE U shift_right(U a)
{
    return {U::Batch(_mm256_srli_epi32(a.v, n))};
}
SAMARA_INLINE U bits(F a) { return {U::Batch(_mm256_castps_si256(a.v))}; }
SAMARA_INLINE F from_bits(U a) { return {F::Batch(_mm256_castsi256_ps(a.v))}; }
SAMARA_INLINE F to_float(U a) { return {F::Batch(_mm256_cvtepi32_ps(a.v))}; }
SAMARA_INLINE MaskOf<std::uint32_t> greater_signed(U a, U b)
{
    return {xsimd::batch_bool<std::uint32_t, Target>(_mm256_cmpgt_epi32(a.v, b.v))};
}
SAMARA_INLINE F fma(F a, F b, F c) { return {F::Batch(_mm256_fmadd_ps(a.v, b.v, c.v))}; }
template <unsigned h>
SAMARA_INLINE F swap_lanes(F a)
{
    const __m256 x = a.v;
    if constexpr (h == 1)
        return {F::Batch(_mm256_permute_ps(x, _MM_SHUFFLE(2, 3, 0, 1)))};
    else if constexpr (h == 2)
        return {F::Batch(_mm256_permute_ps(x, _MM_SHUFFLE(1, 0, 3, 2)))};
    else
        return {F::Batch(_mm256_permute2f128_ps(x, x, 1))};
}
SAMARA_INLINE F round_to_integer(F a)
{
    return {F::Batch(_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))};
}

#elif SAMARA_ARCH_ID == 4

template <int n>
SAMARA_INLINE U shift_left(U a)
{
    return {U::Batch(_mm512_slli_epi32(a.v, n))};
}
template <int n>
SAMARA_INLINE U shift_right(U a)
{
    return {U::Batch(_mm512_srli_epi32(a.v, n))};
}
SAMARA_INLINE U bits(F a) { return {U::Batch(_mm512_castps_si512(a.v))}; }
SAMARA_INLINE F from_bits(U a) { return {F::Batch(_mm512_castsi512_ps(a.v))}; }
SAMARA_INLINE F to_float(U a) { return {F::Batch(_mm512_cvtepi32_ps(a.v))}; }
SAMARA_INLINE MaskOf<std::uint32_t> greater_signed(U a, U b)
{
    return {xsimd::batch_bool<std::uint32_t, Target>(_mm512_cmpgt_epi32_mask(a.v, b.v))};
}
SAMARA_INLINE F fma(F a, F b, F c) { return {F::Batch(_mm512_fmadd_ps(a.v, b.v, c.v))}; }
template <unsigned h>
SAMARA_INLINE F swap_lanes(F a)
{
    const __m512 x = a.v;
    if constexpr (h == 1)
        return {F::Batch(_mm512_permute_ps(x, _MM_SHUFFLE(2, 3, 0, 1)))};
    else if constexpr (h == 2)
        return {F::Batch(_mm512_permute_ps(x, _MM_SHUFFLE(1, 0, 3, 2)))};
    else if constexpr (h == 4)
        return {F::Batch(_mm512_shuffle_f32x4(x, x, _MM_SHUFFLE(2, 3, 0, 1)))};
    else
        return {F::Batch(_mm512_shuffle_f32x4(x, x, _MM_SHUFFLE(1, 0, 3, 2)))};
}
SAMARA_INLINE F round_to_integer(F a)
{
    return {F::Batch(_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))};
}

#elif SAMARA_ARCH_ID == 5

template <int n>
SAMARA_INLINE U shift_left(U a)
{
    return {U::Batch(vshlq_n_u32(a.v, n))};
}
template <int n>
SAMARA_INLINE U shift_right(U a)
{
    return {U::Batch(vshrq_n_u32(a.v, n))};
}
SAMARA_INLINE U bits(F a) { return {U::Batch(vreinterpretq_u32_f32(a.v))}; }
SAMARA_INLINE F from_bits(U a) { return {F::Batch(vreinterpretq_f32_u32(a.v))}; }
SAMARA_INLINE F to_float(U a) { return {F::Batch(vcvtq_f32_s32(vreinterpretq_s32_u32(a.v)))}; }
SAMARA_INLINE MaskOf<std::uint32_t> greater_signed(U a, U b)
{
    return {
        xsimd::batch_bool<std::uint32_t, Target>(vcgtq_s32(vreinterpretq_s32_u32(a.v), vreinterpretq_s32_u32(b.v)))};
}
// For these two xsimd 8.1 takes ARMv7's estimates.
SAMARA_INLINE F operator/(F a, F b) { return {F::Batch(vdivq_f32(a.v, b.v))}; }
SAMARA_INLINE F sqrt(F a) { return {F::Batch(vsqrtq_f32(a.v))}; }
SAMARA_INLINE F fma(F a, F b, F c) { return {F::Batch(vfmaq_f32(c.v, a.v, b.v))}; }
template <unsigned h>
SAMARA_INLINE F swap_lanes(F a)
{
    if constexpr (h == 1)
        return {F::Batch(vrev64q_f32(a.v))};
    else
        return {F::Batch(vextq_f32(a.v, a.v, 2))};
}
SAMARA_INLINE F round_to_integer(F a) { return {F::Batch(vrndnq_f32(a.v))}; }

#endif

} // namespace samara::SAMARA_ARCH
