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
#include <set>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

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

ElementType element_type(const std::string& descr, const std::string& name)
{
    constexpr std::array<std::string_view, 12> accepted = {"b1", "u1", "u2", "u4", "u8", "i1",
                                                           "i2", "i4", "i8", "f2", "f4", "f8"};
    const bool order_known = descr.find_first_of("<>|=") == 0;
    if (!order_known || std::find(accepted.begin(), accepted.end(), descr.substr(1)) == accepted.end()) {
        refuse(name, "dtype " + quoted_text(descr),
               "bool, an integer of 1, 2, 4 or 8 bytes, or a float of 2, 4 or 8 bytes");
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
void check_shape(const Header& header, std::size_t element_size, std::uint64_t data_bytes, const std::string& name)
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
    const std::string shape = std::to_string(matrix.rows) + ", " + std::to_string(matrix.cols);
    std::string header = sizeof(T) == 4 ? "{'descr': '<f4" : "{'descr': '<f8";
    header += "', 'fortran_order': False, 'shape': (" + shape + "), }";
    constexpr std::size_t prefix = 10;
    header.append(63 - (prefix + header.size()) % 64, ' ');
    header += '\n';
    out << magic << '\x01' << '\0' << static_cast<char>(header.size() & 255u) << static_cast<char>(header.size() >> 8u)
        << header;

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

ArrayLayout npy_layout(std::istream& in, std::uint64_t size, const std::string& name)
{
    std::string header_text;
    const std::uint64_t offset = read_header_text(in, size, name, header_text);
    const Header header = HeaderParser(header_text, name).parse();
    const ElementType type = element_type(header.descr, name);
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

ArrayLayout npy_layout(std::istream& in, const std::string& name)
{
    return npy_layout(in, stream_size(in, name), name);
}

std::string npy_word(std::istream& in, const std::string& name)
{
    std::string header_text, word;
    read_header_text(in, unknown_size, name, header_text);
    const Header header = HeaderParser(header_text, name).parse();
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

void write_npy(std::ostream& out, const MatrixF& matrix) { write_values(out, matrix); }

void write_npy(std::ostream& out, const MatrixD& matrix) { write_values(out, matrix); }

} // namespace samara::desk
