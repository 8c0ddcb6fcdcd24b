// An arc-cosine kernel of the patches of images and series, averaged over windows: what the sums of the map local
// (map/local.hpp) would estimate, had their filters normal weights in place of a few signs and did nothing round them.
//
// A feature draws a patch (its side, of series how far its places are spread, one channel or two) and a window of
// places to which it moves, as the filter of `local` with that number and seed does, and normal weights w, one for each
// of the patch's n sites. With a(x, p) = sum over the sites of w x[p + site],
//
//   z(x) = sqrt(2 / (features n')) (1 / P) sum over the window's P places p of relu(a(x, p))
//
// In images all filters, in series half of them, do not see a constant that is added to x: there w has lost its mean
// and n' = n - 1; else n' = n. So
//
//   E <z(x), z(y)> = E of (1 / P^2) sum over the window's places p, q of A1(x at p, y at q),
//   A1 = |x||y| (sin a + (pi - a) cos a) / pi   with   <x, y> = (1 / n') sum over the sites of x y, without the patch's
//                                                               means where w has none: the patches' covariance
//
// where the outer mean is over patches and windows, of which there are finitely many: `samara kernel` adds them up.
// (Draws of k numbers are uniform but for k / 2^16, normals but for 1e-5; the kernel is that of ideal ones.) K(x, y) is
// positive semidefinite, and of degree 1: c x has c times the features of x, c > 0.
//
// The signs of the filters of `local` have the same mean 0 and the same covariance, but for a factor: filters of many
// signs would estimate this kernel, too. Those of two and four do not, and their features are limited and rounded, so
// that this is the kernel of which they are a sparse form, and not what they estimate.
//
// Variance O(1 / features). All features are one block. Memory of one sample: its inputs, the weights of a filter (at
// most 2 largest^2) and a row of places. Time: for each feature its window's places times its sites. The kernel's, for
// a pair of samples: for each patch that can be drawn the square of its places, times its sites; that is for desks.
//
// x = 0 gives 0.
#pragma once

#include "samara/map/engine/local_shape.hpp"
#include "samara/map/map.hpp"
#include "samara/memory.hpp"

namespace samara {

struct LocalArcCosSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    std::uint32_t height = 0, width = 0;    // of images
    std::uint32_t channels = 0, length = 0; // length: of series
    std::uint32_t largest = 0;              // side of a patch
    std::uint32_t reach = 0;                // of a patch in series, places
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const LocalArcCosSpec&, const LocalArcCosSpec&) = default;
};

template <>
struct Map<LocalArcCosSpec> : WholeMap<LocalArcCosSpec> {
    static constexpr MapId id{14};
    static constexpr const char* name = "local-arccos";
    static constexpr const char* estimates[] = {
        "the arc-cosine kernel of order 1 of patches of images and series, averaged over windows"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, engine::most_local_inputs);
        engine::local_fields(v, s);
        v.features(s.features, most_features);
        v.seed(32, s.seed);
    }
    static constexpr SpecReport across(const LocalArcCosSpec& s) noexcept { return engine::local_across(s); }
    static constexpr LocalArcCosSpec resolve(const LocalArcCosSpec& s) noexcept { return engine::local_resolved(s); }

    // Of resolved specs. The most sites of a patch.
    static constexpr std::uint32_t most_sites(const LocalArcCosSpec& s) noexcept
    {
        const std::uint32_t of_channel = engine::is_series(s) ? s.largest : s.largest * s.largest;
        return of_channel * (s.channels > 1 ? 2 : 1);
    }
    static constexpr std::size_t workspace_bytes(const LocalArcCosSpec& s) noexcept
    {
        const std::size_t row = engine::is_series(s) ? s.length : s.width;
        return piece_bytes(sizeof(float) * s.inputs) + piece_bytes(sizeof(float) * most_sites(s)) +
               piece_bytes(sizeof(float) * row);
    }
    static Status run(const LocalArcCosSpec& s, const Code&, std::span<const float> x, std::span<float> z,
                      std::size_t samples, std::span<std::byte> work) noexcept;

    // Windows of images have a fifth of the places in the mean, those of series three quarters; three quarters of the
    // most sites are usual, half where there are two channels or one.
    static constexpr std::uint64_t operations(const LocalArcCosSpec& s, NoData) noexcept
    {
        const std::uint64_t places = s.inputs / s.channels, sites = most_sites(s) / 2 + 1;
        const std::uint64_t window = engine::is_series(s) ? places * 3 / 4 : places / 5;
        return s.features * (600 + 20 * sites + window * (2 * sites + 3)) + 2 * std::uint64_t{s.inputs};
    }
};

using LocalArcCos = LocalArcCosSpec;

} // namespace samara
