#include "ports/host/data/data_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/data/gzip.hpp"
#include "ports/host/data/idx.hpp"
#include "ports/host/data/libsvm.hpp"
#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/npy.hpp"
#include "ports/host/data/npz.hpp"
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

// Of a file of text so many bytes are looked at before the rest is unpacked.
constexpr std::size_t first_bytes = 65536;

void require_text(std::string_view text, const std::string& path)
{
    if (const std::size_t zero = text.substr(0, first_bytes).find('\0'); zero != std::string_view::npos) {
        throw BadInput(path + ": found a zero at byte " + std::to_string(zero + 1) +
                       ", expected text (ASCII or UTF-8)");
    }
}

ArrayLayout layout_of(std::istream& in, std::uint64_t size, DataFormat format, const std::string& name, bool texts_too)
{
    return format == DataFormat::idx ? idx_layout(in, size, name) : npy_layout(in, size, name, texts_too);
}

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
    if (name.ends_with(".npz")) {
        return DataFormat::npz;
    }
    if (name.ends_with(".libsvm") || name.ends_with(".svm")) {
        return DataFormat::libsvm;
    }
    // The files of MNIST are called so: train-images-idx3-ubyte.
    if (name.ends_with(".idx") || (name.ends_with("-ubyte") && name.find("idx") != std::string::npos)) {
        return DataFormat::idx;
    }
    return std::nullopt;
}

DataFormat data_format(const std::string& path, const TableReading& reading)
{
    const std::optional<DataFormat> format = reading.format ? reading.format : data_format_if_known(path);
    if (!format) {
        throw BadInput(path + ": found the name " + quoted_text(lower_name(path)) +
                       ", expected one that ends in .npy, .npz, .csv, .libsvm, .svm, .idx or -idx3-ubyte, perhaps with "
                       ".gz behind it");
    }
    if (format == DataFormat::npz && compressed(path)) {
        throw BadInput(path + ": found a compressed .npz file, expected it without .gz: it is compressed in itself");
    }
    return *format;
}

std::string read_data_text(const std::string& path)
{
    std::string text;
    if (compressed(path)) {
        GzipReader reader(std::make_unique<std::ifstream>(open_input(path)), path);
        text.resize(first_bytes);
        text.resize(reader.read(text.data(), text.size()));
        require_text(text, path);
        reader.append_rest(text);
    } else {
        text = read_file(path);
        require_text(text, path);
    }
    return text;
}

ArrayFile array_in_memory(ByteReader& contents, DataFormat format, const std::string& name, bool texts_too)
{
    ReaderBuffer buffer(contents);
    std::istream in(&buffer);
    in.exceptions(std::ios::badbit);
    ArrayFile file;
    file.layout = layout_of(in, unknown_size, format, name, texts_too);
    ArrayLayout& layout = file.layout;
    const double bytes =
        static_cast<double>(layout.rows) * static_cast<double>(layout.cols) * static_cast<double>(layout.type.size);
    require_memory(name, shape_text(layout), bytes);
    std::string data;
    std::size_t found = 0;
    if (bytes <= contents.most_bytes()) {
        data.resize(layout.rows * layout.cols * layout.type.size);
        in.read(data.data(), static_cast<std::streamsize>(data.size()));
        found = static_cast<std::size_t>(in.gcount());
    }
    if (static_cast<double>(found) < bytes || in.peek() != std::istream::traits_type::eof()) {
        throw BadInput(name + ": found " +
                       (static_cast<double>(found) < bytes ? "the end of the data (truncated)"
                                                           : "bytes behind the data (trailing bytes)") +
                       ", expected " + shape_text(layout) + " in " + std::to_string(static_cast<std::uint64_t>(bytes)) +
                       " bytes");
    }
    file.stream = std::make_unique<std::istringstream>(std::move(data), std::ios::binary);
    layout.offset = 0;
    file.in_memory = true;
    return file;
}

ArrayFile open_array(const std::string& path, const TableReading& reading, bool texts_too)
{
    const DataFormat format = data_format(path, reading);
    ArrayFile file;
    if (format == DataFormat::npz) {
        file = open_npz(path, texts_too);
    } else if (format != DataFormat::npy && format != DataFormat::idx) {
        throw BadInput(path + ": found a libsvm file, expected numbers in .npy, .npz, .csv or IDX");
    } else if (compressed(path)) {
        GzipReader contents(std::make_unique<std::ifstream>(open_input(path)), path);
        file = array_in_memory(contents, format, path, texts_too);
    } else {
        file.stream = std::make_unique<std::ifstream>(open_input(path));
        file.layout = layout_of(*file.stream, stream_size(*file.stream, path), format, path, texts_too);
    }
    const ArrayLayout& layout = file.layout;
    if (!layout.row_shape.empty()) {
        std::string shape = std::to_string(layout.rows);
        for (const std::uint64_t dimension : layout.row_shape) {
            shape += " x " + std::to_string(dimension);
        }
        std::fprintf(stderr, "samara: %s: shape %s read as rows of %zu\n", visible_text(path).c_str(), shape.c_str(),
                     layout.cols);
    }
    return file;
}

MatrixF read_matrix(const std::string& path, const TableReading& reading)
{
    const DataFormat format = data_format(path, reading);
    if (format == DataFormat::csv) {
        return parse_csv(read_data_text(path), path, reading.header);
    }
    if (const std::optional<SparseTable> sparse = read_sparse(path, reading)) {
        const SparseRows& rows = sparse->inputs;
        require_memory(
            path, "a table of " + std::to_string(rows.rows()) + " rows of " + std::to_string(rows.cols) + " values",
            sizeof(float) * static_cast<double>(rows.rows()) * static_cast<double>(rows.cols));
        MatrixF matrix(rows.rows(), rows.cols);
        make_dense(rows, 0, matrix.rows, matrix.values.data());
        return matrix;
    }
    const ArrayFile file = open_array(path, reading);
    return whole_table(file, path);
}

MatrixF whole_table(const ArrayFile& file, const std::string& path)
{
    const ArrayLayout& layout = file.layout;
    const std::size_t value_bytes = sizeof(float) + (file.in_memory ? layout.type.size : 0);
    require_memory(path, shape_text(layout),
                   static_cast<double>(value_bytes) * static_cast<double>(layout.rows) *
                       static_cast<double>(layout.cols));
    MatrixF matrix(layout.rows, layout.cols);
    matrix.row_shape = layout.row_shape;
    read_table(*file.stream, layout, matrix.values.data(), path);
    return matrix;
}

std::optional<SparseTable> read_sparse(const std::string& path, const TableReading& reading)
{
    const DataFormat format = data_format(path, reading);
    if (format == DataFormat::libsvm) {
        return parse_libsvm(read_data_text(path), reading.columns, path);
    }
    std::optional<SparseRows> rows = format == DataFormat::npz ? read_sparse_npz(path) : std::nullopt;
    return rows ? std::optional<SparseTable>({std::move(*rows), {}}) : std::nullopt;
}

} // namespace samara::desk
