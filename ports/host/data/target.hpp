#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// What a file says that each row's answer is, before anybody has decided what it means: columns of cells, which may be
// numbers.
struct RawTarget {
    std::string path; // for messages
    std::size_t rows = 0;
    std::size_t cols = 0;
    bool integers = false; // all of them are spelled as whole numbers
    // Classes are told apart by their spelling and not by their number: some cell is no number, or a whole number that
    // is not written as one is (01, +1), or that a double cannot tell from its neighbours.
    bool as_spelled = false;
    std::vector<std::string> names;              // of the columns, or none
    std::vector<double> numbers;                 // row after row; empty where a cell is no number
    std::vector<std::vector<std::string>> texts; // column by column; none where the file holds numbers and not text
    std::vector<std::string> notes;              // what the user should know of how the file was read

    // What classes are compared by.
    std::string label(std::size_t row) const;
};

// Cells of text, which may all be numbers.
RawTarget target_from_texts(std::vector<std::vector<std::string>> columns, std::vector<std::string> names,
                            const std::string& path);

struct Target {
    Task task = Task::regress;
    std::vector<std::string> labels;    // of the classes in ascending order, or the names of the values (or none)
    std::vector<std::uint32_t> classes; // one a row: an index of labels
    MatrixF values;                     // of regression: a row each
    std::vector<float> weights;         // how often each row counts, 1 in the mean; empty: all once
    std::vector<std::uint32_t> groups;  // rows of one number are never parted when rows are dealt; empty: all may be

    std::size_t rows() const { return task == Task::classify ? classes.size() : values.rows; }
    std::size_t outputs() const { return task == Task::classify ? labels.size() : values.cols; }
    double weight(std::size_t row) const { return weights.empty() ? 1.0 : static_cast<double>(weights[row]); }
    // What the outputs are fitted to: the values, or one-hot minus 1/classes.
    void encode(std::size_t row, float* y) const;
};

// Without a task: a column of integers or of text classifies, other numbers regress; text that is numbers for the most
// part is BadInput. What cannot be learned (one class, a NaN, text for regression) is BadInput, too.
Target make_target(const RawTarget& raw, std::optional<Task> task);

// In terms of a model that exists: its task, its classes (another one is BadInput), its number of values.
Target target_like(const RawTarget& raw, Task task, const std::vector<std::string>& labels, std::size_t outputs);

// "task: classify, 3 classes: 'a', 'b', 'c'"
std::string task_text(const Target& target);

// What of a target to learn from is not as usual, a sentence each: how the file was read; numbers that may be meant as
// classes, or classes as numbers, where the user named no task; classes that are spelled as missing values are, or that
// are one number in two spellings.
std::vector<std::string> notes_on(const RawTarget& raw, const Target& target, bool task_was_given);

} // namespace samara::desk
