// The learners' loops over a vector: each element by itself, so any pack width gives the same bits.
#include "kernels.hpp"
#include "simd/fold.hpp"

namespace samara::SAMARA_ARCH {

namespace {

// body(load, store) once for each pack; what is left over goes through a padded copy of the same pack operation.
template <unsigned arrays, class Body>
SAMARA_INLINE void each(std::size_t n, float* const (&p)[arrays], Body body)
{
    std::size_t i = 0;
    F v[arrays];
    for (; i + F::size <= n; i += F::size) {
        for (unsigned a = 0; a < arrays; ++a)
            v[a] = load(p[a] + i);
        body(v);
        for (unsigned a = 0; a < arrays; ++a)
            store(p[a] + i, v[a]);
    }
    if (i == n)
        return;
    float part[arrays][F::size] = {};
    for (unsigned a = 0; a < arrays; ++a) {
        for (std::size_t k = i; k < n; ++k)
            part[a][k - i] = p[a][k];
        v[a] = load(part[a]);
    }
    body(v);
    for (unsigned a = 0; a < arrays; ++a) {
        store(part[a], v[a]);
        for (std::size_t k = i; k < n; ++k)
            p[a][k] = part[a][k - i];
    }
}

} // namespace

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

// AdaGrad: g = error z + ridge w; squares += g^2; w -= rate g / (sqrt(squares) + 2^-20)
void adagrad_step(const AdagradStep& s)
{
    std::size_t i = 0;
    const auto one = [&](F z, F& w, F& squares) {
        const F g = fma(broadcast(s.ridge), w, broadcast(s.error) * z);
        squares = fma(g, g, squares);
        w = w - broadcast(s.rate) * g / (sqrt(squares) + broadcast(0x1p-20f));
    };
    float* const arrays[2] = {s.weights, s.squares};
    each(s.n, arrays, [&](F(&v)[2]) {
        float z[F::size] = {};
        for (std::size_t k = 0; k < F::size && i + k < s.n; ++k)
            z[k] = s.z[i + k];
        one(load(z), v[0], v[1]);
        i += F::size;
    });
}

// A column of U in Bierman's update: u and the gain of the rows above, from each other's old values.
void rls_column(float lambda, float v, std::size_t n, float* u, float* gain)
{
    float* const arrays[2] = {u, gain};
    each(n, arrays, [&](F(&a)[2]) {
        const F old = a[0];
        a[0] = fma(broadcast(lambda), a[1], old);
        a[1] = fma(old, broadcast(v), a[1]);
    });
}

} // namespace samara::SAMARA_ARCH
