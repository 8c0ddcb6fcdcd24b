// xoshiro128++ in lanes, and how words become values. SPEC.md section 2.
#pragma once

#include "samara/stream.hpp"
#include "simd/math.hpp"

namespace samara::SAMARA_ARCH {

struct Lanes {
    U s0, s1, s2, s3;
};

SAMARA_INLINE U next_words(Lanes& g)
{
    const U result = rotate_left<7>(g.s0 + g.s3) + g.s0;
    const U t = shift_left<9>(g.s1);
    g.s2 = g.s2 ^ g.s0;
    g.s3 = g.s3 ^ g.s1;
    g.s1 = g.s1 ^ g.s2;
    g.s0 = g.s0 ^ g.s3;
    g.s2 = g.s2 ^ t;
    g.s3 = rotate_left<11>(g.s3);
    return result;
}

// Lane l of the pack runs generator(l).
template <class Generator>
SAMARA_INLINE Lanes make_lanes(Generator generator)
{
    std::uint32_t s[4][F::size];
    for (unsigned l = 0; l < F::size; ++l) {
        const Xoshiro x = generator(l);
        for (unsigned i = 0; i < 4; ++i)
            s[i][l] = x.state(i);
    }
    return {load(s[0]), load(s[1]), load(s[2]), load(s[3])};
}

// The sixteen lanes of a wide stream, in as many packs as they fill.
struct Wide {
    static constexpr unsigned packs = 16 / F::size;
    Lanes part[packs];

    SAMARA_INLINE explicit Wide(StreamKey key)
    {
        for (unsigned p = 0; p < packs; ++p)
            part[p] = make_lanes([=](unsigned l) { return Xoshiro(key, p * F::size + l); });
    }
};

struct NormalPair {
    F first, second;
};

// Box-Muller from one word: 17 bits of radius, 13 of angle within a quadrant, two signs. Every grid is one of midpoints,
// so the law is exactly symmetric and the radius is never 0.
SAMARA_INLINE NormalPair normals(U word)
{
    const U radius_bits = shift_left<1>(word & broadcast(0x1ffffu)) + broadcast(1u); // 2k + 1 < 2^18
    const F u = to_float(radius_bits) * broadcast(0x1p-18f);
    const F r = sqrt(log(u) * broadcast(-2.0f));
    const U angle_bits = (shift_right<16>(word) & broadcast(0x3ffeu)) + broadcast(1u); // 2k + 1 < 2^14
    const F a = to_float(angle_bits) * broadcast(0x1p-16f);                            // turns, below 1/4
    const F cosine = sine_of_quarter(broadcast(0.25f) - a), sine = sine_of_quarter(a);
    const U sign = broadcast(0x80000000u);
    return {flip_sign(r * cosine, word & sign), flip_sign(r * sine, shift_left<1>(word) & sign)};
}

SAMARA_INLINE F uniform(U word) { return to_float(shift_right<8>(word) | broadcast(1u)) * broadcast(0x1p-24f); }

// tan(pi v / 2) for v = (m + 1/2) / 2^31, m the low 31 bits, with the top bit as sign; above v = 1/2 the reciprocal of
// the tangent of the complement, so that the tail keeps full precision out to 1.4e9.
SAMARA_INLINE F cauchy(U word)
{
    const U m = word & broadcast(0x7fffffffu), top = broadcast(0x7fffffffu);
    const U upper = m & broadcast(0x40000000u);
    const U nearer = select(upper == broadcast(0u), m, top - m);
    const F a = (to_float(nearer) + broadcast(0.5f)) * broadcast(0x1p-33f); // turns, at most 1/8
    const F s = sine_of_quarter(a), c = sine_of_quarter(broadcast(0.25f) - a);
    const auto low = upper == broadcast(0u);
    const F t = select_by_words(low, s, c) / select_by_words(low, c, s);
    return flip_sign(t, word & broadcast(0x80000000u));
}

// -log of (m + 1/2) / 2^31 with the top bit as sign; never a negative magnitude, because log is 0 at most there.
SAMARA_INLINE F laplace(U word)
{
    const F u = (to_float(word & broadcast(0x7fffffffu)) + broadcast(0.5f)) * broadcast(0x1p-31f);
    const F magnitude = absolute(log(u));
    return flip_sign(magnitude, word & broadcast(0x80000000u));
}

// Sign bits for the next F::size values, the word's lowest bit first.
SAMARA_INLINE U sign_bits(std::uint32_t word)
{
    if constexpr (F::size == 1)
        return broadcast(word << 31);
    else
        return select((broadcast(word) & lane_bit()) == lane_bit(), broadcast(0x80000000u), broadcast(0u));
}

// (1 - c + z s)^(3/2) with c = 2/(9 freedom), s = sqrt(c): a chi variable divided by sqrt(freedom).
SAMARA_INLINE F chi_over_root(F z, float c, float s)
{
    const F q = fma(z, broadcast(s), broadcast(1.0f - c));
    return q * sqrt(q);
}

} // namespace samara::SAMARA_ARCH
