// Features of a skeleton before their angles become cosines and sines: what the functions of skeleton/features.hpp and
// the map share.
#pragma once

#include <cstdint>
#include <span>

#include "samara/skeleton.hpp"

namespace samara::detail {

struct SkeletonDraw {
    const Skeleton& skeleton;
    std::uint64_t seed;
    // Whether a feature draws one bit more behind its factors, and with it 0 or a quarter of a turn.
    bool quarter_turns;
};

// Where the products go, a number each: the angle in 2^-32 of a turn, and the rest. `im` may be null where no base has
// an imaginary part but by its angle. `normals`: room for skeleton_normals() of them.
struct SkeletonProducts {
    std::uint32_t* phases;
    float *re, *im;
    std::span<float> normals;
};

// The features with the numbers `indices` of a sample that has been checked.
void draw_products(const SkeletonDraw& draw, std::span<const float> x, std::span<const std::uint32_t> indices,
                   const SkeletonProducts& out) noexcept;

// out_of_range where an input is not what a categorical base takes.
Status check_skeleton_inputs(const Skeleton& skeleton, std::span<const float> x) noexcept;

} // namespace samara::detail
