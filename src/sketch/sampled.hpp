// Rows that a sketch by Hadamard transforms takes. SPEC.md, section 7.4.
#pragma once

#include <span>

#include "samara/sketch/srht.hpp"
#include "sketch/kernels.hpp"

namespace samara::detail {

// Each feature of a TensorSRHT is a row of the left transform times a row of the right one. This chooses the right
// rows. Features come in blocks of the right transform's size. Within a block, feature k takes the image of k ^ flip
// under a bijection, and each block has a flip of its own. So every right row occurs once in each block, and no pair of
// rows occurs twice before all have occurred: blocks with the same left rows (a round apart) differ in the image of
// their round, which is below the smaller size. Flips are random (SPEC.md calls them turns), because with 0, 1, 2 ...
// the blocks of vectors of few entries would repeat each other.
class PairedRows {
public:
    PairedRows(StreamKey rows_key, StreamKey flips_key, unsigned left_log2, unsigned right_log2) noexcept
        : rows_(rows_key, std::uint32_t{1} << right_log2),
          rounds_(flips_key, std::uint32_t{1} << (left_log2 < right_log2 ? left_log2 : right_log2)), key_(flips_key),
          block_log2_(right_log2), blocks_log2_(left_log2 > right_log2 ? left_log2 - right_log2 : 0)
    {}
    const Bijection& rows() const noexcept { return rows_; }
    std::uint32_t flip(std::uint32_t block) const noexcept
    {
        // A round is one pass over all left rows. It takes several blocks where the left transform is the longer one.
        const std::uint32_t round = block >> blocks_log2_, in_round = block & ((std::uint32_t{1} << blocks_log2_) - 1);
        const std::uint32_t mask = rounds_.size() - 1;
        const std::uint32_t own =
            in_round == 0 ? 0 : static_cast<std::uint32_t>(splitmix_output(key_, in_round)) & mask;
        return rounds_(round & mask) ^ rounds_(0) ^ own;
    }
    // out[k] = the right row of feature k, for k < n.
    void fill(std::uint32_t n, std::uint32_t* out) const noexcept
    {
        const std::uint32_t size = std::uint32_t{1} << block_log2_;
        for (std::uint32_t block = 0, first = 0; first < n; ++block, first += size)
            SAMARA_KERNEL(sketch, sampled_rows)
        (rows_, 0, flip(block), n - first < size ? n - first : size, out + first);
    }

private:
    Bijection rows_, rounds_;
    StreamKey key_;
    unsigned block_log2_, blocks_log2_;
};

// z = scaled rows of `values`, which is H S x, without replacement: the second half of an SRHT. `rows` has room for
// row_chunk words.
void sample_rows(StreamKey key, const float* values, unsigned log2_size, std::uint32_t* rows,
                 std::span<float> z) noexcept;

} // namespace samara::detail
