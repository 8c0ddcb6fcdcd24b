// Data for maps that compute nothing without, for tests of every map.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "samara/samara.hpp"
#include "samara/skeleton/build.hpp"

namespace samara::test {

// A relu of all inputs, where the first node counts twice: of circles, or for the form real of signs; where the spec
// wants normals, the first inputs are a block of so many.
inline SkeletonData example_skeleton(const SkeletonSpec& s)
{
    static std::map<std::array<std::uint32_t, 3>, std::vector<std::byte>> made;
    const bool real = s.form == SkeletonForm::real;
    std::vector<std::byte>& bytes = made[{s.inputs, real ? 1u : 0u, s.normals}];
    if (bytes.empty()) {
        bytes.resize(1024);
        SkeletonBuilder build(bytes, 3);
        const std::uint32_t value = real ? 0 : std::bit_cast<std::uint32_t>(0.25f);
        const bool block = s.normals != 0 && s.normals < s.inputs;
        const std::uint32_t single = block ? s.inputs - s.normals : s.inputs;
        if (block)
            build.base(real ? SkeletonBase::sphere_uniform : SkeletonBase::gaussian, {}, 0, s.normals, value);
        build.base(real ? SkeletonBase::binary : SkeletonBase::circle, {1, single, 1}, s.inputs - single, 1, value);
        const SkeletonGroup::Range ranges[] = {{block ? 1u : 0u, single}, {0, 1}};
        build.node(ranges, {.dual = SkeletonDual::relu});
        Skeleton skeleton;
        if (build.finish(skeleton))
            bytes.resize(skeleton.bytes().size());
    }
    Skeleton skeleton;
    return Skeleton::read(bytes, skeleton) ? SkeletonData(skeleton) : SkeletonData();
}

// Fills in what a user would have to give of images and series: rows are a series.
template <FeatureMapSpec Spec>
void give_shape(Spec& s)
{
    if constexpr (ImageSpec<Spec>)
        s.height = 1;
    else if constexpr (requires { s.length; })
        s.channels = 1;
}

// The data of a spec: none where it needs none. They stay where they are.
template <FeatureMapSpec Spec>
typename Map<Spec>::Data example_data(const Spec& s)
{
    if constexpr (DataSpec<Spec>)
        return example_skeleton(s);
    else
        return {};
}

// features() and block() with these data, or where there are none without them.
template <FeatureMapSpec Spec>
Status example_features(const Spec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                        std::span<std::byte> work)
{
    if constexpr (DataSpec<Spec>)
        return features(s, example_data(s), x, z, samples, work);
    else
        return samples == 1 ? features(s, x, z, work) : features(s, x, z, samples, work);
}
template <FeatureMapSpec Spec>
Status example_block(const Spec& s, std::uint32_t k, std::span<const float> x, std::span<float> z,
                     std::span<std::byte> work)
{
    if constexpr (DataSpec<Spec>)
        return block(s, example_data(s), k, x, z, work);
    else
        return block(s, k, x, z, work);
}

} // namespace samara::test
