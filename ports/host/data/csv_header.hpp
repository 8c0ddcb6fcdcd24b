// What the first line of a CSV file is: the names of its columns, or a row.
//
// A header has no number where a number belongs. So a line of which all inputs are numbers is a row, a line of which
// none is a number is a header, and whatever lies between is refused: a row with one bad cell must not vanish as a
// header. So is what either rule would get wrong in all likelihood: numbers that count the columns, and words that
// stand for a missing or a damaged number and for nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

enum class CsvHeader { automatic, yes, no };

// A column by its number from 1 (from -1 at the end, backwards) or, where that is 0, by its name in the first line.
struct CsvColumn {
    std::string name;
    int number = 0;
    std::string option = "--target"; // that asks for it, for messages
};
// Its number from 1. BadInput where there is none of that number or name, or several of that name.
std::size_t find_column(const std::vector<std::string>& first_line, const CsvColumn& wanted, const std::string& file);

enum class CellKind {
    blank,
    number,
    doubtful, // no number, but hardly a name: NA, ?, 3%, 1e, +
    name
};
CellKind kind_of_cell(std::string_view text);
// NA, null, ? and the like.
bool stands_for_missing(std::string_view text);

struct FirstCell {
    std::string_view text;
    std::size_t column = 1; // from 1, as messages count
};

// Whether a first line of these inputs is a header. `target` is the target's name where the user gave one (empty: no
// name): then the line has been found to have that name. BadInput where it cannot be told.
bool is_header_line(const std::vector<FirstCell>& inputs, const std::string& target, const std::string& file);

// A first line of numbers that was taken for a row, and all that can speak against it.
struct FirstRow {
    std::vector<std::string> numbers;                               // of the line, the target's among them
    bool alone_in_quotes = false;                                   // its inputs are in quotes, and no later ones
    const MatrixF* inputs = nullptr;                                // of all rows
    const std::vector<std::vector<std::string>>* targets = nullptr; // column by column
};
// BadInput where the line is more likely a header.
void refuse_hidden_header(const FirstRow& row, const std::string& file);

// The first text is no number, and at least half of those below it are.
bool is_name_above_numbers(const std::vector<std::string>& column);
// The first text is none of those below it.
bool is_unlike_the_rest(const std::vector<std::string>& column);
// The same, and each of those below occurs twice at least, as classes do.
bool is_name_above_classes(const std::vector<std::string>& column);

// End a message about a first line: of the data, of a target in a file of its own.
inline constexpr const char* header_advice = " (--header yes: the line is a header; --header no: it is a row)";
inline constexpr const char* target_header_advice =
    " (--target-header yes: its first line is a header; --target-header no: it is a row)";

} // namespace samara::desk
