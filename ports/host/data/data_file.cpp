#include "ports/host/data/data_file.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "ports/host/data/files.hpp"
#include "ports/host/data/gzip.hpp"
#include "ports/host/data/idx.hpp"
#include "ports/host/data/npy.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

constexpr std::string_view compressed_suffix = ".gz";

std::string lower_name(const std::string& path)
{
    std::string name = std::filesystem::path(path).filename().string();
    for (char& letter : name) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return name;
}

bool compressed(const std::string& path) { return lower_name(path).ends_with(compressed_suffix); }

} // namespace

std::optional<DataFormat> data_format_if_known(const std::string& path)
{
    std::string name = lower_name(path);
    if (name.ends_with(compressed_suffix)) {
        name.resize(name.size() - compressed_suffix.size());
    }
    if (name.ends_with(".npy")) {
        return DataFormat::npy;
    }
    if (name.ends_with(".csv")) {
        return DataFormat::csv;
    }
    // The files of MNIST are called so: train-images-idx3-ubyte.
    if (name.ends_with(".idx") || (name.ends_with("-ubyte") && name.find("idx") != std::string::npos)) {
        return DataFormat::idx;
    }
    return std::nullopt;
}

DataFormat data_format(const std::string& path)
{
    const std::optional<DataFormat> format = data_format_if_known(path);
    if (!format) {
        throw BadInput(path + ": found the name " + quoted_text(lower_name(path)) +
                       ", expected one that ends in .npy, .csv, .idx or -idx3-ubyte, perhaps with .gz behind it");
    }
    return *format;
}

std::string read_data_text(const std::string& path)
{
    if (!compressed(path)) {
        return read_file(path);
    }
    return GzipReader(std::make_unique<std::ifstream>(open_input(path)), path).read_rest();
}

ArrayFile open_array(const std::string& path, bool texts_too)
{
    ArrayFile file;
    if (compressed(path)) {
        file.stream = std::make_unique<std::istringstream>(read_data_text(path), std::ios::binary);
    } else {
        file.stream = std::make_unique<std::ifstream>(open_input(path));
    }
    file.layout = data_format(path) == DataFormat::npy ? npy_layout(*file.stream, path, texts_too)
                                                       : idx_layout(*file.stream, path);
    return file;
}

} // namespace samara::desk
