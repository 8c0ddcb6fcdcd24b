#include "ports/host/data/idx.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& expected)
{
    throw BadInput(name + ": found " + found + ", expected " + expected);
}

ElementType idx_type(unsigned code, const std::string& name)
{
    switch (code) {
    case 0x08:
        return {'u', 1, true};
    case 0x09:
        return {'i', 1, true};
    case 0x0B:
        return {'i', 2, true};
    case 0x0C:
        return {'i', 4, true};
    case 0x0D:
        return {'f', 4, true};
    case 0x0E:
        return {'f', 8, true};
    default:
        refuse(name, "the IDX element type " + std::to_string(code), "8, 9, 11, 12, 13 or 14");
    }
}

} // namespace

ArrayLayout idx_layout(std::istream& in, std::uint64_t size, const std::string& name)
{
    const bool known = size != unknown_size;
    std::array<unsigned char, 4> bytes{};
    in.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    if (in.gcount() < 4) {
        refuse(name, in.gcount() == 0 ? "an empty file" : "a file of " + std::to_string(in.gcount()) + " bytes",
               "an IDX file");
    }
    const auto next_word = [&] {
        read_exactly(in, reinterpret_cast<char*>(bytes.data()), bytes.size(), name);
        return std::uint64_t{bytes[0]} << 24u | std::uint64_t{bytes[1]} << 16u | std::uint64_t{bytes[2]} << 8u |
               std::uint64_t{bytes[3]};
    };
    if (bytes[0] != 0 || bytes[1] != 0) {
        refuse(name,
               "the first bytes " + std::to_string(bytes[0]) + ", " + std::to_string(bytes[1]) + ", " +
                   std::to_string(bytes[2]) + ", " + std::to_string(bytes[3]),
               "0, 0, a type and the number of dimensions, as IDX files begin");
    }
    ArrayLayout layout;
    layout.type = idx_type(bytes[2], name);
    const unsigned dimensions = bytes[3];
    layout.offset = 4 + 4 * std::uint64_t{dimensions};
    if (dimensions == 0 || size < layout.offset) {
        refuse(name,
               std::to_string(dimensions) + " dimensions" + (known ? " in " + std::to_string(size) + " bytes" : ""),
               "at least one dimension and a whole header");
    }
    const std::uint64_t rows = next_word();
    std::uint64_t cols = 1;
    // No file holds more, nor does a size.
    constexpr std::uint64_t most = std::uint64_t{1} << 60u;
    const std::uint64_t values = std::min(most, (size - layout.offset) / layout.type.size);
    for (unsigned i = 1; i < dimensions; ++i) {
        // Stays small: a file of this size holds no more.
        const std::uint64_t dimension = next_word();
        cols = dimension != 0 && cols > (values + 1) / dimension ? values + 1 : std::min(cols * dimension, values + 1);
    }
    if (rows == 0 || cols == 0) {
        refuse(name, "an array of " + std::to_string(rows) + " x " + std::to_string(cols) + " values",
               "at least one value");
    }
    if (values / cols < rows || (known && rows * cols * layout.type.size != size - layout.offset)) {
        refuse(name,
               known ? std::to_string(size - layout.offset) + " bytes of data" : "an array of 2^60 values or more",
               "as many as " + std::to_string(rows) + " rows take by the header");
    }
    layout.rows = static_cast<std::size_t>(rows);
    layout.cols = static_cast<std::size_t>(cols);
    return layout;
}

ArrayLayout idx_layout(std::istream& in, const std::string& name)
{
    return idx_layout(in, stream_size(in, name), name);
}

} // namespace samara::desk
