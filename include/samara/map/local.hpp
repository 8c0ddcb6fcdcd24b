// Local features of images and series: what small seeded filters find in windows.
#pragma once

#include "samara/map/engine/local_filter.hpp"
#include "samara/map/engine/local_shape.hpp"
#include "samara/map/engine/row_cost.hpp"
#include "samara/map/map.hpp"

namespace samara {

// A feature is a filter of 2 to 2 `pairs` places, each with a sign, in a patch of a seeded side (series: and
// dilation) of one channel or two, and a window of places to which the patch moves:
//
//   a(p) = sum over the filter's places t of +- x[p + t]
//   sum  = the sum over p in the window of relu(a(p))        max = the largest a(p)
//
// No multiplication, 2 to 4 additions and a comparison for each place. In images all filters have as many minus signs
// as plus ones, so that they do not see a constant offset; in series half of them. A feature is a function of the seed
// and its number alone, so that any can be kept without the others (ChosenRows).
//
// What it estimates: with normal weights in place of the sparse signs, and without maxima and rounding, an arc-cosine
// convolutional kernel with averages over rectangles, which is that of map/local_arccos.hpp: of patches without their
// means where signs are balanced. Filters of a few signs are its sparse form, and neither that nor maxima have a closed
// form, so the map has no kernel function. What counts is that a kept feature is worth more than one of maps that do
// not know the shape. Variance O(1/features). Memory: two bytes for each input. Time: for each feature its window's
// places times its taps.
//
// All in whole numbers: inputs are rounded to -127 ... 127, and a feature is floor(R / 2^s), limited to the same range,
// R the sum or maximum, s = floor(log2(places that are summed)) + (more than two taps) + 8 - gain. With inputs of
// deviation 32 and gain 8 features use their range well; smooth or rough data want one a few more or less. |a| is at
// most 8 * 127 and the places are below 2^16, so that |R| < 2^26.
//
// Rows of images lie row by row with the channels of a pixel together, rows of series channel by channel.
struct LocalSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 64;            // kept ones are worth more than those of other maps
    std::uint32_t height = 0, width = 0;    // of images
    std::uint32_t channels = 0, length = 0; // length: of series
    std::uint32_t largest = 0;              // side of a patch
    std::uint32_t reach = 0;                // of a patch in series, places
    std::uint32_t pairs = 2;                // of places
    LocalKinds kinds = LocalKinds::both;
    std::uint32_t gain = 0;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const LocalSpec&, const LocalSpec&) = default;
};

namespace engine {

inline constexpr std::uint32_t local_block = 64; // features
inline constexpr std::uint32_t local_draws = 256;
inline constexpr std::uint32_t local_lanes = 32; // samples of a batch side by side, at the most

struct LocalSample {
    LocalFilters filters;
    const std::int16_t* x = nullptr;
};

} // namespace engine

template <>
struct Map<LocalSpec> {
    static constexpr MapId id{13};
    static constexpr const char* name = "local";
    static constexpr const char* estimates[] = {
        "sums and maxima over windows of small filters of signs, of images and series in whole numbers; "
        "it has no closed form"};
    using Data = ChosenRows;
    using Code = engine::NoCode;
    using Sample = engine::LocalSample;

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, engine::most_local_inputs);
        engine::local_fields(v, s);
        v.small(14, "pairs", s.pairs, {1, most_local_pairs}, "of places that a filter has at the most");
        v.choice(15, "kinds", s.kinds, {LocalKinds::both, LocalKinds::sum, LocalKinds::max},
                 "sums over windows, maxima, or half of each");
        v.small(32, "gain", s.gain, {0, most_gain}, "features are times 2^(gain-8); 0: 8, or of the data");
        v.features(s.features, ChosenRows::most);
        v.seed(40, s.seed);
    }

    static constexpr bool is_series(const LocalSpec& s) noexcept { return engine::is_series(s); }
    static constexpr SpecReport across(const LocalSpec& s) noexcept { return engine::local_across(s); }
    static constexpr LocalSpec resolve(const LocalSpec& given) noexcept
    {
        LocalSpec s = engine::local_resolved(given);
        if (s.gain == 0)
            s.gain = neutral_gain;
        return s;
    }

    // Of resolved specs.
    static constexpr LocalFilters filters(const LocalSpec& s) noexcept
    {
        LocalFilters f = engine::local_filters_of(s);
        f.pairs = s.pairs;
        f.kinds = s.kinds;
        f.gain = s.gain;
        return f;
    }
    static constexpr std::uint32_t features_per_row(const LocalSpec&) noexcept { return 1; }
    static constexpr std::uint32_t exact_features(const LocalSpec&) noexcept { return 0; }
    static constexpr std::uint32_t block_rows(const LocalSpec&) noexcept { return engine::local_block; }

    static constexpr std::size_t block_workspace_bytes(const LocalSpec& s) noexcept
    {
        return sizeof(std::int16_t) * ((std::size_t{s.inputs} + 1) & ~std::size_t{1});
    }
    // The filters of so many features are made at a time, for all samples of a batch.
    static constexpr std::uint32_t filters_at_once(const LocalSpec& s) noexcept
    {
        return s.features < engine::local_draws ? s.features : engine::local_draws;
    }
    static constexpr std::size_t workspace_bytes(const LocalSpec& s) noexcept
    {
        return sizeof(std::int16_t) *
               (std::size_t{filters_at_once(s)} * PackedFilter::most + engine::local_lanes * std::size_t{s.inputs});
    }

    template <Kinds>
    static constexpr Code code(const LocalSpec&) noexcept
    {
        return {};
    }
    static Status begin(const LocalSpec& s, const Code&, const ChosenRows& chosen, std::span<const float> x,
                        std::span<std::byte> work, Sample& sample) noexcept;
    static Status block(const LocalSpec& s, const Code&, const ChosenRows& chosen, const Sample& sample,
                        std::uint32_t k, std::span<float> z) noexcept;
    static Status one(const LocalSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::span<std::byte> work) noexcept
    {
        return batch(s, code, x, z, 1, work);
    }
    static Status batch(const LocalSpec& s, const Code&, std::span<const float> x, std::span<float> z,
                        std::size_t samples, std::span<std::byte> work) noexcept;

    // It computes with whole numbers alone.
    static constexpr bool is_whole(const LocalSpec&) noexcept { return true; }
    static constexpr bool negative_features = true;
    // What a prediction in whole numbers needs of it.
    static constexpr LocalRows integer_rows(const LocalSpec& s) noexcept { return {filters(s), s.inputs, s.features}; }

    // Windows of images have a quarter of the places in each direction in the mean, one in sixteen all of them; those
    // of series three quarters. Half of the most taps are usual.
    static constexpr std::uint64_t operations(const LocalSpec& s, const ChosenRows& chosen) noexcept
    {
        const std::uint64_t count = chosen.all() ? s.features : chosen.count(), places = s.inputs / s.channels;
        return count * (400 + (is_series(s) ? places * 3 / 4 : places / 8) * (s.pairs + 3)) +
               2 * std::uint64_t{s.inputs};
    }
};

using Local = LocalSpec;

} // namespace samara
