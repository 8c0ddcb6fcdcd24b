// Rows in whole numbers as their definition says it, in 64 bits, where nothing can overflow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "samara/project/integer.hpp"

namespace samara::test {

inline std::int64_t floor_half(std::int64_t v) { return v >= 0 ? v / 2 : -((-v + 1) / 2); }

struct Transformed {
    std::vector<std::int64_t> numbers;
    std::int64_t largest = 0; // also of the sums before they are halved
};

// Level by level as the header says it. `signs`: those of both rounds.
inline Transformed by_definition(std::vector<std::int64_t> y, unsigned k, const std::vector<std::uint32_t>& signs)
{
    Transformed t;
    const std::size_t size = std::size_t{1} << k;
    for (unsigned round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < size; ++i)
            if ((signs[round * size / 32 + i / 32] >> (i % 32) & 1u) != 0)
                y[i] = -y[i];
        for (unsigned level = 0; level < k; ++level) {
            const bool halves = round == 0 ? level >= (k < 10 ? 7u : 6u) : level % 2 == 1;
            const std::size_t h = std::size_t{1} << level;
            for (std::size_t i = 0; i < size; ++i) {
                if ((i & h) != 0)
                    continue;
                const std::int64_t a = y[i], b = y[i + h];
                t.largest = std::max({t.largest, std::int64_t{std::abs(a + b)}, std::int64_t{std::abs(a - b)}});
                y[i] = halves ? floor_half(a + b) : a + b;
                y[i + h] = halves ? floor_half(a - b) : a - b;
            }
        }
    }
    t.numbers = std::move(y);
    return t;
}

inline std::vector<std::uint32_t> signs_of(std::uint64_t seed, std::uint32_t inputs, std::uint32_t block)
{
    const std::size_t words = integer_sign_words(inputs);
    std::vector<std::uint32_t> signs(2 * words);
    integer_signs(stream_key(seed, Domain::hadamard_signs, integer_common_block), std::span(signs).first(words));
    integer_signs(stream_key(seed, Domain::hadamard_signs, block), std::span(signs).last(words));
    return signs;
}

// The transforms undone in real numbers: what x has to be for all of a round's outcome to fall on one place.
inline std::vector<std::int64_t> steepest(unsigned k, const std::vector<std::uint32_t>& signs, std::size_t place,
                                          unsigned rounds)
{
    const std::size_t size = std::size_t{1} << k;
    std::vector<double> v(size, 0.0);
    v[place] = 1.0;
    for (unsigned round = rounds; round-- > 0;) {
        for (std::size_t h = size / 2; h >= 1; h /= 2)
            for (std::size_t i = 0; i < size; ++i)
                if ((i & h) == 0) {
                    const double a = v[i], b = v[i + h];
                    v[i] = a + b;
                    v[i + h] = a - b;
                }
        for (std::size_t i = 0; i < size; ++i)
            if ((signs[round * size / 32 + i / 32] >> (i % 32) & 1u) != 0)
                v[i] = -v[i];
    }
    std::vector<std::int64_t> x(size);
    for (std::size_t i = 0; i < size; ++i)
        x[i] = v[i] >= 0 ? 127 : -127;
    return x;
}

} // namespace samara::test
