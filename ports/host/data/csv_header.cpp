#include "ports/host/data/csv_header.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

bool is_digit(char character) { return character >= '0' && character <= '9'; }

// Digits and nothing else, as columns are counted and years are named.
std::optional<std::uint64_t> plain_count(std::string_view text)
{
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    const bool plain = status == std::errc() && stop == end && (text.size() == 1 || text.front() != '0');
    return plain ? std::optional(value) : std::nullopt;
}

// Nothing where one of them is no plain count.
std::vector<std::uint64_t> plain_counts(const std::vector<std::string>& texts)
{
    std::vector<std::uint64_t> counts;
    for (const std::string& text : texts) {
        const std::optional<std::uint64_t> count = plain_count(text);
        if (!count) {
            return {};
        }
        counts.push_back(*count);
    }
    return counts;
}

bool strictly_ascending(const std::vector<std::uint64_t>& counts)
{
    return std::adjacent_find(counts.begin(), counts.end(), std::greater_equal<>()) == counts.end();
}

// As in 0,1,2 above 3,4,5 or above 1,2,3.
bool next_row_goes_on(const MatrixF& inputs)
{
    const float* const row = inputs.row(1);
    bool goes_on = row[0] > inputs.row(0)[0];
    for (std::size_t j = 1; j < inputs.cols; ++j) {
        goes_on = goes_on && row[j] == row[j - 1] + 1.0f;
    }
    return goes_on;
}

// 0, 1, 2, ... as pandas numbers columns. Few numbers from 1 are as likely a row of somebody's first example, and so is
// a line that the next one continues in the same manner.
bool counts_columns(const std::vector<std::uint64_t>& counts, const MatrixF& inputs)
{
    if (counts.size() < 3 || counts.back() - counts.front() + 1 != counts.size() || !strictly_ascending(counts)) {
        return false;
    }
    return (counts.front() != 1 || counts.size() >= 8) && !next_row_goes_on(inputs);
}

// Whole numbers that ascend, such as years or wavelengths, where hardly another row is of whole numbers alone. Two are
// as likely a row, unless they are the 0,1 that pandas calls two columns and many rows speak against it.
bool stands_above_fractions(const std::vector<std::uint64_t>& counts, const MatrixF& inputs)
{
    constexpr std::size_t many = 20;
    const bool two_columns = counts.size() == 2 && counts.front() == 0 && counts.back() == 1 && inputs.rows > many;
    if ((counts.size() < 3 && !two_columns) || inputs.rows < 3 || !strictly_ascending(counts)) {
        return false;
    }
    std::size_t others = 0;
    for (std::size_t i = 1; i < inputs.rows; ++i) {
        const float* const row = inputs.row(i);
        const bool whole = std::all_of(row, row + inputs.cols, [](float value) { return value == std::floor(value); });
        others += whole ? 1 : 0;
    }
    return 10 * others < inputs.rows;
}

std::string listed(const std::vector<std::string>& texts)
{
    std::string list;
    for (std::size_t i = 0; i < texts.size() && i < 4; ++i) {
        list += (i == 0 ? "" : ",") + texts[i];
    }
    return quoted_text(list + (texts.size() > 4 ? ",..." : ""));
}

} // namespace

std::size_t find_column(const std::vector<std::string>& first_line, const CsvColumn& wanted, const std::string& file)
{
    if (wanted.number != 0) {
        const auto count = static_cast<long long>(first_line.size());
        const long long number = wanted.number > 0 ? wanted.number : count + 1 + wanted.number;
        if (number < 1 || number > count) {
            throw BadInput(file + ": found " + std::to_string(count) + " columns, expected column " +
                           std::to_string(wanted.number) + " among them");
        }
        return static_cast<std::size_t>(number);
    }
    const auto found = std::find(first_line.begin(), first_line.end(), wanted.name);
    if (found == first_line.end()) {
        std::string names;
        for (const std::string& name : first_line) {
            names += (names.empty() ? "" : ", ") + name;
        }
        throw BadInput(wanted.option + ": found " + quoted_text(wanted.name) +
                       ", expected a file, a column's number as in column:-1, or a column of " + file +
                       ", whose first line is " + quoted_text(names) +
                       (reads_as_number(wanted.name) ? " (column:" + wanted.name + " is meant by its number)" : ""));
    }
    const auto column = static_cast<std::size_t>(found - first_line.begin()) + 1;
    const auto again = std::find(found + 1, first_line.end(), wanted.name);
    if (again != first_line.end()) {
        throw BadInput(file + ": line 1: found the name " + quoted_text(wanted.name) + " at columns " +
                       std::to_string(column) + " and " + std::to_string(again - first_line.begin() + 1) +
                       ", expected it once (column:NUMBER takes one of them, and the others are inputs)");
    }
    return column;
}

CellKind kind_of_cell(std::string_view text)
{
    if (text.empty()) {
        return CellKind::blank;
    }
    if (reads_as_number(text)) {
        return CellKind::number;
    }
    if (stands_for_missing(text)) {
        return CellKind::doubtful;
    }
    // A name has a letter, of whatever script, and does not begin as a number does.
    const bool has_letter = std::any_of(text.begin(), text.end(), [](char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
               static_cast<unsigned char>(character) >= 0x80u;
    });
    const std::size_t start = std::min(text.find_first_not_of("+-$.'#< "), text.size() - 1);
    return has_letter && !is_digit(text[start]) ? CellKind::name : CellKind::doubtful;
}

bool stands_for_missing(std::string_view text)
{
    static const std::set<std::string_view> words = {"?",   "-",    "--",      ".",       "*",      "na",
                                                     "n/a", "#n/a", "<na>",    "n.a.",    "null",   "#null!",
                                                     "nil", "none", "missing", "#value!", "#div/0!"};
    std::string word;
    for (const char letter : text.substr(0, 16)) {
        word += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return words.contains(word);
}

bool is_header_line(const std::vector<FirstCell>& inputs, const std::string& target, const std::string& file)
{
    const FirstCell* first_number = nullptr;
    const FirstCell* first_other = nullptr; // neither a number nor blank
    bool has_name = false, has_doubtful = false, all_counts = true;
    std::set<std::string_view> numbers;
    for (const FirstCell& cell : inputs) {
        const CellKind kind = kind_of_cell(cell.text);
        if (kind == CellKind::number) {
            first_number = first_number == nullptr ? &cell : first_number;
            all_counts = numbers.insert(cell.text).second && plain_count(cell.text) && all_counts;
        } else if (kind != CellKind::blank) {
            first_other = first_other == nullptr ? &cell : first_other;
            has_name = has_name || kind == CellKind::name;
            has_doubtful = has_doubtful || kind == CellKind::doubtful;
        }
    }
    const auto refuse = [&](const FirstCell& cell, const std::string& expected) {
        throw BadInput(file + ": line 1, column " + std::to_string(cell.column) + ": found " + quoted_text(cell.text) +
                       expected + header_advice);
    };
    if (!target.empty()) {
        // The name was found here, so the line is a header, unless both could be a row's: 5.1,3.5,setosa.
        if (first_number != nullptr && (!all_counts || has_doubtful || kind_of_cell(target) == CellKind::number)) {
            refuse(*first_number, " beside the target's name " + quoted_text(target) + ", expected names of columns");
        }
        return true;
    }
    if (first_other == nullptr) {
        return false;
    }
    if (first_number != nullptr) {
        refuse(*first_other, " beside numbers, expected a number, or names of all columns");
    }
    if (!has_name) {
        refuse(*first_other, ", expected a number, or the name of a column");
    }
    return true;
}

void refuse_hidden_header(const FirstRow& row, const std::string& file)
{
    const MatrixF& inputs = *row.inputs;
    if (inputs.rows < 2) {
        return;
    }
    const std::vector<std::uint64_t> counts = plain_counts(row.numbers);
    const bool counted = counts.size() == row.numbers.size();
    bool hidden = row.alone_in_quotes, is_class = false;
    for (const auto& column : *row.targets) {
        hidden = hidden || is_name_above_numbers(column) ||
                 (counted && strictly_ascending(counts) && is_name_above_classes(column));
        is_class = is_class || (!reads_as_number(column.front()) && !is_unlike_the_rest(column));
    }
    hidden = hidden || (!is_class && (counts_columns(counts, inputs) || stands_above_fractions(counts, inputs)));
    if (!hidden) {
        return;
    }
    std::vector<std::string> shown = row.numbers;
    for (const auto& column : *row.targets) {
        if (!reads_as_number(column.front())) {
            shown.push_back(column.front());
        }
    }
    throw BadInput(file + ": line 1: found " + listed(shown) +
                   ", which looks like the names of columns, expected a row, or names that are no numbers" +
                   header_advice);
}

bool is_name_above_numbers(const std::vector<std::string>& column)
{
    if (column.size() < 2 || reads_as_number(column.front())) {
        return false;
    }
    const auto numbers = std::count_if(column.begin() + 1, column.end(), reads_as_number);
    return 2 * static_cast<std::size_t>(numbers) >= column.size() - 1;
}

bool is_unlike_the_rest(const std::vector<std::string>& column)
{
    return std::find(column.begin() + 1, column.end(), column.front()) == column.end();
}

bool is_name_above_classes(const std::vector<std::string>& column)
{
    if (column.size() < 3 || reads_as_number(column.front()) || !is_unlike_the_rest(column)) {
        return false;
    }
    std::map<std::string_view, bool> again;
    for (auto text = column.begin() + 1; text != column.end(); ++text) {
        const auto [entry, first_time] = again.emplace(*text, false);
        entry->second = !first_time;
    }
    return std::all_of(again.begin(), again.end(), [](const auto& entry) { return entry.second; });
}

} // namespace samara::desk
