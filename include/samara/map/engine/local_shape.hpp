// What maps of local features have in common: the shape of an image or a series, and the patches that it has room for.
// Their specs have fields height, width, channels, length, largest and reach; height and width are 0 for series.
#pragma once

#include "samara/map/engine/local_filter.hpp"
#include "samara/map/fields.hpp"

namespace samara::engine {

inline constexpr std::uint32_t most_local_inputs = 65535; // so that 16 bits hold a place

template <class V, class S>
constexpr void local_fields(V& v, S& s)
{
    v.whole(16, "height", s.height, {0, most_local_side},
            "of images, rows of pixels; 0: of the data's shape, or what is left");
    v.whole(20, "width", s.width, {0, most_local_side},
            "of images, pixels of a row; 0: of the data's shape, or what is left");
    v.whole(24, "channels", s.channels, {0, most_local_inputs},
            "of a pixel, together; or of a series, one after the other; 0: of the data's shape, or what is left");
    v.whole(28, "length", s.length, {0, most_local_side}, "of series; 0: of the data's shape, or what is left");
    v.small(12, "largest", s.largest, {0, 31}, "side of the patches: odd; 0: 5, for series 9");
    v.small(13, "reach", s.reach, {0, 255}, "of series, places that a patch spans at the most; 0: 32");
}

// The shape as the fields say it; 0 where they do not.
template <class Spec>
constexpr bool is_series(const Spec& s) noexcept
{
    return s.height == 0 && s.width == 0;
}
template <class Spec>
constexpr Spec with_shape(Spec s) noexcept
{
    if (is_series(s)) {
        if (s.length == 0 && s.channels != 0)
            s.length = s.inputs / s.channels;
        else if (s.channels == 0 && s.length != 0)
            s.channels = s.inputs / s.length;
        return s;
    }
    if (s.channels == 0 && (s.height == 0 || s.width == 0))
        s.channels = 1;
    const std::uint64_t told =
        std::uint64_t{s.height == 0 ? 1 : s.height} * (s.width == 0 ? 1 : s.width) * (s.channels == 0 ? 1 : s.channels);
    const std::uint64_t left = s.inputs / told;
    std::uint32_t& open = s.height == 0 ? s.height : s.width == 0 ? s.width : s.channels;
    if (open == 0)
        open = static_cast<std::uint32_t>(left);
    return s;
}

template <class Spec>
constexpr SpecReport local_across(const Spec& given) noexcept
{
    const Spec s = with_shape(given);
    if (is_series(s)) {
        if (s.length == 0 && s.channels == 0)
            return {Status::bad_spec, "height",
                    "height or width of images, or channels or length of series, or an NPY of several dimensions"};
        if (std::uint64_t{s.length} * s.channels != s.inputs)
            return {Status::bad_spec, "inputs", "channels x length", std::uint64_t{s.length} * s.channels};
        if (s.length < 3 || s.length > most_local_side)
            return {Status::bad_spec, "length", "3 to 32767", s.length < 3 ? 3 : most_local_side};
        if (s.reach == 1)
            return {Status::bad_spec, "reach", "0, or 2 to 255", 2};
    } else {
        if (s.length != 0)
            return {Status::bad_spec, "length", "0 beside height or width, which images have"};
        if (std::uint64_t{s.height} * s.width * s.channels != s.inputs)
            return {Status::bad_spec, "inputs", "height x width x channels",
                    std::uint64_t{s.height} * s.width * s.channels};
        if (s.height < 2 || s.width < 2 || s.height > most_local_side || s.width > most_local_side)
            return {Status::bad_spec, s.height < 2 || s.height > most_local_side ? "height" : "width",
                    "2 to 32767 for images", 2};
        if (s.reach != 0)
            return {Status::bad_spec, "reach", "0 for images, whose patches are not spread"};
    }
    if (s.largest != 0 && (s.largest % 2 == 0 || s.largest < 3))
        return {Status::bad_spec, "largest", "0, or an odd number from 3 to 31", s.largest < 3 ? 3 : s.largest + 1};
    return {};
}

template <class Spec>
constexpr Spec local_resolved(const Spec& given) noexcept
{
    Spec s = with_shape(given);
    if (s.largest == 0)
        s.largest = is_series(s) ? 9 : 5;
    if (s.reach == 0 && is_series(s))
        s.reach = 32;
    return s;
}

// Of resolved specs: what their filters have in common.
template <class Spec>
constexpr LocalFilters local_filters_of(const Spec& s) noexcept
{
    LocalFilters f;
    f.shape =
        is_series(s) ? LocalShape{1, s.length, s.channels, true} : LocalShape{s.height, s.width, s.channels, false};
    f.prefix = stream_prefix(s.seed, static_cast<std::uint64_t>(Domain::local_filters));
    f.largest = s.largest;
    f.reach = s.reach;
    return f;
}

} // namespace samara::engine
