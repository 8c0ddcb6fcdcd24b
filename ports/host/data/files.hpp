#pragma once

#include <fstream>
#include <functional>
#include <ostream>
#include <string>

#include "ports/host/data/csv_header.hpp"
#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// Every function here throws BadInput with the path and the system's reason when the file cannot be used.

// Opened for bytes; a directory is refused.
std::ifstream open_input(const std::string& path);

// The whole file as bytes.
std::string read_file(const std::string& path);

// Calls `body` with a stream and puts the result in place only when every byte has reached the disk: the
// stream is a temporary next to `path`, renamed at the end and removed on any failure. "-" is standard
// output.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& body);

// The format follows the suffix, .npy or .csv in either case of letters.
MatrixF read_matrix(const std::string& path, CsvHeader header = CsvHeader::automatic);

// As read_matrix; "-" writes CSV to standard output.
void write_matrix(const std::string& path, const MatrixF& matrix);
void write_matrix(const std::string& path, const MatrixD& matrix);

// Refuses NaN, infinities and magnitudes over 2^40, naming row and column counted from 1.
void require_finite(const MatrixF& matrix, const std::string& path);

} // namespace samara::desk
