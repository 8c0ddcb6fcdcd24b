// An estimate of what one sample costs in a map of rows.
#pragma once

#include "samara/map/map.hpp"

namespace samara::engine {

// The products with those of `rows` rows that are kept. `whole`: the map makes whole blocks even for a few of them.
[[gnu::cold]] constexpr std::uint64_t kept_rows_operations(Rows kind, std::uint32_t inputs, std::uint32_t rows,
                                                           std::uint32_t sweeps, const ChosenRows& chosen,
                                                           bool whole) noexcept
{
    std::uint32_t made = rows_made(kind, inputs, rows), lengths = made, of_length = row_length_operations(kind);
    if (!chosen.all()) {
        const std::uint32_t in_block = block_rows(kind, inputs), count = chosen.count();
        const std::uint32_t in_blocks = chosen.rows_of_blocks(in_block);
        const bool alone = !whole && rows_by_themselves(kind);
        made = in_blocks < made ? in_blocks : made;
        lengths = alone ? count : made;
        if (alone && kind != Rows::hadamard)
            made = count;
        // The length of a kept row stands in a stream behind those of the rows before it.
        if (alone && kind == Rows::hadamard)
            of_length += of_length + in_block / 32;
    }
    // A block that is left out costs a search for its rows.
    return made * row_operations(kind, inputs, sweeps) + (lengths * of_length + rows / 4);
}

// The products with all rows, and `each` operations for each feature.
template <class Spec>
constexpr std::uint64_t row_map_operations(const Spec& s, const ChosenRows& chosen, std::uint32_t each) noexcept
{
    std::uint32_t sweeps = 0;
    if constexpr (requires { s.sweeps; })
        sweeps = s.sweeps;
    return kept_rows_operations(s.rows, s.inputs, row_count(s), sweeps, chosen, Map<Spec>::by_position(s)) +
           each * (feature_count(s, chosen) - samara::exact_features(s));
}

} // namespace samara::engine
