// Where results go. What cannot be written is BadInput with the path and the system's reason.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// "-" is standard output everywhere here, as are /dev/stdout and its like, which are written to and not replaced. So
// are pipes and devices. A link is followed: the file that it points to is replaced, and the link stays.

// Calls `body` with a stream and puts the result in place only when every byte has reached the disk: the stream is a
// temporary next to the file, renamed at the end and removed on any failure and by signals that end the program. A
// file that was there keeps its mode.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& body);

enum class TableFormat { npy, csv };

// By the suffix, .npy or .csv in either case of letters. CSV where there is no file to have a suffix: to standard
// output, a pipe or a device.
TableFormat output_format(const std::string& path);

void write_matrix(const std::string& path, const MatrixF& matrix);
void write_matrix(const std::string& path, const MatrixD& matrix);

} // namespace samara::desk
