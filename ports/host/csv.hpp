#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ports/host/matrix.hpp"

namespace samara::desk {

// Reads a table of numbers. The first line is a header when one of its fields is text that is not a number.
// The separator is the comma; when the first line has none, the semicolon, then the tab. "nan" and "inf" are
// numbers here: judging them is the caller's part. Anything not a full table of numbers is BadInput.
MatrixF read_csv(const std::string& path);

// The same from text already in memory; `name` stands for the file in messages.
MatrixF parse_csv(std::string_view text, const std::string& name);

// Comma, LF, shortest texts that read back to the same values; a header line when names are given.
// Errors are left in the stream's state.
void write_csv(std::ostream& out, const MatrixF& matrix, const std::vector<std::string>& header = {});
void write_csv(std::ostream& out, const MatrixD& matrix, const std::vector<std::string>& header = {});

} // namespace samara::desk
