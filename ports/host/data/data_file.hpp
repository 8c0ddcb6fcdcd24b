// The formats of training data, and what is common to reading them.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "ports/host/data/array_file.hpp"

namespace samara::desk {

enum class DataFormat { npy, csv, idx };

// By the suffix, without regard to a .gz behind it.
std::optional<DataFormat> data_format_if_known(const std::string& path);
DataFormat data_format(const std::string& path);

// The whole file as text, decompressed where its name ends in .gz.
std::string read_data_text(const std::string& path);

struct ArrayFile {
    std::unique_ptr<std::istream> stream;
    ArrayLayout layout;
};

// An NPY or IDX file; a compressed one is decompressed into memory. An NPY file of text is refused unless asked for.
ArrayFile open_array(const std::string& path, bool texts_too = false);

} // namespace samara::desk
