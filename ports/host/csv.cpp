#include "ports/host/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>

#include "ports/host/error.hpp"
#include "ports/host/files.hpp"

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
    CsvParser(std::string_view text, const std::string& name) : text_(text), name_(name)
    {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (text_.starts_with(byte_order_mark)) {
            text_.remove_prefix(byte_order_mark.size());
        }
        separator_ = find_separator();
    }

    MatrixF parse()
    {
        if (only_blank_left()) {
            throw BadInput(name_ + ": found an empty file, expected lines of numbers");
        }
        first_record();
        while (!only_blank_left()) {
            record();
        }
        if (matrix_.rows == 0) {
            throw BadInput(name_ + ": found a header line and nothing after it, expected lines of numbers");
        }
        return std::move(matrix_);
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
        if (cell.column <= header_.size() && !header_[cell.column - 1].empty()) {
            message += " (" + quoted_text(header_[cell.column - 1]) + ")";
        }
        throw BadInput(message + ": found " + found + ", expected " + expected);
    }

    std::string columns_text() const
    {
        return std::to_string(matrix_.cols) + (matrix_.cols == 1 ? " value" : " values") + " as in line 1";
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

    void append(const Cell& cell)
    {
        if (cell.text.empty()) {
            fail(cell, "an empty cell", "a number");
        }
        float value = 0.0f;
        switch (parse_number(cell.text, value)) {
        case Reading::number:
            matrix_.values.push_back(value);
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
        bool is_header = false;
        do {
            const Cell cell = next_cell(cells.size() + 1);
            float value = 0.0f;
            is_header = is_header || (!cell.text.empty() && parse_number(cell.text, value) == Reading::not_a_number);
            cells.emplace_back(cell, cell.text);
        } while (!cells.back().first.ends_record);
        matrix_.cols = cells.size();
        for (auto& [cell, text] : cells) {
            if (is_header) {
                header_.push_back(std::move(text));
            } else {
                cell.text = text;
                append(cell);
            }
        }
        matrix_.rows = is_header ? 0 : 1;
    }

    void record()
    {
        refuse_blank_line(columns_text());
        for (std::size_t column = 1;; ++column) {
            Cell cell = next_cell(column);
            if (column > matrix_.cols) {
                fail(cell, "a value too many", columns_text());
            }
            append(cell);
            if (cell.ends_record) {
                if (column < matrix_.cols) {
                    ++cell.column;
                    fail(cell, "the end of the line", columns_text());
                }
                break;
            }
        }
        ++matrix_.rows;
    }

    std::string_view text_;
    const std::string& name_;
    char separator_ = ',';
    std::size_t position_ = 0;
    std::size_t line_ = 1;
    std::string unescaped_;
    std::vector<std::string> header_;
    MatrixF matrix_;
};

void write_name(std::ostream& out, const std::string& name)
{
    if (name.find_first_of(",;\t\"\r\n") == std::string::npos) {
        out << name;
        return;
    }
    out << '"';
    for (const char character : name) {
        out << character;
        if (character == '"') {
            out << '"';
        }
    }
    out << '"';
}

template <typename T>
void write_table(std::ostream& out, const Matrix<T>& matrix, const std::vector<std::string>& header)
{
    for (std::size_t column = 0; column < header.size(); ++column) {
        if (column != 0) {
            out << ',';
        }
        write_name(out, header[column]);
    }
    if (!header.empty()) {
        out << '\n';
    }
    std::string line;
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        line.clear();
        for (std::size_t column = 0; column < matrix.cols; ++column) {
            if (column != 0) {
                line += ',';
            }
            line += number_text(matrix.row(row)[column]);
        }
        line += '\n';
        out << line;
    }
}

} // namespace

MatrixF parse_csv(std::string_view text, const std::string& name) { return CsvParser(text, name).parse(); }

MatrixF read_csv(const std::string& path) { return parse_csv(read_file(path), path); }

void write_csv(std::ostream& out, const MatrixF& matrix, const std::vector<std::string>& header)
{
    write_table(out, matrix, header);
}

void write_csv(std::ostream& out, const MatrixD& matrix, const std::vector<std::string>& header)
{
    write_table(out, matrix, header);
}

} // namespace samara::desk
