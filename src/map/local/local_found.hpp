// What a filter finds at places that lie side by side, as boards compute it: for whole windows, and for the parts of
// one that a stream has when they come.
#pragma once

#include <cstring>

#include "samara/map/engine/local_filter.hpp"
#include "simd/pairs.hpp"

namespace samara::detail::local {

// Below every sum of places.
constexpr std::int32_t least_sum = -32768;

// How a filter's sum at a place becomes part of a feature.
template <bool maximum>
[[gnu::always_inline]] inline void take(std::int32_t a, std::int32_t& found) noexcept
{
    if (maximum)
        found = a > found ? a : found;
    else if (a > 0)
        found += a;
}

[[gnu::always_inline]] inline std::int32_t number_at(const std::int16_t* p, std::int32_t bytes) noexcept
{
    return *reinterpret_cast<const std::int16_t*>(reinterpret_cast<const char*>(p) + bytes);
}

#if SAMARA_PAIRS_OF_NUMBERS
[[gnu::always_inline]] inline std::uint32_t two_at(const std::int16_t* p, std::int32_t bytes) noexcept
{
    std::uint32_t word; // at any even address
    std::memcpy(&word, reinterpret_cast<const char*>(p) + bytes, sizeof word);
    return word;
}

// Both halves of a word.
template <bool maximum>
[[gnu::always_inline]] inline void take_two(std::uint32_t a, std::int32_t& found) noexcept
{
    if (maximum) {
        take<true>(static_cast<std::int16_t>(a), found);
        take<true>(static_cast<std::int32_t>(a) >> 16, found);
    } else {
        found = __smlad(static_cast<std::int32_t>(__usat16(static_cast<std::int32_t>(a), 15)), 0x00010001, found);
    }
}
#endif

// Filters of one or two pairs of balanced signs, which are nearly all, where places lie side by side.
template <bool maximum, unsigned pairs>
[[gnu::always_inline]] inline std::int32_t balanced(const std::int16_t* row, const std::uint16_t* f,
                                                    std::uint32_t width, std::uint32_t height,
                                                    std::uint32_t down) noexcept
{
    // Distances from the first tap.
    const std::int16_t* p = row + f[4];
    const std::int32_t b = 2 * (f[5] - f[4]), c = pairs == 2 ? 2 * (f[6] - f[4]) : 0,
                       d = pairs == 2 ? 2 * (f[7] - f[4]) : 0;
    std::uint32_t left = height;
    std::int32_t found = maximum ? least_sum : 0;
    for (;;) {
        const std::int16_t* const end = p + width;
#if SAMARA_PAIRS_OF_NUMBERS
        // Two places at once, whose sums are within 16 bits.
        for (; end - p >= 2; p += 2) {
            std::uint32_t sum = two_at(p, 0);
            if (pairs == 2)
                sum = __ssub16(__sadd16(sum, two_at(p, b)), __sadd16(two_at(p, c), two_at(p, d)));
            else
                sum = __ssub16(sum, two_at(p, b));
            take_two<maximum>(sum, found);
        }
        if (p != end) {
#else
        do {
#endif
            std::int32_t sum = *p;
            if (pairs == 2)
                sum += number_at(p, b) - number_at(p, c) - number_at(p, d);
            else
                sum -= number_at(p, b);
            take<maximum>(sum, found);
            ++p;
#if SAMARA_PAIRS_OF_NUMBERS
        }
#else
        } while (p != end);
#endif
        if (--left == 0)
            return found;
        p += down - width;
    }
}

// Of both kinds, with any number of signs. A function of it is for what is left over, and had better be small.
[[gnu::always_inline]] inline std::int32_t any_signs(const std::int16_t* row, const std::uint16_t* f,
                                                     std::uint32_t width, std::uint32_t height, std::uint32_t step,
                                                     std::uint32_t down) noexcept
{
    const bool maximum = PackedFilter::maximum(f);
    const std::uint16_t *const tap = f + PackedFilter::head, *const plus = tap + PackedFilter::plus(f),
                               *const end = PackedFilter::behind(f);
    std::int32_t found = maximum ? least_sum : 0;
    for (std::uint32_t left = height; left > 0; --left, row += down) {
        const std::int16_t* p = row;
        for (std::uint32_t places = width; places > 0; --places, p += step) {
            std::int32_t a = 0;
            const std::uint16_t* t = tap;
            while (t != plus)
                a += p[*t++];
            while (t != end)
                a -= p[*t++];
            if (maximum)
                take<true>(a, found);
            else
                take<false>(a, found);
        }
    }
    return found;
}

// The sum or the largest of a packed filter over places of `height` rows from `row` on. any() is for the filters that
// are not of the usual forms. Whether it is a maximum is known already, or not.
template <bool maximum, class Any>
[[gnu::always_inline]] inline std::int32_t found_by(const std::int16_t* row, const std::uint16_t* filter,
                                                    std::uint32_t width, std::uint32_t height, std::uint32_t right,
                                                    std::uint32_t down, Any any) noexcept
{
    constexpr std::uint32_t one_pair = 2 | 1 << 4, two_pairs = 4 | 2 << 4;
    const std::uint32_t kind = filter[3] & 255u;
    if (right == 1 && kind == one_pair)
        return balanced<maximum, 1>(row, filter, width, height, down);
    if (right == 1 && kind == two_pairs)
        return balanced<maximum, 2>(row, filter, width, height, down);
    return any();
}
template <class Any>
[[gnu::always_inline]] inline std::int32_t found_by(const std::int16_t* row, const std::uint16_t* filter,
                                                    std::uint32_t width, std::uint32_t height, std::uint32_t right,
                                                    std::uint32_t down, Any any) noexcept
{
    return PackedFilter::maximum(filter) ? found_by<true>(row, filter, width, height, right, down, any)
                                         : found_by<false>(row, filter, width, height, right, down, any);
}

} // namespace samara::detail::local
