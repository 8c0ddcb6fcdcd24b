#include "ports/host/data/array_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

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

template <class Number>
Number decode(const unsigned char* bytes, const ElementType& type)
{
    // A negative integer starts from all ones, so that the bytes shifted in leave its sign extended.
    const bool negative = type.kind == 'i' && (bytes[type.big_endian ? 0 : type.size - 1] & 0x80u) != 0;
    std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < type.size; ++i) {
        bits = (bits << 8u) | bytes[type.big_endian ? i : type.size - 1 - i];
    }
    if (type.kind == 'u') {
        return static_cast<Number>(bits);
    }
    if (type.kind == 'b') {
        return bits != 0 ? Number{1} : Number{0};
    }
    if (type.kind == 'i') {
        return static_cast<Number>(static_cast<std::int64_t>(bits));
    }
    if (type.size == 2) {
        return static_cast<Number>(half_to_float(bits));
    }
    if (type.size == 4) {
        return static_cast<Number>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
    return static_cast<Number>(std::bit_cast<double>(bits));
}

template <class Number>
void decode_all(const unsigned char* bytes, const ElementType& type, std::size_t count, Number* values)
{
    constexpr bool native_big = std::endian::native == std::endian::big;
    if (type.kind == 'f' && type.size == sizeof(Number) && type.big_endian == native_big) {
        std::memcpy(values, bytes, count * sizeof(Number));
        return;
    }
    if (type.kind == 'u' && type.size == 1) {
        std::copy_n(bytes, count, values);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = decode<Number>(bytes + i * type.size, type);
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

} // namespace samara::desk
