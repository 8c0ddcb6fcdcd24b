// xoshiro128++ in lanes, and how words become values. SPEC.md, section 3.
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

// The sixteen lanes of a wide stream, as packs.
struct Wide {
    static constexpr unsigned packs = 16 / F::size;
    Lanes part[packs];

    SAMARA_INLINE explicit Wide(StreamKey key)
    {
        std::uint32_t words[64];
        for (unsigned i = 0; i < 32; ++i) {
            const std::uint64_t output = splitmix_output(key, i);
            words[2 * i] = static_cast<std::uint32_t>(output);
            words[2 * i + 1] = static_cast<std::uint32_t>(output >> 32);
        }
        for (unsigned p = 0; p < packs; ++p) {
            const std::uint32_t* w = words + p * F::size;
            Lanes& g = part[p];
            g = {load(w), load(w + 16), load(w + 32), load(w + 48)};
            const auto dead = (g.s0 | g.s1 | g.s2 | g.s3) == broadcast(0u);
            g.s0 = select(dead, broadcast(1u), g.s0);
            g.s1 = select(dead, broadcast(2u), g.s1);
            g.s2 = select(dead, broadcast(3u), g.s2);
            g.s3 = select(dead, broadcast(4u), g.s3);
        }
    }
};

// Calls body(p, lanes) for pack p = 0, 1, ... of a wide stream's lanes. Where a pack is one lane, its state is made
// just before its call: a device has no 512 bytes of stack for all of them.
template <class Body>
SAMARA_INLINE void each_part(StreamKey key, Body body)
{
    if constexpr (F::size == 1) {
        for (unsigned pair = 0; pair < 8; ++pair) {
            std::uint64_t outputs[4];
            for (unsigned i = 0; i < 4; ++i)
                outputs[i] = splitmix_output(key, 8 * i + pair);
            for (unsigned half = 0; half < 2; ++half) {
                const auto word = [&](unsigned i) { return static_cast<std::uint32_t>(outputs[i] >> (32 * half)); };
                const bool dead = (word(0) | word(1) | word(2) | word(3)) == 0;
                Lanes lanes = {broadcast(dead ? 1u : word(0)), broadcast(dead ? 2u : word(1)),
                               broadcast(dead ? 3u : word(2)), broadcast(dead ? 4u : word(3))};
                body(2 * pair + half, lanes);
            }
        }
    } else {
        Wide wide(key);
        for (unsigned p = 0; p < Wide::packs; ++p)
            body(p, wide.part[p]);
    }
}

struct NormalPair {
    F first, second;
};

// Box-Muller from one word: 17 bits of radius, 13 of angle within a quadrant, two signs. Every grid is one of
// midpoints, so the law is exactly symmetric and the radius is never 0.
SAMARA_INLINE NormalPair normals(U word)
{
    // r^2 = -2 ln u for u = (2k + 1) / 2^18: u = 2^e (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and f q(f) = -2 ln(1 + f),
    // relative error 1.2e-6. Near u = 1, e is 0 and nothing cancels.
    constexpr float q[] = {-0x1.e74398p-3f, 0x1.7e514cp-2f, -0x1.a3c3cep-2f, 0x1.fe26cep-2f,
                           -0x1.5523fcp-1f, 0x1.000176p+0f, -0x1.000010p+1f};
    constexpr std::uint32_t root_half = 0x3f3504f3u, one = 0x3f800000u;
    const F u = to_float((shift_left<1>(word) & broadcast(0x3ffffu)) | broadcast(1u)); // times 2^18
    const U shifted = bits(u) + broadcast(one - root_half);
    const F e = to_float(shift_right<23>(shifted) - broadcast(127u + 18u));
    const F f = from_bits((shifted & broadcast(0x7fffffu)) + broadcast(root_half)) - broadcast(1.0f);
    const F r = sqrt(fma(e, broadcast(-1.38629436f), f * horner(f, q)));
    const U angle = (shift_right<16>(word) & broadcast(0x3ffeu)) | broadcast(1u); // 2k + 1 < 2^14
    const F a = to_float(angle) * broadcast(0x1p-16f);                            // turns, below 1/4
    const F cosine = sine_of_quarter(broadcast(0.25f) - a), sine = sine_of_quarter(a);
    return {flip_sign_by(r * cosine, word), flip_sign_by(r * sine, shift_left<1>(word))};
}

SAMARA_INLINE F uniform(U word) { return to_float(shift_right<8>(word) | broadcast(1u)) * broadcast(0x1p-24f); }

// tan(pi v / 2) for v = (m + 1/2) / 2^31, m the low 31 bits, with the top bit as sign; above v = 1/2 the reciprocal of
// the tangent of the complement, so that the tail keeps full precision out to 2.7e9.
SAMARA_INLINE F cauchy(U word)
{
    const U m = word & broadcast(0x7fffffffu), top = broadcast(0x7fffffffu);
    const U upper = m & broadcast(0x40000000u);
    const U nearer = select(upper == broadcast(0u), m, top - m);
    const F a = (to_float(nearer) + broadcast(0.5f)) * broadcast(0x1p-33f); // turns, at most 1/8
    const F s = sine_of_quarter(a), c = sine_of_quarter(broadcast(0.25f) - a);
    const auto low = upper == broadcast(0u);
    const F t = select_by_words(low, s, c) / select_by_words(low, c, s);
    return flip_sign_by(t, word);
}

// -log of (m + 1/2) / 2^31 with the top bit as sign; never a negative magnitude, because log is 0 at most there.
SAMARA_INLINE F laplace(U word)
{
    const F u = (to_float(word & broadcast(0x7fffffffu)) + broadcast(0.5f)) * broadcast(0x1p-31f);
    const F magnitude = absolute(log(u));
    return flip_sign_by(magnitude, word);
}

// Lane l: a float's sign bit if bit l of the word is 1, else 0.
SAMARA_INLINE U sign_bits(std::uint32_t word)
{
#if SAMARA_ARCH_ID == 4
    return {U::Batch(_mm512_maskz_set1_epi32(static_cast<__mmask16>(word), static_cast<int>(0x80000000u)))};
#else
    if constexpr (F::size == 1)
        return broadcast(word << 31);
    else
        return select((broadcast(word) & lane_bit()) == lane_bit(), broadcast(0x80000000u), broadcast(0u));
#endif
}

// (1 - c + z s)^(3/2) with c = 2/(9 freedom), s = sqrt(c): a chi variable divided by sqrt(freedom).
SAMARA_INLINE F chi_over_root(F z, float c, float s)
{
    const F q = fma(z, broadcast(s), broadcast(1.0f - c));
    return q * sqrt(q);
}

} // namespace samara::SAMARA_ARCH
