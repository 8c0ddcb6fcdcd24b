// What `samara bench` compares with where no library is the measure: the code that one would write without us, compiled
// for the machine that builds it.
#pragma once

#include <cstddef>

namespace samara::desk {

// In place, in three loops.
void plain_hadamard(float* values, std::size_t count);

// std::mt19937 and std::normal_distribution<float>, seeded in each call, as our streams are.
void standard_normals(float* values, std::size_t count);

} // namespace samara::desk
