// How a sample becomes outputs, the same on board and desk: it is scaled, checked and planned once; then block after
// block of features is made, given to its consumer and overwritten by the next.
#pragma once

#include "samara/memory.hpp"
#include "samara/model/layout.hpp"

namespace samara {

// A map with its code and data, known while compiling or read from a model.
template <FeatureMapSpec Spec, class Data>
struct OpenMap {
    const Spec& spec;
    const typename Map<Spec>::Code& code;
    const BlockPlan& blocks;
    Data data; // NoData where all of a map's rows are used
};

// The memory for one sample: a copy of the scaled inputs, one block of features, and the map's workspace.
constexpr std::size_t fold_bytes(const BlockPlan& blocks, std::uint32_t scaled_inputs) noexcept
{
    return sizeof(float) * (std::size_t{scaled_inputs} + blocks.largest) + blocks.bytes;
}

namespace detail {

// Divides the workspace and scales the sample: x becomes the scaled copy, z the room for a block, work what is left.
Status take_fold_memory(const BlockPlan& blocks, std::uint32_t inputs, const InputScaling& scaling,
                        std::span<const float>& x, std::span<float>& z, std::span<std::byte>& work) noexcept;

} // namespace detail

// Calls sink(first, z) with each block that has features, in order: z are the features first, first + 1, ... A refused
// input is refused before the first call.
template <FeatureMapSpec Spec, class Data, class Sink>
Status each_block(const OpenMap<Spec, Data>& map, const InputScaling& scaling, std::span<const float> x,
                  std::span<std::byte> work, Sink sink) noexcept
{
    const Spec& spec = map.spec;
    std::span<float> z;
    typename Map<Spec>::Sample sample;
    Status status = detail::take_fold_memory(map.blocks, spec.inputs, scaling, x, z, work);
    if (status == Status::ok)
        status = Map<Spec>::begin(spec, map.code, map.data, x, work, sample);
    for (std::uint32_t k = 0; k < map.blocks.count && status == Status::ok; ++k) {
        const BlockRange range = map.blocks.range(map.data, k);
        if (range.count == 0)
            continue;
        // Overflow, of a power or a product.
        status = Map<Spec>::block(spec, map.code, map.data, sample, k, z.first(range.count));
        if (status == Status::ok)
            sink(range.first, std::span<const float>(z.first(range.count)));
    }
    return status;
}

// All features of one sample, in order; untouched or, where the status is overflow, perhaps 0 unless it is ok.
template <FeatureMapSpec Spec, class Data>
Status fold_features(const OpenMap<Spec, Data>& map, const InputScaling& scaling, std::span<const float> x,
                     std::span<float> z, std::span<std::byte> work) noexcept
{
    bool begun = false;
    const Status status = each_block(map, scaling, x, work, [&](std::uint32_t first, std::span<const float> block) {
        begun = true;
        for (std::uint32_t i = 0; i < block.size(); ++i)
            z[first + i] = block[i];
    });
    if constexpr (BlockSpec<Spec> && !RowSpec<Spec>) // else no block fails behind the first
        for (std::size_t i = 0; i < z.size() && begun && status != Status::ok; ++i)
            z[i] = 0.0f;
    return status;
}

// Adds block after block to the scores. They are untouched unless the status is ok, or overflow: then they are 0 where
// a block behind the first, or a score that finite weights made, left the range of floats.
template <FeatureMapSpec Spec, class Data>
Status fold_scores(const OpenMap<Spec, Data>& map, const InputScaling& scaling, const Readout& readout,
                   std::span<const float> x, std::span<float> scores, std::span<std::byte> work) noexcept
{
    bool begun = false;
    const Status status = each_block(map, scaling, x, work, [&](std::uint32_t first, std::span<const float> block) {
        if (!begun)
            readout.clear(scores);
        begun = true;
        readout.add(first, block, scores);
    });
    if constexpr (BlockSpec<Spec> && !RowSpec<Spec>)
        for (std::size_t i = 0; i < scores.size() && begun && status != Status::ok; ++i)
            scores[i] = 0.0f;
    return status == Status::ok ? readout.finish(scores) : status;
}

// The outputs of a sample from all of its features, as batches make them. They have the bits of fold_scores().
template <FeatureMapSpec Spec>
Status scores_of_features(const Spec& spec, const typename Map<Spec>::Data& data, const Readout& readout,
                          std::span<const float> z, std::span<float> scores) noexcept
{
    readout.clear(scores);
    for (std::uint32_t k = 0; k < block_count(spec); ++k) {
        const BlockRange range = block_range(spec, data, k);
        readout.add(range.first, z.subspan(range.first, range.count), scores);
    }
    return readout.finish(scores);
}

} // namespace samara
