// Fastfood (Le, Sarlos, Smola): a block of D rows S H G P H B / sqrt(D), where B are signs, P a permutation, G normals
// and S brings the rows, whose common length is |G| sqrt(D), to chi lengths of their own. SPEC.md, section 6.7.
#include "samara/project.hpp"
#include "transform/walsh_hadamard.hpp"

#include "project/kernels.hpp"
#include "simd/vectors.hpp"
#include "stream/kernels.hpp"

namespace samara::SAMARA_ARCH {

void fastfood_rows(const RowBlock& b)
{
    const unsigned log2_size = block_log2(b.inputs);
    const std::size_t size = std::size_t{1} << log2_size;
    float* y = b.work;
    float* shuffled = y + size;
    float* weights = shuffled + size;
    auto* signs = reinterpret_cast<std::uint32_t*>(weights + size);

    Xoshiro words(stream_key(b.seed, Domain::fastfood_signs, b.index));
    for (std::size_t i = 0; i < size / 32; ++i)
        signs[i] = words.word();
    fill_normals(stream_key(b.seed, Domain::fastfood_weights, b.index), weights, size);
    const Bijection shuffle(stream_key(b.seed, Domain::fastfood_shuffle, b.index), static_cast<std::uint32_t>(size));
    // Row i is S_i H G P H B / sqrt(D) with S_i = chi_i / |G|; chi_over_root() makes chi_i / sqrt(D).
    const float length = sqrt_scalar(sum_of_squares(weights, size, 1.0f));
    const float d = static_cast<float>(size), c = 2.0f / (9.0f * d), s = sqrt_scalar(c), factor = b.scale / length;

    for (std::size_t k = 0; k < b.samples; ++k) {
        const float* x = b.x + k * b.x_stride;
        for (std::size_t i = 0; i < size; ++i)
            y[i] = i < b.inputs ? x[i] : 0.0f;
        transform(y, log2_size, signs);
        for (std::size_t i = 0; i < size; ++i)
            shuffled[i] = y[shuffle(static_cast<std::uint32_t>(i))] * weights[i];
        transform(shuffled, log2_size, nullptr);
        Wide wide(stream_key(b.seed, Domain::fastfood_norms, b.index));
        for (std::size_t i = 0; i < size; i += 32) {
            for (unsigned p = 0; p < Wide::packs; ++p) {
                const NormalPair z = normals(next_words(wide.part[p]));
                float* low = shuffled + i + p * F::size;
                store(low, load(low) * (chi_over_root(z.first, c, s) * broadcast(factor)));
                store(low + 16, load(low + 16) * (chi_over_root(z.second, c, s) * broadcast(factor)));
            }
        }
        float* out = b.out + k * b.out_stride;
        for (std::size_t i = 0; i < b.rows; ++i)
            out[i] = shuffled[i];
    }
}

} // namespace samara::SAMARA_ARCH
