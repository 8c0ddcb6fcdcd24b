// What of a local map its data decide.
#pragma once

#include <cstdint>

#include "ports/host/data/matrix.hpp"
#include "samara/map/local.hpp"

namespace samara::desk {

// Random features are far behind ones that were chosen of so many.
inline constexpr std::uint32_t local_candidates = 2048;

// The gain with which most features of these rows, scaled as the map sees them, fill their range and few leave it. Of a
// resolved spec.
std::uint32_t gain_of(LocalSpec spec, const MatrixF& rows);

} // namespace samara::desk
