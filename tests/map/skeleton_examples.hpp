// Skeletons for tests of the map `skeleton`, samples that they take, and the map's features.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../skeleton/support.hpp"
#include "samara/samara.hpp"

namespace samara::test {

inline constexpr std::uint32_t whole = 64; // features of the skeleton in a block

struct Work {
    std::vector<std::uint32_t> words;
    explicit Work(std::size_t bytes) : words((bytes + 3) / 4) {}
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words)); }
};

inline SkeletonSpec spec_for(const Skeleton& s, SkeletonForm form, std::uint32_t rows, std::uint64_t seed = 5)
{
    return {.inputs = s.inputs(),
            .features = rows * (form == SkeletonForm::pair ? 2 : 1),
            .form = form,
            .normals = skeleton_normals(s),
            .seed = seed};
}

inline std::vector<float> map_features(const SkeletonSpec& spec, const SkeletonData& data, const std::vector<float>& x,
                                       Status wanted = Status::ok)
{
    const std::size_t samples = x.size() / spec.inputs;
    std::vector<float> z(samples * feature_count(spec, data), 7.0f);
    Work work(workspace_bytes(spec, data));
    REQUIRE(features(spec, data, x, z, samples, work.bytes()) == wanted);
    return z;
}

// Every base that has an imaginary part or another input than a sign, under two layers. Of 19 columns.
inline const Skeleton& mixed()
{
    static Made m;
    static const auto steps = exponential(1.5);
    if (m.skeleton.groups() == 0) {
        m.build.circles({3, 4, 1}, 0, 0.25f);
        m.build.base(SkeletonBase::gaussian, {}, 12, 3, word_of(0.1f));
        m.build.base(SkeletonBase::categorical, {}, 15, 1, 4);
        m.build.base(SkeletonBase::sphere, {}, 16, 3);
        m.build.windows(0, {2, 2, 1, 2}, series(steps));
        const SkeletonGroup::Range all[] = {{15, 4}, {12, 1}, {13, 1}, {14, 1}};
        m.build.node(all, series(steps));
        m.finish();
    }
    return m.skeleton;
}
// Those whose features are real: 10 signs and a block of 3.
inline const Skeleton& real_ones()
{
    static Made m;
    static const auto steps = exponential(2.0);
    if (m.skeleton.groups() == 0) {
        m.build.base(SkeletonBase::binary, {1, 1, 10}, 0);
        m.build.base(SkeletonBase::sphere_uniform, {}, 10, 3);
        const SkeletonGroup::Range all[] = {{0, 10}, {10, 1}};
        m.build.node(all, series(steps));
        m.finish();
    }
    return m.skeleton;
}
inline const Skeleton& signs()
{
    static Made m;
    static const auto steps = exponential(2.0);
    if (m.skeleton.groups() == 0) {
        m.build.node(m.build.base(SkeletonBase::binary, {1, 1, 7}, 0), series(steps));
        m.finish();
    }
    return m.skeleton;
}
inline const Skeleton& circles()
{
    static Made m;
    static const auto steps = exponential(1.5);
    if (m.skeleton.groups() == 0) {
        m.build.node(m.build.circles({1, 1, 6}, 0, 0.25f), series(steps));
        m.finish();
    }
    return m.skeleton;
}

// What a skeleton takes: numbers for angles and signs, a category, and vectors of length 1 for the spheres.
inline std::vector<float> sample(const Skeleton& s, std::uint64_t k)
{
    std::vector<float> x(s.inputs());
    fill_normals(stream_key(77, Domain::user, k), x);
    for (std::uint32_t g = 0; g < s.groups(); ++g) {
        const SkeletonGroup group = s.group(g);
        if (group.kind != SkeletonKind::base)
            continue;
        if (group.base() == SkeletonBase::categorical)
            x[group.column] = static_cast<float>((k + 1) / 2 % group.value);
        if (group.base() != SkeletonBase::sphere && group.base() != SkeletonBase::sphere_uniform)
            continue;
        double squares = 0.0;
        for (std::uint32_t i = 0; i < group.columns; ++i)
            squares += std::pow(static_cast<double>(x[group.column + i]), 2);
        for (std::uint32_t i = 0; i < group.columns; ++i)
            x[group.column + i] /= static_cast<float>(std::sqrt(squares));
    }
    return x;
}
inline double product(const std::vector<float>& a, const std::vector<float>& b)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

} // namespace samara::test
