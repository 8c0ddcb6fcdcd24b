#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ports/host/data/csv_header.hpp"
#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// Reads a table of numbers, perhaps under a header (csv_header.hpp). The separator is the comma; when the first line
// has none, the semicolon, then the tab. "nan" and "inf" are numbers here: judging them is the caller's part. Anything
// not a full table of numbers is BadInput. Blanks around a cell do not count; those within its quotes belong to a text.
// `name` stands for the file in messages.
MatrixF parse_csv(std::string_view text, const std::string& name, CsvHeader header = CsvHeader::automatic);

struct CsvReading {
    std::vector<CsvColumn> text_columns; // kept as text and left out of the numbers
    bool only_text = false;              // all columns are kept as text; the first line too, unless header is yes
    bool blanks_are_missing = false;     // an empty cell is a NaN
    CsvHeader header = CsvHeader::automatic;
};

struct CsvTable {
    std::size_t rows = 0;
    std::vector<std::string> header; // one of each column, or none
    MatrixF numbers;
    std::vector<std::vector<std::string>> texts; // column by column, in the order they were asked for
};

CsvTable parse_csv_table(std::string_view text, const std::string& name, const CsvReading& reading);
// All columns as text. Cells of the first line may be empty: it may be a header.
CsvTable parse_csv_texts(std::string_view text, const std::string& name, CsvHeader header = CsvHeader::automatic);

// One cell, in quotes where it needs them.
void write_csv_cell(std::ostream& out, const std::string& text);

// Comma, LF, shortest texts that read back to the same values; a header line when names are given.
// Errors are left in the stream's state.
void write_csv(std::ostream& out, const MatrixF& matrix, const std::vector<std::string>& header = {});
void write_csv(std::ostream& out, const MatrixD& matrix, const std::vector<std::string>& header = {});

} // namespace samara::desk
