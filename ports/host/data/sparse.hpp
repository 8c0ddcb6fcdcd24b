// Tables that are mostly zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace samara::desk {

// Row after row (CSR): the values that a row has, and their columns from 0. What is not there is 0. Values of the same
// column add up.
struct SparseRows {
    std::size_t cols = 0;
    std::vector<std::size_t> starts = {0}; // row i has the entries [starts[i], starts[i + 1])
    std::vector<std::uint32_t> columns;
    std::vector<float> values;

    std::size_t rows() const { return starts.size() - 1; }
};

struct SparseTable {
    SparseRows inputs;
    std::vector<std::string> labels; // a number each; empty where the file has none
};

// Rows [first, first + count), with their zeros.
void make_dense(const SparseRows& sparse, std::size_t first, std::size_t count, float* values);

// BadInput where the columns are more than any map has inputs, or where some thousand rows of them do not fit
// most_memory(): so many are made dense at a time.
void require_usable_width(const std::string& name, std::size_t rows, std::uint64_t cols);

} // namespace samara::desk
