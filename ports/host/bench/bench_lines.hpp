// The measurements of `samara bench`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ports/host/bench/bench_timing.hpp"
#include "samara/simd.hpp"

namespace samara::desk {

enum class Unit { million_per_second, microseconds, bytes };

// at_least: how many times as fast as the baseline samara is. at_most: how many times the baseline's time samara takes,
// or, of bytes, the number itself.
enum class Bound { none, at_least, at_most };

struct Target {
    Bound bound = Bound::none;
    double value = 0.0;
};

struct BenchLine {
    std::string name;
    std::string back_end;
    Unit unit = Unit::microseconds;
    double samara = 0.0;
    std::string baseline;        // empty: there is none, and no ratio
    double baseline_value = 0.0; // in the same unit
    double ratio = 0.0;          // in the target's sense; as at_least where there is no target
    Target target;
};

// Of times in seconds, with the active back end; no baseline where its name is empty.
BenchLine line_of(const std::string& title, double seconds, const std::string& baseline, double baseline_seconds,
                  Target target);

// `back_ends`: those whose streams and transforms are measured; the maps are computed by the active one.
std::vector<BenchLine> measure_lines(const std::vector<Simd>& back_ends, const Effort& effort);

} // namespace samara::desk
