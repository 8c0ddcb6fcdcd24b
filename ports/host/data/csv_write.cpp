#include <cstddef>
#include <string>
#include <vector>

#include "ports/host/data/csv.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

template <typename T>
void write_table(std::ostream& out, const Matrix<T>& matrix, const std::vector<std::string>& header)
{
    for (std::size_t column = 0; column < header.size(); ++column) {
        if (column != 0) {
            out << ',';
        }
        write_csv_cell(out, header[column]);
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

void write_csv_cell(std::ostream& out, const std::string& text)
{
    // Blanks at the ends belong to the text only within quotes.
    const bool blank_end = text.starts_with(' ') || text.ends_with(' ');
    if (!blank_end && text.find_first_of(",;\t\"\r\n") == std::string::npos) {
        out << text;
        return;
    }
    out << '"';
    for (const char character : text) {
        out << character;
        if (character == '"') {
            out << '"';
        }
    }
    out << '"';
}

void write_csv(std::ostream& out, const MatrixF& matrix, const std::vector<std::string>& header)
{
    write_table(out, matrix, header);
}

void write_csv(std::ostream& out, const MatrixD& matrix, const std::vector<std::string>& header)
{
    write_table(out, matrix, header);
}

} // namespace samara::desk
