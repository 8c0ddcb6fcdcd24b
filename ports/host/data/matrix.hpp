#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace samara::desk {

// Row-major; values.size() == rows * cols.
template <typename T>
struct Matrix {
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::vector<T> values;
    // What a row was where it had several dimensions, as ArrayLayout has it; else empty.
    std::vector<std::uint64_t> row_shape = {};

    Matrix() = default;
    Matrix(std::size_t row_count, std::size_t column_count)
        : rows(row_count), cols(column_count), values(row_count * column_count)
    {}
    Matrix(std::size_t row_count, std::size_t column_count, std::vector<T> contents)
        : rows(row_count), cols(column_count), values(std::move(contents))
    {}

    const T* row(std::size_t index) const { return values.data() + index * cols; }
    T* row(std::size_t index) { return values.data() + index * cols; }
};

using MatrixF = Matrix<float>;
using MatrixD = Matrix<double>;

} // namespace samara::desk
