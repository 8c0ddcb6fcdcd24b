// The loops over the random numbers of a pixel. SPEC.md, section 28.2.
#include "map/cntk/steps.hpp"

#include "stream/lanes.hpp"
#include "transform/walsh_hadamard.hpp"

#ifndef PK
#define PK 4
#endif
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

// The three rounds of a block of r packs, in registers.
template <unsigned r>
SAMARA_INLINE void rounds_in_registers(const CntkFirstArgs& a)
{
    constexpr std::uint32_t size = r * F::size;
    float padded[size] = {};
    for (std::uint32_t i = 0; i < a.inputs; ++i)
        padded[i] = a.window[i];
    const F inverse = broadcast(1.0f / static_cast<float>(size)), centre = broadcast(a.centre),
            amplitude = broadcast(a.amplitude);
    for (std::uint32_t begin = 0; begin < a.count; begin += size) {
        F x[r];
#pragma GCC unroll 16
        for (unsigned i = 0; i < r; ++i)
            x[i] = load(padded + i * F::size);
        for (const std::uint32_t* const signs : a.signs) {
#pragma GCC unroll 16
            for (unsigned i = 0; i < r; ++i) {
                const std::uint32_t at = begin + i * F::size;
                x[i] = flip_sign(x[i], sign_bits(signs[at / 32] >> (at % 32)));
            }
            levels_within<1>(x);
            levels_across(x);
        }
#pragma GCC unroll 16
        for (unsigned i = 0; i < r; ++i)
            store(a.out + begin + i * F::size, (absolute(x[i] * inverse) - centre) * amplitude);
    }
}

} // namespace

// Blocks of 64 points are the rule, and `count` is a multiple of 64.
void cntk_first(const CntkFirstArgs& a)
{
    const std::uint32_t size = 1u << a.log2_size;
    if constexpr (F::size >= 4) {
        if (size == 64) {
            rounds_in_registers<64 / F::size>(a);
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
            store(a.out + begin + i, (absolute(load(a.y + i) * inverse) - centre) * amplitude);
    }
}

void cntk_filter(const CntkFilterArgs& a)
{
    // So many packs together that their sums stay in registers, and that the filter's numbers, used for pixel after
    // pixel, stay near.
    constexpr unsigned packs = F::size == 16 ? PK : F::size == 8 ? 4 : 2;
    const std::uint32_t far = a.wide / 2;
    for (std::uint32_t i = 0; i < a.numbers; i += packs * F::size) {
        for (std::uint32_t p = 0; p < a.count; ++p) {
            const std::uint32_t pixel = a.first + p;
            // Column c of the window is pixel + c - far.
            const std::uint32_t begin = pixel < far ? far - pixel : 0;
            const std::uint32_t end = a.width - pixel <= far ? far + a.width - pixel : a.wide;
            F sum[packs];
            for (F& s : sum)
                s = broadcast(0.0f);
            for (std::uint32_t r = 0; r < a.high; ++r) {
                if (a.rows[r] == nullptr)
                    continue;
                const float* x = a.rows[r] + (std::size_t{pixel} + begin - far) * a.stride + i;
                const float* f = a.filter + (std::size_t{r} * a.wide + begin) * a.numbers + i;
                for (std::uint32_t c = begin; c < end; ++c, x += a.stride, f += a.numbers)
                    for (unsigned k = 0; k < packs; ++k)
                        sum[k] = fma(load(f + k * F::size), load(x + k * F::size), sum[k]);
            }
            for (unsigned k = 0; k < packs; ++k)
                store(a.out + std::size_t{p} * a.numbers + i + k * F::size, sum[k]);
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
        const Product made = product_of(a, i, kappa, chi);
        const F tau_so_far = i < a.tau_begun ? load(a.tau_out + i) : zero,
                omega_so_far = i < a.omega_begun ? load(a.omega_out + i) : zero;
        const F relu = fma(absolute(made.z) - centre, relu_scale, tau_so_far);
        const F tau = fma(signed_pack(a.tau, a.relu, i), pass, relu);
        store(a.tau_out + i, tau);
        F omega = fma(made.value, product_scale, omega_so_far);
        omega = fma(load(a.omega + i), straight, omega);
        omega = fma(signed_pack(a.omega, a.turned, i), across, omega);
        omega = fma(signed_pack(a.tau, a.scaled, i), tau_scale, omega);
        store(a.omega_out + i, omega + flip_sign(tau, sign_bits(a.both[i / 32] >> (i % 32))));
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
