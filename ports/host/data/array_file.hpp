// Arrays of numbers in files, whose header says where each value is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace samara::desk {

// kind: 'f' float, 'i' signed, 'u' unsigned, 'b' bool.
struct ElementType {
    char kind = 'f';
    std::size_t size = 4;
    bool big_endian = false;
};

struct ArrayLayout {
    ElementType type;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::uint64_t offset = 0;   // of the first value in the file
    bool fortran_order = false; // column after column
};

void decode_values(const unsigned char* bytes, const ElementType& type, std::size_t count, float* values);
void decode_values(const unsigned char* bytes, const ElementType& type, std::size_t count, double* values);

// Of a seekable stream from its first byte to its last; BadInput with `name` when it has none.
std::uint64_t stream_size(std::istream& in, const std::string& name);

// BadInput with `name` when the stream has fewer bytes left.
void read_exactly(std::istream& in, char* target, std::size_t count, const std::string& name);

// Reads an array of rows in the order of the file (of columns where the order is Fortran's) piece by piece: values
// [first, first + count).
template <class Number>
void read_values(std::istream& in, const ArrayLayout& layout, std::uint64_t first, std::size_t count, Number* values,
                 const std::string& name);

} // namespace samara::desk
