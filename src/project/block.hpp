// One block of rows of a regenerated matrix, applied to a few samples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samara {

struct RowBlock {
    std::uint64_t seed;
    std::uint32_t inputs;
    std::uint32_t index;     // of the block
    std::uint32_t first_row; // index times the block's nominal rows
    std::uint32_t rows;      // in this block; the last may be short
    float scale;             // multiplies every projection
    float factor;            // a power of two that Hadamard rows multiply x with; the others ignore it
    std::uint32_t blocks;    // Hadamard rows may make several full blocks in one call; the other kinds see 1
    std::size_t out_block;   // floats from one block's projections to the next one's
    std::uint32_t sweeps;    // of the Gibbs sampler; the others ignore it

    std::size_t samples;
    const float* x;         // each sample has `inputs` floats
    std::size_t x_stride;   // floats from one sample to the next
    float* out;             // each sample gets `rows` projections; must not overlap x or the workspace
    std::size_t out_stride; // floats from one sample's projections to the next one's
    float* work;            // as many floats as the row kind's size function says
    // If not null: the numbers of `rows` rows, two bytes each, little-endian. Dense, unit and gibbs rows and
    // hadamard_kept_rows make these instead of first_row, first_row + 1, ...
    const std::byte* kept;
};

// The number in the matrix of the block's row at `position`; beyond the kept rows, of the last one.
constexpr std::uint32_t row_number(const RowBlock& b, std::uint32_t position) noexcept
{
    if (b.kept == nullptr)
        return b.first_row + position;
    const std::byte* two = b.kept + 2 * std::size_t{position < b.rows ? position : b.rows - 1};
    return std::to_integer<std::uint32_t>(two[0]) | std::to_integer<std::uint32_t>(two[1]) << 8;
}

} // namespace samara
