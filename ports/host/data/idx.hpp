#pragma once

#include <istream>
#include <string>

#include "ports/host/data/array_file.hpp"

namespace samara::desk {

// The format of the MNIST files: where the values are, and what. The first dimension counts rows; the others, say an
// image's lines and columns, become one. BadInput with `name` for anything else than a whole IDX file.
ArrayLayout idx_layout(std::istream& in, const std::string& name);

} // namespace samara::desk
