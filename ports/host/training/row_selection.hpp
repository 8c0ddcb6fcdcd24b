// Which rows of a map are worth keeping, from the products of their features alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// Least squares of outputs in standardised features, around their means: what choosing needs of the data.
struct SelectionProblem {
    MatrixD gram;                                 // features x features
    MatrixD cross;                                // outputs x features, each output times the root of what it counts
    double energy = 0.0;                          // of the outputs, together
    std::vector<std::uint32_t> always;            // columns that are in every choice
    std::vector<std::vector<std::uint32_t>> rows; // the columns of each row: one, or a cosine and a sine
    std::vector<std::uint32_t> blocks;            // the block of each row, ascending

    std::uint32_t block_count() const { return blocks.empty() ? 0 : blocks.back() + 1; }
};

// `ridge` is over the features' variance, which is 1 for all. Forward orthogonal least squares: takes, one after the
// other, the row that lowers the squared error with the ridge most, beside those taken before; it is a Cholesky
// factorisation whose pivots look at the outputs. From twice as many rows as wanted it leaves out, one at a time, the
// row that raises that error least. `allowed`: of each block, or empty for all. Ascending. O(rows * keep^2) operations;
// memory: 2 keep numbers a column, at most that of the Gram matrix.
std::vector<std::uint32_t> select_rows(const SelectionProblem& problem, double ridge, std::size_t keep,
                                       const std::vector<bool>& allowed);

// The blocks, `count` of them, of which select_rows would take the rows that lower the error most.
std::vector<bool> select_blocks(const SelectionProblem& problem, double ridge, std::size_t keep, std::size_t count);

} // namespace samara::desk
