// The loops over the random numbers of a pixel. SPEC.md, section 28.2.
#include "map/cntk/steps.hpp"

#include "stream/lanes.hpp"
#include "transform/walsh_hadamard.hpp"

namespace samara::SAMARA_ARCH {

namespace {

constexpr float mean_magnitude = 0.797884561f; // sqrt(2/pi)

SAMARA_INLINE std::size_t place_of(std::uint32_t i, std::size_t part) { return i / cntk_part * part + i % cntk_part; }

SAMARA_INLINE F signed_pack(const float* x, const std::uint32_t* signs, std::uint32_t i)
{
    return flip_sign(load(x + i), sign_bits(signs[i / 32] >> (i % 32)));
}

struct Product {
    F z, value; // the projection, and the random feature of P D before its scale
};

// z = y + kappa g; left (sign z - mu kappa g) + chi (sign z - mu z), the second with a random sign.
template <class Args>
SAMARA_INLINE Product product_of(const Args& a, std::uint32_t i, F kappa, F chi)
{
    const F zero = broadcast(0.0f), one = broadcast(1.0f), minus = broadcast(-1.0f);
    const F slope = broadcast(-mean_magnitude), g = load(a.normals + i);
    const F z = fma(kappa, g, load(a.y + i));
    const F sign = select(z > zero, one, select(zero > z, minus, zero));
    const F of_rest = fma(g, slope * kappa, sign);
    const F tail = flip_sign(fma(z, slope, sign) * chi, sign_bits(a.product[i / 32] >> (i % 32)));
    return {z, fma(load(a.left + i), of_rest, tail)};
}

} // namespace

void signed_transform(float* y, unsigned log2_size, const std::uint32_t* signs) { transform(y, log2_size, signs); }

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
    for (; i + F::size <= a.count; i += F::size) {
        const F products = load(a.products + i), raw = load(a.raw + i);
        const F kept = fma(products, broadcast(a.of_products), raw * broadcast(a.of_raw));
        for (unsigned k = 0; k < 4; ++k)
            store(a.out + std::size_t{k} * a.count + i,
                  fma(kept, broadcast(-a.direction[k]), (k < 2 ? products : raw) * broadcast(a.factor[k])));
    }
    for (; i < a.count; ++i) {
        const float products = a.products[i], raw = a.raw[i];
        const float kept = fma_scalar(products, a.of_products, raw * a.of_raw);
        for (unsigned k = 0; k < 4; ++k)
            a.out[std::size_t{k} * a.count + i] =
                fma_scalar(kept, -a.direction[k], (k < 2 ? products : raw) * a.factor[k]);
    }
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
    const F inverse = broadcast(1.0f / 64.0f), centre = broadcast(a.centre), amplitude = broadcast(a.amplitude);
#pragma GCC unroll 16
    for (unsigned i = 0; i < blocks * block_packs; ++i)
        store(a.out + place_of(begin + i * F::size, a.part), (absolute(x[i] * inverse) - centre) * amplitude);
}
SAMARA_INLINE void rounds_in_registers(const CntkFirstArgs& a)
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

// Some blocks, the first of them at number `begin`.
template <unsigned blocks>
SAMARA_INLINE void mix_some(const CntkMixArgs& a, const float* in, std::uint32_t begin)
{
    F x[blocks * block_packs];
#pragma GCC unroll 16
    for (unsigned i = 0; i < blocks * block_packs; ++i)
        x[i] = load(in + i * F::size);
    flip_signs(x, a.signs + begin / 32);
    transform_blocks(x);
    const F factor = broadcast(a.factor);
    for (unsigned block = 0; block < blocks; ++block) {
        float* const out = a.out + (begin + 64 * block) % a.random / cntk_part * a.part;
#pragma GCC unroll 16
        for (unsigned i = 0; i < block_packs; ++i) {
            const F mixed = x[block * block_packs + i];
            store(out + i * F::size, a.add ? fma(mixed, factor, load(out + i * F::size)) : mixed * factor);
        }
    }
}

} // namespace

void cntk_mix(const CntkMixArgs& a)
{
    std::uint32_t begin = 0;
    if constexpr (F::size >= 4)
        for (; begin + 64 * blocks_together <= a.used; begin += 64 * blocks_together)
            mix_some<blocks_together>(a, a.in + begin, begin);
    for (; begin < a.count; begin += 64) {
        float padded[64];
        for (std::uint32_t i = 0; i < 64; ++i)
            padded[i] = begin + i < a.used ? a.in[begin + i] : 0.0f;
        if constexpr (F::size >= 4) {
            mix_some<1>(a, padded, begin);
        } else {
            transform(padded, 6, a.signs + begin / 32);
            float* const out = a.out + begin % a.random / cntk_part * a.part;
            for (std::uint32_t i = 0; i < 64; ++i)
                out[i] = a.add ? fma_scalar(padded[i], a.factor, out[i]) : padded[i] * a.factor;
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
    const F inverse = broadcast(1.0f / static_cast<float>(size)), centre = broadcast(a.centre),
            amplitude = broadcast(a.amplitude);
    for (std::uint32_t begin = 0; begin < a.count; begin += size) {
        for (std::uint32_t i = 0; i < size; ++i)
            a.y[i] = i < a.inputs ? a.window[i] : 0.0f;
        for (const std::uint32_t* const signs : a.signs)
            transform(a.y, a.log2_size, signs + begin / 32);
        const std::uint32_t some = a.count - begin < size ? a.count - begin : size;
        for (std::uint32_t i = 0; i < some; i += F::size)
            store(a.out + place_of(begin + i, a.part), (absolute(load(a.y + i) * inverse) - centre) * amplitude);
    }
}

namespace {

// How many packs of a filter together: so many that the sums of some pixels stay in registers.
constexpr unsigned filter_packs = F::size >= 8 ? 4 : 2;

// The sums of `pixels` neighbours, whose windows have the columns from `begin` on.
template <unsigned pixels>
SAMARA_INLINE void filter_pixels(const CntkFilterArgs& a, std::uint32_t i, std::uint32_t p, std::uint32_t begin,
                                 std::uint32_t end)
{
    const std::size_t place = place_of(i, a.part);
    F sum[pixels][filter_packs];
    for (auto& of_pixel : sum)
        for (F& s : of_pixel)
            s = broadcast(0.0f);
    for (std::uint32_t r = 0; r < a.high; ++r) {
        if (a.rows[r] == nullptr)
            continue;
        const float* x = a.rows[r] + place + (std::size_t{a.first} + p + begin - a.wide / 2) * cntk_part;
        const float* f = a.filter + (std::size_t{r} * a.wide + begin) * a.numbers + i;
        for (std::uint32_t c = begin; c < end; ++c, x += cntk_part, f += a.numbers) {
#pragma GCC unroll 4
            for (unsigned k = 0; k < filter_packs; ++k) {
                const F weight = load(f + k * F::size);
#pragma GCC unroll 4
                for (unsigned q = 0; q < pixels; ++q)
                    sum[q][k] = fma(weight, load(x + q * cntk_part + k * F::size), sum[q][k]);
            }
        }
    }
    for (unsigned q = 0; q < pixels; ++q)
        for (unsigned k = 0; k < filter_packs; ++k)
            store(a.out + (std::size_t{p} + q) * a.numbers + i + k * F::size, sum[q][k]);
}

} // namespace

void cntk_filter(const CntkFilterArgs& a)
{
    constexpr unsigned together = F::size >= 8 ? 4 : 1; // on others there are too few registers
    const std::uint32_t far = a.wide / 2;
    for (std::uint32_t i = 0; i < a.numbers; i += filter_packs * F::size) {
        for (std::uint32_t p = 0; p < a.count;) {
            // Column c of the window is pixel + c - far.
            const std::uint32_t pixel = a.first + p, last = pixel + together - 1;
            if (pixel >= far && last + far < a.width && p + together <= a.count) {
                filter_pixels<together>(a, i, p, 0, a.wide);
                p += together;
            } else {
                filter_pixels<1>(a, i, p, pixel < far ? far - pixel : 0,
                                 a.width - pixel <= far ? far + a.width - pixel : a.wide);
                ++p;
            }
        }
    }
}

void cntk_inner(const CntkInnerArgs& a)
{
    const F kappa = broadcast(a.kappa), chi = broadcast(a.chi), product_scale = broadcast(a.product_scale),
            relu_scale = broadcast(a.relu_scale), straight = broadcast(a.straight), across = broadcast(a.across),
            tau_scale = broadcast(a.tau_scale), pass = broadcast(a.pass), centre = broadcast(mean_magnitude),
            zero = broadcast(0.0f);
    for (std::uint32_t i = 0; i < a.count; i += F::size) {
        float *const tau_at = a.tau_out + place_of(i, a.part), *const omega_at = a.omega_out + place_of(i, a.part);
        const Product made = product_of(a, i, kappa, chi);
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
    const F kappa = broadcast(a.kappa), chi = broadcast(a.chi);
    for (std::uint32_t i = 0; i < a.count; i += F::size)
        store(a.sums + i, load(a.sums + i) + product_of(a, i, kappa, chi).value);
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
