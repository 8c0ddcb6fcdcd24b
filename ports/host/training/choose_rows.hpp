#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/text/map_text.hpp"
#include "ports/host/training/normal_equations.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// Rows of a map, and their columns among its features: one, or a cosine and a sine.
std::vector<std::vector<std::uint32_t>> columns_of_rows(const MapSpec& spec);

// Whether there are data enough to fit the choice to them closely: choose_rows then exchanges rows after it has left
// out, and the kept features' own ridge is worth choosing by.
bool enough_data_to_exchange(double rows, std::size_t keep);

// The rows of which `keep` are worth most, in ascending order: from all candidates' normal equations, those that add
// least to the ridge objective are left out, a few at a time, until `keep` are left. The exact features always stay.
std::vector<std::uint16_t> choose_rows(const MapSpec& spec, const NormalEquations& equations, double ridge, Task task,
                                       std::size_t keep);

} // namespace samara::desk
