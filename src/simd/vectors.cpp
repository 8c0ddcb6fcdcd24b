// Loops over whole vectors.
#include "simd/vectors.hpp"
#include "simd/fold.hpp"

namespace samara::SAMARA_ARCH {

// The bits of the largest |x_i|. Magnitudes order like their bits, so a NaN gives bits above 0x7f800000.
std::uint32_t largest_magnitude_bits(const float* x, std::size_t n)
{
    const U magnitude = broadcast(0x7fffffffu);
    U top = broadcast(0u);
    std::size_t i = 0;
    for (; i + F::size <= n; i += F::size) {
        const U u = bits(load(x + i)) & magnitude;
        top = select(greater_signed(u, top), u, top);
    }
    std::uint32_t lanes[F::size], largest = 0;
    store(lanes, top);
    for (std::uint32_t lane : lanes)
        largest = lane > largest ? lane : largest;
    for (; i < n; ++i) {
        const std::uint32_t u = std::bit_cast<std::uint32_t>(x[i]) & 0x7fffffffu;
        largest = u > largest ? u : largest;
    }
    return largest;
}

// Sum of (factor x_i)^2: sixteen strided chains of fma, which fold() adds up.
float sum_of_squares(const float* x, std::size_t n, float factor)
{
    const F f = broadcast(factor);
    F sum[sum_packs];
    for (F& s : sum)
        s = broadcast(0.0f);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        for (unsigned p = 0; p < sum_packs; ++p) {
            const F v = load(x + i + p * F::size) * f;
            sum[p] = fma(v, v, sum[p]);
        }
    }
    if (i < n) {
        float last[16] = {};
        for (std::size_t k = 0; i < n; ++i, ++k)
            last[k] = x[i];
        for (unsigned p = 0; p < sum_packs; ++p) {
            const F v = load(last + p * F::size) * f;
            sum[p] = fma(v, v, sum[p]);
        }
    }
    return fold(sum);
}

void scaled_copy(const float* x, std::size_t n, float factor, float* out)
{
    std::size_t i = 0;
    for (; i + F::size <= n; i += F::size)
        store(out + i, load(x + i) * broadcast(factor));
    for (; i < n; ++i)
        out[i] = x[i] * factor;
}

// y += a x
void add_multiple(float a, const float* x, std::size_t n, float* y)
{
    const F factor = broadcast(a);
    std::size_t i = 0;
    for (; i + F::size <= n; i += F::size)
        store(y + i, fma(factor, load(x + i), load(y + i)));
    for (; i < n; ++i)
        y[i] = fma_scalar(a, x[i], y[i]);
}

// y = a y + b x
void mix(float a, float b, const float* x, std::size_t n, float* y)
{
    std::size_t i = 0;
    for (; i + F::size <= n; i += F::size)
        store(y + i, fma(broadcast(b), load(x + i), broadcast(a) * load(y + i)));
    for (; i < n; ++i)
        y[i] = fma_scalar(b, x[i], a * y[i]);
}

float dot(const float* a, const float* b, std::size_t n)
{
    F sum[sum_packs];
    for (F& s : sum)
        s = broadcast(0.0f);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (unsigned p = 0; p < sum_packs; ++p)
            sum[p] = fma(load(a + i + p * F::size), load(b + i + p * F::size), sum[p]);
    if (i < n) {
        float last_a[16] = {}, last_b[16] = {};
        for (std::size_t k = 0; i < n; ++i, ++k) {
            last_a[k] = a[i];
            last_b[k] = b[i];
        }
        for (unsigned p = 0; p < sum_packs; ++p)
            sum[p] = fma(load(last_a + p * F::size), load(last_b + p * F::size), sum[p]);
    }
    return fold(sum);
}

} // namespace samara::SAMARA_ARCH
