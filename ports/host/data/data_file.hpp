// The formats of training data, and what is common to reading them.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "ports/host/data/array_file.hpp"
#include "ports/host/data/byte_reader.hpp"
#include "ports/host/data/matrix.hpp"
#include "ports/host/data/sparse.hpp"
#include "ports/host/data/table_reading.hpp"

namespace samara::desk {

// By the suffix, without regard to a .gz behind it.
std::optional<DataFormat> data_format_if_known(const std::string& path);
DataFormat data_format(const std::string& path, const TableReading& reading = {});

// The whole file as text, decompressed where its name ends in .gz, at most most_memory().
std::string read_data_text(const std::string& path);

struct ArrayFile {
    std::unique_ptr<std::istream> stream;
    ArrayLayout layout;
    bool in_memory = false;
};

// An NPY or IDX file, or an NPZ file of one array; a compressed one is unpacked into memory, its header first, and only
// where the array that the header speaks of fits most_memory(). An NPY array of several dimensions is announced on
// standard error, because its rows are made of them. Arrays of text (npy_text.hpp) are refused unless asked for.
ArrayFile open_array(const std::string& path, const TableReading& reading = {}, bool texts_too = false);

// The same from the contents of a compressed file.
ArrayFile array_in_memory(ByteReader& contents, DataFormat format, const std::string& name, bool texts_too = false);

// All of it in memory, at most most_memory().
MatrixF whole_table(const ArrayFile& file, const std::string& path);

// A libsvm file or a sparse matrix in an NPZ file; nothing where the file is neither.
std::optional<SparseTable> read_sparse(const std::string& path, const TableReading& reading = {});

// A file of any format, whole and as rows. Values are as they are in the file: judging them is the caller's part.
MatrixF read_matrix(const std::string& path, const TableReading& reading = {});

} // namespace samara::desk
