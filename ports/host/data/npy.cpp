#include "ports/host/data/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "ports/host/data/files.hpp"
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

struct Header {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
    std::string shape_text;
};

// The header is a Python dictionary literal; only the forms that NumPy itself writes are understood.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    Header parse()
    {
        expect('{');
        while (!accept('}')) {
            const std::string key = string_literal("a quoted key or '}'");
            expect(':');
            const bool first_time = seen_.insert(key).second;
            if (key == "descr" && first_time) {
                header_.descr = descr_value();
            } else if (key == "fortran_order" && first_time) {
                header_.fortran_order = boolean();
            } else if (key == "shape" && first_time) {
                shape();
            } else {
                fail("key " + quoted_text(key), "'descr', 'fortran_order' and 'shape', each once");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (position_ < text_.size()) {
            fail_here("nothing after the closing '}'");
        }
        for (const char* const key : {"descr", "fortran_order", "shape"}) {
            if (!seen_.contains(key)) {
                fail("no key '" + std::string(key) + "'", "'descr', 'fortran_order' and 'shape'");
            }
        }
        return header_;
    }

private:
    [[noreturn]] void fail(const std::string& found, const std::string& expected) const
    {
        refuse(name_ + ": malformed NPY header", found, expected);
    }

    [[noreturn]] void fail_here(const std::string& expected) const
    {
        const std::string_view rest = text_.substr(std::min(position_, text_.size()));
        fail(rest.empty() ? "the end of the header" : quoted_text(rest.substr(0, 20)), expected);
    }

    void skip_space() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }

    bool accept(char wanted)
    {
        skip_space();
        if (position_ < text_.size() && text_[position_] == wanted) {
            ++position_;
            return true;
        }
        return false;
    }

    void expect(char wanted)
    {
        if (!accept(wanted)) {
            fail_here(std::string("'") + wanted + "'");
        }
    }

    std::string string_literal(const std::string& expected)
    {
        skip_space();
        const char quote = position_ < text_.size() ? text_[position_] : ' ';
        if (quote != '\'' && quote != '"') {
            fail_here(expected);
        }
        const std::size_t end = text_.find(quote, position_ + 1);
        if (end == std::string_view::npos) {
            fail_here("a closing quote");
        }
        const std::string_view contents = text_.substr(position_ + 1, end - position_ - 1);
        position_ = end + 1;
        return std::string(contents);
    }

    std::string descr_value()
    {
        skip_space();
        if (position_ < text_.size() && (text_[position_] == '[' || text_[position_] == '(')) {
            refuse(name_, "the structured dtype " + quoted_text(text_.substr(position_)),
                   "a plain bool, integer or float array");
        }
        return string_literal("a quoted dtype");
    }

    bool boolean()
    {
        skip_space();
        for (const std::string_view word : {"True", "False"}) {
            if (text_.substr(position_).starts_with(word)) {
                position_ += word.size();
                return word == "True";
            }
        }
        fail_here("True or False for 'fortran_order'");
    }

    void shape()
    {
        expect('(');
        const std::size_t begin = position_ - 1;
        bool comma = true;
        while (!accept(')')) {
            if (!comma) {
                fail_here("',' or ')' in the shape");
            }
            skip_space();
            std::uint64_t dimension = 0;
            const char* const first = text_.data() + position_;
            const auto [end, status] = std::from_chars(first, text_.data() + text_.size(), dimension);
            if (status != std::errc()) {
                fail_here("a dimension that fits 64 bits");
            }
            position_ += static_cast<std::size_t>(end - first);
            // Python 2 wrote long integers with this suffix.
            accept('L');
            header_.shape.push_back(dimension);
            comma = accept(',');
        }
        header_.shape_text = text_.substr(begin, position_ - begin);
        if (header_.shape.size() == 1 && !comma) {
            fail("the shape " + quoted_text(header_.shape_text), "a tuple such as (3,)");
        }
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t position_ = 0;
    Header header_;
    std::set<std::string> seen_;
};

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

// Leaves the stream at the first data byte and returns how many bytes the file has from there on.
std::uint64_t read_header_text(std::istream& in, const std::string& name, std::string& header)
{
    const std::uint64_t size = stream_size(in, name);
    std::array<char, 12> fixed{};
    const auto available = static_cast<std::size_t>(std::min<std::uint64_t>(size, fixed.size()));
    read_exactly(in, fixed.data(), available, name);
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
        refuse(name, "a truncated NPY file of " + std::to_string(size) + " bytes",
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
    in.seekg(static_cast<std::streamoff>(prefix), std::ios::beg);
    read_exactly(in, header.data(), header.size(), name);
    return size - prefix - length;
}

void check_shape(const Header& header, std::size_t element_size, std::uint64_t data_bytes, const std::string& name)
{
    const std::string shape = "shape " + quoted_text(header.shape_text);
    const std::string present = std::to_string(data_bytes) + " bytes of data";
    if (header.shape.empty() || header.shape.size() > 2) {
        refuse(name, "an array of " + shape, "one or two dimensions");
    }
    std::uint64_t wanted = element_size;
    for (const std::uint64_t dimension : header.shape) {
        if (dimension == 0) {
            refuse(name, "an array of " + shape, "at least one value");
        }
        if (wanted > std::numeric_limits<std::uint64_t>::max() / dimension) {
            refuse(name, present, "more than 64 bits can count for " + shape);
        }
        wanted *= dimension;
    }
    if (wanted != data_bytes) {
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

ArrayLayout npy_layout(std::istream& in, const std::string& name, bool texts_too)
{
    std::string header_text;
    const std::uint64_t data_bytes = read_header_text(in, name, header_text);
    const std::streamoff offset = in.tellg();
    const Header header = HeaderParser(header_text, name).parse();
    const ElementType type = element_type(header.descr, name, texts_too);
    check_shape(header, type.size, data_bytes, name);
    return {type, static_cast<std::size_t>(header.shape[0]),
            header.shape.size() == 2 ? static_cast<std::size_t>(header.shape[1]) : 1,
            static_cast<std::uint64_t>(offset), header.fortran_order};
}

MatrixF read_npy_f32(std::istream& in, const std::string& name)
{
    const ArrayLayout layout = npy_layout(in, name);
    MatrixF matrix(layout.rows, layout.cols);
    if (!layout.fortran_order) {
        read_values(in, layout, 0, matrix.values.size(), matrix.values.data(), name);
        return matrix;
    }
    std::vector<float> column(matrix.rows);
    for (std::size_t j = 0; j < matrix.cols; ++j) {
        read_values(in, layout, std::uint64_t{j} * matrix.rows, matrix.rows, column.data(), name);
        for (std::size_t i = 0; i < matrix.rows; ++i) {
            matrix.row(i)[j] = column[i];
        }
    }
    return matrix;
}

MatrixF read_npy_f32(const std::string& path)
{
    std::ifstream in = open_input(path);
    return read_npy_f32(in, path);
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
