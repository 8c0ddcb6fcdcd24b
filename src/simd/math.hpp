// Elementary functions on packs: short polynomials in a fixed order, the same bits in every lane of every back end.
// The error bounds are measured over all floats of the stated range by tests/simd/test_math.cpp.
#pragma once

#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

// Highest power first, one fma a coefficient.
template <std::size_t n>
SAMARA_INLINE F horner(F x, const float (&c)[n])
{
    F r = broadcast(c[0]);
    for (std::size_t i = 1; i < n; ++i)
        r = fma(r, x, broadcast(c[i]));
    return r;
}

// sin(2 pi u) for |u| <= 1/4; error below 1.8e-7, almost all of it rounding.
SAMARA_INLINE F sine_of_quarter(F u)
{
    constexpr float c[] = {0x1.3daff6p+5f, -0x1.324ccap+6f, 0x1.4668b0p+6f, -0x1.4abbc2p+5f, 0x1.921fb6p+2f};
    return u * horner(u * u, c);
}

struct SinCos {
    F sine, cosine;
};

// Sine and cosine of an angle in turns (a turn is 2 pi). Whole turns are removed exactly; the absolute error is below
// 1.8e-7.
SAMARA_INLINE SinCos sin_cos_turns(F t)
{
    const F r = t - round_to_integer(t);
    const F a = absolute(r);
    const F quarter = broadcast(0.25f);
    const F folded = select(a < quarter, a, broadcast(0.5f) - a);
    const U sign = bits(r) & broadcast(0x80000000u);
    return {flip_sign(sine_of_quarter(folded), sign), sine_of_quarter(quarter - a)};
}

// Natural logarithm of a positive normal number; relative error below 1.2e-7.
SAMARA_INLINE F log(F x)
{
    constexpr float c[] = {-0x1.38b576p-4f, 0x1.055b68p-3f, -0x1.0d8542p-3f, 0x1.22da1ep-3f,
                           -0x1.547244p-3f, 0x1.99a008p-3f, -0x1.000226p-2f, 0x1.555554p-2f};
    constexpr std::uint32_t root_half = 0x3f3504f3u, one = 0x3f800000u;
    const U shifted = bits(x) + broadcast(one - root_half);
    const F exponent = to_float(shift_right<23>(shifted)) - broadcast(127.0f);
    const F mantissa = from_bits((shifted & broadcast(0x7fffffu)) + broadcast(root_half));
    const F f = mantissa - broadcast(1.0f);
    const F v = f * f;
    F r = fma(f * v, horner(f, c), exponent * broadcast(-2.12194440e-4f));
    r = fma(broadcast(-0.5f), v, r);
    return fma(exponent, broadcast(0.693359375f), f + r);
}

// e^x; 0 below -104, the value at 88.7 above; relative error below 1.3e-7 where the result is a normal number.
SAMARA_INLINE F exp(F x)
{
    constexpr float c[] = {0x1.6a244cp-10f, 0x1.1239d4p-7f, 0x1.5558f2p-5f, 0x1.555492p-3f, 0x1.fffffcp-2f};
    const F low = broadcast(-104.0f), high = broadcast(88.7f);
    x = select(x > low, x, low);
    x = select(x < high, x, high);
    const F n = round_to_integer(x * broadcast(1.44269504f));
    F r = fma(n, broadcast(-0.693359375f), x);
    r = fma(n, broadcast(2.12194440e-4f), r);
    const F p = fma(r * r, horner(r, c), r) + broadcast(1.0f);
    // 2^n in two factors, because n reaches -150; the integer comes from the low bits of n + 1.5 * 2^23
    const U whole = bits(n + broadcast(12582912.0f)) - broadcast(0x4b400000u);
    const U half = shift_right<1>(whole + broadcast(256u)) - broadcast(128u);
    const U bias = broadcast(127u);
    return p * from_bits(shift_left<23>(half + bias)) * from_bits(shift_left<23>(whole - half + bias));
}

// The normal distribution's inverse CDF at (k + 1/2) / 2^32; odd under k -> ~k. CDF error below 1.2e-7.
SAMARA_INLINE F inverse_normal(U k)
{
    constexpr float central[] = {-0x1.ab2c58p-27f, 0x1.1a3adep-25f, 0x1.61f092p-21f,  -0x1.48a1e2p-18f,
                                 -0x1.d70d76p-18f, 0x1.43c906p-12f, -0x1.d06d0ep-10f, -0x1.832b0cp-8f,
                                 0x1.652c5cp-2f,   0x1.0fc8bcp+1f};
    constexpr float tail[] = {0x1.abf6fcp-15f, 0x1.157df2p-16f, -0x1.be85dap-12f, 0x1.848c6ap-11f, -0x1.c8e154p-11f,
                              0x1.82684ap-10f, -0x1.8290f4p-9f, 0x1.3098e2p-8f,   0x1.6cb510p+0f,  0x1.2de4c8p+2f};
    const U sign = k & broadcast(0x80000000u);
    const U top = broadcast(0x7fffffffu);
    // the nearer tail: q = k where k < 2^31, else ~k; p = (q + 1/2) / 2^32 and y = 1 - 2p, both without cancellation
    const U q = select(sign == broadcast(0u), k, broadcast(0xffffffffu) - k);
    const F half = broadcast(0.5f);
    const F p = (to_float(q) + half) * broadcast(0x1p-32f);
    const F y = (to_float(top - q) + half) * broadcast(0x1p-31f);
    const F w = broadcast(0.0f) - log(p * broadcast(4.0f) * (broadcast(1.0f) - p));
    const F edge = broadcast(5.0f);
    const F far = select(w > edge, w, edge);
    const F g = select(w > edge, horner(sqrt(far) - broadcast(3.5f), tail), horner(w - broadcast(2.5f), central));
    return flip_sign(y * g, sign ^ broadcast(0x80000000u));
}

// e^x of one number.
SAMARA_INLINE float exp_scalar(float x)
{
    float lanes[F::size];
    store(lanes, exp(broadcast(x)));
    return lanes[0];
}

} // namespace samara::SAMARA_ARCH
