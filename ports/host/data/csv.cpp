#include "ports/host/data/csv.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

struct Cell {
    std::string_view text;
    std::size_t line = 1;
    std::size_t column = 1;
    bool quoted = false;
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

class CsvParser {
public:
    CsvParser(std::string_view text, const std::string& name, const CsvReading& reading)
        : text_(text), name_(name), reading_(reading)
    {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (text_.starts_with(byte_order_mark)) {
            text_.remove_prefix(byte_order_mark.size());
        }
        if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
            throw BadInput(name_ + ": found the mark of UTF-16 text, expected UTF-8");
        }
        separator_ = find_separator();
    }

    CsvTable parse()
    {
        if (only_blank_left()) {
            throw BadInput(name_ + ": found an empty file, expected lines of numbers");
        }
        first_record();
        make_room();
        while (!only_blank_left()) {
            record();
        }
        if (table_.rows == 0) {
            throw BadInput(name_ + ": found a header line and nothing after it, expected lines of numbers");
        }
        table_.numbers.rows = table_.rows;
        table_.numbers.cols = columns_ - table_.texts.size();
        if (!first_numbers_.empty() || first_is_blank_) {
            refuse_hidden_header({first_numbers_,
                                  quoted_inputs_ == first_quoted_ && first_quoted_ == table_.numbers.cols,
                                  &table_.numbers, &table_.texts},
                                 name_);
        }
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
        cell.quoted = true;
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
        cell.text = unescaped_;
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

    void find_text_columns(const std::vector<std::string>& first_line)
    {
        for (const CsvColumn& wanted : reading_.text_columns) {
            const std::size_t column = find_column(first_line, wanted, name_);
            if (is_text(column)) {
                throw BadInput(name_ + ": found column " + std::to_string(column) +
                               (wanted.option == "--target"
                                    ? " twice as a target, expected once"
                                    : " for " + wanted.option + " and for something else, expected another one"));
            }
            text_columns_.push_back(column);
        }
        table_.texts.resize(reading_.only_text ? first_line.size() : text_columns_.size());
    }

    void append(const Cell& cell)
    {
        const std::string_view text = trimmed(cell.text);
        if (is_text(cell.column)) {
            // The caller of only_text judges the first line.
            if (text.empty() && !(reading_.only_text && cell.line == 1)) {
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
        quoted_inputs_ += cell.quoted ? 1 : 0;
        if (text.empty() && reading_.blanks_are_missing) {
            table_.numbers.values.push_back(std::numeric_limits<float>::quiet_NaN());
            return;
        }
        if (text.empty()) {
            fail(cell, "an empty cell", "a number");
        }
        float value = 0.0f;
        switch (parse_number(text, value)) {
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
        std::vector<Cell> cells;
        std::vector<std::string> texts, names; // what the cells point to is gone with the next one
        do {
            // This line alone is kept in three forms, which grow by doubling.
            if (constexpr std::size_t often = 65536; cells.size() % often == 0 && !cells.empty()) {
                constexpr std::size_t cell_bytes = 2 * (sizeof(Cell) + 2 * sizeof(std::string));
                require_memory(name_, "a first line of more than " + std::to_string(cells.size()) + " cells",
                               static_cast<double>(text_.size()) +
                                   static_cast<double>(cell_bytes) * static_cast<double>(cells.size()));
            }
            cells.push_back(next_cell(cells.size() + 1));
            texts.emplace_back(cells.back().text);
            names.emplace_back(trimmed(texts.back()));
        } while (!cells.back().ends_record);
        columns_ = cells.size();
        find_text_columns(names);
        if (has_header(names)) {
            table_.header = std::move(names);
            return;
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            cells[i].text = texts[i];
            append(cells[i]);
        }
        table_.rows = 1;
        first_quoted_ = quoted_inputs_;
    }

    // For all rows at once, so that nothing takes more than was judged here. A cell has a character that ends it.
    void make_room()
    {
        const auto ends = [this](char character) { return character == separator_ || character == '\n'; };
        const auto cells = static_cast<std::size_t>(std::count_if(text_.begin(), text_.end(), ends));
        const std::size_t rows = cells / columns_ + 1, texts = table_.texts.size();
        // A text may lie outside its std::string; a target's number comes later, beside it.
        const double text_bytes = static_cast<double>(texts) * (sizeof(std::string) + sizeof(double));
        const double row_bytes = text_bytes + sizeof(float) * static_cast<double>(columns_ - texts);
        require_memory(name_, "a table of some " + number_text(static_cast<double>(cells)) + " cells",
                       static_cast<double>(text_.size()) * (texts == 0 ? 1.0 : 2.0) +
                           row_bytes * static_cast<double>(rows));
        table_.numbers.values.reserve(rows * (columns_ - texts));
        for (auto& column : table_.texts) {
            column.reserve(rows);
        }
    }

    bool has_header(const std::vector<std::string>& first_line)
    {
        if (reading_.header != CsvHeader::automatic || reading_.only_text) {
            return reading_.header == CsvHeader::yes;
        }
        std::string target;
        for (const CsvColumn& wanted : reading_.text_columns) {
            if (wanted.number == 0 && (target.empty() || reads_as_number(target))) {
                target = wanted.name;
            }
        }
        std::vector<FirstCell> inputs;
        std::vector<std::string> numbers;
        for (std::size_t i = 0; i < first_line.size(); ++i) {
            if (!is_text(i + 1)) {
                inputs.push_back({first_line[i], i + 1});
            }
            if (reads_as_number(first_line[i])) {
                numbers.push_back(first_line[i]);
            }
        }
        if (inputs.empty()) {
            return !target.empty();
        }
        if (is_header_line(inputs, target, name_)) {
            return true;
        }
        first_numbers_ = std::move(numbers);
        first_is_blank_ = first_numbers_.empty();
        return false;
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
    // Of a first line that was taken for a row by the look of it, until the others are known.
    std::vector<std::string> first_numbers_;
    bool first_is_blank_ = false;
    std::size_t first_quoted_ = 0, quoted_inputs_ = 0; // inputs in quotes: of the first line, of all
    std::size_t columns_ = 0;
    CsvTable table_;
};

} // namespace

CsvTable parse_csv_table(std::string_view text, const std::string& name, const CsvReading& reading)
{
    return CsvParser(text, name, reading).parse();
}

CsvTable parse_csv_texts(std::string_view text, const std::string& name, CsvHeader header)
{
    CsvReading reading;
    reading.only_text = true;
    reading.header = header;
    return parse_csv_table(text, name, reading);
}

MatrixF parse_csv(std::string_view text, const std::string& name, CsvHeader header)
{
    CsvReading reading;
    reading.header = header;
    return parse_csv_table(text, name, reading).numbers;
}

} // namespace samara::desk
