#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

#include "ports/host/data/array_file.hpp"
#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// Reads NPY 1.0, 2.0 or 3.0 holding bool, integers, or float16/32/64 in one to four dimensions; one dimension becomes a
// column, and of several the first counts rows. Values beyond float32's range arrive as infinities: judging them is the
// caller's part. Anything else is BadInput. The stream is seekable; `name` stands for the file in messages.
MatrixF read_npy_f32(std::istream& in, const std::string& name);

// Where the values are, and what. `size` is the file's, or unknown_size: then the stream need not be seekable. Arrays
// of text (npy_text.hpp) are refused unless they are asked for.
ArrayLayout npy_layout(std::istream& in, std::uint64_t size, const std::string& name, bool texts_too = false);
ArrayLayout npy_layout(std::istream& in, const std::string& name, bool texts_too = false); // of a seekable stream

// The text of an array without dimensions, of at most three letters: SciPy names the kind of a sparse matrix so.
std::string npy_word(std::istream& in, const std::string& name);

// What stands before the values of a file of version 1.0 in C order. Errors are left in the stream's state.
void write_npy_header(std::ostream& out, const std::string& descr, std::size_t rows, std::size_t cols);

// NPY 1.0, little endian, C order. Errors are left in the stream's state.
void write_npy(std::ostream& out, const MatrixF& matrix);
void write_npy(std::ostream& out, const MatrixD& matrix);

} // namespace samara::desk
