// The parts of the sketches by Hadamard transforms that take time: signs and transform, the choice of rows, products.
#include <bit>

#include "kernels.hpp"
#include "sketch/words.hpp"
#include "transform/hadamard.hpp"

namespace samara::SAMARA_ARCH {

// y = H S x, x padded with zeros to 2^log2_size. Sign i is bit i mod 64 of SplitMix64's output i / 64 after the key.
void signed_hadamard(StreamKey key, const float* x, std::size_t n, float* y, unsigned log2_size, std::uint32_t* signs)
{
    const std::size_t size = std::size_t{1} << log2_size, words = (size + 31) / 32;
    for (std::size_t i = 0; i < words; i += 2) {
        const std::uint64_t output = splitmix_output(key, static_cast<std::uint32_t>(i / 2));
        signs[i] = static_cast<std::uint32_t>(output);
        if (i + 1 < words)
            signs[i + 1] = static_cast<std::uint32_t>(output >> 32);
    }
    std::size_t i = 0;
    for (; i + F::size <= n; i += F::size)
        store(y + i, load(x + i));
    for (; i < n; ++i)
        y[i] = x[i];
    for (; i < size; ++i)
        y[i] = 0.0f;
    if (size >= F::size) {
        transform(y, log2_size, signs);
        return;
    }
    for (i = 0; i < size; ++i)
        y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(y[i]) ^ ((signs[0] >> i) << 31));
    hadamard(y, log2_size);
}

// rows[t] = the bijection's image of (first + t) ^ flip modulo its size, which is a power of two; first is a multiple
// of
// 16. Places next to each other differ in low bits, for which the affine half has its images at hand.
void sampled_rows(const Bijection& bijection, std::uint32_t first, std::uint32_t flip, std::size_t n,
                  std::uint32_t* rows)
{
    constexpr unsigned lanes_log2 = static_cast<unsigned>(std::countr_zero(F::size));
    std::uint32_t lane_images[F::size] = {}, flips[33] = {};
    for (unsigned l = 0; l < F::size; ++l)
        for (unsigned j = 0; j < lanes_log2; ++j)
            lane_images[l] ^= ((l >> j) & 1u) != 0 ? bijection.column(j) : 0u;
    // flips[j]: what changes in the image when bits lanes_log2 ... lanes_log2 + j of the place change
    std::uint32_t all = 0;
    for (unsigned j = 0; j < 33; ++j) {
        if (lanes_log2 + j < bijection.bits())
            all ^= bijection.column(lanes_log2 + j);
        flips[j] = all;
    }

    const U lanes = load(lane_images);
    const U mask = broadcast(bijection.size() - 1u);
    const unsigned shift = (bijection.bits() + 1) / 2;
    U factors[Bijection::rounds], offsets[Bijection::rounds];
    for (unsigned r = 0; r < Bijection::rounds; ++r) {
        factors[r] = broadcast(bijection.factor(r));
        offsets[r] = broadcast(bijection.offset(r));
    }
    std::uint32_t image = bijection.affine(first ^ flip), pack = first / F::size;
    std::size_t t = 0;
    for (; t + F::size <= n; t += F::size) {
        U v = broadcast(image) ^ lanes;
        for (unsigned r = 0; r < Bijection::rounds; ++r) {
            v = (multiply_low(v, factors[r]) + offsets[r]) & mask;
            v = v ^ shift_right_by(v, shift);
        }
        store(rows + t, v);
        ++pack;
        image ^= flips[std::countr_zero(pack)];
    }
    for (; t < n; ++t)
        rows[t] = bijection.scrambled(bijection.affine((first + static_cast<std::uint32_t>(t)) ^ flip));
}

void gather(const float* values, const std::uint32_t* rows, std::size_t n, float scale, float* out)
{
    for (std::size_t k = 0; k < n; ++k)
        out[k] = values[rows[k]] * scale;
}

// left[k] right[rows[k]] scale, the products first. left may be out.
void gather_products(const float* left, const float* right, const std::uint32_t* rows, std::size_t n, float scale,
                     float* out)
{
    const F factor = broadcast(scale);
    std::size_t k = 0;
    if constexpr (F::size > 1) {
        for (; k + F::size <= n; k += F::size) {
            float lanes[F::size];
            for (unsigned l = 0; l < F::size; ++l)
                lanes[l] = right[rows[k + l]];
            store(out + k, load(left + k) * load(lanes) * factor);
        }
    }
    for (; k < n; ++k)
        out[k] = left[k] * right[rows[k]] * scale;
}

} // namespace samara::SAMARA_ARCH
