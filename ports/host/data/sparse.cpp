#include "ports/host/data/sparse.hpp"

#include <algorithm>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/text/error.hpp"
#include "samara/map.hpp"

namespace samara::desk {

void make_dense(const SparseRows& sparse, std::size_t first, std::size_t count, float* values)
{
    std::fill_n(values, count * sparse.cols, 0.0f);
    for (std::size_t row = first; row < first + count; ++row) {
        for (std::size_t entry = sparse.starts[row]; entry < sparse.starts[row + 1]; ++entry) {
            values[sparse.columns[entry]] += sparse.values[entry];
        }
        values += sparse.cols;
    }
}

void require_usable_width(const std::string& name, std::size_t rows, std::uint64_t cols)
{
    if (cols < 1 || cols > most_inputs) {
        throw BadInput(name + ": found " + std::to_string(cols) + " columns, expected 1 to " +
                       std::to_string(most_inputs));
    }
    constexpr std::size_t dense_rows = 4096;
    const std::size_t block = std::min(rows, dense_rows);
    require_memory(
        name, "rows of " + std::to_string(cols) + " values, of which " + std::to_string(block) + " are dense at a time",
        sizeof(float) * static_cast<double>(block) * static_cast<double>(cols));
}

} // namespace samara::desk
