#include "ports/host/data/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "ports/host/data/npy_header.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t block_bytes = 65536;

// No header of a plain numeric array comes near this; it keeps a hostile length from becoming an allocation.
constexpr std::uint64_t longest_header = 1u << 20u;

[[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& expected)
{
    throw BadInput(name + ": found " + found + ", expected " + expected);
}

// '<U7' is seven characters of four bytes, '|S7' seven bytes.
std::optional<ElementType> text_type(const std::string& descr)
{
    constexpr std::size_t longest_text = 65536;
    std::size_t count = 0;
    const char* const end = descr.data() + descr.size();
    if (descr.size() < 3 || (descr[1] != 'U' && descr[1] != 'S') || std::string_view("<>|=").find(descr[0]) > 3) {
        return std::nullopt;
    }
    const auto [stop, status] = std::from_chars(descr.data() + 2, end, count);
    if (status != std::errc() || stop != end || count == 0 || count > longest_text) {
        return std::nullopt;
    }
    return ElementType{descr[1], descr[1] == 'U' ? 4 * count : count, descr[0] == '>'};
}

ElementType element_type(const std::string& descr, const std::string& name, bool texts_too)
{
    const std::optional<ElementType> text = text_type(descr);
    if (text && texts_too) {
        return *text;
    }
    constexpr std::array<std::string_view, 12> accepted = {"b1", "u1", "u2", "u4", "u8", "i1",
                                                           "i2", "i4", "i8", "f2", "f4", "f8"};
    const bool order_known = descr.find_first_of("<>|=") == 0;
    if (!order_known || std::find(accepted.begin(), accepted.end(), descr.substr(1)) == accepted.end()) {
        refuse(name, "dtype " + quoted_text(descr),
               std::string("bool, an integer of 1, 2, 4 or 8 bytes, or a float of 2, 4 or 8 bytes") +
                   (texts_too ? ", or text (U or S)"
                    : text    ? " (text is good for a target alone)"
                              : ""));
    }
    const bool native_big = std::endian::native == std::endian::big;
    const bool big_endian = descr[0] == '>' || (descr[0] != '<' && native_big);
    return {descr[1], static_cast<std::size_t>(descr[2] - '0'), big_endian};
}

// Reads forwards alone. Leaves the stream at the first data byte and returns where that is.
std::uint64_t read_header_text(std::istream& in, std::uint64_t size, const std::string& name, std::string& header)
{
    std::array<char, 12> fixed{};
    const auto next = [&](std::size_t first, std::size_t count) {
        in.read(fixed.data() + first, static_cast<std::streamsize>(count));
        return static_cast<std::size_t>(in.gcount());
    };
    constexpr std::size_t shorter = 10; // than the fixed part is since version 2
    std::size_t available = next(0, shorter);
    available += available == shorter && fixed[6] != 1 ? next(shorter, fixed.size() - shorter) : 0;
    in.clear();
    const std::string_view begin(fixed.data(), available);
    if (!begin.starts_with(magic)) {
        const std::string_view start = begin.substr(0, magic.size());
        refuse(name, start.empty() ? "an empty file" : quoted_text(start), "the NPY signature");
    }
    const auto byte = [&](std::size_t index) -> unsigned { return static_cast<unsigned char>(fixed[index]); };
    if (available >= 8 && (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)) {
        const std::string version = std::to_string(byte(6)) + "." + std::to_string(byte(7));
        refuse(name, "NPY format version " + version, "1.0, 2.0 or 3.0");
    }
    const std::size_t prefix = byte(6) == 1 ? 10 : 12;
    if (available < prefix) {
        refuse(name, "a truncated NPY file of " + std::to_string(available) + " bytes",
               "at least " + std::to_string(prefix));
    }
    std::uint64_t length = byte(8) | byte(9) << 8u;
    if (prefix == 12) {
        length |= byte(10) << 16u | byte(11) << 24u;
    }
    const std::uint64_t most = std::min(size - prefix, longest_header);
    if (length > most) {
        refuse(name, "a claimed NPY header of " + std::to_string(length) + " bytes", "at most " + std::to_string(most));
    }
    header.resize(static_cast<std::size_t>(length));
    read_exactly(in, header.data(), header.size(), name);
    return prefix + length;
}

// `data_bytes` may be unknown_size.
void check_shape(const NpyHeader& header, std::size_t element_size, std::uint64_t data_bytes, const std::string& name)
{
    const std::string shape = "shape " + quoted_text(header.shape_text);
    const std::string present = std::to_string(data_bytes) + " bytes of data";
    constexpr std::size_t most_dimensions = 4;
    if (header.shape.empty() || header.shape.size() > most_dimensions) {
        refuse(name, "an array of " + shape, "one to four dimensions, the first of which counts rows");
    }
    std::uint64_t wanted = element_size;
    for (const std::uint64_t dimension : header.shape) {
        if (dimension == 0) {
            refuse(name, "an array of " + shape, "at least one value");
        }
        if (wanted > std::numeric_limits<std::uint64_t>::max() / dimension) {
            refuse(name, data_bytes == unknown_size ? "an array of " + shape : present,
                   data_bytes == unknown_size ? "one whose bytes 64 bits can count"
                                              : "more than 64 bits can count for " + shape);
        }
        wanted *= dimension;
    }
    if (data_bytes != unknown_size && wanted != data_bytes) {
        refuse(name, present + (data_bytes < wanted ? " (truncated)" : " (trailing bytes)"),
               std::to_string(wanted) + " for " + shape + " and dtype " + quoted_text(header.descr));
    }
    if (wanted / element_size > std::numeric_limits<std::size_t>::max() / sizeof(double)) {
        refuse(name, "an array of " + shape, "one that fits this machine's memory");
    }
}

template <typename T>
void write_values(std::ostream& out, const Matrix<T>& matrix)
{
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    write_npy_header(out, sizeof(T) == 4 ? "<f4" : "<f8", matrix.rows, matrix.cols);
    std::string block;
    block.reserve(block_bytes);
    for (const T value : matrix.values) {
        const auto bits = std::bit_cast<Bits>(value);
        for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 8) {
            block += static_cast<char>(static_cast<unsigned char>((bits >> shift) & 255u));
        }
        if (block.size() >= block_bytes) {
            out.write(block.data(), static_cast<std::streamsize>(block.size()));
            block.clear();
        }
    }
    out.write(block.data(), static_cast<std::streamsize>(block.size()));
}

} // namespace

ArrayLayout npy_layout(std::istream& in, std::uint64_t size, const std::string& name, bool texts_too)
{
    std::string header_text;
    const std::uint64_t offset = read_header_text(in, size, name, header_text);
    const NpyHeader header = parse_npy_header(header_text, name);
    const ElementType type = element_type(header.descr, name, texts_too);
    check_shape(header, type.size, size == unknown_size ? unknown_size : size - offset, name);
    ArrayLayout layout{type, static_cast<std::size_t>(header.shape[0]), 1, offset, header.fortran_order};
    for (std::size_t i = 1; i < header.shape.size(); ++i) {
        layout.cols *= static_cast<std::size_t>(header.shape[i]);
    }
    if (header.shape.size() > 2) {
        layout.row_shape.assign(header.shape.begin() + 1, header.shape.end());
    }
    return layout;
}

ArrayLayout npy_layout(std::istream& in, const std::string& name, bool texts_too)
{
    return npy_layout(in, stream_size(in, name), name, texts_too);
}

std::string npy_word(std::istream& in, const std::string& name)
{
    std::string header_text, word;
    read_header_text(in, unknown_size, name, header_text);
    const NpyHeader header = parse_npy_header(header_text, name);
    const std::string& descr = header.descr;
    // NumPy keeps characters in four bytes each, the letters of plain words in the first or the last of them.
    constexpr std::string_view kinds[] = {"|S", "<U", ">U"};
    const auto kind = std::find(std::begin(kinds), std::end(kinds), descr.substr(0, 2));
    constexpr std::size_t longest = 3;
    if (!header.shape.empty() || kind == std::end(kinds) || descr.size() != 3 || descr[2] < '1' ||
        descr[2] > static_cast<char>('0' + longest)) {
        refuse(name, "dtype " + quoted_text(descr) + " and shape " + quoted_text(header.shape_text),
               "one text of at most 3 letters");
    }
    std::array<char, 4 * longest> bytes{};
    const std::size_t width = descr[1] == 'S' ? 1 : 4, letters = static_cast<std::size_t>(descr[2] - '0');
    read_exactly(in, bytes.data(), width * letters, name);
    for (std::size_t i = 0; i < letters; ++i) {
        word += bytes[i * width + (descr[0] == '>' ? width - 1 : 0)];
    }
    return word;
}

MatrixF read_npy_f32(std::istream& in, const std::string& name)
{
    const ArrayLayout layout = npy_layout(in, name);
    MatrixF matrix(layout.rows, layout.cols);
    read_table(in, layout, matrix.values.data(), name);
    return matrix;
}

void write_npy_header(std::ostream& out, const std::string& descr, std::size_t rows, std::size_t cols)
{
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                         std::to_string(cols) + "), }";
    constexpr std::size_t prefix = 10;
    header.append(63 - (prefix + header.size()) % 64, ' ');
    header += '\n';
    out << magic << '\x01' << '\0' << static_cast<char>(header.size() & 255u) << static_cast<char>(header.size() >> 8u)
        << header;
}

void write_npy(std::ostream& out, const MatrixF& matrix) { write_values(out, matrix); }

void write_npy(std::ostream& out, const MatrixD& matrix) { write_values(out, matrix); }

} // namespace samara::desk
