// Scaling of inputs to whole numbers, for maps with numbers=int8.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ports/host/text/map_text.hpp"
#include "ports/host/training/scaling.hpp"

namespace samara::desk {

// Whether the map computes with whole numbers.
bool is_whole(const MapSpec& spec);

// The learned scaling as shifts of two bytes and factors of one, so that a standard deviation is about 32, a quarter of
// the range, and minmax fills 0 to 127. One pair for all inputs takes the nearest power of two, which a device shifts
// by. Where a shift is too many deviations for two bytes, or missing values are filled, floats stay: then devices need
// floats, and `remark` says so. BadInput for kinds that have no deviation (centre, unit).
Scaling whole_inputs(const Scaling& learned, ScalingKind kind, std::size_t columns, const std::string& name,
                     std::string& remark);

// A scaling to whole numbers with a pair for each input, whose factor is that of before times its own, in proportion:
// all together keep the size that they have, unless the largest would leave too little room above a deviation.
Scaling with_whole_factors(const Scaling& scaling, const std::vector<float>& factors);

} // namespace samara::desk
