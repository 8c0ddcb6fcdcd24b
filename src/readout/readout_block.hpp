// One block of features times the weights of all outputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samara {

inline constexpr std::uint32_t readout_segment = 64;

struct ReadoutBlock {
    const std::byte* weights; // of the readout's first feature and the first output
    std::size_t stride;       // bytes from one output's weights to the next one's
    std::uint32_t outputs;
    const float* z;
    std::uint32_t count;
    float* totals;       // one for each output
    std::uint32_t first; // the block's first feature
};

} // namespace samara
