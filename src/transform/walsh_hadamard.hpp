// The unnormalised Walsh-Hadamard transform in Sylvester's order, levels h = 1, 2, 4, ... ascending, each level
// (a, b) -> (a + b, a - b). How many levels one pass over memory does changes no bit.
#pragma once

#include "stream/lanes.hpp"

namespace samara::SAMARA_ARCH {

// How many packs one pass holds in registers.
#if SAMARA_ARCH_ID == 4 || SAMARA_ARCH_ID == 5
inline constexpr unsigned radix = 16;
#else
inline constexpr unsigned radix = 8;
#endif

// Where multiply-add is one instruction, half of the work goes to its units: b * (+-1) + a is a +- b to the bit, signed
// zeros included, and the adders alone would set the pace.
inline constexpr bool use_multipliers = SAMARA_ARCH_ID == 3 || SAMARA_ARCH_ID == 4;

template <unsigned r>
SAMARA_INLINE void levels_across(F (&x)[r])
{
    const F minus_one = broadcast(-1.0f);
#pragma GCC unroll 4
    for (unsigned h = 1; h < r; h *= 2) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < r; ++i) {
            if ((i & h) == 0) {
                const F a = x[i], b = x[i + h];
                x[i] = a + b;
                x[i + h] = use_multipliers ? fma(b, minus_one, a) : a - b;
            }
        }
    }
}

template <unsigned h, unsigned r>
SAMARA_INLINE void levels_within(F (&x)[r])
{
    if constexpr (h < F::size) {
        // lanes with bit h set hold b: partner + (-b) = a - b; the others b + a
        const U minus = select((lane_index() & broadcast(h)) == broadcast(h), broadcast(0x80000000u), broadcast(0u));
        const F sign = from_bits(broadcast(0x3f800000u) | minus);
#pragma GCC unroll 16
        for (unsigned i = 0; i < r; ++i) {
            const F partner = swap_lanes<h>(x[i]);
            x[i] = use_multipliers && i % 2 == 0 ? fma(x[i], sign, partner) : partner + flip_sign(x[i], minus);
        }
        levels_within<2 * h>(x);
    }
}

// The first levels, on r adjacent packs at a time. `signs`, if given, are applied to the numbers read: from `input` as
// far as its n_input numbers fill r packs, then from y.
template <unsigned r>
SAMARA_INLINE void first_pass(const float* input, std::size_t n_input, float* y, std::size_t n,
                              const std::uint32_t* signs)
{
    for (std::size_t base = 0; base < n; base += r * F::size) {
        const float* from = base + r * F::size <= n_input ? input : y;
        F x[r];
#pragma GCC unroll 16
        for (unsigned i = 0; i < r; ++i) {
            x[i] = load(from + base + i * F::size);
            if (signs != nullptr) {
                const std::size_t at = base + i * F::size;
                x[i] = flip_sign(x[i], sign_bits(signs[at / 32] >> (at % 32)));
            }
        }
        levels_within<1>(x);
        levels_across(x);
#pragma GCC unroll 16
        for (unsigned i = 0; i < r; ++i)
            store(y + base + i * F::size, x[i]);
    }
}

// log2(r) levels from distance h up.
template <unsigned r>
SAMARA_INLINE void later_pass(float* y, std::size_t n, std::size_t h)
{
    for (std::size_t base = 0; base < n; base += r * h) {
        for (std::size_t j = base; j < base + h; j += F::size) {
            F x[r];
#pragma GCC unroll 16
            for (unsigned i = 0; i < r; ++i)
                x[i] = load(y + j + i * h);
            levels_across(x);
#pragma GCC unroll 16
            for (unsigned i = 0; i < r; ++i)
                store(y + j + i * h, x[i]);
        }
    }
}

// How many packs the first pass takes at a time.
SAMARA_INLINE std::size_t first_packs(std::size_t packs) { return packs >= radix ? radix : packs; }

// y = the transform of n = 2^log2_size >= F::size numbers; signs: n bits or null. The numbers are `input` as far as its
// n_input numbers fill whole groups of first_packs() packs, and behind these y, which holds the rest and zeros up to n.
SAMARA_INLINE void transform_from(const float* input, std::size_t n_input, float* y, unsigned log2_size,
                                  const std::uint32_t* signs)
{
    const std::size_t n = std::size_t{1} << log2_size;
    const std::size_t packs = n / F::size;
    if (packs >= radix) {
        if (signs != nullptr)
            first_pass<radix>(input, n_input, y, n, signs);
        else
            first_pass<radix>(input, n_input, y, n, nullptr);
    } else if (packs == 8) {
        first_pass<8>(input, n_input, y, n, signs);
    } else if (packs == 4) {
        first_pass<4>(input, n_input, y, n, signs);
    } else if (packs == 2) {
        first_pass<2>(input, n_input, y, n, signs);
    } else {
        first_pass<1>(input, n_input, y, n, signs);
    }
    std::size_t h = packs >= radix ? radix * F::size : n;
    while (h < n) {
        const std::size_t left = n / h;
        if (left >= radix) {
            later_pass<radix>(y, n, h);
            h *= radix;
        } else if (left >= 8) {
            later_pass<8>(y, n, h);
            h *= 8;
        } else if (left >= 4) {
            later_pass<4>(y, n, h);
            h *= 4;
        } else {
            later_pass<2>(y, n, h);
            h *= 2;
        }
    }
}

SAMARA_INLINE void transform(float* y, unsigned log2_size, const std::uint32_t* signs)
{
    transform_from(y, std::size_t{1} << log2_size, y, log2_size, signs);
}

} // namespace samara::SAMARA_ARCH
