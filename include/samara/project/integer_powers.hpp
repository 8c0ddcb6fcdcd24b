// Powers of the inner product in whole numbers, for the map polynomial with numbers=int8: what becomes of the products
// of rows in whole numbers (integer.hpp), or of the sums of a CountSketch. SPEC.md, section 29.2.
//
//   linear    t_i, the product with row D - 1 - i of block 0, plus a constant
//   square    t_i u_j, u_j that with row D - 1 - j of block 1, plus the constant; one multiplication of 16 bits
//   counted   a sum of inputs with random signs, each of them in the place that it has drawn
//
// all of them shifted down, rounded to the nearest and limited to -127 ... 127.
//
// The square is a TensorSRHT of x (x) x: features come in blocks of D = 2^k, of which block b has the pairs (i, i +
// turn(b) modulo D), and no pair comes twice up to D^2. So a sample takes three transforms however many features there
// are. It needs no more: the mean of t_i(x) t_i(y) over the signs of block 0 is the inner product whatever the first
// round has made, that of u_j over those of block 1 is too, and independent of it. What is lost by using the same t_i
// again is nothing, because the sum of t_i(x) t_i(y) over all D rows does not vary at all. On images of digits
// (relative, Frobenius, mean of 20 seeds) the error of the kernel was .347, .158 and .102 with 128, 512 and 1,024
// features, and .344, .174 and .119 with two blocks of their own for every D features, of one-hot vectors .899, .371,
// .232 and 1.075, .517, .347; with all D^2 it is that of rounding.
//
// Rounding down in halvings adds up in the first rows of a block: those of 1,024 and 2,048 are too small by 8 and 16 in
// the mean, where their root mean square is 40. In the last half of the rows it is 1/2 at the most, so they come first.
//
// Ranges. A product of a row stays below 23,086 (integer.hpp: a length of 22,990, and what rounding adds), the constant
// is at most 8,192: their sum fits into 16 bits, and the product of two such is below 2^30. A sum of a CountSketch is
// at most 127 (inputs + 1) < 2^21. What rounds and limits them is at most 128 * 2^shift, which is below 2^30 too.
#pragma once

#include "samara/project/integer.hpp"

namespace samara {

enum class PowerForm : std::uint8_t { linear, square, counted };

struct IntegerPowers {
    PowerForm form = PowerForm::linear;
    std::uint8_t shift = 0;       // of a feature
    std::uint8_t log2_places = 0; // of counted sums
    std::int16_t constant = 0;    // added to each product; of counted sums one input more
    std::int32_t added = 0; // before the shift: rounds, and makes features from 0 to 254 of those from -127 to 127

    constexpr void set_shift(std::uint32_t by) noexcept
    {
        shift = static_cast<std::uint8_t>(by);
        added = (largest_integer << by) + (1 << by >> 1);
    }

    // A feature of what is to be shifted.
    [[gnu::always_inline]] constexpr std::uint8_t feature(std::int32_t v) const noexcept
    {
        v = (v + added) >> shift; // one comparison finds both limits
        if (static_cast<std::uint32_t>(v) > 2 * largest_integer)
            v = v < 0 ? 0 : 2 * largest_integer;
        return static_cast<std::uint8_t>(v - largest_integer);
    }
};

// How many features are made at a time.
inline constexpr std::uint32_t integer_features_at_once = 64;

// The largest offset of a kernel, as the bits of a float: 2^25; of counted sums 127^2.
inline constexpr std::uint32_t most_integer_offset = 0x4c000000u, most_counted_offset = 0x467c0400u;

// The whole number that is nearest to sqrt(offset row_square) / 2^halvings, where the offset is given as the bits of a
// float that is 0, or from 2^-126 to 2^25. It is g for which 2 g - 1 is at most the root of 4 times that square.
[[gnu::always_inline]] constexpr std::int16_t integer_constant(std::uint32_t offset_bits, std::uint32_t row_square,
                                                               unsigned halvings) noexcept
{
    const std::int32_t exponent = static_cast<std::int32_t>(offset_bits >> 23) - 148 +
                                  static_cast<std::int32_t>(row_square - 1) - 2 * static_cast<std::int32_t>(halvings);
    const std::uint32_t mantissa = (offset_bits & 0x007fffffu) | 0x00800000u;
    const std::uint32_t square = exponent >= 0 ? mantissa << exponent : exponent > -24 ? mantissa >> -exponent : 0;
    std::uint32_t root = 0;
    for (std::uint32_t bit = 1u << 14; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return static_cast<std::int16_t>((root + 1) / 2);
}

// The shift of features, where `square` is the mean square of what is shifted, or for the form square of each factor,
// for inputs whose root mean square is 32, a quarter of their range: then sqrt(7) times the root mean square, or 4
// times that of the heavier tails of a product, is to be at most 127.
[[gnu::always_inline]] constexpr std::uint32_t integer_power_shift(PowerForm form, std::uint32_t square) noexcept
{
    std::uint32_t shift = 0;
    if (form == PowerForm::square)
        while ((std::uint32_t{127} << shift) < 4 * square)
            ++shift;
    else
        while ((std::uint32_t{127 * 127} << (2 * shift)) < 7 * square)
            ++shift;
    return shift;
}

inline constexpr std::uint32_t most_counted_places = 1u << 16;

// D or its square, with which features of rows estimate nothing, but are exact up to rounding.
constexpr std::uint32_t most_integer_power_features(std::uint32_t inputs, std::uint32_t degree) noexcept
{
    return std::uint32_t{1} << degree * block_log2(inputs);
}

// The rows of the blocks whose products are made.
constexpr std::uint32_t integer_power_rows(const IntegerRows& rows, const IntegerPowers& powers) noexcept
{
    return std::uint32_t{powers.form == PowerForm::square ? 2u : 1u} << block_log2(rows.inputs);
}

// The memory of a sample: its inputs, products or sums, the signs of a block, and up to 64 features, of two bytes each
// where a readout multiplies with them.
constexpr std::size_t integer_power_bytes(const IntegerRows& rows, const IntegerPowers& powers) noexcept
{
    const std::size_t size = std::size_t{1} << block_log2(rows.inputs);
    const std::size_t second =
        powers.form == PowerForm::counted ? sizeof(std::int32_t) << powers.log2_places : sizeof(std::int16_t) * size;
    return sizeof(std::int16_t) * size + second + sizeof(std::uint32_t) * integer_sign_words(rows.inputs) +
           2 * integer_features_at_once;
}

// How many inputs a place of counted sums has, rounded up.
constexpr std::uint32_t inputs_of_place(std::uint32_t inputs, unsigned log2_places) noexcept
{
    return 1 + ((inputs - 1) >> log2_places);
}

// For features estimating (<x,y> + offset)^degree, with rows or with 2^log2_places counted sums. The offset is given as
// the bits of a float in the range of integer_constant() and up to one of the two limits.
[[gnu::always_inline]] constexpr IntegerPowers integer_powers_of_rows(std::uint32_t inputs, std::uint32_t degree,
                                                                      std::uint32_t offset_bits) noexcept
{
    const unsigned halvings = integer_halvings(inputs);
    IntegerPowers p;
    p.form = degree == 2 ? PowerForm::square : PowerForm::linear;
    p.constant = integer_constant(offset_bits, integer_row_square(inputs), halvings);
    const auto constant = static_cast<std::uint32_t>(p.constant);
    const std::uint32_t square = (1024 * inputs * integer_row_square(inputs) >> (2 * halvings)) + constant * constant;
    p.set_shift(integer_power_shift(p.form, square));
    return p;
}
[[gnu::always_inline]] constexpr IntegerPowers integer_powers_of_sums(std::uint32_t inputs, std::uint32_t places,
                                                                      std::uint32_t offset_bits) noexcept
{
    IntegerPowers p;
    p.form = PowerForm::counted;
    p.log2_places = static_cast<std::uint8_t>(std::bit_width(places) - 1);
    p.constant = integer_constant(offset_bits, 1, 0);
    p.set_shift(integer_power_shift(p.form, 1024 * inputs_of_place(inputs, p.log2_places)));
    return p;
}

// Where the factors of a feature of the form square lie among the products of a block, in the order of its rows. The
// random number is what the keys of the signs' streams have in common; an odd factor gives D turns before one comes
// again.
struct IntegerPairs {
    std::uint32_t log2_size, odd;

    constexpr explicit IntegerPairs(const IntegerRows& rows) noexcept
        : log2_size(block_log2(rows.inputs)), odd(static_cast<std::uint32_t>(rows.prefix) | 1u)
    {}
    constexpr std::uint32_t last() const noexcept { return (std::uint32_t{1} << log2_size) - 1; }
    [[gnu::always_inline]] constexpr std::uint32_t in_t(std::uint32_t feature) const noexcept
    {
        return ~feature & last();
    }
    [[gnu::always_inline]] constexpr std::uint32_t in_u(std::uint32_t feature) const noexcept
    {
        return ~(feature + (feature >> log2_size) * odd) & last();
    }
};

// Adds the constant to the products of a block.
void integer_add_constant(std::int16_t* y, unsigned log2_size, std::int16_t constant) noexcept;

// The products of a sample, whose inputs lie in u with zeros behind them: t, and of the form square u. signs(block)
// gives the signs of a block, which need to last until the next call.
template <PowerForm form, class Signs>
inline void integer_power_products(const IntegerRows& rows, const IntegerPowers& powers, std::int16_t* t,
                                   std::int16_t* u, Signs signs) noexcept
{
    const unsigned log2_size = block_log2(rows.inputs);
    integer_first_round(u, log2_size, signs(integer_common_block));
    integer_rows(u, t, log2_size, signs(0));
    integer_add_constant(t, log2_size, powers.constant);
    if constexpr (form == PowerForm::square) {
        integer_rows(u, u, log2_size, signs(1));
        integer_add_constant(u, log2_size, powers.constant);
    }
}

// The sums of a CountSketch, of the inputs and the constant behind them; rows.prefix is that of Domain::count_hash.
void integer_counted_sums(const IntegerRows& rows, const IntegerPowers& powers, const std::int16_t* x,
                          std::int32_t* sums) noexcept;

// Features first ... first + count - 1, as bytes with a sign. t and u: products of a block, in the order of its rows;
// `first` is a multiple of 64 and the count at most 64, so that they are in one block.
void integer_linear_features(const IntegerRows& rows, const IntegerPowers& powers, const std::int16_t* t,
                             std::uint32_t first, std::uint32_t count, std::uint8_t* out) noexcept;
void integer_square_features(const IntegerRows& rows, const IntegerPowers& powers, const std::int16_t* t,
                             const std::int16_t* u, std::uint32_t first, std::uint32_t count,
                             std::uint8_t* out) noexcept;
void integer_counted_features(const IntegerPowers& powers, const std::int32_t* sums, std::uint32_t first,
                              std::uint32_t count, std::uint8_t* out) noexcept;

} // namespace samara
