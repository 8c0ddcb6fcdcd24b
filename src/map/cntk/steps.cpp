// The loops over the random numbers of a pixel. SPEC.md, section 28.2.
#include "map/cntk/steps.hpp"

#include "map/cntk/parts.hpp"
#include "stream/lanes.hpp"
#include "transform/walsh_hadamard.hpp"

namespace samara::SAMARA_ARCH {

namespace {

constexpr float mean_magnitude = 0.797884561f; // sqrt(2/pi)

SAMARA_INLINE F signed_pack(const float* x, const std::uint32_t* signs, std::uint32_t i)
{
    return flip_sign(load(x + i), sign_bits(signs[i / 32] >> (i % 32)));
}

struct Product {
    F z, value; // the projection, and the random feature of P D before its scale
};

// What a pixel's numbers are multiplied with: the same for all rows.
struct Scalars {
    F kappa, chi, raw, products, inverse;
};
template <class Args>
SAMARA_INLINE Scalars scalars_of(const Args& a)
{
    return {broadcast(a.kappa), broadcast(a.chi), broadcast(a.raw), broadcast(a.products), broadcast(a.inverse)};
}

// z = y inverse + kappa g + raw h, l = left + products h'; l (sign z - mu kappa g) + chi (sign z - mu z), the second
// with a random sign.
template <class Args>
SAMARA_INLINE Product product_of(const Args& a, const Scalars& s, std::uint32_t i)
{
    const F zero = broadcast(0.0f), one = broadcast(1.0f), minus = broadcast(-1.0f);
    const F slope = broadcast(-mean_magnitude), g = load(a.normals + i);
    const F z = fma(s.kappa, g, fma(s.raw, load(a.of_raw + i), load(a.y + i) * s.inverse));
    const F sign = select(z > zero, one, select(zero > z, minus, zero));
    const F of_rest = fma(g, slope * s.kappa, sign);
    const F tail = flip_sign(fma(z, slope, sign) * s.chi, sign_bits(a.product[i / 32] >> (i % 32)));
    return {z, fma(fma(s.products, load(a.of_products + i), load(a.left + i)), of_rest, tail)};
}

} // namespace

void cntk_normals(std::uint32_t start, std::uint32_t step, std::uint32_t count, float* out)
{
    const U next = broadcast(step * F::size);
    std::uint32_t words[F::size];
    for (unsigned k = 0; k < F::size; ++k)
        words[k] = start + step * k;
    U word = load(words);
    for (std::uint32_t i = 0; i < count; i += F::size, word = word + next)
        store(out + i, inverse_normal(word));
}

void signed_transform(float* y, unsigned log2_size, const std::uint32_t* signs) { transform(y, log2_size, signs); }

void cntk_transform(const float* tau, std::uint32_t numbers, float* y, unsigned log2_size, const std::uint32_t* signs)
{
    const std::uint32_t packs = (1u << log2_size) / F::size;
    const auto at_a_time = static_cast<std::uint32_t>(first_packs(packs) * F::size);
    for (std::uint32_t i = numbers / at_a_time * at_a_time; i < numbers; i += F::size)
        store(y + i, load(tau + i));
    transform_from(tau, numbers, y, log2_size, signs);
}

namespace {

template <unsigned channels>
SAMARA_INLINE void weigh(const float* pixels, const float* weights, std::uint32_t count, float* out)
{
    for (std::uint32_t i = 0; i < count; ++i)
        for (unsigned ch = 0; ch < channels; ++ch)
            out[std::size_t{i} * channels + ch] = pixels[std::size_t{i} * channels + ch] * weights[i];
}

} // namespace

void cntk_weigh(const float* pixels, const float* weights, std::uint32_t count, std::uint32_t channels, float* out)
{
    if (channels == 1) {
        weigh<1>(pixels, weights, count, out);
    } else if (channels == 3) {
        weigh<3>(pixels, weights, count, out);
    } else {
        for (std::uint32_t i = 0; i < count; ++i)
            for (std::uint32_t ch = 0; ch < channels; ++ch)
                out[std::size_t{i} * channels + ch] = pixels[std::size_t{i} * channels + ch] * weights[i];
    }
}

void cntk_leave(const CntkLeaveArgs& a)
{
    std::uint32_t i = 0;
    for (; i + F::size <= a.count; i += F::size)
        for (unsigned k = 0; k < 3; ++k)
            store(a.out + std::size_t{k} * a.count + i,
                  fma(load(a.products + i), broadcast(a.of_products[k]), load(a.raw + i) * broadcast(a.of_raw[k])));
    for (; i < a.count; ++i)
        for (unsigned k = 0; k < 3; ++k)
            a.out[std::size_t{k} * a.count + i] = fma_scalar(a.products[i], a.of_products[k], a.raw[i] * a.of_raw[k]);
}

void cntk_spread(const CntkSpreadArgs& a)
{
    constexpr std::uint32_t parts = 16 / F::size;
    std::uint32_t exact = 0, random = 0;
    for (std::uint32_t pack = 0; pack < a.packs; ++pack) {
        const float* from = nullptr;
        if (exact < a.exact_packs && pack == exact * a.step)
            from = a.exact + std::size_t{16} * exact++;
        else if (random < a.random_packs)
            from = a.random + std::size_t{16} * random++;
        for (std::uint32_t i = 0; i < parts; ++i)
            store(a.out + std::size_t{16} * pack + i * F::size,
                  from != nullptr ? load(from + i * F::size) : broadcast(0.0f));
    }
}

namespace {

// A block of 64 numbers is so many packs; where there are registers for it, the transforms of several blocks run side
// by side.
constexpr unsigned block_packs = 64 / F::size, blocks_together = F::size == 16 ? 4 : 1;

template <unsigned packs>
SAMARA_INLINE void flip_signs(F (&x)[packs], const std::uint32_t* signs)
{
#pragma GCC unroll 16
    for (unsigned i = 0; i < packs; ++i)
        x[i] = flip_sign(x[i], sign_bits(signs[i * F::size / 32] >> (i * F::size % 32)));
}
template <unsigned packs>
SAMARA_INLINE void transform_blocks(F (&x)[packs])
{
    levels_within<1>(x);
    const F minus_one = broadcast(-1.0f);
#pragma GCC unroll 4
    for (unsigned h = 1; h < block_packs; h *= 2) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < packs; ++i) {
            if ((i & h) == 0) {
                const F a = x[i], b = x[i + h];
                x[i] = a + b;
                x[i + h] = use_multipliers ? fma(b, minus_one, a) : a - b;
            }
        }
    }
}

SAMARA_INLINE void finish_first(const CntkFirstArgs& a, std::uint32_t i, F y)
{
    const F z = fma(broadcast(a.common), load(a.normals + i), y * load(a.norms + i));
    store(a.out + place_of(i, a.part), (absolute(z) - broadcast(mean_magnitude)) * broadcast(a.amplitude));
}

// The three rounds of some blocks of the first layer, the first of them at number `begin`.
template <unsigned blocks>
SAMARA_INLINE void rounds_of_blocks(const CntkFirstArgs& a, const float* padded, std::uint32_t begin)
{
    F x[blocks * block_packs];
#pragma GCC unroll 16
    for (unsigned i = 0; i < blocks * block_packs; ++i)
        x[i] = load(padded + i % block_packs * F::size);
    for (const std::uint32_t* const signs : a.signs) {
        flip_signs(x, signs + begin / 32);
        transform_blocks(x);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < blocks * block_packs; ++i)
        finish_first(a, begin + i * F::size, x[i]);
}
[[maybe_unused]] SAMARA_INLINE void rounds_in_registers(const CntkFirstArgs& a)
{
    float padded[64] = {};
    for (std::uint32_t i = 0; i < a.inputs; ++i)
        padded[i] = a.window[i];
    std::uint32_t begin = 0;
    for (; begin + 64 * blocks_together <= a.count; begin += 64 * blocks_together)
        rounds_of_blocks<blocks_together>(a, padded, begin);
    for (; begin < a.count; begin += 64)
        rounds_of_blocks<1>(a, padded, begin);
}

// The pack at number i; numbers from `used` on are zeros.
[[maybe_unused]] SAMARA_INLINE F load_until(const float* in, std::uint32_t i, std::uint32_t used)
{
    if (i + F::size <= used)
        return load(in + i);
    if (i >= used)
        return broadcast(0.0f);
    float some[F::size] = {};
    for (std::uint32_t k = i; k < used; ++k)
        some[k - i] = in[k];
    return load(some);
}

// Some blocks, the first of them at number `begin`.
template <unsigned blocks>
SAMARA_INLINE void mix_some(const CntkMixArgs& a, std::uint32_t begin)
{
    F x[blocks * block_packs];
#pragma GCC unroll 16
    for (unsigned i = 0; i < blocks * block_packs; ++i)
        x[i] = load_until(a.in, begin + i * F::size, a.used);
    flip_signs(x, a.signs + begin / 32);
    transform_blocks(x);
    const F factor = broadcast(a.factor);
    for (unsigned block = 0; block < blocks; ++block) {
        const std::uint32_t at = begin + 64 * block;
        const bool add = a.add || at >= a.random;
        float* const out = a.out + at % a.random / cntk_part * a.part;
#pragma GCC unroll 16
        for (unsigned i = 0; i < block_packs; ++i) {
            const F mixed = x[block * block_packs + i];
            store(out + i * F::size, add ? fma(mixed, factor, load(out + i * F::size)) : mixed * factor);
        }
    }
}

} // namespace

void cntk_mix(const CntkMixArgs& a)
{
    std::uint32_t begin = 0;
    if constexpr (F::size >= 4) {
        for (; begin + 64 * blocks_together <= a.count; begin += 64 * blocks_together)
            mix_some<blocks_together>(a, begin);
        if constexpr (blocks_together > 2)
            for (; begin + 128 <= a.count; begin += 128)
                mix_some<2>(a, begin);
        for (; begin < a.count; begin += 64)
            mix_some<1>(a, begin);
    } else {
        for (; begin < a.count; begin += 64) {
            float padded[64];
            for (std::uint32_t i = 0; i < 64; ++i)
                padded[i] = begin + i < a.used ? a.in[begin + i] : 0.0f;
            transform(padded, 6, a.signs + begin / 32);
            float* const out = a.out + begin % a.random / cntk_part * a.part;
            for (std::uint32_t i = 0; i < 64; ++i)
                out[i] = a.add || begin >= a.random ? fma_scalar(padded[i], a.factor, out[i]) : padded[i] * a.factor;
        }
    }
}

// Blocks of 64 points are the rule, and `count` is a multiple of 64.
void cntk_first(const CntkFirstArgs& a)
{
    const std::uint32_t size = 1u << a.log2_size;
    if constexpr (F::size >= 4) {
        if (size == 64) {
            rounds_in_registers(a);
            return;
        }
    }
    for (std::uint32_t begin = 0; begin < a.count; begin += size) {
        for (std::uint32_t i = 0; i < size; ++i)
            a.y[i] = i < a.inputs ? a.window[i] : 0.0f;
        for (const std::uint32_t* const signs : a.signs)
            transform(a.y, a.log2_size, signs + begin / 32);
        const std::uint32_t some = a.count - begin < size ? a.count - begin : size;
        for (std::uint32_t i = 0; i < some; i += F::size)
            finish_first(a, begin + i, load(a.y + i));
    }
}

void cntk_inner(const CntkInnerArgs& a)
{
    const Scalars scalars = scalars_of(a);
    const F product_scale = broadcast(a.product_scale), relu_scale = broadcast(a.relu_scale),
            straight = broadcast(a.straight), across = broadcast(a.across), tau_scale = broadcast(a.tau_scale),
            pass = broadcast(a.pass), centre = broadcast(mean_magnitude), zero = broadcast(0.0f);
    for (std::uint32_t i = 0; i < a.count; i += F::size) {
        float *const tau_at = a.tau_out + place_of(i, a.part), *const omega_at = a.omega_out + place_of(i, a.part);
        const Product made = product_of(a, scalars, i);
        const F tau_so_far = i < a.tau_begun ? load(tau_at) : zero,
                omega_so_far = i < a.omega_begun ? load(omega_at) : zero;
        const F relu = fma(absolute(made.z) - centre, relu_scale, tau_so_far);
        const F tau = fma(signed_pack(a.tau, a.relu, i), pass, relu);
        store(tau_at, tau);
        F omega = fma(made.value, product_scale, omega_so_far);
        omega = fma(load(a.omega + i), straight, omega);
        omega = fma(signed_pack(a.omega, a.turned, i), across, omega);
        omega = fma(signed_pack(a.tau, a.scaled, i), tau_scale, omega);
        store(omega_at, omega + flip_sign(tau, sign_bits(a.both[i / 32] >> (i % 32))));
    }
}

void cntk_last(const CntkLastArgs& a)
{
    const Scalars scalars = scalars_of(a);
    for (std::uint32_t i = 0; i < a.count; i += F::size)
        store(a.sums + i, load(a.sums + i) + product_of(a, scalars, i).value);
}

void cntk_carry(const CntkCarryArgs& a)
{
    const F straight = broadcast(a.straight), across = broadcast(a.across), tau_scale = broadcast(a.tau_scale);
    for (std::uint32_t i = 0; i < a.count; i += F::size) {
        F sum = fma(load(a.omega + i), straight, load(a.sums + i));
        sum = fma(signed_pack(a.omega, a.turned, i), across, sum);
        store(a.sums + i, fma(signed_pack(a.tau, a.scaled, i), tau_scale, sum));
    }
}

} // namespace samara::SAMARA_ARCH
