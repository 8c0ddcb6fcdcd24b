// Whole weights times whole features. samara/readout/whole.hpp says what is computed, and why it fits.
#include "samara/readout/whole.hpp"

#include <bit>
#include <cstring>

#include "samara/memory.hpp"

#if defined(__ARM_FEATURE_SIMD32) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <arm_acle.h>
#define SAMARA_PAIRS_OF_NUMBERS 1
#else
#define SAMARA_PAIRS_OF_NUMBERS 0
#endif

namespace samara {

namespace detail {

namespace {

#if SAMARA_PAIRS_OF_NUMBERS

inline std::uint32_t word_at(const void* p) noexcept
{
    std::uint32_t word;
    std::memcpy(&word, __builtin_assume_aligned(p, 4), sizeof word);
    return word;
}

// Bytes 0 and 2 of a word, and bytes 1 and 3, as numbers of 16 bits. No intrinsic rotates in the same instruction.
inline std::int32_t even_bytes(std::uint32_t word) noexcept { return static_cast<std::int32_t>(__uxtb16(word)); }
inline std::int32_t odd_bytes(std::uint32_t word) noexcept
{
    std::int32_t two;
    __asm__("uxtb16 %0, %1, ror #8" : "=r"(two) : "r"(word));
    return two;
}

// The same of bytes with a sign.
inline std::int32_t even_signed(std::uint32_t word) noexcept { return static_cast<std::int32_t>(__sxtb16(word)); }
inline std::int32_t odd_signed(std::uint32_t word) noexcept
{
    std::int32_t two;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(two) : "r"(word));
    return two;
}

// Four features as two pairs, and their products with four bytes.
template <bool negative>
struct Four {
    explicit Four(std::uint32_t bytes) noexcept
        : even(negative ? even_signed(bytes) : even_bytes(bytes)), odd(negative ? odd_signed(bytes) : odd_bytes(bytes))
    {}
    std::int32_t times(std::uint32_t weights, std::int32_t sum) const noexcept
    {
        return __smlad(odd_bytes(weights), odd, __smlad(even_bytes(weights), even, sum));
    }
    std::int32_t even, odd;
};

#endif

// A feature of its byte.
template <bool negative>
[[maybe_unused]] inline std::int32_t feature(std::uint8_t byte) noexcept
{
    if constexpr (negative)
        return static_cast<std::int8_t>(byte);
    else
        return byte;
}

// Weights are stored as q plus a constant, so that they are bytes without a sign: what the constant adds to a sum is
// the same for all outputs. `count` is a multiple of 4.
template <bool negative>
std::int32_t sum_of(const std::uint8_t* z, std::uint32_t count) noexcept
{
    std::uint32_t sum = 0;
    for (const std::uint8_t* const end = z + count; z != end; z += 4) {
#if SAMARA_PAIRS_OF_NUMBERS
        sum = __usada8(negative ? word_at(z) ^ 0x80808080u : word_at(z), 0, sum);
#else
        sum += static_cast<std::uint32_t>(feature<negative>(z[0]) + feature<negative>(z[1]) + feature<negative>(z[2]) +
                                          feature<negative>(z[3]));
#endif
    }
    if (negative && SAMARA_PAIRS_OF_NUMBERS)
        sum -= 128 * count;
    return static_cast<std::int32_t>(sum);
}

template <bool negative>
void add8(const WholeReadout& r, std::uint32_t first, std::uint32_t count, const std::uint8_t* z,
          std::int32_t* sums) noexcept
{
    const std::int32_t added = 128 * sum_of<negative>(z, count);
    const std::byte* row = r.weights + first;
#if SAMARA_PAIRS_OF_NUMBERS
    // Two outputs at a time share their features.
    for (std::uint32_t o = 0; o < r.outputs; o += 2, row += 2 * r.stride) {
        const bool both = o + 1 < r.outputs;
        const std::byte *p = row, *q = both ? row + r.stride : row;
        std::int32_t s = sums[o] - added, t = both ? sums[o + 1] - added : 0;
        const std::uint8_t* f = z;
        const auto take = [&] {
            const Four<negative> four(word_at(f));
            s = four.times(word_at(p), s);
            t = four.times(word_at(q), t);
            f += 4;
            p += 4;
            q += 4;
        };
        for (std::uint32_t i = count / 4 % 4; i > 0; --i)
            take();
        while (f != z + count) {
            take();
            take();
            take();
            take();
        }
        sums[o] = s;
        if (both)
            sums[o + 1] = t;
    }
#else
    for (std::uint32_t o = 0; o < r.outputs; ++o, row += r.stride) {
        const auto* p = reinterpret_cast<const std::uint8_t*>(row);
        std::int32_t s = sums[o] - added;
        const std::uint8_t* f = z;
        const auto take = [&] {
            s += p[0] * feature<negative>(f[0]);
            s += p[1] * feature<negative>(f[1]);
            s += p[2] * feature<negative>(f[2]);
            s += p[3] * feature<negative>(f[3]);
            p += 4;
            f += 4;
        };
        if ((count & 4u) != 0)
            take();
        while (f != z + count) {
            take();
            take();
        }
        sums[o] = s;
    }
#endif
}

template <bool negative>
void add4(const WholeReadout& r, std::uint32_t first, std::uint32_t count, const std::uint8_t* z,
          std::int32_t* sums) noexcept
{
    const std::int32_t added = 8 * sum_of<negative>(z, count);
    const std::byte* row = r.weights + first / 2;
    for (std::uint32_t o = 0; o < r.outputs; ++o, row += r.stride) {
        std::int32_t s = sums[o] - added;
        const std::byte* p = row;
        for (const std::uint8_t *f = z, *end = z + count; f != end; f += 8, p += 4) {
#if SAMARA_PAIRS_OF_NUMBERS
            const std::uint32_t weights = word_at(p);
            s = Four<negative>(word_at(f)).times(weights & 0x0f0f0f0fu, s);
            s = Four<negative>(word_at(f + 4)).times(weights >> 4 & 0x0f0f0f0fu, s);
#else
            for (unsigned i = 0; i < 4; ++i) {
                const std::uint32_t two = read_u8(p + i);
                s += static_cast<std::int32_t>(two & 15u) * feature<negative>(f[i]) +
                     static_cast<std::int32_t>(two >> 4) * feature<negative>(f[i + 4]);
            }
#endif
        }
        sums[o] = s;
    }
}

} // namespace

void add_whole8(const WholeReadout& r, std::uint32_t first, std::uint32_t count, const std::uint8_t* z,
                std::int32_t* sums) noexcept
{
    add8<false>(r, first, count, z, sums);
}
void add_whole4(const WholeReadout& r, std::uint32_t first, std::uint32_t count, const std::uint8_t* z,
                std::int32_t* sums) noexcept
{
    add4<false>(r, first, count, z, sums);
}
void add_signed8(const WholeReadout& r, std::uint32_t first, std::uint32_t count, const std::uint8_t* z,
                 std::int32_t* sums) noexcept
{
    add8<true>(r, first, count, z, sums);
}
void add_signed4(const WholeReadout& r, std::uint32_t first, std::uint32_t count, const std::uint8_t* z,
                 std::int32_t* sums) noexcept
{
    add4<true>(r, first, count, z, sums);
}

} // namespace detail

std::int32_t WholeReadout::score(std::uint32_t output, std::int32_t sum) const noexcept
{
    const auto multiplier = static_cast<std::int32_t>(read_u16(multipliers + 2 * std::size_t{output}));
    return (sum >> shift) * multiplier + static_cast<std::int32_t>(read_u32(biases + 4 * std::size_t{output}));
}

void WholeReadout::finish(std::int32_t* sums) const noexcept
{
    for (std::uint32_t o = 0; o < outputs; ++o)
        sums[o] = score(o, sums[o]);
}

std::uint32_t best_of(std::span<const std::int32_t> scores) noexcept
{
    std::uint32_t best = 0;
    for (std::uint32_t o = 1; o < scores.size(); ++o)
        if (scores[o] > scores[best])
            best = o;
    return best;
}

} // namespace samara
