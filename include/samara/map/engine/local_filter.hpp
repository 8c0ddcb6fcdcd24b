// The filters of local maps: what a feature's number and the seed make of it, and where in a row of data they lie.
// SPEC.md, chapter 30.
//
// A filter adds up a few places of a small patch, each with a sign. A feature is the sum of what is positive of that,
// or the largest of it, over a window of places to which the patch moves.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "samara/project/integer.hpp"
#include "samara/stream.hpp"

namespace samara {

inline constexpr std::uint32_t most_local_side = 32767; // of an image or a series
inline constexpr std::uint32_t most_local_pairs = 4;
inline constexpr std::uint32_t most_local_taps = 2 * most_local_pairs;
inline constexpr std::uint32_t neutral_gain = 8, most_gain = 16;

// What a local feature is of the numbers that its filter finds in the window. Numbers are part of the format.
enum class LocalKinds : std::uint8_t { both = 0, sum = 1, max = 2 };

constexpr const char* word(LocalKinds kinds) noexcept
{
    return kinds == LocalKinds::both ? "both" : kinds == LocalKinds::sum ? "sum" : "max";
}

// A row of data as an image or, with series, as one row of pixels whose channels lie one after the other.
struct LocalShape {
    std::uint32_t height = 1, width = 1, channels = 1;
    bool series = false;

    // From a place to the next one of its row, to the one below it, and to the same one of the next channel.
    constexpr std::uint32_t right() const noexcept { return series ? 1 : channels; }
    constexpr std::uint32_t down() const noexcept { return width * right(); }
    constexpr std::uint32_t deeper() const noexcept { return series ? width : 1; }
};

// All that filters are drawn from.
struct LocalFilters {
    LocalShape shape;
    std::uint64_t prefix = 0; // stream_prefix(seed, Domain::local_filters)
    std::uint32_t pairs = 2;  // of places, at the most
    std::uint32_t largest = 0, reach = 0;
    LocalKinds kinds = LocalKinds::both;
    std::uint32_t gain = neutral_gain;
};

// A filter and its window: a(p) = the sum of x[p + tap[i]], i < plus, less that of the other taps; relu(a) is summed
// over the window, or the largest a is taken, shifted down by `shift` (up where it is negative) and limited to -127 ...
// 127.
struct LocalFilter {
    std::uint32_t first = 0; // p of the window's first place
    std::uint32_t height = 1, width = 1;
    std::uint32_t taps = 2, plus = 1;
    std::uint32_t tap[most_local_taps] = {};
    std::int32_t shift = 0;
    bool maximum = false;
};

// A map's rows for a prediction in whole numbers.
struct LocalRows {
    LocalFilters filters;
    std::uint32_t inputs = 0, rows = 0;
};

namespace detail {

// floor(n w / 2^16), w the upper half of a word: uniform but for n / 2^16, without a division and in 32 bits.
[[gnu::always_inline]] constexpr std::uint32_t local_draw(Xoshiro& words, std::uint32_t n) noexcept
{
    return (words.word() >> 16) * n >> 16;
}

constexpr std::uint32_t smaller(std::uint32_t a, std::uint32_t b) noexcept { return a < b ? a : b; }

} // namespace detail

// How often the patch of this side can be spread, so that it stays within the series and the reach: as a power of two.
constexpr std::uint32_t local_dilations(const LocalFilters& f, std::uint32_t side) noexcept
{
    const std::uint32_t room = detail::smaller(f.shape.width, f.reach) - 1;
    std::uint32_t count = 1;
    while (((side - 1) << count) <= room)
        ++count;
    return count;
}

// Of sixteen windows so many have all places.
constexpr std::uint32_t local_whole_windows(bool series) noexcept { return series ? 8 : 1; }

// Sides of patches: 3, 5, ... up to `largest` and to what the shape has room for; 2 where there is none for 3.
constexpr std::uint32_t local_sides(const LocalFilters& f) noexcept
{
    const std::uint32_t room =
        detail::smaller(f.shape.series ? f.shape.width : detail::smaller(f.shape.height, f.shape.width), f.largest + 1);
    return room < 4 ? 0 : (room - 2) / 2;
}

// Where a filter finds its numbers at each place: sites, a row after the other, of one channel or two.
struct LocalPatch {
    std::uint32_t side = 2, high = 1;
    std::uint32_t spread = 0; // of series, the places of the row are 2^spread apart
    std::uint32_t channel[2] = {};
    std::uint32_t channels = 1;

    constexpr std::uint32_t sites() const noexcept { return high * side * channels; }
};

namespace detail {

[[gnu::always_inline]] constexpr LocalPatch local_patch(const LocalFilters& f, Xoshiro& words) noexcept
{
    const LocalShape& shape = f.shape;
    const std::uint32_t sides = local_sides(f);
    LocalPatch patch;
    patch.side = sides == 0 ? 2 : 3 + 2 * local_draw(words, sides);
    patch.high = shape.series ? 1 : patch.side;
    patch.spread = shape.series ? local_draw(words, local_dilations(f, patch.side)) : 0;
    // One channel or two.
    patch.channel[0] = local_draw(words, shape.channels);
    if (shape.channels > 1) {
        patch.channels += local_draw(words, 2);
        patch.channel[1] = local_draw(words, shape.channels - 1);
        patch.channel[1] += patch.channel[1] >= patch.channel[0] ? 1 : 0;
    }
    return patch;
}

// The places that the patch can be at; a window of a part of them, of series in half of the cases of all.
[[gnu::always_inline]] constexpr void draw_local_window(const LocalShape& shape, const LocalPatch& patch,
                                                        Xoshiro& words, LocalFilter& made) noexcept
{
    const std::uint32_t tall = shape.height - patch.high + 1, wide = shape.width - ((patch.side - 1) << patch.spread);
    const std::uint32_t whole = local_draw(words, 16);
    made.height = tall;
    made.width = wide;
    if (whole >= local_whole_windows(shape.series)) {
        made.height = shape.series ? 1 : smaller(tall, 1 + local_draw(words, tall / 2 + 1));
        made.width = shape.series ? 1 + local_draw(words, wide) : smaller(wide, 1 + local_draw(words, wide / 2 + 1));
    }
    const std::uint32_t top = shape.series ? 0 : local_draw(words, tall - made.height + 1);
    made.first = top * shape.down() + local_draw(words, wide - made.width + 1) * shape.right();
}

} // namespace detail

// `deeper`: from a number to the same one of the next channel, where that is not the shape's own distance.
constexpr LocalFilter local_filter(const LocalFilters& f, std::uint32_t number, std::uint32_t deeper) noexcept
{
    using detail::local_draw;
    const LocalShape& shape = f.shape;
    Xoshiro words(stream_key_behind(f.prefix, number));
    LocalFilter made;
    const LocalPatch patch = detail::local_patch(f, words);
    const std::uint32_t side = patch.side, high = patch.high, sites = patch.sites();
    const std::uint32_t pairs = detail::smaller(1 + local_draw(words, f.pairs), sites / 2);
    made.taps = 2 * pairs; // a patch has two places or more
    // Of series half of the filters have as many minus signs as plus ones, of images all: then an offset changes
    // nothing.
    const std::uint32_t signs = words.word();
    const bool balanced = !shape.series || (signs & 1u) != 0;
    // Places without replacement: a number among those that are left passes the smaller ones that are taken, in order.
    std::uint32_t taken[most_local_taps] = {}, minus[most_local_taps] = {}, negative = 0;
    made.plus = 0;
    for (std::uint32_t i = 0; i < made.taps; ++i) {
        std::uint32_t site = local_draw(words, sites - i), at = 0;
        for (; at < i && site >= taken[at]; ++at)
            ++site;
        for (std::uint32_t k = i; k > at; --k)
            taken[k] = taken[k - 1];
        taken[at] = site;
        const std::uint32_t c = site >= high * side ? 1 : 0;
        site -= c * high * side;
        std::uint32_t y = 0;
        for (; site >= side; site -= side)
            ++y;
        const std::uint32_t place =
            patch.channel[c] * deeper + y * shape.down() + (site << patch.spread) * shape.right();
        if (balanced ? i < pairs : (signs >> (i + 1) & 1u) == 0)
            made.tap[made.plus++] = place;
        else
            minus[negative++] = place;
    }
    for (std::uint32_t i = 0; i < negative; ++i)
        made.tap[made.plus + i] = minus[i];
    const std::uint32_t kind = words.word() >> 31;
    made.maximum = f.kinds == LocalKinds::both ? kind != 0 : f.kinds == LocalKinds::max;
    detail::draw_local_window(shape, patch, words, made);
    // As many bits as the number of places that are summed has, one more for more than two taps.
    const std::uint32_t places = made.maximum ? 1 : made.height * made.width;
    made.shift = static_cast<std::int32_t>(std::bit_width(places)) - 1 + (made.taps > 2 ? 1 : 0) +
                 static_cast<std::int32_t>(neutral_gain) - static_cast<std::int32_t>(f.gain);
    return made;
}

constexpr LocalFilter local_filter(const LocalFilters& f, std::uint32_t number) noexcept
{
    return local_filter(f, number, f.shape.deeper());
}

// A filter as predictions read it, in 4 + taps numbers of 16 bits: where the window begins, its width and height, what
// follows and by how much the result is shifted, then the taps.
struct PackedFilter {
    static constexpr std::uint32_t head = 4, most = head + most_local_taps;
    static constexpr std::int32_t least_shift = -16;

    std::uint16_t words[most] = {};

    constexpr PackedFilter() noexcept = default;
    constexpr explicit PackedFilter(const LocalFilter& filter) noexcept
        : words{static_cast<std::uint16_t>(filter.first), static_cast<std::uint16_t>(filter.width),
                static_cast<std::uint16_t>(filter.height),
                static_cast<std::uint16_t>(filter.taps | filter.plus << 4 | (filter.maximum ? 256u : 0u) |
                                           static_cast<std::uint32_t>(filter.shift - least_shift) << 9)}
    {
        for (std::uint32_t i = 0; i < filter.taps; ++i)
            words[head + i] = static_cast<std::uint16_t>(filter.tap[i]);
    }
    static constexpr std::uint32_t taps(const std::uint16_t* f) noexcept { return f[3] & 15u; }
    static constexpr std::uint32_t plus(const std::uint16_t* f) noexcept { return f[3] >> 4 & 15u; }
    static constexpr bool maximum(const std::uint16_t* f) noexcept { return (f[3] & 256u) != 0; }
    static constexpr std::int32_t shift(const std::uint16_t* f) noexcept { return (f[3] >> 9) + least_shift; }
    static constexpr const std::uint16_t* behind(const std::uint16_t* f) noexcept { return f + head + taps(f); }
};

// A feature of what a filter has found.
[[gnu::always_inline]] constexpr std::int32_t local_value(std::int32_t found, std::int32_t shift) noexcept
{
    found = shift >= 0 ? found >> shift : found << -shift;
    found = found > -largest_integer ? found : -largest_integer;
    return found < largest_integer ? found : largest_integer;
}

// What a packed filter makes of a sample of whole numbers from -127 to 127; right and down are those of the shape.
std::int32_t local_feature(const std::int16_t* x, const std::uint16_t* filter, std::uint32_t right,
                           std::uint32_t down) noexcept;

} // namespace samara
