// Hadamard rows in whole numbers, of one sample: samara/project/integer.hpp says what is computed and why it fits.
//
// Two forms of the same integers, both with two numbers in a word: one for every processor, and one for Arm's M profile
// with the DSP extension, whose instructions add, subtract and halve two numbers of 16 bits at once.
#include "samara/project/integer.hpp"

#include <bit>

#include "samara/stream.hpp"
#include "simd/pairs.hpp"

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

inline Two two_of(std::int32_t high, std::int32_t low) noexcept
{
    return static_cast<Two>(static_cast<std::uint32_t>(high) << 16) + low;
}
inline std::int32_t low_of(Two w) noexcept { return static_cast<std::int16_t>(w); }
inline std::int32_t high_of(Two w) noexcept { return (w - low_of(w)) >> 16; }

template <bool halves>
inline void add_and_subtract(Two& a, Two& b) noexcept
{
    const Two sum = a + b;
    if (!halves) {
        b = a - b;
        a = sum;
        return;
    }
    // A shift halves both sums, but bit 15 then has what is odd in the upper one: bit 16 of it, unless a negative lower
    // one has taken 1 from it. And [(a - b) / 2] is [(a + b) / 2] - b.
    const Two half = sum >> 1;
    a = half - ((half ^ sum) & 0x8000);
    b = a - b;
}

// Level 0, which halves in no round, of a word's two numbers.
inline Two first_level(std::int32_t high, std::int32_t low) noexcept { return two_of(low - high, low + high); }

// Signs and level 0 of the first round, of numbers of 16 bits as they are given.
void begin_first_round(Two* y, std::size_t words, const std::uint32_t* signs) noexcept
{
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < words; ++i, bits >>= 2) {
        if (i % 16 == 0)
            bits = *signs++;
        std::int32_t low = low_of(y[i]), high = y[i] >> 16;
        if ((bits & 1u) != 0)
            low = -low;
        if ((bits & 2u) != 0)
            high = -high;
        y[i] = first_level(high, low);
    }
}

// Level 0 of the second round as far as it is the same for all blocks: signs then have but to exchange the two numbers
// of a word where they differ, and to negate both where the lower one's is minus.
void end_first_round(Two* y, std::size_t words) noexcept
{
    for (Two* const end = y + words; y != end; ++y)
        *y = first_level(high_of(*y), low_of(*y));
}
// Bit `at` of the bits says that the lower one's is minus, the next one that signs differ.
inline Two with_signs(Two w, std::uint32_t bits, unsigned at) noexcept
{
    if (static_cast<std::int32_t>(bits << (30 - at)) < 0)
        w = two_of(low_of(w), high_of(w));
    return static_cast<std::int32_t>(bits << (31 - at)) < 0 ? -w : w;
}

// Signs, and level 1, which halves.
void begin_second_round(const Two* from, Two* y, std::size_t words, const std::uint32_t* signs) noexcept
{
    for (const Two* const end = from + words; from != end;) {
        std::uint32_t bits = *signs++;
        bits ^= (bits & 0x55555555u) << 1;
        for (const Two* const last = from + 16; from != last; from += 2, y += 2, bits >>= 4) {
            Two a = with_signs(from[0], bits, 0), b = with_signs(from[1], bits, 2);
            add_and_subtract<true>(a, b);
            y[0] = a;
            y[1] = b;
        }
    }
}

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

#if SAMARA_PAIRS_OF_NUMBERS
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

void first_round(Two* y, unsigned log2_size, const std::uint32_t* signs) noexcept
{
    first_levels_of_round<false>(y, y, std::size_t{1} << (log2_size - 1), signs);
    later_levels(y, log2_size, integer_halving_levels(log2_size, 0));
}
void second_round(const Two* from, Two* y, unsigned log2_size, const std::uint32_t* signs) noexcept
{
    first_levels_of_round<true>(from, y, std::size_t{1} << (log2_size - 1), signs);
    later_levels(y, log2_size, integer_halving_levels(log2_size, 1));
}
#else
void first_round(Two* y, unsigned log2_size, const std::uint32_t* signs) noexcept
{
    const std::size_t words = std::size_t{1} << (log2_size - 1);
    begin_first_round(y, words, signs);
    for (unsigned level = 1; level < log2_size; ++level)
        level_of(y, words, level, integer_halving_levels(log2_size, 0));
    end_first_round(y, words);
}
// Levels 2 and 3, 4 and 5, ..., of which each second one halves.
void second_round(const Two* from, Two* y, unsigned log2_size, const std::uint32_t* signs) noexcept
{
    const std::size_t words = std::size_t{1} << (log2_size - 1);
    begin_second_round(from, y, words, signs);
    std::size_t h = 2;
    for (; h < words / 2; h *= 4)
        two_levels<false, true>(y, words, h);
    if (h < words)
        one_level<false>(y, words, h);
    for (Two* const end = y + words; y != end; ++y) // what negative lower numbers have taken from the upper ones
        *y = static_cast<Two>(static_cast<std::uint32_t>(*y) + ((static_cast<std::uint32_t>(*y) & 0x8000u) << 1));
}
#endif

} // namespace

void integer_first_round(std::int16_t* numbers, unsigned log2_size, const std::uint32_t* signs) noexcept
{
    first_round(reinterpret_cast<Two*>(numbers), log2_size, signs);
}

void integer_rows(const std::int16_t* first_round, std::int16_t* numbers, unsigned log2_size,
                  const std::uint32_t* signs) noexcept
{
    second_round(reinterpret_cast<const Two*>(first_round), reinterpret_cast<Two*>(numbers), log2_size, signs);
}

} // namespace samara
