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
    // What a row was where it had several dimensions: height, width and perhaps channels of an image, channels and
    // length of a series. A row holds its values with the last dimension's next to each other. Else empty.
    std::vector<std::uint64_t> row_shape = {};
};

// Where in a row the `column`-th column of a file in Fortran order is: there the first dimension's values are next to
// each other.
std::size_t place_in_row(const ArrayLayout& layout, std::size_t column);

// "an array of 1797 rows of 64 values"
std::string shape_text(const ArrayLayout& layout);

void decode_values(const unsigned char* bytes, const ElementType& type, std::size_t count, float* values);
void decode_values(const unsigned char* bytes, const ElementType& type, std::size_t count, double* values);

// Of a seekable stream from its first byte to its last; BadInput with `name` when it has none.
std::uint64_t stream_size(std::istream& in, const std::string& name);

// In the place of the size of a stream that is only read forwards: nothing is held against it.
inline constexpr std::uint64_t unknown_size = ~std::uint64_t{0};

// BadInput with `name` when the stream has fewer bytes left.
void read_exactly(std::istream& in, char* target, std::size_t count, const std::string& name);

// Reads an array of rows in the order of the file (of columns where the order is Fortran's) piece by piece: values
// [first, first + count).
template <class Number>
void read_values(std::istream& in, const ArrayLayout& layout, std::uint64_t first, std::size_t count, Number* values,
                 const std::string& name);

// The whole array row after row, whatever its order in the file, which is read once from its first byte to its last.
template <class Number>
void read_table(std::istream& in, const ArrayLayout& layout, Number* rows, const std::string& name);

} // namespace samara::desk
