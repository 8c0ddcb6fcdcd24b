#include "ports/host/data/target.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ports/host/data/label.hpp"
#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

// A model's labels are short texts, and its outputs a row of weights each.
constexpr std::size_t most_classes = 4096;
constexpr std::size_t longest_label = 255;

std::string columns_text(std::size_t columns)
{
    return std::to_string(columns) + (columns == 1 ? " column" : " columns");
}

void require_number(const RawTarget& raw, std::size_t row, std::size_t column, double value, double most)
{
    if (!(std::fabs(value) <= most)) {
        throw BadInput(raw.path + ": row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                       " of the target: found " + number_text(value) + ", expected a number of magnitude at most " +
                       number_text(most));
    }
}

// From 2^53 on a double stands for its neighbours, too: labels that differ would become one.
void require_exact_label(const RawTarget& raw, std::size_t row)
{
    const double value = raw.numbers[row];
    if (!(std::fabs(value) < most_integer)) {
        throw BadInput(raw.path + ": row " + std::to_string(row + 1) + " of the target: found " + number_text(value) +
                       ", expected a label of magnitude below 2^53, or one that is kept as an integer or as text");
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

using Classes = std::map<std::string, std::uint32_t>;

// The number of each label; of equal ones, which a model from elsewhere may have, of the first.
Classes numbered(const std::vector<std::string>& labels)
{
    Classes classes;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        classes.emplace(labels[i], static_cast<std::uint32_t>(i));
    }
    return classes;
}

[[noreturn]] void refuse_number_of_classes(const RawTarget& raw, bool too_few)
{
    throw BadInput(raw.path + ": found " +
                   (too_few ? "one class only (" + quoted_text(raw.label(0)) + ")"
                            : "more than " + std::to_string(most_classes) + " classes") +
                   " in the target, expected 2 to " + std::to_string(most_classes) + " for classification" +
                   (raw.numbers.empty() ? "" : " (--task regress fits numbers)"));
}

// Numbers by their value, other texts as bytes.
std::vector<std::string> labels_of(const RawTarget& raw)
{
    std::vector<std::string> labels;
    if (!raw.as_spelled) {
        std::set<double> numbers;
        for (std::size_t row = 0; row < raw.rows && numbers.size() <= most_classes; ++row) {
            require_exact_label(raw, row);
            numbers.insert(raw.numbers[row]);
        }
        for (const double number : numbers) {
            labels.push_back(number_label(number));
        }
        return labels;
    }
    std::set<std::string_view> texts;
    for (std::size_t row = 0; row < raw.rows && texts.size() <= most_classes; ++row) {
        texts.insert(raw.texts.front()[row]);
    }
    labels.assign(texts.begin(), texts.end());
    if (!raw.numbers.empty()) {
        std::stable_sort(labels.begin(), labels.end(), [](const std::string& left, const std::string& right) {
            return number_of(left).value_or(0.0) < number_of(right).value_or(0.0);
        });
    }
    return labels;
}

// One NA among numbers would make a class of every number.
void refuse_mostly_numbers(const RawTarget& raw)
{
    const std::vector<std::string>& column = raw.texts.front();
    std::size_t numbers = 0, first_other = raw.rows;
    for (std::size_t row = 0; row < raw.rows; ++row) {
        const std::optional<double> value = number_of(column[row]);
        const bool number = value && std::isfinite(*value);
        numbers += number ? 1 : 0;
        first_other = number ? first_other : std::min(first_other, row);
    }
    if (2 * numbers >= raw.rows) {
        throw BadInput(raw.path + ": row " + std::to_string(first_other + 1) + " of the target: found " +
                       quoted_text(column[first_other]) + ", expected a number as in " + std::to_string(numbers) +
                       " of the " + std::to_string(raw.rows) + " rows (--task classify takes all of them as text)");
    }
}

} // namespace

std::string RawTarget::label(std::size_t row) const
{
    return as_spelled ? texts.front()[row] : number_label(numbers[row * cols]);
}

RawTarget target_from_texts(std::vector<std::vector<std::string>> columns, std::vector<std::string> names,
                            const std::string& path)
{
    RawTarget raw;
    raw.path = path;
    raw.cols = columns.size();
    raw.rows = columns.empty() ? 0 : columns.front().size();
    raw.names = std::move(names);
    raw.texts = std::move(columns);
    raw.integers = true;
    raw.numbers.reserve(raw.rows * raw.cols);
    std::string too_large; // the first such number and its row: among texts it would be one of them
    for (std::size_t row = 0; row < raw.rows; ++row) {
        for (const auto& column : raw.texts) {
            const WholeSpelling spelling = whole_spelling(column[row]);
            double value = 0.0;
            const Reading reading = parse_number(column[row], value);
            if (reading == Reading::too_large && too_large.empty()) {
                too_large = std::to_string(row + 1) + " of the target: found " + quoted_text(column[row]);
            }
            if (reading == Reading::not_a_number) {
                raw.integers = false;
                raw.as_spelled = true;
                raw.numbers.clear();
                return raw;
            }
            raw.integers = raw.integers && spelling != WholeSpelling::none;
            raw.as_spelled = raw.as_spelled || spelling == WholeSpelling::other ||
                             (spelling == WholeSpelling::plain && std::fabs(value) >= most_integer);
            raw.numbers.push_back(value);
        }
    }
    if (!too_large.empty()) {
        throw BadInput(path + ": row " + too_large + ", expected a number within float64's range");
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
    if (text && !task) {
        refuse_mostly_numbers(raw);
    }
    target.labels = labels_of(raw);
    if (target.labels.size() < 2 || target.labels.size() > most_classes) {
        refuse_number_of_classes(raw, target.labels.size() < 2);
    }
    const Classes classes = numbered(target.labels);
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
    const Classes classes = numbered(labels);
    for (std::size_t row = 0; row < raw.rows; ++row) {
        // As the file spells it first: a model may have been trained on text where this file has numbers alone.
        auto found = raw.texts.empty() ? classes.end() : classes.find(raw.texts.front()[row]);
        if (found == classes.end()) {
            found = classes.find(raw.label(row));
            if (found != classes.end() && !raw.as_spelled) {
                require_exact_label(raw, row);
            }
        }
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
