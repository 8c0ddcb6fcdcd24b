// A factor for each input, learned: inputs that tell nothing of the answer should not count in distances and angles.
#pragma once

#include <cstdint>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// The maps whose features' derivatives are known here: rff of the gaussian kernel, with numbers=float, and arccos of
// order 1, also in whole numbers.
bool can_fit_scales(const MapSpec& map);

// Fewer rows than this teach nothing of single inputs.
inline constexpr std::size_t fewest_rows_for_scales = 60;

// Factors from steps of Adam on their logarithms. A step draws some rows and some features of the map's kernel; a
// ridge readout is fitted to one half of the rows, and the step lowers the squared error on the other half, by the
// derivatives of both halves' features, the readout's own included. What comes out is taken to the power 1/2: it was
// learned from few rows. For rff the overall factor is learned with the others; arccos does not see one.
std::vector<float> fit_scales(const MapSpec& map, const Scaling& scaling, const RowSet& rows, std::uint64_t seed);

// The same scaling with each input multiplied by its factor at the end. One to whole numbers keeps the inputs' common
// size, and takes the nearest factors that a byte holds.
Scaling with_factors(Scaling scaling, const std::vector<float>& factors);

} // namespace samara::desk
