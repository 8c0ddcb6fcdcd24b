#include "ports/host/data/target.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

// Doubles hold every integer up to here.
constexpr double most_integer = 9007199254740992.0;

// A model's labels are short texts, and its outputs a row of weights each.
constexpr std::size_t most_classes = 4096;
constexpr std::size_t longest_label = 255;

bool is_integer(double value) { return std::fabs(value) <= most_integer && value == std::floor(value); }

std::optional<double> number_of(std::string_view text)
{
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') {
        text.remove_prefix(1);
    }
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return status == std::errc() && stop == end ? std::optional<double>(value) : std::nullopt;
}

bool spelled_as_integer(std::string_view text) { return text.find_first_of(".eEnN") == std::string_view::npos; }

std::string columns_text(std::size_t columns)
{
    return std::to_string(columns) + (columns == 1 ? " column" : " columns");
}

std::string rows_text(std::size_t rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

std::string number_label(double value)
{
    return is_integer(value) ? std::to_string(static_cast<long long>(value)) : number_text(value);
}

void require_number(const RawTarget& raw, std::size_t row, std::size_t column, double value, double most)
{
    if (!(std::fabs(value) <= most)) {
        throw BadInput(raw.path + ": row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                       " of the target: found " + number_text(value) + ", expected a number of magnitude at most " +
                       (most > most_integer ? number_text(most) : "2^53"));
    }
}

MatrixF values_of(const RawTarget& raw)
{
    if (raw.numbers.empty()) {
        // The first text that is no number.
        for (std::size_t row = 0; row < raw.rows; ++row) {
            for (const auto& column : raw.texts) {
                if (!number_of(column[row])) {
                    throw BadInput(raw.path + ": row " + std::to_string(row + 1) + " of the target: found " +
                                   quoted_text(column[row]) + ", expected a number for regression");
                }
            }
        }
    }
    MatrixF values(raw.rows, raw.cols);
    for (std::size_t i = 0; i < values.values.size(); ++i) {
        require_number(raw, i / raw.cols, i % raw.cols, raw.numbers[i], 1e30);
        values.values[i] = static_cast<float>(raw.numbers[i]);
    }
    return values;
}

void require_one_column(const RawTarget& raw)
{
    if (raw.cols != 1) {
        throw BadInput(raw.path + ": found " + std::to_string(raw.cols) +
                       " columns of the target, expected one for classification (several: --task regress)");
    }
}

} // namespace

std::string RawTarget::label(std::size_t row) const
{
    return numbers.empty() ? texts.front()[row] : number_label(numbers[row * cols]);
}

RawTarget target_from_texts(std::vector<std::vector<std::string>> columns, std::vector<std::string> names,
                            const std::string& path)
{
    RawTarget raw;
    raw.path = path;
    raw.cols = columns.size();
    raw.rows = columns.empty() ? 0 : columns.front().size();
    raw.names = std::move(names);
    raw.integers = true;
    for (std::size_t row = 0; row < raw.rows; ++row) {
        for (const auto& column : columns) {
            const std::optional<double> value = number_of(column[row]);
            if (!value) {
                raw.integers = false;
                raw.numbers.clear();
                raw.texts = std::move(columns);
                return raw;
            }
            raw.integers = raw.integers && is_integer(*value) && spelled_as_integer(column[row]);
            raw.numbers.push_back(*value);
        }
    }
    return raw;
}

RawTarget read_target(const std::string& path, std::size_t rows, const std::string& data_path)
{
    RawTarget raw;
    if (data_format(path) == DataFormat::csv) {
        CsvTable table = parse_csv_texts(read_data_text(path), path);
        // The first line of a file of texts may be a name: then there is one line too many for the data.
        std::vector<std::string> names;
        if (table.rows == rows + 1) {
            for (auto& column : table.texts) {
                names.push_back(std::move(column.front()));
                column.erase(column.begin());
            }
        }
        raw = target_from_texts(std::move(table.texts), std::move(names), path);
    } else {
        const ArrayFile file = open_array(path);
        const ArrayLayout& layout = file.layout;
        raw.path = path;
        raw.rows = layout.rows;
        raw.cols = layout.cols;
        raw.integers = layout.type.kind != 'f';
        raw.numbers.resize(layout.rows * layout.cols);
        read_values(*file.stream, layout, 0, raw.numbers.size(), raw.numbers.data(), path);
        if (layout.fortran_order) {
            std::vector<double> by_rows(raw.numbers.size());
            for (std::size_t i = 0; i < by_rows.size(); ++i) {
                by_rows[i % raw.rows * raw.cols + i / raw.rows] = raw.numbers[i];
            }
            raw.numbers = std::move(by_rows);
        }
    }
    if (raw.rows != rows) {
        throw BadInput(path + ": found a target of " + rows_text(raw.rows) + ", expected " + std::to_string(rows) +
                       " as in " + data_path);
    }
    return raw;
}

void Target::encode(std::size_t row, float* y) const
{
    if (task == Task::regress) {
        std::copy_n(values.row(row), values.cols, y);
        return;
    }
    std::fill_n(y, labels.size(), -1.0f / static_cast<float>(labels.size()));
    y[classes[row]] += 1.0f;
}

Target make_target(const RawTarget& raw, std::optional<Task> task)
{
    Target target;
    const bool text = raw.numbers.empty();
    target.task = task.value_or((text || raw.integers) && raw.cols == 1 ? Task::classify : Task::regress);
    if (target.task == Task::regress) {
        target.values = values_of(raw);
        target.labels = raw.names;
        return target;
    }
    require_one_column(raw);
    std::map<std::string, std::uint32_t> classes;
    if (text) {
        for (const std::string& label : raw.texts.front()) {
            classes.emplace(label, 0);
        }
        for (auto& [label, number] : classes) {
            number = static_cast<std::uint32_t>(target.labels.size());
            target.labels.push_back(label);
        }
    } else {
        std::set<double> numbers;
        for (std::size_t row = 0; row < raw.rows && numbers.size() <= most_classes; ++row) {
            require_number(raw, row, 0, raw.numbers[row], most_integer);
            numbers.insert(raw.numbers[row]);
        }
        for (const double number : numbers) {
            classes.emplace(number_label(number), static_cast<std::uint32_t>(target.labels.size()));
            target.labels.push_back(number_label(number));
        }
    }
    if (target.labels.size() < 2 || target.labels.size() > most_classes) {
        throw BadInput(raw.path + ": found " +
                       (target.labels.size() < 2 ? "one class only (" + quoted_text(raw.label(0)) + ")"
                                                 : "more than " + std::to_string(most_classes) + " classes") +
                       " in the target, expected 2 to " + std::to_string(most_classes) + " for classification" +
                       (text ? "" : " (--task regress fits numbers)"));
    }
    for (const std::string& label : target.labels) {
        if (label.size() > longest_label) {
            throw BadInput(raw.path + ": found the label " + quoted_text(label) + " of " +
                           std::to_string(label.size()) + " bytes, expected at most " + std::to_string(longest_label));
        }
    }
    target.classes.reserve(raw.rows);
    for (std::size_t row = 0; row < raw.rows; ++row) {
        target.classes.push_back(classes.at(raw.label(row)));
    }
    return target;
}

Target target_like(const RawTarget& raw, Task task, const std::vector<std::string>& labels, std::size_t outputs)
{
    Target target;
    target.task = task;
    target.labels = labels;
    if (task == Task::classify && raw.cols != 1) {
        throw BadInput(raw.path + ": found " + columns_text(raw.cols) +
                       " of the target, expected one, because the model tells classes");
    }
    if (task == Task::regress) {
        if (raw.cols != outputs) {
            throw BadInput(raw.path + ": found " + columns_text(raw.cols) + " of the target, expected " +
                           std::to_string(outputs) + " as the model has outputs");
        }
        target.values = values_of(raw);
        return target;
    }
    std::map<std::string, std::uint32_t> classes;
    for (const std::string& label : labels) {
        classes.emplace(label, static_cast<std::uint32_t>(classes.size()));
    }
    for (std::size_t row = 0; row < raw.rows; ++row) {
        const auto found = classes.find(raw.label(row));
        if (found == classes.end()) {
            throw BadInput(raw.path + ": row " + std::to_string(row + 1) + " of the target: found the class " +
                           quoted_text(raw.label(row)) + ", expected one of the " + std::to_string(labels.size()) +
                           " that were trained");
        }
        target.classes.push_back(found->second);
    }
    return target;
}

} // namespace samara::desk
