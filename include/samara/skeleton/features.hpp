// Random features of a skeleton (arXiv 1703.07872, Algorithm 1): what the kernel is the mean of.
//
// Feature i is a product of base features, drawn from (seed, i) alone: from the last node down, each internal node
// draws how many factors it has, by the coefficients of its series, and for each of them one of the nodes that it is
// made of. The complex feature psi_i has E[psi_i(x) conj(psi_i(y))] = K(x, y), exactly but for where the number of
// factors is cut off (most_factors); of m features the mean's standard deviation falls like 1 / sqrt(m). Base features,
// and the length of psi_i:
//
//   binary          +-1                                                        1
//   circle          exp(+-2 pi i turns x)                                      1
//   gaussian        exp(2 pi i turns <g, x>), g normal                         1
//   categorical     exp(2 pi i w x / values), w a whole number below values    1
//   sphere          sqrt(d/2) (x_j +- i x_(j+1)), x_(d+1) = x_1                at most sqrt(d/2)
//   sphere-uniform  sqrt(d) <u, x>, u of length 1 in all directions            at most sqrt(d)
//
// Angles add up in 2^-32 of a turn, in integers: features that are equal have equal bits. Time is that of cost()
// factors a feature on average; an input is looked at only where a factor has it.
#pragma once

#include "samara/skeleton.hpp"

namespace samara {

// Bytes of workspace for `count` features at a time: 4 each, and the longest block of a gaussian or a sphere-uniform.
std::size_t skeleton_workspace_bytes(const Skeleton& skeleton, std::uint32_t count) noexcept;

// psi_first(x) and those that follow, as many as `real` and `imaginary` have room for (wrong_length if they differ, or
// x has not skeleton.inputs() numbers). not_finite for such inputs; out_of_range for a categorical one that is not a
// whole number from 0 to values - 1. The workspace starts at a multiple of 4 bytes (misaligned, small_workspace). The
// outputs are untouched unless the status is ok; but where a product of a sphere's columns that are no unit vector
// leaves the range of floats, the status is overflow and all of them are 0.
Status skeleton_features(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t first, std::span<const float> x,
                         std::span<float> real, std::span<float> imaginary, std::span<std::byte> work) noexcept;

// The same of the features with the numbers `indices`, in any order.
Status skeleton_features(const Skeleton& skeleton, std::uint64_t seed, std::span<const std::uint32_t> indices,
                         std::span<const float> x, std::span<float> real, std::span<float> imaginary,
                         std::span<std::byte> work) noexcept;

// A base feature of a feature: of node `node` of group `group`, and which of its base's: 1 for the conjugate of a
// circle, w of a categorical, 2 j (+ 1 for the minus) of a sphere; 0 where there is one alone, and where normals were
// drawn.
struct SkeletonFactor {
    std::uint32_t group, node, which;
};
// Calls sink(context, factor) for each base feature of feature i, in order.
void skeleton_factors(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t i,
                      void (*sink)(void* context, const SkeletonFactor& factor), void* context) noexcept;
// How many there are; 0 where there is no skeleton.
std::uint64_t skeleton_factors(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t i) noexcept;
// The bit behind the factors: whether feature i of a map of form phase is turned by a quarter (map/skeleton.hpp).
bool skeleton_quarter_turn(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t i) noexcept;

} // namespace samara
