#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ports/host/data/sparse.hpp"

namespace samara::desk {

// The text that LIBSVM and SVMlight read: a line a row, "label index:value index:value", indices from 1 and ascending;
// a plus sign of the label is dropped, "qid:N" behind the label is passed over, as is what follows a '#'. There are
// `columns` columns, or where that is 0 as many as the largest index says. Blank lines are no rows, and refused where
// lines have no labels: there one could be a row of zeros. Anything else is BadInput with the line; `name` stands for
// the file.
SparseTable parse_libsvm(std::string_view text, std::size_t columns, const std::string& name);

} // namespace samara::desk
