// Powers of the inner product in whole numbers. See samara/project/integer_powers.hpp.
#include "samara/project/integer_powers.hpp"

#include "samara/stream.hpp"

namespace samara {

void integer_add_constant(std::int16_t* y, unsigned log2_size, std::int16_t constant) noexcept
{
    for (std::int16_t* const end = y + (std::size_t{1} << log2_size); y != end; ++y)
        *y = static_cast<std::int16_t>(*y + constant);
}

void integer_counted_sums(const IntegerRows& rows, const IntegerPowers& powers, const std::int16_t* x,
                          std::int32_t* sums) noexcept
{
    for (std::size_t i = 0; i < std::size_t{1} << powers.log2_places; ++i)
        sums[i] = 0;
    Xoshiro words(stream_key_behind(rows.prefix, 1));
    const auto add = [&](std::int32_t v) {
        const std::uint32_t word = words.word();
        sums[word >> 1 >> (31 - powers.log2_places)] += (word & 1u) != 0 ? -v : v;
    };
    for (const std::int16_t* const end = x + rows.inputs; x != end; ++x)
        add(*x);
    add(powers.constant);
}

void integer_linear_features(const IntegerRows& rows, const IntegerPowers& powers, const std::int16_t* t,
                             std::uint32_t first, std::uint32_t count, std::uint8_t* out) noexcept
{
    const IntegerPowers p = powers;
    t += (std::size_t{1} << block_log2(rows.inputs)) - first;
    for (std::uint8_t* const end = out + count; out != end; ++out)
        *out = p.feature(*--t);
}

namespace {

// A function of its own: the loop takes all registers that small processors have. t and u: behind the first numbers
// that are taken, downwards.
[[gnu::noinline]] void multiply(const IntegerPowers& powers, const std::int16_t* t, const std::int16_t* u,
                                std::size_t count, std::uint8_t* out) noexcept
{
    const IntegerPowers p = powers;
    for (std::ptrdiff_t k = 0; k != -static_cast<std::ptrdiff_t>(count); --k)
        *out++ = p.feature(std::int32_t{t[k - 1]} * u[k - 1]);
}

} // namespace

void integer_square_features(const IntegerRows& rows, const IntegerPowers& powers, const std::int16_t* t,
                             const std::int16_t* u, std::uint32_t first, std::uint32_t count,
                             std::uint8_t* out) noexcept
{
    const IntegerPairs pairs(rows);
    const std::uint32_t i = pairs.in_t(first) + 1, j = pairs.in_u(first) + 1, before = count < j ? count : j;
    multiply(powers, t + i, u + j, before, out);
    multiply(powers, t + i - before, u + (pairs.last() + 1), count - before, out + before);
}

void integer_counted_features(const IntegerPowers& powers, const std::int32_t* sums, std::uint32_t first,
                              std::uint32_t count, std::uint8_t* out) noexcept
{
    const IntegerPowers p = powers;
    sums += first;
    for (std::uint8_t* const end = out + count; out != end; ++out)
        *out = p.feature(*sums++);
}

} // namespace samara
