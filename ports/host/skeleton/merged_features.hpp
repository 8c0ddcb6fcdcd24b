// Random features of a skeleton that are equal, made one (arXiv 1703.07872, section 5): where bases are discrete, many
// are.
//
// Two features are equal if they have the same base features; those of circles, binary and categorical inputs are
// powers, so that a factor and its conjugate cancel. A feature and its conjugate have the same real kernel, and count
// as equal, too. Those with normals in them (gaussian, sphere-uniform) never are. Of `draws` features, the merged ones
// with weights count / draws have the kernel that all of them have with weights 1 / draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "samara/skeleton.hpp"

namespace samara::desk {

struct MergedFeatures {
    std::uint32_t draws = 0;
    std::vector<std::uint32_t> indices; // of the first of those that are equal; ascending
    std::vector<std::uint32_t> counts;  // how many are
};

// Features 0 ... draws - 1. Where each may be turned by a quarter (form phase), those that are turned and those that
// are not are not equal.
MergedFeatures merge_features(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t draws,
                              bool quarter_turns = false);

// As many draws as there may be with `distinct` features, at most `most_draws`: up to the last one before there would
// be one more. Where to stop depends on what was drawn, so the mean is no longer exactly the kernel; the more draws,
// the nearer.
MergedFeatures merge_until(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t distinct,
                           std::uint32_t most_draws, bool quarter_turns = false);

} // namespace samara::desk
