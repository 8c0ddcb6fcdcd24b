// Where training data come from: a table of numbers that is read in pieces, and what is to be learned from it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/table_reading.hpp"
#include "ports/host/data/target.hpp"

namespace samara::desk {

class TableSource {
public:
    explicit TableSource(std::string name, std::vector<std::string> columns = {})
        : name_(std::move(name)), columns_(std::move(columns))
    {}
    TableSource(const TableSource&) = delete;
    TableSource& operator=(const TableSource&) = delete;
    virtual ~TableSource() = default;

    virtual std::size_t rows() const = 0;
    virtual std::size_t cols() const = 0;
    // Rows [first, first + count), as they are in the file: nothing is judged here.
    virtual void read(std::size_t first, std::size_t count, float* values) = 0;

    const std::string& name() const { return name_; }
    // Their names, where the first line of a CSV file gives them; else none.
    const std::vector<std::string>& columns() const { return columns_; }
    bool has_header() const { return !columns_.empty(); }
    // What a row was where it had several dimensions, as ArrayLayout has it; else empty.
    const std::vector<std::uint64_t>& row_shape() const { return row_shape_; }

protected:
    void set_row_shape(std::vector<std::uint64_t> shape) { row_shape_ = std::move(shape); }

private:
    std::vector<std::uint64_t> row_shape_;
    std::string name_;
    std::vector<std::string> columns_;
};

// NPY, NPZ, CSV, libsvm or IDX by the suffix (.npy, .npz, .csv, .libsvm, .svm, .idx or a name like images-idx3-ubyte),
// each but NPZ perhaps with .gz behind it. Sparse tables are made dense in pieces. Of NPY and IDX files that are not
// compressed only pieces are in memory.
std::unique_ptr<TableSource> open_table(const std::string& path, const TableReading& reading = {});

// For data that are in memory anyway.
std::unique_ptr<TableSource> table_of(MatrixF matrix, const std::string& name, std::vector<std::string> columns = {});

// Whether a --target is a file, and not a column.
bool names_a_file(const std::string& target);

// One more column beside the target, which an option names in the same words: a file, or a column of the inputs' CSV
// file, which is no input then.
struct ColumnBeside {
    std::string option, words;
};

struct Dataset {
    std::unique_ptr<TableSource> x;
    RawTarget y;
    std::vector<RawTarget> beside; // as they were asked for
};

// `target` is a file, or one or several columns of the CSV file `in`: NAME or column:NAME, column:INDEX, joined by
// commas. Empty: the labels of a libsvm file.
Dataset open_dataset(const std::string& in, const std::string& target, const TableReading& reading = {},
                     const std::vector<ColumnBeside>& beside = {});

} // namespace samara::desk
