#include "ports/host/data/array_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

constexpr std::size_t block_bytes = 65536;

float half_to_float(std::uint64_t bits)
{
    const auto exponent = static_cast<int>((bits >> 10u) & 31u);
    const auto fraction = static_cast<float>(bits & 1023u);
    float magnitude = 0.0f;
    if (exponent == 31) {
        using Limits = std::numeric_limits<float>;
        magnitude = fraction == 0.0f ? Limits::infinity() : Limits::quiet_NaN();
    } else if (exponent == 0) {
        magnitude = std::ldexp(fraction, -24);
    } else {
        magnitude = std::ldexp(fraction + 1024.0f, exponent - 25);
    }
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

template <class Bits>
Bits reversed(Bits bits)
{
    Bits result = 0;
    for (std::size_t i = 0; i < sizeof(Bits); ++i) {
        result = static_cast<Bits>(static_cast<Bits>(result << 7u << 1u) | static_cast<Bits>(bits & 0xFFu));
        bits = static_cast<Bits>(bits >> 7u >> 1u);
    }
    return result;
}

// Values of `Bits`, which `value_of` understands. One loop for each type: a choice at each value takes longer than all
// else.
template <class Bits, class Number, class ValueOf>
void decode_bits(const unsigned char* bytes, bool foreign, std::size_t count, Number* values, ValueOf value_of)
{
    const auto all = [&](auto in_order) {
        for (std::size_t i = 0; i < count; ++i) {
            Bits bits{};
            std::memcpy(&bits, bytes + i * sizeof(Bits), sizeof(Bits));
            values[i] = static_cast<Number>(value_of(in_order(bits)));
        }
    };
    if (foreign) {
        all(reversed<Bits>);
    } else {
        all([](Bits bits) { return bits; });
    }
}

template <class Unsigned, class Number>
void decode_integers(const unsigned char* bytes, const ElementType& type, bool foreign, std::size_t count,
                     Number* values)
{
    if (type.kind == 'i') {
        decode_bits<Unsigned>(bytes, foreign, count, values,
                              [](Unsigned bits) { return static_cast<std::make_signed_t<Unsigned>>(bits); });
    } else if (type.kind == 'b') {
        decode_bits<Unsigned>(bytes, foreign, count, values, [](Unsigned bits) { return bits != 0 ? 1 : 0; });
    } else {
        decode_bits<Unsigned>(bytes, foreign, count, values, [](Unsigned bits) { return bits; });
    }
}

template <class Number>
void decode_all(const unsigned char* bytes, const ElementType& type, std::size_t count, Number* values)
{
    const bool foreign = type.size > 1 && type.big_endian != (std::endian::native == std::endian::big);
    if (type.kind == 'f' && type.size == sizeof(Number) && !foreign) {
        std::memcpy(values, bytes, count * sizeof(Number));
        return;
    }
    if (type.kind == 'f') {
        if (type.size == 2) {
            decode_bits<std::uint16_t>(bytes, foreign, count, values, half_to_float);
        } else if (type.size == 4) {
            decode_bits<std::uint32_t>(bytes, foreign, count, values, std::bit_cast<float, std::uint32_t>);
        } else {
            decode_bits<std::uint64_t>(bytes, foreign, count, values, std::bit_cast<double, std::uint64_t>);
        }
    } else if (type.size == 1) {
        decode_integers<std::uint8_t>(bytes, type, foreign, count, values);
    } else if (type.size == 2) {
        decode_integers<std::uint16_t>(bytes, type, foreign, count, values);
    } else if (type.size == 4) {
        decode_integers<std::uint32_t>(bytes, type, foreign, count, values);
    } else {
        decode_integers<std::uint64_t>(bytes, type, foreign, count, values);
    }
}

} // namespace

void decode_values(const unsigned char* bytes, const ElementType& type, std::size_t count, float* values)
{
    decode_all(bytes, type, count, values);
}

void decode_values(const unsigned char* bytes, const ElementType& type, std::size_t count, double* values)
{
    decode_all(bytes, type, count, values);
}

std::size_t place_in_row(const ArrayLayout& layout, std::size_t column)
{
    if (layout.row_shape.empty()) {
        return column;
    }
    std::uint64_t place = 0, rest = column;
    for (const std::uint64_t dimension : layout.row_shape) {
        place = place * dimension + rest % dimension;
        rest /= dimension;
    }
    return static_cast<std::size_t>(place);
}

std::string shape_text(const ArrayLayout& layout)
{
    return "an array of " + std::to_string(layout.rows) + (layout.rows == 1 ? " row of " : " rows of ") +
           std::to_string(layout.cols) + (layout.cols == 1 ? " value" : " values");
}

std::uint64_t stream_size(std::istream& in, const std::string& name)
{
    in.seekg(0, std::ios::end);
    const std::streamoff size = in.tellg();
    in.seekg(0, std::ios::beg);
    if (!in || size < 0) {
        throw BadInput(name + ": found a file whose size cannot be told, expected a regular file");
    }
    return static_cast<std::uint64_t>(size);
}

void read_exactly(std::istream& in, char* target, std::size_t count, const std::string& name)
{
    in.read(target, static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(in.gcount()) != count) {
        throw BadInput(name + ": found a read error or the end of the file, expected " + std::to_string(count) +
                       " more bytes");
    }
}

template <class Number>
void read_values(std::istream& in, const ArrayLayout& layout, std::uint64_t first, std::size_t count, Number* values,
                 const std::string& name)
{
    const ElementType& type = layout.type;
    in.clear();
    in.seekg(static_cast<std::streamoff>(layout.offset + first * type.size), std::ios::beg);
    std::vector<char> block(std::min(block_bytes, count * type.size));
    for (std::size_t done = 0; done < count;) {
        const std::size_t batch = std::min(count - done, block.size() / type.size);
        read_exactly(in, block.data(), batch * type.size, name);
        decode_values(reinterpret_cast<const unsigned char*>(block.data()), type, batch, values + done);
        done += batch;
    }
}

template void read_values(std::istream&, const ArrayLayout&, std::uint64_t, std::size_t, float*, const std::string&);
template void read_values(std::istream&, const ArrayLayout&, std::uint64_t, std::size_t, double*, const std::string&);

template <class Number>
void read_table(std::istream& in, const ArrayLayout& layout, Number* rows, const std::string& name)
{
    if (!layout.fortran_order) {
        read_values(in, layout, 0, layout.rows * layout.cols, rows, name);
        return;
    }
    // As many columns at a time as fit some megabytes: few rows do not cost a read each column, and of many rows each
    // is visited for several values at once.
    constexpr std::size_t most_values = std::size_t{1} << 21u;
    const std::size_t most_columns = std::clamp<std::size_t>(most_values / layout.rows, 1, layout.cols);
    std::vector<Number> columns(most_columns * layout.rows);
    std::vector<std::size_t> places(most_columns);
    for (std::size_t first = 0; first < layout.cols; first += most_columns) {
        const std::size_t count = std::min(most_columns, layout.cols - first);
        read_values(in, layout, std::uint64_t{first} * layout.rows, count * layout.rows, columns.data(), name);
        for (std::size_t k = 0; k < count; ++k) {
            places[k] = place_in_row(layout, first + k);
        }
        for (std::size_t i = 0; i < layout.rows; ++i) {
            for (std::size_t k = 0; k < count; ++k) {
                rows[i * layout.cols + places[k]] = columns[k * layout.rows + i];
            }
        }
    }
}

template void read_table(std::istream&, const ArrayLayout&, float*, const std::string&);
template void read_table(std::istream&, const ArrayLayout&, double*, const std::string&);

} // namespace samara::desk
