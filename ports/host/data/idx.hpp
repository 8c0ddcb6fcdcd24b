#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "ports/host/data/array_file.hpp"

namespace samara::desk {

// The format of the MNIST files: where the values are, and what. The first dimension counts rows; the others, say an
// image's lines and columns, become one. BadInput with `name` for anything else than a whole IDX file. `size` is the
// file's, or unknown_size: then the stream need not be seekable.
ArrayLayout idx_layout(std::istream& in, std::uint64_t size, const std::string& name);
ArrayLayout idx_layout(std::istream& in, const std::string& name); // of a seekable stream

} // namespace samara::desk
