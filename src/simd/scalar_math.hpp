// Correctly rounded single-precision fma and square root on every target, one value at a time.
//
// Never libm: newlib's fmaf rounds twice, and an unoptimised build calls the library even where the CPU has the
// instruction. So: the instruction where the target has it, round to odd through double where only double is cheap
// (x86 without FMA), integers where there is no FPU.
#pragma once

#include <bit>

#include "simd/arch.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace samara::SAMARA_ARCH {

// binary32 fma in 64-bit integers; the smaller operand is shifted right with its lost bits kept as a sticky bit.
// The larger one keeps its top at bit 61 or 62, so that only operands of nearly equal size, which lose nothing in the
// shift, can cancel by more than one bit.
inline float fma_by_integers(float a, float b, float c)
{
    const std::uint32_t ua = std::bit_cast<std::uint32_t>(a), ub = std::bit_cast<std::uint32_t>(b),
                        uc = std::bit_cast<std::uint32_t>(c);
    const std::uint32_t magnitude = 0x7fffffffu, infinity = 0x7f800000u;
    if ((ua & magnitude) >= infinity || (ub & magnitude) >= infinity || (uc & magnitude) >= infinity ||
        (ua & magnitude) == 0 || (ub & magnitude) == 0)
        // An infinite or undefined addend wins over any finite product, which might overflow on its own; else
        // infinities, NaN and exact zero products: one rounding at most.
        return (uc & magnitude) >= infinity && (ua & magnitude) < infinity && (ub & magnitude) < infinity ? c
                                                                                                          : a * b + c;

    struct Parts {
        std::uint32_t mantissa;
        int exponent;
    };
    const auto unpack = [](std::uint32_t u) {
        const std::uint32_t field = (u >> 23) & 0xffu, fraction = u & 0x7fffffu;
        if (field != 0)
            return Parts{fraction | 0x800000u, static_cast<int>(field)};
        const int shift = std::countl_zero(fraction) - 8;
        return Parts{fraction << shift, 1 - shift};
    };
    const auto jam = [](std::uint64_t v, int shift) -> std::uint64_t {
        if (shift <= 0)
            return v;
        if (shift > 63)
            return v != 0 ? 1u : 0u;
        return (v >> shift) | ((v << (64 - shift)) != 0 ? 1u : 0u);
    };
    const Parts pa = unpack(ua), pb = unpack(ub);
    std::uint64_t product = (std::uint64_t{pa.mantissa} * pb.mantissa) << 14; // [2^60, 2^62)
    // value = product * 2^(exponent - 127 - 61): the exponent field that a leading bit 61 would have
    int exponent = pa.exponent + pb.exponent - 126;
    const std::uint32_t product_sign = (ua ^ ub) & 0x80000000u;
    std::uint32_t sign = product_sign;
    std::uint64_t sum = product;
    if ((uc & magnitude) != 0) {
        const Parts pc = unpack(uc);
        std::uint64_t addend = std::uint64_t{pc.mantissa} << 38; // [2^61, 2^62)
        const int difference = exponent - pc.exponent;
        if (difference >= 0) {
            addend = jam(addend, difference);
        } else {
            product = jam(product, -difference);
            exponent = pc.exponent;
        }
        const std::uint32_t addend_sign = uc & 0x80000000u;
        if (addend_sign == product_sign) {
            sum = product + addend;
        } else if (product >= addend) {
            sum = product - addend;
        } else {
            sum = addend - product;
            sign = addend_sign;
        }
        if (sum == 0)
            return 0.0f;
    }
    const int lead = std::countl_zero(sum) - 2; // how far the leading bit is below bit 61
    sum = lead >= 0 ? sum << lead : jam(sum, -lead);
    exponent -= lead;
    if (exponent >= 255)
        return std::bit_cast<float>(sign | infinity);
    if (exponent <= 0) { // subnormal: one more shift, then the same rounding
        sum = jam(sum, 1 - exponent);
        exponent = 0;
    }
    std::uint32_t rounded = static_cast<std::uint32_t>(sum >> 38);
    const std::uint64_t rest = sum & ((std::uint64_t{1} << 38) - 1), half = std::uint64_t{1} << 37;
    if (rest > half || (rest == half && (rounded & 1u) != 0))
        ++rounded;
    // A carry out of the mantissa adds 1 to the exponent, as it should; so does the leading bit 23, hence exponent - 1.
    const std::uint32_t bits = exponent == 0 ? rounded : (static_cast<std::uint32_t>(exponent - 1) << 23) + rounded;
    return std::bit_cast<float>(sign | bits);
}

// The product of two floats is exact in double; the sum is rounded to odd there, so that rounding it to float once more
// gives the correctly rounded result (53 >= 2 * 24 + 2 bits).
SAMARA_INLINE float fma_through_double(float a, float b, float c)
{
    const double product = static_cast<double>(a) * static_cast<double>(b), addend = static_cast<double>(c);
    double sum = product + addend;
    const double back = sum - product;
    const double error = (product - (sum - back)) + (addend - back);
    auto bits = std::bit_cast<std::uint64_t>(sum);
    const bool finite = ((bits >> 52) & 0x7ffu) != 0x7ffu;
    if (finite && error != 0.0 && (bits & 1u) == 0) {
        bits = (error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
        sum = std::bit_cast<double>(bits);
    }
    return static_cast<float>(sum);
}

// Square root by digits: 24 result bits and one to round by; a root is never a tie.
inline float sqrt_by_integers(float x)
{
    std::uint32_t u = std::bit_cast<std::uint32_t>(x);
    if (u == 0 || u == 0x80000000u)
        return x;
    if (u >= 0x7f800000u)
        return u == 0x7f800000u ? x : std::bit_cast<float>(0x7fc00000u);
    int exponent = static_cast<int>(u >> 23);
    std::uint32_t mantissa = u & 0x7fffffu;
    if (exponent == 0) {
        const int shift = std::countl_zero(mantissa) - 8;
        mantissa <<= shift;
        exponent = 1 - shift;
    } else {
        mantissa |= 0x800000u;
    }
    exponent -= 127;
    // radicand in [2^48, 2^50): its root in [2^24, 2^25) carries one bit beyond the mantissa
    const std::uint64_t radicand = std::uint64_t{mantissa} << ((exponent & 1) != 0 ? 26 : 25);
    std::uint64_t rest = 0;
    std::uint32_t root = 0;
    for (int i = 24; i >= 0; --i) {
        rest = (rest << 2) | ((radicand >> (2 * i)) & 3u);
        const std::uint64_t trial = (std::uint64_t{root} << 2) | 1u;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1u;
        }
    }
    root = (root + 1) >> 1;
    const int half = exponent >> 1; // floor, for odd and negative exponents too
    return std::bit_cast<float>((static_cast<std::uint32_t>(half + 126) << 23) + root);
}

SAMARA_INLINE float fma_scalar(float a, float b, float c)
{
#if defined(__FMA__)
    return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
#elif defined(__aarch64__)
    float r;
    __asm__("fmadd %s0, %s1, %s2, %s3" : "=w"(r) : "w"(a), "w"(b), "w"(c));
    return r;
#elif defined(__arm__) && defined(__ARM_FEATURE_FMA) && defined(__ARM_FP)
    __asm__("vfma.f32 %0, %1, %2" : "+t"(c) : "t"(a), "t"(b));
    return c;
#elif defined(__riscv_flen)
    float r;
    __asm__("fmadd.s %0, %1, %2, %3" : "=f"(r) : "f"(a), "f"(b), "f"(c));
    return r;
#elif defined(__SSE2__)
    return fma_through_double(a, b, c);
#else
    return fma_by_integers(a, b, c);
#endif
}

SAMARA_INLINE float sqrt_scalar(float x)
{
#if defined(__SSE2__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
#elif defined(__aarch64__)
    float r;
    __asm__("fsqrt %s0, %s1" : "=w"(r) : "w"(x));
    return r;
#elif defined(__arm__) && defined(__ARM_FP)
    float r;
    __asm__("vsqrt.f32 %0, %1" : "=t"(r) : "t"(x));
    return r;
#elif defined(__riscv_flen)
    float r;
    __asm__("fsqrt.s %0, %1" : "=f"(r) : "f"(x));
    return r;
#else
    return sqrt_by_integers(x);
#endif
}

} // namespace samara::SAMARA_ARCH
