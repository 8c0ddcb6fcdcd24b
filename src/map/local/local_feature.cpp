// One local feature of one sample, as boards compute it.
#include "samara/map/engine/local_filter.hpp"
#include "simd/pairs.hpp"

namespace samara {

namespace {

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

// The window's rows, each from its first place to behind its last one.
struct Window {
    const std::int16_t* row;
    std::uint32_t width, height, right, down;
};

// Filters of one or two pairs of balanced signs, which are nearly all. The taps are given as distances from the first.
template <bool maximum, unsigned pairs>
std::int32_t balanced(const Window& window, const std::uint16_t* tap) noexcept
{
    const std::int16_t* row = window.row + tap[0];
    const std::ptrdiff_t second = tap[1] - tap[0], third = pairs == 2 ? tap[2] - tap[0] : 0,
                         fourth = pairs == 2 ? tap[3] - tap[0] : 0;
    const std::uint32_t step = window.right, reach = window.width * step, down = window.down;
    std::int32_t found = maximum ? least_sum : 0;
    for (std::uint32_t left = window.height; left > 0; --left, row += down) {
        const std::int16_t* const end = row + reach;
        for (const std::int16_t* p = row; p != end; p += step)
            take<maximum>(pairs == 2 ? p[0] + p[second] - p[third] - p[fourth] : p[0] - p[second], found);
    }
    return found;
}

template <bool maximum>
std::int32_t any(const Window& window, const std::uint16_t* tap, std::uint32_t taps, std::uint32_t plus) noexcept
{
    const std::int16_t* row = window.row;
    std::int32_t found = maximum ? least_sum : 0;
    for (std::uint32_t left = window.height; left > 0; --left, row += window.down) {
        const std::int16_t* p = row;
        for (std::uint32_t places = window.width; places > 0; --places, p += window.right) {
            std::int32_t a = 0;
            for (std::uint32_t i = 0; i < plus; ++i)
                a += p[tap[i]];
            for (std::uint32_t i = plus; i < taps; ++i)
                a -= p[tap[i]];
            take<maximum>(a, found);
        }
    }
    return found;
}

template <bool maximum>
std::int32_t found_by(const Window& window, const std::uint16_t* f) noexcept
{
    const std::uint32_t taps = PackedFilter::taps(f), plus = PackedFilter::plus(f);
    const std::uint16_t* const tap = f + PackedFilter::head;
    if (taps == 2 && plus == 1)
        return balanced<maximum, 1>(window, tap);
    if (taps == 4 && plus == 2)
        return balanced<maximum, 2>(window, tap);
    return any<maximum>(window, tap, taps, plus);
}

} // namespace

std::int32_t local_feature(const std::int16_t* x, const std::uint16_t* filter, const LocalShape& shape) noexcept
{
    const Window window{x + filter[0], filter[1], filter[2], shape.right(), shape.down()};
    const std::int32_t found =
        PackedFilter::maximum(filter) ? found_by<true>(window, filter) : found_by<false>(window, filter);
    return local_value(found, PackedFilter::shift(filter));
}

} // namespace samara
