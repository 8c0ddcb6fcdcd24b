// The files of `uci`: inputs, classes and splits of one set.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "ports/host/data/data_file.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "uci_protocol.hpp"

namespace samara::uci {
namespace {

using desk::BadInput;
using desk::MatrixF;

constexpr std::size_t most_classes = 1000;

constexpr const char* suffixes[] = {".npy", ".csv"};

std::string path_of(const std::string& directory, const std::string& stem)
{
    const std::string path = (std::filesystem::path(directory) / stem).string();
    for (const char* suffix : suffixes) {
        if (std::filesystem::exists(path + suffix)) {
            return path + suffix;
        }
    }
    throw BadInput(path + ".npy: found no such file and no " + stem + ".csv, expected one of them");
}

std::string shape_text(const MatrixF& matrix)
{
    return std::to_string(matrix.rows) + " rows and " + std::to_string(matrix.cols) + " columns";
}

[[noreturn]] void refuse_cell(const std::string& path, std::size_t row, std::size_t col, float found,
                              const std::string& expected)
{
    throw BadInput(path + ": row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1) + ": found " +
                   desk::number_text(found) + ", expected " + expected);
}

std::vector<std::size_t> read_classes(const std::string& path, std::size_t rows)
{
    const MatrixF y = desk::read_matrix(path);
    if (y.rows != rows || y.cols != 1) {
        throw BadInput(path + ": found " + shape_text(y) + ", expected a class for each of " + std::to_string(rows) +
                       " rows");
    }
    std::vector<std::size_t> classes;
    for (std::size_t i = 0; i < rows; ++i) {
        const float value = y.values[i];
        if (!(value >= 0.0f && value < static_cast<float>(most_classes) && value == std::floor(value))) {
            refuse_cell(path, i, 0, value, "a class from 0 to " + std::to_string(most_classes - 1));
        }
        classes.push_back(static_cast<std::size_t>(value));
    }
    return classes;
}

// Part of a file with a value for each row: 0, 1, or 255 where the data's authors left the row out of both. `fold` is
// counted from 1; 0 is the tuning split, which is a column.
Split read_split(const std::string& path, const float* part, std::size_t rows, std::size_t fold)
{
    Split split;
    for (std::size_t i = 0; i < rows; ++i) {
        const float value = part[i];
        if (value == 0.0f) {
            split.train.push_back(i);
        } else if (value == 1.0f) {
            split.test.push_back(i);
        } else if (value != 255.0f) {
            refuse_cell(path, fold == 0 ? i : fold - 1, fold == 0 ? 0 : i, value,
                        "0 (to train on), 1 (to test on) or 255 (neither)");
        }
    }
    if (split.train.size() < 2 || split.test.empty()) {
        throw BadInput(path + (fold == 0 ? "" : ": row " + std::to_string(fold)) + ": found " +
                       std::to_string(split.train.size()) + " rows to train on and " +
                       std::to_string(split.test.size()) + " to test on, expected at least 2 and 1");
    }
    return split;
}

} // namespace

std::vector<std::string> set_names(const std::string& directory)
{
    std::error_code problem;
    std::filesystem::directory_iterator entries(directory, problem);
    if (problem) {
        throw BadInput(directory + ": cannot read the directory: " + problem.message());
    }
    std::vector<std::string> names;
    for (const auto& entry : entries) {
        const std::string file = entry.path().filename().string();
        for (const char* suffix : suffixes) {
            const std::string end = std::string(".x") + suffix;
            if (file.size() > end.size() && file.ends_with(end)) {
                names.push_back(file.substr(0, file.size() - end.size()));
            }
        }
    }
    if (names.empty()) {
        throw BadInput(directory + ": found no data, expected files with names such as iris.x.npy");
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Set read_set(const std::string& directory, const std::string& name)
{
    Set set;
    set.name = name;
    const std::string inputs = path_of(directory, name + ".x");
    set.x = desk::read_matrix(inputs);
    desk::require_finite(set.x, inputs);
    const std::size_t rows = set.x.rows;
    if (rows < 3 || set.x.cols == 0) {
        throw BadInput(inputs + ": found " + shape_text(set.x) + ", expected at least 3 and 1");
    }
    set.classes = read_classes(path_of(directory, name + ".y"), rows);
    set.class_count = *std::max_element(set.classes.begin(), set.classes.end()) + 1;

    const std::string tuning = path_of(directory, name + ".tune");
    const MatrixF halves = desk::read_matrix(tuning);
    if (halves.rows != rows || halves.cols != 1) {
        throw BadInput(tuning + ": found " + shape_text(halves) + ", expected a part for each of " +
                       std::to_string(rows) + " rows");
    }
    set.tuning = read_split(tuning, halves.values.data(), rows, 0);

    const std::string testing = path_of(directory, name + ".folds");
    const MatrixF folds = desk::read_matrix(testing);
    if (folds.rows == 0 || folds.cols != rows) {
        throw BadInput(testing + ": found " + shape_text(folds) + ", expected a row for each fold and " +
                       std::to_string(rows) + " columns, one for each row of " + inputs);
    }
    for (std::size_t fold = 0; fold < folds.rows; ++fold) {
        set.folds.push_back(read_split(testing, folds.row(fold), rows, fold + 1));
    }
    return set;
}

} // namespace samara::uci
