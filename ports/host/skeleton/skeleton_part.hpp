// What a map of skeletons computes with beside its spec: the skeleton, and which of its features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/skeleton/merged_features.hpp"
#include "samara/skeleton/data.hpp"

namespace samara::desk {

struct SkeletonPart {
    std::vector<std::byte> bytes; // of the skeleton
    MergedFeatures list = {};     // empty: all, one after the other
    std::uint32_t wanted = 0;     // so many were to differ, where fewer do however many are drawn; else 0
    std::string keys = {};        // that make it, "base=circle,period=2"; of a sealed model they are not known
};

// The skeleton, whose bytes must stay.
Skeleton skeleton_of(const SkeletonPart& part);

// Whether some inputs are categories: then those that are none are out_of_range.
bool has_categories(const Skeleton& skeleton);

// A copy of what a model holds.
SkeletonPart part_of(const SkeletonData& data);

// The bytes of SkeletonData, with a list of these features unless it is empty.
std::vector<std::byte> data_bytes(const SkeletonPart& part, const MergedFeatures& list);

// Of the listed ones, or of features 0, 1, ... where nothing is listed, those in the places `kept`.
MergedFeatures kept_of(const MergedFeatures& list, const std::vector<std::uint16_t>& kept);

// "12 nodes in 3 groups, depth 2, complexity 0.25 (factors of a feature, on average)"
std::string skeleton_summary(const Skeleton& skeleton);
// "512 distinct features stand for 4,096 drawn, 8 times as many"
std::string list_summary(const MergedFeatures& list);

} // namespace samara::desk
