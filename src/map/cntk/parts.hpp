// Where a pixel's numbers are that lie part by part. Compiled once for each back end.
#pragma once

#include "map/cntk/steps.hpp"
#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

SAMARA_INLINE std::size_t place_of(std::uint32_t i, std::size_t part) { return i / cntk_part * part + i % cntk_part; }

} // namespace samara::SAMARA_ARCH
