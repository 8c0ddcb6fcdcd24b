// Whole weights times whole features. samara/readout/whole.hpp says what is computed, and why it fits.
#include "samara/readout/whole.hpp"

#include <bit>
#include <cstring>

#include "samara/memory.hpp"
#include "simd/pairs.hpp"

namespace samara {

namespace detail {

namespace {

inline std::uint32_t word_at(const void* p) noexcept
{
    std::uint32_t word;
    std::memcpy(&word, __builtin_assume_aligned(p, 4), sizeof word);
    return word;
}

// Bytes of a word as two pairs of numbers of 16 bits, and the sum of the products of two pairs.
#if SAMARA_PAIRS_OF_NUMBERS
inline std::uint32_t even(std::uint32_t word) noexcept { return static_cast<std::uint32_t>(__uxtb16(word)); }
inline std::uint32_t odd(std::uint32_t word) noexcept // no intrinsic rotates in the same instruction
{
    std::uint32_t two;
    __asm__("uxtb16 %0, %1, ror #8" : "=r"(two) : "r"(word));
    return two;
}
// The same of bytes with a sign.
inline std::uint32_t even_signed(std::uint32_t word) noexcept { return static_cast<std::uint32_t>(__sxtb16(word)); }
inline std::uint32_t odd_signed(std::uint32_t word) noexcept
{
    std::uint32_t two;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(two) : "r"(word));
    return two;
}
inline std::uint32_t as_factors(std::uint32_t features) noexcept { return features; }
inline std::int32_t with_products(std::uint32_t weights, std::uint32_t features, std::int32_t sum) noexcept
{
    return __smlad(static_cast<std::int32_t>(weights), static_cast<std::int32_t>(features), sum);
}
#else
constexpr std::uint32_t even_bytes = 0x00ff00ff;

inline std::uint32_t even(std::uint32_t word) noexcept { return word & even_bytes; }
inline std::uint32_t odd(std::uint32_t word) noexcept { return word >> 8 & even_bytes; }
// One multiplication for two weights: the upper half of (p + 2^16 q) (b + 2^16 a) has p a + q b, at most 2 * 255 * 127,
// and nothing comes from the lower one, p b < 2^16.
inline std::uint32_t as_factors(std::uint32_t features) noexcept { return std::rotr(features, 16); }
inline std::int32_t with_products(std::uint32_t weights, std::uint32_t features, std::int32_t sum) noexcept
{
    return sum + static_cast<std::int32_t>(weights * features >> 16);
}
#endif

// Weights are stored as q plus a constant, so that they are bytes without a sign: what the constant adds to a sum, the
// constant times the sum of all features, is the same for all outputs.
//
// Makes of bytes at the beginning of the room, of which as many as are missing to a multiple of 8 become 0, two words
// for each four of them, and returns the sum of the bytes. `negative`: they have signs.
template <bool negative>
std::int32_t spread(std::uint32_t* room, std::uint32_t count) noexcept
{
    auto* const bytes = reinterpret_cast<std::uint8_t*>(room);
    for (; count % 8 != 0; ++count)
        bytes[count] = 0;
    const std::uint32_t* from = room + count / 4;
    std::uint32_t *to = room + count / 2, sum = 0;
    const auto take = [&] {
        const std::uint32_t word = word_at(--from);
#if SAMARA_PAIRS_OF_NUMBERS
        const std::uint32_t e = negative ? even_signed(word) : even(word), o = negative ? odd_signed(word) : odd(word);
        sum = __usada8(negative ? word ^ 0x80808080u : word, 0, sum);
#else
        static_assert(!negative, "two products would run into each other");
        const std::uint32_t e = even(word), o = odd(word);
        sum += e + o;
#endif
        to -= 2;
        to[0] = as_factors(e);
        to[1] = as_factors(o);
    };
    while (to != room) {
        take();
        take();
    }
    const auto all = static_cast<std::int32_t>((sum >> 16) + (sum & 0xffffu));
    return negative ? all - 128 * static_cast<std::int32_t>(count) : all;
}

#if SAMARA_PAIRS_OF_NUMBERS
// Two outputs, which share their features; or one, where q is p.
[[gnu::noinline]] void add_rows(const std::byte* p, const std::byte* q, const std::uint32_t* f, std::uint32_t words,
                                std::int32_t* sums, std::int32_t added) noexcept
{
    const std::uint32_t* const end = f + 2 * words;
    std::int32_t s = sums[0] - added, t = p != q ? sums[1] - added : 0;
    const auto take = [&] {
        const std::uint32_t e = f[0], u = f[1], a = word_at(p), b = word_at(q);
        s = with_products(odd(a), u, with_products(even(a), e, s));
        t = with_products(odd(b), u, with_products(even(b), e, t));
        f += 2;
        p += 4;
        q += 4;
        __asm__ volatile("" ::: "memory"); // else compilers load several at once, into more registers than there are
    };
    for (words %= 8; words > 0; --words)
        take();
    while (f != end) {
        take();
        take();
        take();
        take();
        take();
        take();
        take();
        take();
    }
    if (p != q)
        sums[1] = t;
    sums[0] = s;
}
constexpr std::ptrdiff_t together = 2;
#else
// One output.
[[gnu::noinline]] void add_rows(const std::byte* p, const std::byte*, const std::uint32_t* f, std::uint32_t words,
                                std::int32_t* sums, std::int32_t added) noexcept
{
    const std::uint32_t* const end = f + 2 * words;
    std::int32_t s = *sums - added;
    const auto take = [&] {
        const std::uint32_t weights = word_at(p);
        s = with_products(even(weights), f[0], s);
        s = with_products(odd(weights), f[1], s);
        f += 2;
        p += 4;
        __asm__ volatile("" ::: "memory"); // else compilers load several at once, into more registers than there are
    };
    for (words %= 4; words > 0; --words)
        take();
    while (f != end) {
        take();
        take();
        take();
        take();
    }
    *sums = s;
}
constexpr std::ptrdiff_t together = 1;
#endif

template <bool negative>
void add8(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
          std::int32_t* sums) noexcept
{
    const std::int32_t added = 128 * spread<negative>(room, count);
    const std::uint32_t words = (count + 3) / 4, stride = r.stride;
    const std::byte* row = r.weights + first;
    std::int32_t* const end = sums + r.outputs;
    for (; end - sums >= together; sums += together, row += together * stride)
        add_rows(row, row + stride, room, words, sums, added);
    if (sums != end)
        add_rows(row, row, room, words, sums, added);
}

template <bool negative>
void add4(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
          std::int32_t* sums) noexcept
{
    constexpr std::uint32_t lower = 0x0f0f0f0f;
    const std::int32_t added = 8 * spread<negative>(room, count);
    const std::uint32_t* const end = room + (count + 7) / 8 * 4;
    const std::byte* row = r.weights + first / 2;
    for (std::uint32_t o = 0; o < r.outputs; ++o, row += r.stride) {
        std::int32_t s = sums[o] - added;
        const std::byte* p = row;
        for (const std::uint32_t* f = room; f != end; f += 4, p += 4) {
            const std::uint32_t low = word_at(p) & lower, high = word_at(p) >> 4 & lower;
            s = with_products(even(low), f[0], s);
            s = with_products(odd(low), f[1], s);
            s = with_products(even(high), f[2], s);
            s = with_products(odd(high), f[3], s);
        }
        sums[o] = s;
    }
}

#if !SAMARA_PAIRS_OF_NUMBERS
// Features with signs, one after the other, and zeros behind them to a multiple of 8: their sum.
std::int32_t padded_sum(std::int8_t* features, std::uint32_t count) noexcept
{
    for (; count % 8 != 0; ++count)
        features[count] = 0;
    std::int32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i)
        sum += features[i];
    return sum;
}
template <>
void add8<true>(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                std::int32_t* sums) noexcept
{
    auto* const features = reinterpret_cast<std::int8_t*>(room);
    const std::int32_t added = 128 * padded_sum(features, count);
    const std::byte* row = r.weights + first;
    for (std::uint32_t o = 0; o < r.outputs; ++o, row += r.stride) {
        const auto* p = reinterpret_cast<const std::uint8_t*>(row);
        std::int32_t s = sums[o] - added;
        for (const std::int8_t *f = features, *end = features + (count + 3) / 4 * 4; f != end; f += 4, p += 4)
            s += p[0] * f[0] + p[1] * f[1] + p[2] * f[2] + p[3] * f[3];
        sums[o] = s;
    }
}
template <>
void add4<true>(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                std::int32_t* sums) noexcept
{
    auto* const features = reinterpret_cast<std::int8_t*>(room);
    const std::int32_t added = 8 * padded_sum(features, count);
    const std::byte* row = r.weights + first / 2;
    for (std::uint32_t o = 0; o < r.outputs; ++o, row += r.stride) {
        const std::byte* p = row;
        std::int32_t s = sums[o] - added;
        for (const std::int8_t *f = features, *end = features + (count + 7) / 8 * 8; f != end; f += 8, p += 4)
            for (unsigned i = 0; i < 4; ++i) {
                const std::uint32_t two = read_u8(p + i);
                s += static_cast<std::int32_t>(two & 15u) * f[i] + static_cast<std::int32_t>(two >> 4) * f[i + 4];
            }
        sums[o] = s;
    }
}
#endif

} // namespace

void add_whole8(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                std::int32_t* sums) noexcept
{
    add8<false>(r, first, count, room, sums);
}
void add_whole4(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                std::int32_t* sums) noexcept
{
    add4<false>(r, first, count, room, sums);
}
void add_one8(const WholeReadout& r, std::uint32_t feature, std::int32_t z, std::int32_t* sums) noexcept
{
    const std::byte* p = r.weights + feature;
    for (std::uint32_t o = 0; o < r.outputs; ++o, p += r.stride)
        sums[o] += (static_cast<std::int32_t>(read_u8(p)) - 128) * z;
}

void add_one4(const WholeReadout& r, std::uint32_t feature, std::int32_t z, std::int32_t* sums) noexcept
{
    const std::byte* p = r.weights + feature / 8 * 4 + feature % 4;
    const std::uint32_t shift = feature & 4u;
    for (std::uint32_t o = 0; o < r.outputs; ++o, p += r.stride)
        sums[o] += (static_cast<std::int32_t>(read_u8(p) >> shift & 15u) - 8) * z;
}

void add_signed8(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                 std::int32_t* sums) noexcept
{
    add8<true>(r, first, count, room, sums);
}
void add_signed4(const WholeReadout& r, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                 std::int32_t* sums) noexcept
{
    add4<true>(r, first, count, room, sums);
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
