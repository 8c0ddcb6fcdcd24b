// The functions k0 and k1 of the convolutional NTK, of eight cosines at a time. For cntk_lanes.cpp alone, which is
// compiled once for each back end.
#pragma once

#include <cstddef>

#include "ports/host/training/cntk_lanes.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace samara::desk::SAMARA_ARCH {

constexpr double pi = 3.14159265358979323846;

// Where there are no registers of this size the compiler takes several.
typedef double V __attribute__((vector_size(64), may_alias));

#define SAMARA_DESK_INLINE [[gnu::always_inline]] inline

// The roots of numbers above 2^-48, and 0 of others, as in the core: equal windows have the cosine 1.
SAMARA_DESK_INLINE void take_root(const V& v, V& root)
{
    constexpr double least = 0x1p-48;
#if defined(__AVX512F__)
    const __m512d x = reinterpret_cast<__m512d>(v);
    root = reinterpret_cast<V>(_mm512_maskz_sqrt_pd(_mm512_cmp_pd_mask(x, _mm512_set1_pd(least), _CMP_GT_OQ), x));
#else
    root = v > least ? v : V{};
#if defined(__AVX__)
    auto* halves = reinterpret_cast<__m256d*>(&root);
    halves[0] = _mm256_sqrt_pd(halves[0]);
    halves[1] = _mm256_sqrt_pd(halves[1]);
#else
    for (std::size_t k = 0; k < cntk_lanes; ++k)
        root[k] = __builtin_sqrt(root[k]);
#endif
#endif
}

SAMARA_DESK_INLINE void take_magnitude(const V& v, V& magnitude)
{
    typedef long long Bits __attribute__((vector_size(64), may_alias));
    magnitude = reinterpret_cast<V>(reinterpret_cast<const Bits&>(v) & 0x7fffffffffffffff);
}

SAMARA_DESK_INLINE void take_positive_part(const V& v, V& part)
{
#if defined(__AVX512F__)
    part = reinterpret_cast<V>(_mm512_max_pd(reinterpret_cast<__m512d>(v), _mm512_setzero_pd()));
#else
    part = v > V{} ? v : V{};
#endif
}

// For numbers from 1 to 2: not by the unit that takes square roots, which is busy with others. The error of the first
// guess, 2^-14, becomes 2^-43.
SAMARA_DESK_INLINE void take_root_near_one(V& v)
{
#if defined(__AVX512F__)
    const V guess = reinterpret_cast<V>(_mm512_rsqrt14_pd(reinterpret_cast<__m512d>(v)));
    const V root = v * guess, lacking = 1.0 - root * guess;
    v = root + (root * lacking) * (0.5 + 0.375 * lacking);
#else
    const V square = v;
    take_root(square, v);
#endif
}

// With v = 1 - |a| and w = sqrt(1 + |a|), |a| from 0 to 1:
//   k0(|a|) = 1 - sqrt(v) A,        A = acos(1 - v) / (pi sqrt(v)),
//   k1(|a|) = |a| + v sqrt(v) B = |a| k0(|a|) + sqrt(v) w / pi,   k0(-a) = 1 - k0(a),   k1(-a) = k1(a) - a.
// As functions of v, A and B have their next singularity at v = 2; as a function of w, A has it at w = -sqrt(2), so
// that a shorter polynomial does. These interpolate at Chebyshev's points of v in [0, 1] and of w in [1, sqrt(2)], what
// they interpolate being summed by its series at v = 0 in long double. Relative errors: 9e-12, 4e-12 and 6e-12.
constexpr double a_polynomial[] = {
    0x1.ccf6429bdbdbcp-2,   0x1.334ed77128ea2p-5,  0x1.14937bb429f3fp-7,  0x1.4956427cf0ea3p-9,
    0x1.bd3380b28b771p-11,  0x1.6a922017ff665p-12, 0x1.f640c9ea49555p-17, 0x1.2e09d308708p-12,
    -0x1.562a8e77492abp-12, 0x1.56cbd2a265aabp-12, -0x1.5e6c2eaddp-13,    0x1.72412cc38p-15,
};
constexpr double a_by_root[] = {
    0x1.69cada67e8efcp-1, -0x1.4250f128576aap-2, 0x1.51db1f258e27ap-3, -0x1.51f3985bb2488p-4,
    0x1.18e6994595d1fp-5, -0x1.55e51847e012ep-7, 0x1.05b2bd6c472fp-9,  -0x1.73e82549fdfb9p-13,
};
constexpr double b_polynomial[] = {
    0x1.334ed7129df1ep-2,  0x1.ebb1579a328c5p-7,  0x1.3c16e59301fdep-9,  0x1.24991295da927p-11,
    0x1.48500b6be95c6p-13, 0x1.6b5c87e25f05dp-15, 0x1.fd361be565d17p-16, -0x1.37e385c09f45dp-16,
    0x1.d9462f347745dp-16, -0x1.fff746c5p-17,     0x1.4b5e80045d174p-18,
};

// Several places at a time, operation by operation: that of one place waits for the one before it, and a processor
// looks ahead over no more than a few places.
template <std::size_t places>
struct Block {
    V of[places];
};
template <std::size_t>
struct Places {};

template <std::size_t places, std::size_t n>
SAMARA_DESK_INLINE void horner(const double (&polynomial)[n], const Block<places>& at, Block<places>& value)
{
    for (std::size_t p = 0; p < places; ++p)
        value.of[p] = at.of[p] * polynomial[n - 1] + polynomial[n - 2];
    for (std::size_t k = n - 2; k-- > 0;)
        for (std::size_t p = 0; p < places; ++p)
            value.of[p] = value.of[p] * at.of[p] + polynomial[k];
}

// k0 and k1 of a cosine, whichever are asked for. Only those of the first layer can be negative. A root takes as long
// as fifteen other operations, and goes on beside them: w pays where both are made.
template <bool with_step, bool with_relu, bool can_be_negative, std::size_t places>
SAMARA_DESK_INLINE void activate(const Block<places>& cosine, Block<places>& step, Block<places>& relu)
{
    Block<places> size, v, root, w, polynomial;
    for (std::size_t p = 0; p < places; ++p) {
        if constexpr (can_be_negative)
            take_magnitude(cosine.of[p], size.of[p]);
        else
            size.of[p] = cosine.of[p];
        v.of[p] = 1.0 - size.of[p];
    }
    for (std::size_t p = 0; p < places; ++p) {
        if constexpr (with_step && with_relu) {
            w.of[p] = 1.0 + size.of[p];
            take_root_near_one(w.of[p]);
        }
        take_root(v.of[p], root.of[p]);
    }
    if constexpr (with_step) {
        if constexpr (with_relu)
            horner(a_by_root, w, polynomial);
        else
            horner(a_polynomial, v, polynomial);
        for (std::size_t p = 0; p < places; ++p) {
            step.of[p] = 1.0 - root.of[p] * polynomial.of[p];
            if constexpr (with_relu)
                relu.of[p] = size.of[p] * step.of[p] + (root.of[p] * w.of[p]) * (1.0 / pi);
            if constexpr (can_be_negative) {
                step.of[p] = cosine.of[p] < 0.0 ? 1.0 - step.of[p] : step.of[p];
                if constexpr (with_relu)
                    relu.of[p] = cosine.of[p] < 0.0 ? relu.of[p] - size.of[p] : relu.of[p];
            }
        }
    } else {
        horner(b_polynomial, v, polynomial);
        for (std::size_t p = 0; p < places; ++p) {
            V linear = cosine.of[p];
            if constexpr (can_be_negative)
                take_positive_part(cosine.of[p], linear);
            relu.of[p] = (v.of[p] * root.of[p]) * polynomial.of[p] + linear;
        }
    }
}

} // namespace samara::desk::SAMARA_ARCH
