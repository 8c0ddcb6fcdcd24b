// A map of rows, resolved and without its type.
#pragma once

#include "samara/detail/row_map.hpp"

namespace samara::detail {

struct RowMap {
    std::uint64_t seed;
    std::uint32_t inputs, features, exact, rows, per_block, per_row, sweeps;
    std::uint32_t blocks_together; // that the rows may be asked for in one call
    float scale;                   // of the projections
    float amplitude;               // of the random features
    float centre;                  // mu of the exact orders, where there are any
    float bandwidth;               // of Fourier features
    std::size_t row_floats;        // workspace of the rows; a scaled copy of x follows it
    bool scaled_copy;              // the map may ask for one
    MapCode code;
};

Status run(const RowMap& map, std::span<const float> x, std::span<float> z, std::size_t samples,
           std::span<std::byte> work) noexcept;
Status run_block(const RowMap& map, std::uint32_t k, std::span<const float> x, std::span<float> z,
                 std::span<std::byte> work) noexcept;

} // namespace samara::detail
