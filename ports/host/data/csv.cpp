#include "ports/host/data/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>
#include <utility>

#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

enum class Reading { number, not_a_number, too_large };

struct Cell {
    std::string_view text;
    std::size_t line = 1;
    std::size_t column = 1;
    bool ends_record = false;
};

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

template <typename Number>
std::errc parse_whole(std::string_view text, Number& value)
{
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return stop == end ? status : std::errc::invalid_argument;
}

Reading parse_number(std::string_view text, float& value)
{
    // from_chars knows no plus sign, but other programs write it.
    if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') {
        text.remove_prefix(1);
    }
    const std::errc status = parse_whole(text, value);
    if (status == std::errc::invalid_argument) {
        return Reading::not_a_number;
    }
    // An infinity that nobody spelled is an overflow, with or without an error code.
    if (status == std::errc() && (!std::isinf(value) || text.find_first_of("iI") != std::string_view::npos)) {
        return Reading::number;
    }
    // Out of range means too large or too small, and only the first is an error: a tiny number is a zero.
    double wide = 0.0;
    const std::errc wide_status = parse_whole(text, wide);
    if (wide_status != std::errc()) {
        // Even double does not hold it; the sign of the exponent tells which side it fell off.
        const std::size_t exponent = text.find_first_of("eE");
        if (exponent == std::string_view::npos || text[exponent + 1] != '-') {
            return Reading::too_large;
        }
        wide = text[0] == '-' ? -0.0 : 0.0;
    }
    value = static_cast<float>(wide);
    return std::fabs(wide) < 1.0 ? Reading::number : Reading::too_large;
}

class CsvParser {
public:
    CsvParser(std::string_view text, const std::string& name, const CsvReading& reading)
        : text_(text), name_(name), reading_(reading)
    {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (text_.starts_with(byte_order_mark)) {
            text_.remove_prefix(byte_order_mark.size());
        }
        separator_ = find_separator();
    }

    CsvTable parse()
    {
        if (only_blank_left()) {
            throw BadInput(name_ + ": found an empty file, expected lines of numbers");
        }
        first_record();
        while (!only_blank_left()) {
            record();
        }
        if (table_.rows == 0) {
            throw BadInput(name_ + ": found a header line and nothing after it, expected lines of numbers");
        }
        table_.numbers.rows = table_.rows;
        table_.numbers.cols = columns_ - table_.texts.size();
        return std::move(table_);
    }

private:
    char find_separator() const
    {
        bool inside_quotes = false;
        bool semicolon = false;
        bool tab = false;
        for (const char character : text_) {
            if (character == '"') {
                inside_quotes = !inside_quotes;
            } else if (!inside_quotes) {
                if (character == ',') {
                    return ',';
                }
                if (character == '\n') {
                    break;
                }
                semicolon = semicolon || character == ';';
                tab = tab || character == '\t';
            }
        }
        return semicolon ? ';' : tab ? '\t' : ',';
    }

    [[noreturn]] void fail(const Cell& cell, const std::string& found, const std::string& expected) const
    {
        std::string message = name_ + ": line " + std::to_string(cell.line) + ", column " + std::to_string(cell.column);
        if (cell.column <= table_.header.size() && !table_.header[cell.column - 1].empty()) {
            message += " (" + quoted_text(table_.header[cell.column - 1]) + ")";
        }
        throw BadInput(message + ": found " + found + ", expected " + expected);
    }

    std::string columns_text() const
    {
        return std::to_string(columns_) + (columns_ == 1 ? " value" : " values") + " as in line 1";
    }

    bool only_blank_left() const { return text_.find_first_not_of(" \r\n", position_) == std::string_view::npos; }

    // Moves past a separator, a line end or the end of the text, if one is here.
    bool accept_end(Cell& cell)
    {
        if (position_ >= text_.size()) {
            cell.ends_record = true;
            return true;
        }
        if (text_[position_] == separator_) {
            ++position_;
            cell.ends_record = false;
            return true;
        }
        const std::string_view rest = text_.substr(position_, 2);
        if (rest[0] == '\n' || rest == "\r\n") {
            position_ += rest[0] == '\n' ? 1 : 2;
            ++line_;
            cell.ends_record = true;
            return true;
        }
        return false;
    }

    // The text stays valid until the next call.
    Cell next_cell(std::size_t column)
    {
        Cell cell;
        cell.line = line_;
        cell.column = column;
        if (position_ < text_.size() && text_[position_] == '"') {
            quoted_cell(cell);
            return cell;
        }
        const std::size_t begin = position_;
        std::size_t end = position_;
        while (!accept_end(cell)) {
            end = ++position_;
        }
        cell.text = trimmed(text_.substr(begin, end - begin));
        return cell;
    }

    void quoted_cell(Cell& cell)
    {
        unescaped_.clear();
        ++position_;
        while (true) {
            if (position_ >= text_.size()) {
                fail(cell, "a quote that is never closed", "a closing '\"'");
            }
            const char character = text_[position_++];
            if (character == '"') {
                if (position_ >= text_.size() || text_[position_] != '"') {
                    break;
                }
                ++position_;
            }
            line_ += character == '\n' ? 1 : 0;
            unescaped_ += character;
        }
        if (!accept_end(cell)) {
            fail(cell, quoted_text(text_.substr(position_, 1)) + " after the closing quote",
                 "a separator or the end of the line");
        }
        cell.text = trimmed(unescaped_);
    }

    void refuse_blank_line(const std::string& expected) const
    {
        const std::string_view rest = text_.substr(position_, 2);
        if (rest[0] == '\n' || rest == "\r\n") {
            Cell cell;
            cell.line = line_;
            fail(cell, "a blank line", expected);
        }
    }

    bool is_text(std::size_t column) const
    {
        return reading_.only_text ||
               std::find(text_columns_.begin(), text_columns_.end(), column) != text_columns_.end();
    }

    // The numbers, counted from 1, of the columns that are wanted as text: the header knows their names.
    void find_text_columns(const std::vector<std::pair<Cell, std::string>>& cells)
    {
        for (const CsvColumn& wanted : reading_.text_columns) {
            std::size_t column = 0;
            if (wanted.number != 0) {
                const auto count = static_cast<long long>(cells.size());
                const long long number = wanted.number > 0 ? wanted.number : count + 1 + wanted.number;
                if (number < 1 || number > count) {
                    throw BadInput(name_ + ": found " + std::to_string(count) + " columns, expected column " +
                                   std::to_string(wanted.number) + " among them");
                }
                column = static_cast<std::size_t>(number);
            } else {
                const auto found = std::find_if(cells.begin(), cells.end(),
                                                [&](const auto& cell) { return cell.second == wanted.name; });
                if (found == cells.end()) {
                    std::string names;
                    for (const auto& cell : cells) {
                        names += (names.empty() ? "" : ", ") + cell.second;
                    }
                    throw BadInput("--target: found " + quoted_text(wanted.name) +
                                   ", expected a file, a column's number as in column:-1, or a column of " + name_ +
                                   ", whose first line is " + quoted_text(names));
                }
                column = static_cast<std::size_t>(found - cells.begin()) + 1;
            }
            if (is_text(column)) {
                throw BadInput(name_ + ": found column " + std::to_string(column) +
                               " twice as a target, expected once");
            }
            text_columns_.push_back(column);
        }
        table_.texts.resize(reading_.only_text ? cells.size() : text_columns_.size());
    }

    void append(const Cell& cell)
    {
        if (is_text(cell.column)) {
            if (cell.text.empty()) {
                fail(cell, "an empty cell", "a label or a number");
            }
            const std::size_t index =
                reading_.only_text
                    ? cell.column - 1
                    : static_cast<std::size_t>(std::find(text_columns_.begin(), text_columns_.end(), cell.column) -
                                               text_columns_.begin());
            table_.texts[index].emplace_back(cell.text);
            return;
        }
        if (cell.text.empty() && reading_.blanks_are_missing) {
            table_.numbers.values.push_back(std::numeric_limits<float>::quiet_NaN());
            return;
        }
        if (cell.text.empty()) {
            fail(cell, "an empty cell", "a number");
        }
        float value = 0.0f;
        switch (parse_number(cell.text, value)) {
        case Reading::number:
            table_.numbers.values.push_back(value);
            return;
        case Reading::too_large:
            fail(cell, quoted_text(cell.text), "a number within float32's range");
        case Reading::not_a_number:
            break;
        }
        fail(cell, quoted_text(cell.text), "a number");
    }

    void first_record()
    {
        refuse_blank_line("a header or numbers");
        std::vector<std::pair<Cell, std::string>> cells;
        do {
            const Cell cell = next_cell(cells.size() + 1);
            cells.emplace_back(cell, cell.text);
        } while (!cells.back().first.ends_record);
        columns_ = cells.size();
        find_text_columns(cells);
        bool is_header = false;
        for (const CsvColumn& wanted : reading_.text_columns) {
            is_header = is_header || wanted.number == 0;
        }
        for (const auto& [cell, text] : cells) {
            float value = 0.0f;
            is_header = is_header ||
                        (!is_text(cell.column) && !text.empty() && parse_number(text, value) == Reading::not_a_number);
        }
        for (auto& [cell, text] : cells) {
            if (is_header) {
                table_.header.push_back(std::move(text));
            } else {
                cell.text = text;
                append(cell);
            }
        }
        table_.rows = is_header ? 0 : 1;
    }

    void record()
    {
        refuse_blank_line(columns_text());
        for (std::size_t column = 1;; ++column) {
            Cell cell = next_cell(column);
            if (column > columns_) {
                fail(cell, "a value too many", columns_text());
            }
            append(cell);
            if (cell.ends_record) {
                if (column < columns_) {
                    ++cell.column;
                    fail(cell, "the end of the line", columns_text());
                }
                break;
            }
        }
        ++table_.rows;
    }

    std::string_view text_;
    const std::string& name_;
    const CsvReading& reading_;
    char separator_ = ',';
    std::size_t position_ = 0;
    std::size_t line_ = 1;
    std::string unescaped_;
    std::vector<std::size_t> text_columns_;
    std::size_t columns_ = 0;
    CsvTable table_;
};

} // namespace

CsvTable parse_csv_table(std::string_view text, const std::string& name, const CsvReading& reading)
{
    return CsvParser(text, name, reading).parse();
}

CsvTable parse_csv_texts(std::string_view text, const std::string& name)
{
    CsvReading reading;
    reading.only_text = true;
    return parse_csv_table(text, name, reading);
}

MatrixF parse_csv(std::string_view text, const std::string& name) { return parse_csv_table(text, name, {}).numbers; }

MatrixF read_csv(const std::string& path) { return parse_csv(read_file(path), path); }

} // namespace samara::desk
