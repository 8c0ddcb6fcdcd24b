// A block of D rows: diag(r) H S3 H S2 H S1 / D^(3/2), with random signs S and r distributed as chi with D degrees of
// freedom, truncated to the inputs. SPEC.md, section 6.6.
#include "samara/project.hpp"
#include "transform/walsh_hadamard.hpp"

#include "project/kernels.hpp"

namespace samara::SAMARA_ARCH {

namespace {

SAMARA_INLINE void draw_signs(const RowBlock& b, std::uint32_t index, std::size_t size, std::uint32_t* signs)
{
    Xoshiro words(stream_key(b.seed, Domain::hadamard_signs, index));
    for (std::size_t i = 0; i < 3 * size / 32; ++i)
        signs[i] = words.word();
}

// Two normals from each word. Not inlined where size matters: a device needs one copy of this code.
#if SAMARA_ARCH_ID == 1
[[gnu::noinline]] NormalPair normals_of(U words) { return normals(words); }
#else
SAMARA_INLINE NormalPair normals_of(U words) { return normals(words); }
#endif

// The factor of each row: writes it to `to`, or multiplies `to` with it. A device needs one copy of this code.
#if SAMARA_ARCH_ID == 1
[[gnu::noinline]]
#endif
void draw_scales(const RowBlock& b, std::uint32_t index, std::size_t size, float* to, bool multiply)
{
    // chi / D^(3/2) = (chi / sqrt(D)) / D; the latter division is exact
    const float d = static_cast<float>(size), c = 2.0f / (9.0f * d), s = sqrt_scalar(c), factor = b.scale / d;
    each_part(stream_key(b.seed, Domain::hadamard_norms, index), [&](unsigned p, Lanes& lanes) {
        for (std::size_t i = p * F::size; i < size; i += 32) {
            const NormalPair z = normals_of(next_words(lanes));
            F first = chi_over_root(z.first, c, s) * broadcast(factor);
            F second = chi_over_root(z.second, c, s) * broadcast(factor);
            if (multiply) {
                first = load(to + i) * first;
                second = load(to + i + 16) * second;
            }
            store(to + i, first);
            store(to + i + 16, second);
        }
    });
}

SAMARA_INLINE void copy_padded(const float* x, float factor, std::size_t inputs, float* y, std::size_t size)
{
    std::size_t i = 0;
    for (; i + F::size <= inputs; i += F::size)
        store(y + i, load(x + i) * broadcast(factor));
    for (; i < inputs; ++i)
        y[i] = x[i] * factor;
    for (; i < size; ++i)
        y[i] = 0.0f;
}

// One of the three rounds (signs, then H), on r packs in registers.
template <unsigned r>
SAMARA_INLINE void round_in_registers(F (&x)[r], const std::uint32_t* signs)
{
#pragma GCC unroll 16
    for (unsigned i = 0; i < r; ++i)
        x[i] = flip_sign(x[i], sign_bits(signs[i * F::size / 32] >> (i * F::size % 32)));
    levels_within<1>(x);
    levels_across(x);
}

template <unsigned r>
SAMARA_INLINE void rounds_in_registers(float* y, const std::uint32_t* signs)
{
    F x[r];
#pragma GCC unroll 16
    for (unsigned i = 0; i < r; ++i)
        x[i] = load(y + i * F::size);
#pragma GCC unroll 3
    for (unsigned round = 0; round < 3; ++round)
        round_in_registers(x, signs + round * r * F::size / 32);
#pragma GCC unroll 16
    for (unsigned i = 0; i < r; ++i)
        store(y + i * F::size, x[i]);
}

SAMARA_INLINE void three_rounds(float* y, unsigned log2_size, const std::uint32_t* signs)
{
    if (log2_size < 6)
        __builtin_unreachable(); // blocks of fewer than 64 do not exist: no code for them
    const std::size_t size = std::size_t{1} << log2_size;
    constexpr unsigned most = F::size >= 8 ? radix : 0;
    if (most >= 4 && size == 4 * F::size)
        rounds_in_registers<4>(y, signs);
    else if (most >= 8 && size == 8 * F::size)
        rounds_in_registers<8>(y, signs);
    else
        for (unsigned round = 0; round < 3; ++round)
            transform(y, log2_size, signs + round * size / 32);
}

// The word that the norm of one row alone is made of. Word j of lane l of the wide stream gives two normals, the first
// for row 32 j + l of the block, the second for row 32 j + 16 + l. Each lane is a generator of its own, so only that of
// the row is stepped.
SAMARA_INLINE std::uint32_t norm_word(StreamKey key, std::uint32_t row)
{
    const std::uint32_t lane = row % 16, half = lane % 2 == 0 ? 0 : 32;
    std::uint32_t state[4];
    for (std::uint32_t i = 0; i < 4; ++i)
        state[i] = static_cast<std::uint32_t>(splitmix_output(key, 8 * i + lane / 2) >> half);
    Xoshiro words(state[0], state[1], state[2], state[3]);
    for (std::uint32_t j = row / 32; j > 0; --j)
        static_cast<void>(words.word());
    return words.word();
}

// y = the three rounds of a sample. `draw`: draws the signs first. A device needs one copy of this code.
#if SAMARA_ARCH_ID == 1
[[gnu::noinline]]
#endif
void transform_sample(const RowBlock& b, std::uint32_t index, const float* x, unsigned log2_size, float* y,
                      std::uint32_t* signs, bool draw)
{
    const std::size_t size = std::size_t{1} << log2_size;
    if (draw)
        draw_signs(b, index, size, signs);
    copy_padded(x, b.factor, b.inputs, y, size);
    three_rounds(y, log2_size, signs);
}

// Small blocks of one sample, four at a time: the steps of one block of 64 depend on each other and leave the processor
// idle most of the time.
#if SAMARA_ARCH_ID == 4
inline constexpr unsigned together = 4;

SAMARA_INLINE void small_blocks(const RowBlock& b, std::uint32_t index, float* y, float* out)
{
    constexpr unsigned r = 4, size = r * F::size;
    float scales[together][size];
    std::uint32_t signs[together][3 * size / 32];
    for (unsigned k = 0; k < together; ++k) {
        draw_signs(b, index + k, size, signs[k]);
        draw_scales(b, index + k, size, scales[k], false);
    }
    copy_padded(b.x, b.factor, b.inputs, y, size);
    F x[together][r];
#pragma GCC unroll 4
    for (unsigned k = 0; k < together; ++k)
#pragma GCC unroll 4
        for (unsigned i = 0; i < r; ++i)
            x[k][i] = load(y + i * F::size);
#pragma GCC unroll 3
    for (unsigned round = 0; round < 3; ++round)
#pragma GCC unroll 4
        for (unsigned k = 0; k < together; ++k)
            round_in_registers(x[k], signs[k] + round * size / 32);
#pragma GCC unroll 4
    for (unsigned k = 0; k < together; ++k)
#pragma GCC unroll 4
        for (unsigned i = 0; i < r; ++i)
            store(out + k * b.out_block + i * F::size, x[k][i] * load(scales[k] + i * F::size));
}
#endif

} // namespace

// One sample needs no array of scales: each is used as soon as it is drawn.
void hadamard_rows(const RowBlock& b)
{
    const unsigned log2_size = block_log2(b.inputs);
    const std::size_t size = std::size_t{1} << log2_size;
    float* y = b.work;
    auto* signs = reinterpret_cast<std::uint32_t*>(y + size);
    float* scales = y + size + 3 * size / 32; // of a batch
    std::uint32_t index = b.index, left = b.blocks;
    float* out = b.out;

#if SAMARA_ARCH_ID == 4
    for (; size == 4 * F::size && b.samples == 1 && left >= together; left -= together) {
        small_blocks(b, index, y, out);
        index += together;
        out += together * b.out_block;
    }
#endif
    for (; left > 0; --left, ++index, out += b.out_block) {
        const bool batch = b.samples > 1;
        if (batch)
            draw_scales(b, index, size, scales, false);
        for (std::size_t k = 0; k < b.samples; ++k) {
            transform_sample(b, index, b.x + k * b.x_stride, log2_size, y, signs, k == 0);
            float* sample_out = out + k * b.out_stride;
            if (!batch) {
                draw_scales(b, index, size, y, true);
                for (std::size_t i = 0; i < b.rows; ++i)
                    sample_out[i] = y[i];
                continue;
            }
            std::size_t i = 0;
            for (; i + F::size <= b.rows; i += F::size)
                store(sample_out + i, load(y + i) * load(scales + i));
            for (; i < b.rows; ++i)
                sample_out[i] = y[i] * scales[i];
        }
    }
}

// Makes the rows b.kept of a block. A few norms are drawn one by one; many are cheaper if the whole block's are drawn.
void hadamard_kept_rows(const RowBlock& b)
{
    const unsigned log2_size = block_log2(b.inputs);
    const std::size_t size = std::size_t{1} << log2_size;
    float* y = b.work;
    auto* signs = reinterpret_cast<std::uint32_t*>(y + size);
    transform_sample(b, b.index, b.x, log2_size, y, signs, true);
    if (std::size_t{4} * b.rows > size) {
        draw_scales(b, b.index, size, y, true);
        for (std::uint32_t i = 0; i < b.rows; ++i)
            b.out[i] = y[row_number(b, i) - b.first_row];
        return;
    }
    const float d = static_cast<float>(size), c = 2.0f / (9.0f * d), s = sqrt_scalar(c), factor = b.scale / d;
    const StreamKey key = stream_key(b.seed, Domain::hadamard_norms, b.index);
    for (std::uint32_t i = 0; i < b.rows; i += F::size) {
        std::uint32_t words[F::size] = {}, second[F::size] = {};
        float products[F::size] = {};
        const std::uint32_t count = b.rows - i < F::size ? b.rows - i : F::size;
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t row = row_number(b, i + k) - b.first_row;
            words[k] = norm_word(key, row);
            second[k] = row % 32 < 16 ? 0u : ~0u;
            products[k] = y[row];
        }
        const NormalPair z = normals_of(load(words));
        const F norm =
            chi_over_root(select_by_words(load(second) == broadcast(0u), z.first, z.second), c, s) * broadcast(factor);
        store(products, load(products) * norm);
        for (std::uint32_t k = 0; k < count; ++k)
            b.out[i + k] = products[k];
    }
}

} // namespace samara::SAMARA_ARCH
