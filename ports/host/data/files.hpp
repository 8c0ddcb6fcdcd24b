#pragma once

#include <fstream>
#include <string>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/output_file.hpp" // who reads files writes them, mostly

namespace samara::desk {

// Every function here throws BadInput with the path and the system's reason when the file cannot be used.

// Opened for bytes; a directory is refused.
std::ifstream open_input(const std::string& path);

// The whole file as bytes, at most most_memory().
std::string read_file(const std::string& path);

// Refuses NaN, infinities and magnitudes over 2^40, naming row and column counted from 1.
void require_finite(const MatrixF& matrix, const std::string& path);

} // namespace samara::desk
