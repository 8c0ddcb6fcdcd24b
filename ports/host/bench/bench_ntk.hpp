#pragma once

#include <vector>

#include "ports/host/bench/bench_lines.hpp"

namespace samara::desk {

// The maps of networks on 784 inputs, beside products with stored matrices of as many weights as their rows have. The
// BLAS must have been told to use one thread.
std::vector<BenchLine> measure_ntk(const Effort& effort);

} // namespace samara::desk
