#include "stream/kernels.hpp"
#include "stream/lanes.hpp"

namespace samara::SAMARA_ARCH {

namespace {

// Each step takes sixteen words of the wide stream and makes 16 * per_word values of them: emit(words, out) writes
// those of one pack.
template <unsigned per_word, class T, class Emit>
SAMARA_INLINE void fill_wide(StreamKey key, T* out, std::size_t n, Emit emit)
{
    constexpr std::size_t step = 16 * per_word;
    Wide wide(key);
    std::size_t i = 0;
    for (; i + step <= n; i += step)
        for (unsigned p = 0; p < Wide::packs; ++p)
            emit(next_words(wide.part[p]), out + i + p * F::size);
    if (i < n) {
        T last[step];
        for (unsigned p = 0; p < Wide::packs; ++p)
            emit(next_words(wide.part[p]), last + p * F::size);
        for (std::size_t k = 0; i < n; ++i, ++k)
            out[i] = last[k];
    }
}

} // namespace

void fill_words(StreamKey key, std::uint32_t* out, std::size_t n)
{
    fill_wide<1>(key, out, n, [](U w, std::uint32_t* o) { store(o, w); });
}

void fill_uniforms(StreamKey key, float* out, std::size_t n)
{
    fill_wide<1>(key, out, n, [](U w, float* o) { store(o, uniform(w)); });
}

void fill_normals(StreamKey key, float* out, std::size_t n)
{
    fill_wide<2>(key, out, n, [](U w, float* o) {
        const NormalPair z = normals(w);
        store(o, z.first);
        store(o + 16, z.second);
    });
}

void fill_cauchy(StreamKey key, float* out, std::size_t n)
{
    fill_wide<1>(key, out, n, [](U w, float* o) { store(o, cauchy(w)); });
}

void fill_laplace(StreamKey key, float* out, std::size_t n)
{
    fill_wide<1>(key, out, n, [](U w, float* o) { store(o, laplace(w)); });
}

void fill_chi(StreamKey key, std::uint32_t freedom, float* out, std::size_t n)
{
    const float k = static_cast<float>(freedom), c = 2.0f / (9.0f * k), s = sqrt_scalar(c), root = sqrt_scalar(k);
    fill_wide<2>(key, out, n, [=](U w, float* o) {
        const NormalPair z = normals(w);
        store(o, broadcast(root) * chi_over_root(z.first, c, s));
        store(o + 16, broadcast(root) * chi_over_root(z.second, c, s));
    });
}

} // namespace samara::SAMARA_ARCH
