#include "ports/host/skeleton/skeleton_part.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"

namespace samara::desk {
namespace {

void append(std::vector<std::byte>& bytes, std::uint32_t number, std::uint32_t width)
{
    for (std::uint32_t i = 0; i < width; ++i) {
        bytes.push_back(static_cast<std::byte>(number >> (8 * i) & 255u));
    }
}

std::string short_text(double value)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.3g", value);
    return buffer;
}

} // namespace

Skeleton skeleton_of(const SkeletonPart& part)
{
    Skeleton skeleton;
    if (!Skeleton::read(part.bytes, skeleton)) {
        throw std::logic_error("skeleton: the bytes of a map are none");
    }
    return skeleton;
}

bool has_categories(const Skeleton& skeleton)
{
    for (std::uint32_t i = 0; i < skeleton.groups(); ++i) {
        const SkeletonGroup g = skeleton.group(i);
        if (g.kind == SkeletonKind::base && g.base() == SkeletonBase::categorical) {
            return true;
        }
    }
    return false;
}

SkeletonPart part_of(const SkeletonData& data)
{
    const std::span<const std::byte> bytes = data.skeleton().bytes();
    SkeletonPart part;
    part.bytes.assign(bytes.begin(), bytes.end());
    part.list.draws = data.all() ? 0 : data.sum();
    for (std::uint32_t i = 0; i < data.count(); ++i) {
        part.list.indices.push_back(data.index(i));
        part.list.counts.push_back(data.times(i));
    }
    return part;
}

std::vector<std::byte> data_bytes(const SkeletonPart& part, const MergedFeatures& list)
{
    std::vector<std::byte> bytes = part.bytes;
    if (list.indices.empty()) {
        return bytes;
    }
    const std::uint32_t most = *std::max_element(list.counts.begin(), list.counts.end());
    const std::uint32_t of_index = SkeletonData::width_for(list.indices.back());
    const std::uint32_t of_count = most == 1 ? 0 : SkeletonData::width_for(most);
    append(bytes, of_index, 2);
    append(bytes, of_count, 2);
    append(bytes, list.draws, 4);
    for (const std::uint32_t index : list.indices) {
        append(bytes, index, of_index);
    }
    for (const std::uint32_t count : list.counts) {
        append(bytes, count, of_count);
    }
    return bytes;
}

MergedFeatures kept_of(const MergedFeatures& list, const std::vector<std::uint16_t>& kept)
{
    MergedFeatures some;
    for (const std::uint16_t place : kept) {
        some.indices.push_back(list.indices.empty() ? place : list.indices.at(place));
        some.counts.push_back(list.counts.empty() ? 1 : list.counts.at(place));
        some.draws += some.counts.back();
    }
    return some;
}

std::string skeleton_summary(const Skeleton& skeleton)
{
    return with_commas(skeleton.nodes()) + (skeleton.nodes() == 1 ? " node in " : " nodes in ") +
           with_commas(skeleton.groups()) + (skeleton.groups() == 1 ? " group" : " groups") + ", depth " +
           std::to_string(skeleton.depth()) + ", complexity " + short_text(skeleton.cost() / double{one_factor}) +
           " (factors of a feature, on average)";
}

std::string list_summary(const MergedFeatures& list)
{
    if (list.draws == list.indices.size()) {
        return with_commas(list.draws) + " features, each drawn once";
    }
    const double times = static_cast<double>(list.draws) / static_cast<double>(list.indices.size());
    return with_commas(list.indices.size()) + " distinct features stand for " + with_commas(list.draws) + " drawn, " +
           short_text(times) + " times as many";
}

} // namespace samara::desk
