// How often rows count, and which of them belong together: what is said of rows beside their target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/data/target.hpp"

namespace samara::desk {

// A number a row, finite and 0 or more, not all 0; in units of their mean. Anything else is BadInput, which names
// `option` and the row.
std::vector<float> weights_from(const RawTarget& raw, const std::string& option);

// Equal cells are one group, whatever they say. One group only is BadInput.
std::vector<std::uint32_t> groups_from(const RawTarget& raw, const std::string& option);

// What a row of each class is to count so that all classes count the same: n / (k n_c) for n rows, k classes and n_c
// rows of class c, where rows count as often as their weights say. 0 for a class that nothing counts of.
std::vector<double> class_factors(const Target& target);
// Takes the weights times the factors of the rows' classes, in units of their mean.
void multiply_weights(Target& target, const std::vector<double>& factors);

} // namespace samara::desk
