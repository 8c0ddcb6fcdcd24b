// Hadamard rows in whole numbers as floats, for the maps' common way, which rounds its inputs to int8 first. A batch
// has a sample in each lane of 16 bits.
#include <bit>

#include "project/kernels.hpp"
#include "project/round_inputs.hpp"
#include "samara/project/integer.hpp"
#include "samara/stream.hpp"

namespace samara::SAMARA_ARCH {

namespace {

// A sample's inputs, rounded, and zeros up to a whole block.
SAMARA_INLINE void padded_inputs(const float* x, std::size_t inputs, std::size_t size, std::int16_t* y)
{
    round_inputs(x, inputs, y, 1);
    for (std::size_t i = inputs; i < size; ++i)
        y[i] = 0;
}

// Memory of one sample, and the signs that a call needs.
struct Rooms {
    std::int16_t *y, *first_round;
    std::span<std::uint32_t> signs;
};

void take_signs(const RowBlock& b, std::uint32_t block, std::span<std::uint32_t> signs)
{
    integer_signs(stream_key(b.seed, Domain::hadamard_signs, block), signs);
}

// What becomes of a product.
struct AsTheyAre {
    SAMARA_INLINE std::int32_t operator()(std::int32_t product, std::size_t) const { return product; }
};
struct AsAngles {
    IntegerTurns turns;
    SAMARA_INLINE std::int32_t operator()(std::int32_t product, std::size_t row) const
    {
        return static_cast<std::int32_t>(turns.angle(product, static_cast<std::uint32_t>(row), 0) & 255u);
    }
};

template <class Become>
void one_sample(const RowBlock& b, unsigned log2_size, const float* x, float* out, const Rooms& rooms, Become become)
{
    padded_inputs(x, b.inputs, std::size_t{1} << log2_size, rooms.first_round);
    take_signs(b, integer_common_block, rooms.signs);
    integer_first_round(rooms.first_round, log2_size, rooms.signs.data());
    for (std::uint32_t k = 0; k < b.blocks; ++k, out += b.out_block) {
        take_signs(b, b.index + k, rooms.signs);
        integer_rows(rooms.first_round, rooms.y, log2_size, rooms.signs.data());
        for (std::uint32_t i = 0; i < b.rows; ++i)
            out[i] = static_cast<float>(become(rooms.y[i], i));
    }
}

#if SAMARA_ARCH_ID != 1

constexpr unsigned lanes = F::size * 2;
typedef std::int16_t V __attribute__((vector_size(2 * lanes), may_alias));

// Sums before they are halved may need 17 bits, so that halves are made of what a and b have in common and of what
// only one of them has.
template <bool halves>
SAMARA_INLINE void add_and_subtract(V& a, V& b)
{
    if constexpr (halves) {
        const V common = a & b, half = (a ^ b) >> 1, lost = ~a & b;
        a = common + half;
        b = half - lost;
    } else {
        const V sum = a + b;
        b = a - b;
        a = sum;
    }
}

// Three levels of eight numbers.
template <bool first, bool second>
SAMARA_INLINE void three_levels(V (&v)[8])
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < 8; i += 2)
        add_and_subtract<first>(v[i], v[i + 1]);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i)
        add_and_subtract<second>(v[i / 2 * 4 + i % 2], v[i / 2 * 4 + i % 2 + 2]);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i)
        add_and_subtract<first>(v[i], v[i + 4]);
}

// Levels from `level` on, three at a time as long as the pattern of halving alternates, else one at a time.
template <bool halves>
SAMARA_INLINE void one_level(V* y, std::size_t n, std::size_t h)
{
    for (std::size_t base = 0; base < n; base += 2 * h)
        for (std::size_t i = base; i < base + h; ++i)
            add_and_subtract<halves>(y[i], y[i + h]);
}

template <bool first, bool second>
SAMARA_INLINE void three_levels(V* y, std::size_t n, std::size_t h)
{
    for (std::size_t base = 0; base < n; base += 8 * h) {
        for (std::size_t i = base; i < base + h; ++i) {
            V v[8];
#pragma GCC unroll 8
            for (unsigned k = 0; k < 8; ++k)
                v[k] = y[i + k * h];
            three_levels<first, second>(v);
#pragma GCC unroll 8
            for (unsigned k = 0; k < 8; ++k)
                y[i + k * h] = v[k];
        }
    }
}

void levels(V* y, unsigned log2_size, unsigned round)
{
    const std::size_t n = std::size_t{1} << log2_size;
    for (unsigned level = 0; level < log2_size;) {
        const std::size_t h = std::size_t{1} << level;
        const auto halves = [halving = integer_halving_levels(log2_size, round)](unsigned l) {
            return (halving >> l & 1u) != 0;
        };
        const bool three = level + 3 <= log2_size && halves(level) == halves(level + 2);
        const bool first = halves(level), second = three && halves(level + 1);
        if (three && !first && !second)
            three_levels<false, false>(y, n, h);
        else if (three && !first)
            three_levels<false, true>(y, n, h);
        else if (three && !second)
            three_levels<true, false>(y, n, h);
        else if (three)
            three_levels<true, true>(y, n, h);
        else if (first)
            one_level<true>(y, n, h);
        else
            one_level<false>(y, n, h);
        level += three ? 3 : 1;
    }
}

// Larger blocks take samples one by one, so that this needs no memory of the caller's.
constexpr unsigned most_log2_in_lanes = 10;

// Negates the numbers whose sign is minus, and does the levels of a round.
void one_round(const V* from, V* y, unsigned log2_size, unsigned round, std::span<const std::uint32_t> signs)
{
    const std::size_t size = std::size_t{1} << log2_size;
    for (std::size_t i = 0; i < size; ++i) {
        const V v = from[i];
        y[i] = (signs[i / 32] >> (i % 32) & 1u) != 0 ? -v : v;
    }
    levels(y, log2_size, round);
}

template <class Become>
void some_samples(const RowBlock& b, unsigned log2_size, std::size_t first, std::size_t count, float* out,
                  std::span<std::uint32_t> signs, Become become)
{
    V y[std::size_t{1} << most_log2_in_lanes], first_round[std::size_t{1} << most_log2_in_lanes];
    const std::size_t size = std::size_t{1} << log2_size;
    auto* const given = reinterpret_cast<std::int16_t*>(first_round);
    for (std::size_t i = 0; i < size; ++i)
        first_round[i] = V{};
    for (std::size_t s = 0; s < count; ++s)
        round_inputs(b.x + (first + s) * b.x_stride, b.inputs, given + s, lanes);
    take_signs(b, integer_common_block, signs);
    one_round(first_round, first_round, log2_size, 0, signs);
    const auto* const made = reinterpret_cast<const std::int16_t*>(y);
    for (std::uint32_t k = 0; k < b.blocks; ++k, out += b.out_block) {
        take_signs(b, b.index + k, signs);
        one_round(first_round, y, log2_size, 1, signs);
        for (std::size_t s = 0; s < count; ++s) {
            float* const to = out + (first + s) * b.out_stride;
            for (std::size_t i = 0; i < b.rows; ++i)
                to[i] = static_cast<float>(become(made[i * lanes + s], i));
        }
    }
}

#endif

template <class Become>
void make_rows(const RowBlock& b, Become become)
{
    const unsigned log2_size = block_log2(b.inputs);
    const std::size_t size = std::size_t{1} << log2_size;
    auto* const numbers = reinterpret_cast<std::int16_t*>(b.work);
    const Rooms rooms{
        numbers, numbers + size, {reinterpret_cast<std::uint32_t*>(b.work + size), integer_sign_words(b.inputs)}};
    std::size_t sample = 0;
#if SAMARA_ARCH_ID != 1
    for (; log2_size <= most_log2_in_lanes && sample + 1 < b.samples; sample += lanes) {
        const std::size_t left = b.samples - sample;
        some_samples(b, log2_size, sample, left < lanes ? left : lanes, b.out, rooms.signs, become);
    }
#endif
    for (; sample < b.samples; ++sample)
        one_sample(b, log2_size, b.x + sample * b.x_stride, b.out + sample * b.out_stride, rooms, become);
}

} // namespace

void integer_hadamard_rows(const RowBlock& b) { make_rows(b, AsTheyAre{}); }

void integer_angle_rows(const RowBlock& b)
{
    make_rows(b, AsAngles{integer_turns(b.inputs, std::bit_cast<std::uint32_t>(b.scale))});
}

} // namespace samara::SAMARA_ARCH
