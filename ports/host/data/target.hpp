#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// What a file says that each row's answer is, before anybody has decided what it means: columns of numbers, or one or
// more columns of text.
struct RawTarget {
    std::string path; // for messages
    std::size_t rows = 0;
    std::size_t cols = 0;
    bool integers = false;                       // all of them
    std::vector<std::string> names;              // of the columns, or none
    std::vector<double> numbers;                 // row after row; empty where there is text
    std::vector<std::vector<std::string>> texts; // column by column

    // Classes are compared by these; integers have no decimal point.
    std::string label(std::size_t row) const;
};

// Columns of text, which become numbers if all of them can be read so.
RawTarget target_from_texts(std::vector<std::vector<std::string>> columns, std::vector<std::string> names,
                            const std::string& path);

// A file of `rows` answers: NPY, CSV (with a header line or without) or IDX, each perhaps compressed.
RawTarget read_target(const std::string& path, std::size_t rows, const std::string& data_path);

struct Target {
    Task task = Task::regress;
    std::vector<std::string> labels;    // of the classes in ascending order, or the names of the values (or none)
    std::vector<std::uint32_t> classes; // one a row: an index of labels
    MatrixF values;                     // of regression: a row each

    std::size_t rows() const { return task == Task::classify ? classes.size() : values.rows; }
    std::size_t outputs() const { return task == Task::classify ? labels.size() : values.cols; }
    // What the outputs are fitted to: the values, or one-hot minus 1/classes.
    void encode(std::size_t row, float* y) const;
};

// Without a task: integers and text classify, other numbers regress. What cannot be learned (one class, a NaN, text
// for regression) is BadInput.
Target make_target(const RawTarget& raw, std::optional<Task> task);

// In terms of a model that exists: its task, its classes (another one is BadInput), its number of values.
Target target_like(const RawTarget& raw, Task task, const std::vector<std::string>& labels, std::size_t outputs);

} // namespace samara::desk
