// An estimate of what one sample costs in a map of rows.
#pragma once

#include "samara/map/map.hpp"

namespace samara::engine {

// The products with all rows, and `each` operations for each feature.
template <class Spec>
constexpr std::uint64_t row_map_operations(const Spec& s, const ChosenRows& chosen, std::uint64_t each) noexcept
{
    std::uint64_t blocks = 0, rows = 0;
    for (std::uint32_t k = samara::exact_features(s) != 0 ? 1 : 0; k < block_count(s); ++k) {
        const std::uint32_t kept = block_range(s, chosen, k).count / samara::features_per_row(s);
        blocks += kept > 0 ? 1 : 0;
        rows += kept;
    }
    std::uint32_t sweeps = 0;
    if constexpr (requires { s.sweeps; })
        sweeps = s.sweeps;
    return row_operations(s.rows, s.inputs, blocks, rows, sweeps) + each * rows * samara::features_per_row(s);
}

} // namespace samara::engine
