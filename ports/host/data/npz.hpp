// NumPy's archives of arrays: one array alone, or a sparse matrix as scipy.sparse.save_npz writes it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ports/host/data/byte_reader.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/data/sparse.hpp"

namespace samara::desk {

// A compressed sparse row matrix; nothing where the archive holds no sparse matrix. Every index is checked.
std::optional<SparseRows> read_sparse_npz(const std::string& path);

// The one array of an archive; one of text is refused unless asked for.
ArrayFile open_npz(const std::string& path, bool texts_too = false);

} // namespace samara::desk
