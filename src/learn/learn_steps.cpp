// Steps over a row of weights: each element by itself, so any pack width gives the same bits.
#include "learn/kernels.hpp"
#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

namespace {

// Calls body(v) for each pack, v the packs of all arrays, which it changes. The last numbers go through a padded copy.
template <unsigned arrays, class Body>
SAMARA_INLINE void update_each(std::size_t n, float* const (&p)[arrays], Body body)
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

// AdaGrad: g = error z + ridge w; squares += g^2; w -= rate g / (sqrt(squares) + 2^-20)
void adagrad_step(const AdagradStep& s)
{
    std::size_t i = 0;
    const auto update = [&](F z, F& w, F& squares) {
        const F g = fma(broadcast(s.ridge), w, broadcast(s.error) * z);
        squares = fma(g, g, squares);
        w = w - broadcast(s.rate) * g / (sqrt(squares) + broadcast(0x1p-20f));
    };
    float* const arrays[2] = {s.weights, s.squares};
    update_each(s.n, arrays, [&](F(&v)[2]) {
        float z[F::size] = {};
        for (std::size_t k = 0; k < F::size && i + k < s.n; ++k)
            z[k] = s.z[i + k];
        update(load(z), v[0], v[1]);
        i += F::size;
    });
}

// A column of U in Bierman's update: u and the gain of the rows above change together, each by the other's old value.
void rls_column(float lambda, float v, std::size_t n, float* u, float* gain)
{
    float* const arrays[2] = {u, gain};
    update_each(n, arrays, [&](F(&a)[2]) {
        const F old = a[0];
        a[0] = fma(broadcast(lambda), a[1], old);
        a[1] = fma(old, broadcast(v), a[1]);
    });
}

} // namespace samara::SAMARA_ARCH
