#include "samara/predictor.hpp"

namespace samara {

namespace detail {

namespace {

// Calls sink(range, features) for each block that has any. A refused input is refused at the first block.
template <class Sink>
Status each_block(const std::byte* model, const ModelLayout& m, const BlockSource& source, std::span<const float> x,
                  std::span<std::byte> work, Sink sink) noexcept
{
    if (x.size() != m.inputs)
        return Status::wrong_length;
    Bump memory(work);
    if (!memory.aligned())
        return Status::misaligned;
    if (work.size() < predictor_bytes(m, source.block_floats, source.map_bytes))
        return Status::small_workspace;
    if (m.scaling_steps != 0) {
        float* scaled = memory.take<float>(m.inputs);
        scale_input(m.scaling_steps, model + m.scaling.offset + 8, m.inputs, x.data(), scaled);
        x = {scaled, m.inputs};
    }
    const std::span<float> z(memory.take<float>(source.block_floats), source.block_floats);
    const std::span<std::byte> rest = work.last(memory.left());
    const ChosenRows chosen = chosen_rows(model, m);
    for (std::uint32_t k = 0; k < source.blocks; ++k) {
        const BlockRange range = source.range(source.spec, chosen, k);
        if (range.count == 0 && k > 0)
            continue;
        if (const Status status = source.block(source.spec, chosen, k, x, z, rest); status != Status::ok)
            return status;
        sink(range, z.first(range.count));
    }
    return Status::ok;
}

} // namespace

Status predict_features(const std::byte* model, const ModelLayout& m, const BlockSource& source,
                        std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    if (z.size() != m.features)
        return Status::wrong_length;
    return each_block(model, m, source, x, work, [&](BlockRange range, std::span<const float> block) {
        for (std::uint32_t i = 0; i < range.count; ++i)
            z[range.first + i] = block[i];
    });
}

Status predict_scores(const std::byte* model, const ModelLayout& m, const BlockSource& source, std::span<const float> x,
                      std::span<float> scores, std::span<std::byte> work) noexcept
{
    if (scores.size() != m.outputs)
        return Status::wrong_length;
    const Readout readout = readout_of(model, m, source.add);
    bool begun = false;
    const Status status = each_block(model, m, source, x, work, [&](BlockRange range, std::span<const float> block) {
        if (!begun)
            readout.clear(scores);
        begun = true;
        readout.add(range.first, block, scores);
    });
    if (status == Status::ok)
        readout.finish(scores);
    return status;
}

} // namespace detail

} // namespace samara
