// Local filters of a stream: what becomes of them when samples of a series, or rows of an image, come one after the
// other and every `hop` of them the features of the last ones are asked for. SPEC.md, section 30.6.
//
// A step is a sample of a series (a number of each channel) or a row of an image. Position q of a filter is the step
// that its patch begins with; what the filter finds there does not depend on the windows that q lies in. A feature of
// the window that begins with step b is the sum or the largest over n positions from b + s on, so that windows share
// all but what lies between their ends. Positions are cut where such a stretch begins, and where it ends:
//
//   b + s                 b + s + r    b + s + hop                                        n = m hop + r, 1 <= r <= hop
//   |------ the first r -----|-- the rest --|------ the first r -----|-- the rest --|--- ...
//
// A feature is m whole periods and the first r positions of the next one. m + 1 sums or maxima for each feature are all
// that is remembered, and the features that are complete before their windows are.
#pragma once

#include "samara/map/engine/local_filter.hpp"

namespace samara {

// Which memory a stream has: that of the whole window, of which all is computed when an answer is due; or of as many
// steps as the filters span, and what they have found so far. automatic: the one that takes less memory, running where
// both take the same.
enum class StreamForm : std::uint8_t { automatic, window, running };

// How many steps of a series a running stream gives to its filters at a time, if the program does not say it: what is
// done once for each filter is then done for several positions, and memory holds so many steps more.
inline constexpr std::uint32_t stream_steps = 16;

namespace detail {

struct Divided {
    std::uint32_t quotient, rest;
};

// n < 2^16, by > 0. Without the division that processors may not have.
constexpr Divided divided(std::uint32_t n, std::uint32_t by) noexcept
{
    Divided d{0, 0};
    for (std::uint32_t bit = 1u << 15; bit != 0; bit >>= 1) {
        d.rest = d.rest << 1 | ((n & bit) != 0 ? 1u : 0u);
        if (d.rest >= by) {
            d.rest -= by;
            d.quotient |= bit;
        }
    }
    return d;
}

} // namespace detail

// A filter of a stream whose memory holds `depth` steps.
struct StreamFilter {
    // In numbers of 16 bits: how many steps a place lies before the newest that it needs; the column and the number of
    // columns of a window of images, else 0 and 1; what a PackedFilter has there; the taps; then the four numbers
    // below.
    static constexpr std::uint32_t head = PackedFilter::head, tail = 4, most = PackedFilter::most + tail;

    std::uint16_t words[most] = {};
    std::uint32_t back = 0;    // the first of the words
    std::uint32_t phase = 0;   // of the step behind `back`, counted from where a period begins, below the hop
    std::uint32_t first = 0;   // r
    std::uint32_t periods = 0; // m
    std::uint32_t late = 0;    // how many more features are complete when a window is

    constexpr StreamFilter() noexcept = default;
    constexpr StreamFilter(const LocalFilters& filters, std::uint32_t number, std::uint32_t window, std::uint32_t hop,
                           std::uint32_t depth) noexcept
    {
        const LocalShape& shape = filters.shape;
        // Channels of series and places within them are apart in one number.
        constexpr std::uint32_t apart = 1u << 16;
        LocalFilter f = local_filter(filters, number, shape.series ? apart : shape.deeper());
        for (std::uint32_t i = 0; i < f.taps; ++i) {
            const std::uint32_t steps =
                shape.series ? f.tap[i] % apart : detail::divided(f.tap[i], shape.down()).quotient;
            back = steps > back ? steps : back;
            if (shape.series)
                f.tap[i] = f.tap[i] / apart * depth + f.tap[i] % apart;
        }
        const detail::Divided begin = // the step, and the column of an image
            shape.series ? detail::Divided{f.first, 0} : detail::divided(f.first, shape.down());
        const std::uint32_t positions = shape.series ? f.width : f.height;
        const detail::Divided length = detail::divided(positions - 1, hop);
        phase = detail::divided(begin.quotient + back, hop).rest;
        first = length.rest + 1;
        periods = length.quotient;
        late = detail::divided(window - (begin.quotient + positions + back), hop).quotient;
        const std::uint32_t columns = shape.series ? 1 : f.width;
        f.first = back;
        f.width = begin.rest;
        f.height = columns;
        const PackedFilter packed(f);
        std::uint32_t at = 0;
        for (; at < head + f.taps; ++at)
            words[at] = packed.words[at];
        for (const std::uint32_t word : {phase, first, periods, late})
            words[at++] = static_cast<std::uint16_t>(word);
    }
};

} // namespace samara
