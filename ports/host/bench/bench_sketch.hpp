// The measurements of `samara bench` that concern sketches.
#pragma once

#include <vector>

#include "ports/host/bench/bench_lines.hpp"

namespace samara::desk {

std::vector<BenchLine> measure_sketches(const Effort& effort);

} // namespace samara::desk
