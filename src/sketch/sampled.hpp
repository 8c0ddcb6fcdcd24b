// Rows that a sketch by Hadamard transforms takes. SPEC.md, sketches.
#pragma once

#include <span>

#include "kernels.hpp"
#include "samara/sketch_hadamard.hpp"

namespace samara::detail {

// Which row of H S' y goes with place k, when places 0 ... n - 1, n the larger of the two sizes, are one round: the
// image of k ^ turn under a bijection, each round with a turn of its own below the smaller size. All rows of the larger
// side come once a round, and the pairs of different rounds differ. Turns are drawn without replacement, too: with 0,
// 1, 2 ... the rounds of vectors of few entries would repeat each other.
struct PairedRows {
    Bijection rows, turns;
    std::uint32_t round_log2;

    PairedRows(StreamKey rows_key, StreamKey turns_key, unsigned left_log2, unsigned right_log2) noexcept
        : rows(rows_key, std::uint32_t{1} << right_log2),
          turns(turns_key, std::uint32_t{1} << (left_log2 < right_log2 ? left_log2 : right_log2)),
          round_log2(left_log2 > right_log2 ? left_log2 : right_log2)
    {}
    // For places [first, first + n), first a multiple of 16.
    void fill(std::uint32_t first, std::uint32_t n, std::uint32_t* out) const noexcept
    {
        while (n > 0) {
            const std::uint32_t round = first >> round_log2;
            const std::uint64_t end = (std::uint64_t{round} + 1) << round_log2;
            const std::uint32_t part = end - first < n ? static_cast<std::uint32_t>(end - first) : n;
            const std::uint32_t turn = turns(round & (turns.size() - 1));
            if (round_log2 < 4) { // rounds that do not start at multiples of 16
                for (std::uint32_t k = 0; k < part; ++k)
                    out[k] = rows((first + k) ^ turn);
            } else {
                SAMARA_KERNEL(sampled_rows)(rows, first, turn, part, out);
            }
            first += part;
            out += part;
            n -= part;
        }
    }
};

// z = the SRHT of what H S x is handed in, without replacement. rows: row_chunk words.
void sample_rows(StreamKey key, const float* values, unsigned log2_size, std::uint32_t* rows,
                 std::span<float> z) noexcept;

} // namespace samara::detail
