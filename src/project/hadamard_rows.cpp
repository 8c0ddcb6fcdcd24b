// A block of D rows: diag(r) H S3 H S2 H S1 / D^(3/2), with random signs S and r distributed as chi with D degrees of
// freedom, truncated to the inputs. SPEC.md section 4.
#include "project/sizes.hpp"
#include "transform/hadamard.hpp"

#include "kernels.hpp"

namespace samara::SAMARA_ARCH {

namespace {

// The three rounds in memory.
SAMARA_INLINE void rounds(float* y, unsigned log2_size, const std::uint32_t* signs)
{
    for (unsigned round = 0; round < 3; ++round)
        transform(y, log2_size, signs + (round << log2_size) / 32);
}

// The same in registers, for blocks that fit: r packs.
template <unsigned r>
SAMARA_INLINE void rounds_in_registers(float* y, const std::uint32_t* signs)
{
    F x[r];
#pragma GCC unroll 16
    for (unsigned i = 0; i < r; ++i)
        x[i] = load(y + i * F::size);
#pragma GCC unroll 3
    for (unsigned round = 0; round < 3; ++round) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < r; ++i) {
            const unsigned at = (round * r + i) * F::size;
            x[i] = flip_sign(x[i], sign_bits(signs[at / 32] >> (at % 32)));
        }
        levels_within<1>(x);
        levels_across(x);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < r; ++i)
        store(y + i * F::size, x[i]);
}

} // namespace

void hadamard_rows(const RowBlock& b)
{
    const unsigned log2_size = block_log2(b.inputs);
    const std::size_t size = std::size_t{1} << log2_size, sign_words = size / 32;
    float* y = b.work;
    float* scales = y + size;
    auto* signs = reinterpret_cast<std::uint32_t*>(scales + size);

    Xoshiro words(stream_key(b.seed, Domain::hadamard_signs, b.index));
    for (std::size_t i = 0; i < 3 * sign_words; ++i)
        signs[i] = words.word();

    // chi / D^(3/2) = (chi / sqrt(D)) / D; the latter division is exact
    const float d = static_cast<float>(size), c = 2.0f / (9.0f * d), s = sqrt_scalar(c), factor = b.scale / d;
    Wide wide(stream_key(b.seed, Domain::hadamard_norms, b.index));
    for (std::size_t i = 0; i < size; i += 32) {
        for (unsigned p = 0; p < Wide::packs; ++p) {
            const NormalPair z = normals(next_words(wide.part[p]));
            store(scales + i + p * F::size, chi_over_root(z.first, c, s) * broadcast(factor));
            store(scales + i + 16 + p * F::size, chi_over_root(z.second, c, s) * broadcast(factor));
        }
    }

    for (std::size_t k = 0; k < b.samples; ++k) {
        const float* x = b.x + k * b.x_stride;
        std::size_t i = 0;
        for (; i + F::size <= b.inputs; i += F::size)
            store(y + i, load(x + i));
        for (; i < b.inputs; ++i)
            y[i] = x[i];
        for (; i < size; ++i)
            y[i] = 0.0f;
        constexpr unsigned most = F::size >= 8 ? radix : 0;
        if (most >= 4 && size == 4 * F::size)
            rounds_in_registers<4>(y, signs);
        else if (most >= 8 && size == 8 * F::size)
            rounds_in_registers<8>(y, signs);
        else
            rounds(y, log2_size, signs);
        float* out = b.out + k * b.out_stride;
        for (i = 0; i + F::size <= b.rows; i += F::size)
            store(out + i, load(y + i) * load(scales + i));
        for (; i < b.rows; ++i)
            out[i] = y[i] * scales[i];
    }
}

} // namespace samara::SAMARA_ARCH
