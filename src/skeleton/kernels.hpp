// The loop over features that skeletons need.
#pragma once

#include "simd/kernels.hpp"

namespace samara {

// Multiplies re + i im by exp(2 pi i phase / 2^32), phases as signed numbers.
#define SAMARA_SKELETON_KERNELS(X) X(void, turn, (const std::uint32_t* phases, std::size_t count, float* re, float* im))
SAMARA_KERNELS(skeleton, SAMARA_SKELETON_KERNELS)

} // namespace samara
