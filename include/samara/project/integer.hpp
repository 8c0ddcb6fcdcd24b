// Hadamard rows in whole numbers: two rounds of random signs and a Walsh-Hadamard transform, on int8 inputs in int16,
// without a multiplication. The first round is the same for all blocks, so that it is made once a sample; the second
// has signs of each block. Exact, so the same bits need no rule but the ranges. SPEC.md, chapter 29.
//
// Why two, where rows=hadamard has three of each block's own: the first round spreads x over all D places, whatever it
// is, and then a row is a sum of D numbers of like size with random signs. Over 20 seeds and 256 or 2,048 features the
// kernel's error (relative, Frobenius) was, with three rounds of a block's own and with these two, .0161 and .0166,
// .0057 and .0056 for images of digits, .0414 and .0413, .0146 and .0149 for random directions in 64 dimensions, .0438
// and .0551, .0158 and .0196 for inputs of which two are not 0.
//
// D = 2^k points, x padded with zeros. A level takes pairs (a, b), as h = 1, 2, 4, ..., to (a + b, a - b), or where it
// halves to (floor((a + b) / 2), floor((a - b) / 2)), each by itself. Levels that halve:
//
//   first round            those from level 7 on, and where k >= 10 level 6 too
//   second                 the odd ones, so that lengths stay, or where k is odd grow by sqrt(2)
//
// Ranges. |x_i| <= 127, so |x| <= 127 sqrt(D), and a level multiplies a length with sqrt(2), or with sqrt(1/2) where it
// halves. Before its first halving the first round adds up at most 2^7 numbers: none is above 16,256, and none of the
// sums that are then halved above 32,512. Behind it the length is at most 127 * 2^k for k = 6, 127 * 2^7 = 16,256 for k
// = 7 to 9, and half of that from k = 10 on. A level that does not halve follows: 22,990, and a number is no larger
// than the length it is part of. Then sums are at most 32,512 again, and are halved. Rounding down takes at most 1/2
// from each number, sqrt(D) / 2 from a length; later levels make at most sqrt(2) of that. For k <= 9 these are 6
// halvings at the most and sqrt(512) / 2 * 6 sqrt(2) = 96, so that sums stay below (22,990 + 96) sqrt(2) = 32,649 <
// 2^15; for k <= 14 they are 15 and 1,358 where sums have half the room to fill. So every number, sums before they are
// halved too, fits into 16 bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/project.hpp"
#include "samara/stream.hpp"

namespace samara {

// What a map computes with. Numbers are part of the format.
enum class Numbers : std::uint8_t { float32 = 0, int8 = 1 };

constexpr const char* word(Numbers numbers) noexcept { return numbers == Numbers::float32 ? "float" : "int8"; }

inline constexpr std::int32_t largest_integer = 127; // of inputs and features
inline constexpr std::uint32_t most_integer_inputs = 1u << 14;
inline constexpr unsigned integer_rounds = 2;
// The signs of the first round are those of this block, which no map has.
inline constexpr std::uint32_t integer_common_block = 0xffffffffu;

// The first level of the first round that halves.
constexpr unsigned first_halving(unsigned log2_size) noexcept { return log2_size < 10 ? 7 : 6; }

// Bit l says whether level l halves, in the first round (0) or the second (1).
constexpr std::uint32_t integer_halving_levels(unsigned log2_size, unsigned round) noexcept
{
    return round == 0 ? ~std::uint32_t{0} << first_halving(log2_size) : 0xaaaaaaaau;
}

// The halvings of the first round, which make all products smaller.
constexpr unsigned integer_halvings(std::uint32_t inputs) noexcept
{
    const unsigned k = block_log2(inputs), first = first_halving(k);
    return k > first ? k - first : 0;
}

// The mean square of a product is |x|^2 times this, divided by 4^integer_halvings(inputs).
constexpr std::uint32_t integer_row_square(std::uint32_t inputs) noexcept
{
    return block_log2(inputs) % 2 == 0 ? 1 : 2;
}

// By how many bits a product is shifted down to a feature. Inputs whose root mean square is 32, a quarter of their
// range, have products of root mean square 32 sqrt(inputs row_square), halved as often as the first round does; 2.6
// times that is to be at most 127. So it is the least s >= 0 with 7 * 4^(s + halvings) >= 3 inputs row_square.
constexpr unsigned integer_feature_shift(std::uint32_t inputs) noexcept
{
    unsigned shift = 0;
    const std::uint32_t square = 3 * inputs * integer_row_square(inputs); // below 2^17
    while ((std::uint32_t{7} << (2 * (shift + integer_halvings(inputs)))) < square)
        ++shift;
    return shift;
}

// Signs of a round: D bits, the lowest first; 1 is minus.
constexpr std::size_t integer_sign_words(std::uint32_t inputs) noexcept
{
    return std::size_t{1} << (block_log2(inputs) - 5);
}

// Of one feature a row: those whose number has this bit have a sine.
inline constexpr std::uint32_t integer_sine_rows = 2;

// Angles of products: a product y of the row with number i has floor(y multiplier[i % 2] / 2^shift), modulo 256, a
// turn having 256. Features of angles estimate a Gaussian kernel, so that rows should be normal. All that these lack
// are lengths, which would be chi distributed with D degrees of freedom; two lengths in equal shares, with 1 +-
// sqrt(2/D) times the mean square, have the same mean square and the same mean fourth power.
//
// The kernel's error that remains in the mean over seeds, t the distance in bandwidths:
//   lengths    below 2e-4 for D = 64, and it falls like 1/D^2; with rows of one length it is .0086 and falls like 1/D
//   the first  up to t^4 exp(-t^2/2) / (6 D), at the most .0056 for D = 64, where few entries of x - y are not 0:
//   round      their products with its rows are alike, and the second round's sums of them are too short in the tails
//   rounding   that of halvings: as if |x - y|^2 were larger by up to (log2 D + 4) / 16 * 4^integer_halvings(inputs),
//              which is below 1 for up to 128 inputs, 15^2 for 1,000, 271^2 for 16,000
struct IntegerTurns {
    std::uint16_t multiplier[2] = {}; // below 2^15, so that products stay below 2^30
    std::uint8_t shift = 0;
    std::uint8_t sine_rows = 0; // rows whose number has a bit of these have a sine in place of a cosine
    std::uint8_t parts = 1;     // 2: each row has a cosine, and its sine behind all of its block's

    // Of a product of row i, for features of one part; of part 1 they are sines.
    [[gnu::always_inline]] constexpr std::uint32_t angle(std::int32_t product, std::uint32_t row,
                                                         std::uint32_t part) const noexcept
    {
        const std::uint32_t quarters = part + ((row & sine_rows) != 0 ? 1 : 0);
        return static_cast<std::uint32_t>(product * multiplier[row % 2] >> shift) - 64 * quarters;
    }
};

// Bandwidths that integer_turns() takes, as bits: 1 to 65,536.
inline constexpr std::uint32_t least_integer_bandwidth = 0x3f800000u, most_integer_bandwidth = 0x47800000u;

// Those of a bandwidth b, given as the bits of a float, in the units of whole inputs: multiplier / 2^shift is
// 2^(halvings + 8) / b times such a length without its 2^18. By a long division, of which the first quotient gets 15
// bits and the second as many steps, because small processors do not divide.
[[gnu::always_inline]] constexpr IntegerTurns integer_turns(std::uint32_t inputs, std::uint32_t bandwidth_bits) noexcept
{
    // 2^18 sqrt((1 +- sqrt(2/D)) / row_square) / (2 pi), the plus first, for D = 2^6 ... 2^14.
    constexpr std::uint16_t lengths[2][9] = {{45259, 31291, 43526, 30410, 42633, 29959, 42180, 29731, 41951},
                                             {37855, 27596, 39835, 28565, 40789, 29037, 41258, 29270, 41490}};
    const std::uint32_t divisor = (bandwidth_bits & 0x007fffffu) | 0x00800000u; // b = divisor * 2^(exponent - 23)
    const std::uint32_t exponent = (bandwidth_bits >> 23) - 127;
    IntegerTurns turns;
    std::uint32_t steps = 0;
    for (std::uint32_t i = 0; i < 2; ++i) {
        std::uint32_t rest = lengths[i][block_log2(inputs) - 6], quotient = 0, step = 0;
        for (; i == 0 ? quotient < 1u << 14 : step < steps; ++step) {
            rest *= 2;
            quotient *= 2;
            if (rest >= divisor) {
                rest -= divisor;
                ++quotient;
            }
        }
        steps = step;
        turns.multiplier[i] = static_cast<std::uint16_t>(quotient);
    }
    turns.shift = static_cast<std::uint8_t>(steps + exponent - 13 - integer_halvings(inputs));
    return turns;
}

struct IntegerRows;

// Makes `count` features of the products y[places[0]], ..., of those of the block that are in this part.
using IntegerFeatures = void (*)(const IntegerRows& rows, std::uint32_t part, const std::int16_t* y,
                                 const std::uint16_t* places, std::uint32_t count, std::uint8_t* out) noexcept;

// The rows of a map that computes with them, as far as a prediction needs to know.
struct IntegerRows {
    std::uint64_t prefix = 0; // of the streams of signs: stream_prefix(seed, Domain::hadamard_signs)
    std::uint32_t inputs = 0, rows = 0;
    bool absolute = false;              // |z| in place of relu(z)
    IntegerTurns turns = {};            // of the maps that have angles
    IntegerFeatures features = nullptr; // null: |z| or relu(z)
};

// The random numbers of a block, or of integer_common_block, from its stream of domain hadamard_signs:
// integer_sign_words(inputs) words.
void integer_signs(StreamKey key, std::span<std::uint32_t> signs) noexcept;

// The first round, in place: y holds x and zeros behind it, 2^log2_size numbers at a multiple of 4 bytes. What it
// leaves, in an order that is the processor's own, is for integer_rows() alone.
void integer_first_round(std::int16_t* y, unsigned log2_size, const std::uint32_t* signs) noexcept;
// The products with the rows of one block: product i becomes y[i]. y may be where the first round is.
void integer_rows(const std::int16_t* first_round, std::int16_t* y, unsigned log2_size,
                  const std::uint32_t* signs) noexcept;

} // namespace samara
