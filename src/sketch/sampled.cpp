// The parts of the sketches by Hadamard transforms that take time: signs and transform, the choice of rows, products.
#include <bit>

#include "sketch/kernels.hpp"
#include "sketch/words.hpp"
#include "transform/kernels.hpp"
#include "transform/walsh_hadamard.hpp"

namespace samara::SAMARA_ARCH {

// y = H S x, x padded with zeros to 2^log2_size. Sign i is bit i mod 64 of SplitMix64's output i / 64 after the key.
void signed_hadamard(StreamKey key, const float* x, std::size_t n, float* y, unsigned log2_size, std::uint32_t* signs)
{
    const std::size_t size = std::size_t{1} << log2_size;
    for (std::size_t i = 0; i < (size + 63) / 64; ++i) {
        const std::uint64_t output = splitmix_output(key, static_cast<std::uint32_t>(i));
        signs[2 * i] = static_cast<std::uint32_t>(output);
        signs[2 * i + 1] = static_cast<std::uint32_t>(output >> 32);
    }
    const std::size_t at_once = size >= F::size ? first_packs(size / F::size) * F::size : size + 1;
    const std::size_t whole = n - n % at_once;
    for (std::size_t i = whole; i < n; ++i)
        y[i] = x[i];
    for (std::size_t i = n; i < size; ++i)
        y[i] = 0.0f;
    if (size >= F::size) {
        transform_from(x, whole, y, log2_size, signs);
        return;
    }
    for (std::size_t i = 0; i < size; ++i)
        y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(y[i]) ^ ((signs[0] >> i) << 31));
    hadamard(y, log2_size);
}

// rows[t] = the bijection's image of (first + t) ^ flip modulo its size, which is a power of two; first is a multiple
// of 16. The affine half is linear over bits: the lanes of a pack differ in low bits, whose images are computed once.
void sampled_rows(const Bijection& bijection, std::uint32_t first, std::uint32_t flip, std::size_t n,
                  std::uint32_t* rows)
{
    constexpr unsigned lanes_log2 = static_cast<unsigned>(std::countr_zero(F::size));
    std::size_t t = 0;
    std::uint32_t lane_images[F::size] = {}, flips[33] = {};
    for (unsigned j = 0; j < lanes_log2; ++j)
        for (unsigned l = 0; l < (1u << j); ++l)
            lane_images[l | (1u << j)] = lane_images[l] ^ bijection.column(j);
    // flips[j]: how the image changes when bits lanes_log2 ... lanes_log2 + j of the argument change, as they do from
    // one pack to the next
    std::uint32_t all = 0;
    for (unsigned j = 0; j < 33; ++j) {
        if (lanes_log2 + j < bijection.bits())
            all ^= bijection.column(lanes_log2 + j);
        flips[j] = all;
    }

    // The rounds multiply and add modulo the bijection's size 2^bits. Values are held in the upper bits of 32-bit
    // words, whose own overflow is then that modulus.
    const unsigned up = 32 - bijection.bits(), shift = (bijection.bits() + 1) / 2;
    if (bijection.bits() != 0) {
        for (std::uint32_t& image : lane_images)
            image <<= up;
        for (std::uint32_t& change : flips)
            change <<= up;
        const U lanes = load(lane_images), mask = broadcast(0xffffffffu << up);
        U factors[Bijection::rounds], offsets[Bijection::rounds];
        for (unsigned r = 0; r < Bijection::rounds; ++r) {
            factors[r] = broadcast(bijection.factor(r));
            offsets[r] = broadcast(bijection.offset(r) << up);
        }
        std::uint32_t image = bijection.affine(first ^ flip) << up, pack = first / F::size;
        for (; t + F::size <= n; t += F::size) {
            U v = broadcast(image) ^ lanes;
            for (unsigned r = 0; r < Bijection::rounds; ++r) {
                v = multiply_low(v, factors[r]) + offsets[r];
                v = flip_masked(v, shift_right_by(v, shift), mask);
            }
            store(rows + t, shift_right_by(v, up));
            ++pack;
            image ^= flips[std::countr_zero(pack)];
        }
    }
    for (; t < n; ++t)
        rows[t] = bijection.scrambled(bijection.affine((first + static_cast<std::uint32_t>(t)) ^ flip));
}

void gather(const float* values, const std::uint32_t* rows, std::size_t n, float scale, float* out)
{
    const F factor = broadcast(scale);
    std::size_t k = 0;
    for (; k + F::size <= n; k += F::size)
        store(out + k, elements(values, rows + k) * factor);
    for (; k < n; ++k)
        out[k] = values[rows[k]] * scale;
}

// left[k] right[rows[k]] scale, the products first. left may be out.
void gather_products(const float* left, const float* right, const std::uint32_t* rows, std::size_t n, float scale,
                     float* out)
{
    const F factor = broadcast(scale);
    std::size_t k = 0;
    for (; k + F::size <= n; k += F::size)
        store(out + k, load(left + k) * elements(right, rows + k) * factor);
    for (; k < n; ++k)
        out[k] = left[k] * right[rows[k]] * scale;
}

// left[k] right[k ^ flip] scale, the products first. n may be less than the power of two that flip is below.
void flipped_products(const float* left, const float* right, std::uint32_t flip, std::size_t n, float scale, float* out)
{
    const F factor = broadcast(scale);
    const std::size_t within = flip & (F::size - 1), across = flip - within;
    std::size_t k = 0;
    for (; k + F::size <= n; k += F::size) {
        const F v = flipped_lanes(load(right + (k ^ across)), static_cast<std::uint32_t>(within));
        store(out + k, load(left + k) * v * factor);
    }
    for (; k < n; ++k)
        out[k] = left[k] * right[k ^ flip] * scale;
}

// left[k] right[groups[k / 16] ^ k % 16] scale, the products first.
void grouped_products(const float* left, const float* right, const std::uint32_t* groups, std::size_t n, float scale,
                      float* out)
{
    const F factor = broadcast(scale);
    std::size_t k = 0;
    for (; k + 16 <= n; k += 16) {
        const std::uint32_t within = groups[k / 16] & (F::size - 1), across = groups[k / 16] - within;
        for (std::uint32_t l = 0; l < 16; l += F::size) {
            const F v = flipped_lanes(load(right + (across ^ l)), within);
            store(out + k + l, load(left + k + l) * v * factor);
        }
    }
    for (; k < n; ++k)
        out[k] = left[k] * right[groups[k / 16] ^ (k % 16)] * scale;
}

} // namespace samara::SAMARA_ARCH
