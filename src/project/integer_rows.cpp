// Hadamard rows in whole numbers, of one sample: samara/project/integer.hpp says what is computed and why it fits.
//
// Two forms of the same integers, both with two numbers in a word: one for every processor, and one for Arm's M profile
// with the DSP extension, whose instructions add, subtract and halve two numbers of 16 bits at once.
#include "samara/project/integer.hpp"

#include <bit>

#include "samara/stream.hpp"

#if defined(__ARM_FEATURE_SIMD32) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <arm_acle.h>
#define SAMARA_PAIRS_OF_NUMBERS 1
#else
#define SAMARA_PAIRS_OF_NUMBERS 0
#endif

namespace samara {

void integer_signs(StreamKey key, std::span<std::uint32_t> signs) noexcept
{
    Xoshiro words(key);
    for (std::uint32_t& word : signs)
        word = words.word();
}

namespace {

#if SAMARA_PAIRS_OF_NUMBERS

// Two numbers in a word. Straight: the one with the even index in the lower half; crossed: in the upper half.
using Two = std::int32_t __attribute__((may_alias));

template <bool halves>
inline void add_and_subtract(Two& a, Two& b) noexcept
{
    const Two sum = halves ? __shadd16(a, b) : __sadd16(a, b);
    b = halves ? __shsub16(a, b) : __ssub16(a, b);
    a = sum;
}

// Level 0 of one word, which halves in no round. The instructions that add and subtract across a word leave the sum in
// the other half than the one that its number came from, so straight words become crossed, and crossed ones straight.
template <bool crossed>
inline Two first_level(Two w) noexcept
{
    return crossed ? __ssax(w, w) : __sasx(w, w);
}

// Which of a word's numbers are negated, by the two bits of their signs.
constexpr Two straight_masks[4] = {0, 0x0000ffff, static_cast<Two>(0xffff0000u), -1};
constexpr Two crossed_masks[4] = {0, static_cast<Two>(0xffff0000u), 0x0000ffff, -1};

// Signs, and levels 0 to 3 of 16 numbers at a time; `crossed`: words are so, as the first round leaves them, and odd
// levels halve.
template <bool crossed>
[[gnu::noinline]] void first_levels_of_round(const Two* from, Two* y, std::size_t words,
                                             const std::uint32_t* signs) noexcept
{
    const Two* const masks = crossed ? crossed_masks : straight_masks;
    std::uint32_t bits = 0;
    for (std::size_t base = 0; base < words; base += 8, from += 8, y += 8) {
        bits = base % 16 == 0 ? *signs++ : bits >> 16;
        Two w[8];
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; ++i) {
            const Two mask = masks[bits >> (2 * i) & 3u];
            w[i] = first_level<crossed>(__ssub16(from[i] ^ mask, mask));
        }
#pragma GCC unroll 4
        for (unsigned i = 0; i < 8; i += 2)
            add_and_subtract<crossed>(w[i], w[i + 1]);
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; ++i)
            add_and_subtract<false>(w[i / 2 * 4 + i % 2], w[i / 2 * 4 + i % 2 + 2]);
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; ++i)
            add_and_subtract<crossed>(w[i], w[i + 4]);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; ++i)
            y[i] = w[i];
    }
}

constexpr unsigned first_levels = 4;

#else

// Two numbers, `high` and `low`, as 65,536 high + low: then additions and subtractions of words are those of both
// numbers at once, whatever their signs are.
using Two = std::int32_t __attribute__((may_alias));

inline std::int32_t low_of(Two w) noexcept { return static_cast<std::int16_t>(w); }

template <bool halves>
inline void add_and_subtract(Two& a, Two& b) noexcept
{
    const Two sum = a + b, difference = a - b;
    if (!halves) {
        a = sum;
        b = difference;
        return;
    }
    // What is odd in both sums and differences: bit 0 of `low`; of `high` bit 16 unless a negative `low` has taken 1
    // from it.
    const Two odd = (sum ^ static_cast<Two>(static_cast<std::uint32_t>(sum) << 1)) & 0x00010001;
    a = (sum - odd) >> 1;
    b = (difference - odd) >> 1;
}

// Signs, and level 0, which halves in no round. `packed`: words are as above, as the first round leaves them; else they
// are two numbers of 16 bits, as they are given.
template <bool packed>
[[gnu::noinline]] void first_levels_of_round(const Two* from, Two* y, std::size_t words,
                                             const std::uint32_t* signs) noexcept
{
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < words; ++i, bits >>= 2) {
        if (i % 16 == 0)
            bits = *signs++;
        std::int32_t low = low_of(from[i]), high = (packed ? from[i] - low : from[i]) >> 16;
        if ((bits & 1u) != 0)
            low = -low;
        if ((bits & 2u) != 0)
            high = -high;
        y[i] = static_cast<Two>(static_cast<std::uint32_t>(low - high) << 16) + (low + high);
    }
}

constexpr unsigned first_levels = 1;

#endif

// Loops are functions of their own: together they have more numbers than registers.
template <bool halves>
[[gnu::noinline]] void one_level(Two* y, std::size_t words, std::size_t h) noexcept
{
    for (Two *base = y, *end = y + words; base != end; base += 2 * h) {
        for (Two *p = base, *last = base + h; p != last; ++p) {
            Two a = p[0], b = p[h];
            add_and_subtract<halves>(a, b);
            p[0] = a;
            p[h] = b;
        }
    }
}

void level_of(Two* y, std::size_t words, unsigned level, std::uint32_t halving) noexcept
{
    const std::size_t h = std::size_t{1} << (level - 1);
    if ((halving >> level & 1u) != 0)
        one_level<true>(y, words, h);
    else
        one_level<false>(y, words, h);
}

#if SAMARA_PAIRS_OF_NUMBERS
template <bool first, bool second>
[[gnu::noinline]] void two_levels(Two* y, std::size_t words, std::size_t h) noexcept
{
    for (Two *base = y, *end = y + words; base != end; base += 4 * h) {
        for (Two *p = base, *last = base + h; p != last; ++p) {
            Two a = p[0], b = p[h], c = p[2 * h], d = p[3 * h];
            add_and_subtract<first>(a, b);
            add_and_subtract<first>(c, d);
            add_and_subtract<second>(a, c);
            add_and_subtract<second>(b, d);
            p[0] = a;
            p[h] = b;
            p[2 * h] = c;
            p[3 * h] = d;
        }
    }
}

// Two levels at a time, as long as they alternate; log2_size is 6 or more, so there are two.
void later_levels(Two* y, unsigned log2_size, std::uint32_t halving) noexcept
{
    const std::size_t n = std::size_t{1} << (log2_size - 1);
    unsigned level = first_levels;
    for (; level + 2 <= log2_size; level += 2) {
        const std::size_t h = std::size_t{1} << (level - 1);
        switch (halving >> level & 3u) {
        case 0:
            two_levels<false, false>(y, n, h);
            break;
        case 1:
            two_levels<true, false>(y, n, h);
            break;
        case 2:
            two_levels<false, true>(y, n, h);
            break;
        default:
            two_levels<true, true>(y, n, h);
            break;
        }
    }
    if (level < log2_size)
        level_of(y, n, level, halving);
}
#else
// One level at a time: small processors have no registers for more.
void later_levels(Two* y, unsigned log2_size, std::uint32_t halving) noexcept
{
    for (unsigned level = first_levels; level < log2_size; ++level)
        level_of(y, std::size_t{1} << (log2_size - 1), level, halving);
}
#endif

} // namespace

void integer_first_round(std::int16_t* numbers, unsigned log2_size, const std::uint32_t* signs) noexcept
{
    auto* const y = reinterpret_cast<Two*>(numbers);
    first_levels_of_round<false>(y, y, std::size_t{1} << (log2_size - 1), signs);
    later_levels(y, log2_size, integer_halving_levels(log2_size, 0));
}

void integer_rows(const std::int16_t* first_round, std::int16_t* numbers, unsigned log2_size,
                  const std::uint32_t* signs) noexcept
{
    auto* const y = reinterpret_cast<Two*>(numbers);
    const std::size_t n = std::size_t{1} << (log2_size - 1);
    first_levels_of_round<true>(reinterpret_cast<const Two*>(first_round), y, n, signs);
    later_levels(y, log2_size, integer_halving_levels(log2_size, 1));
#if !SAMARA_PAIRS_OF_NUMBERS
    for (std::size_t i = 0; i < n; ++i) // what negative lower numbers have taken from the upper ones
        y[i] = static_cast<Two>(static_cast<std::uint32_t>(y[i]) + ((static_cast<std::uint32_t>(y[i]) & 0x8000u) << 1));
#endif
}

} // namespace samara
