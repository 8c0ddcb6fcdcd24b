// Rows that a sketch by Hadamard transforms takes. SPEC.md, section 7.4.
#pragma once

#include <span>

#include "samara/sketch/srht.hpp"
#include "sketch/kernels.hpp"

namespace samara::detail {

// Which row of H S' y goes with place k: its places come in blocks of D', the size of that side, and within a block k
// goes to the image of k ^ turn under a bijection, each block with a turn of its own. So all rows come once a block,
// and no pair of rows comes twice until all have come: blocks that meet the same rows of the other side differ in
// rho(round), below the smaller size. Turns are drawn at random, because with 0, 1, 2 ... the blocks of vectors of few
// entries would repeat each other.
class PairedRows {
public:
    PairedRows(StreamKey rows_key, StreamKey turns_key, unsigned left_log2, unsigned right_log2) noexcept
        : rows_(rows_key, std::uint32_t{1} << right_log2),
          rounds_(turns_key, std::uint32_t{1} << (left_log2 < right_log2 ? left_log2 : right_log2)), key_(turns_key),
          block_log2_(right_log2), blocks_log2_(left_log2 > right_log2 ? left_log2 - right_log2 : 0)
    {}
    const Bijection& rows() const noexcept { return rows_; }
    std::uint32_t turn(std::uint32_t block) const noexcept
    {
        const std::uint32_t round = block >> blocks_log2_, part = block & ((std::uint32_t{1} << blocks_log2_) - 1),
                            mask = rounds_.size() - 1;
        const std::uint32_t of_part = part == 0 ? 0 : static_cast<std::uint32_t>(splitmix_output(key_, part)) & mask;
        return rounds_(round & mask) ^ rounds_(0) ^ of_part;
    }
    // For places [0, n).
    void fill(std::uint32_t n, std::uint32_t* out) const noexcept
    {
        const std::uint32_t size = std::uint32_t{1} << block_log2_;
        for (std::uint32_t block = 0, first = 0; first < n; ++block, first += size)
            SAMARA_KERNEL(sketch, sampled_rows)
        (rows_, 0, turn(block), n - first < size ? n - first : size, out + first);
    }

private:
    Bijection rows_, rounds_;
    StreamKey key_;
    unsigned block_log2_, blocks_log2_;
};

// z = the SRHT of what H S x is handed in, without replacement. rows: row_chunk words.
void sample_rows(StreamKey key, const float* values, unsigned log2_size, std::uint32_t* rows,
                 std::span<float> z) noexcept;

} // namespace samara::detail
