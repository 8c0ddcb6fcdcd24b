// Labels in NPY files: text, and whole numbers that no float holds.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "ports/host/data/array_file.hpp"

namespace samara::desk {

// What kind of text an array has: 'U', UTF-32 that becomes UTF-8 here, or 'S', bytes that stay. Zeros at the end are
// padding.
constexpr bool is_text(const ElementType& type) { return type.kind == 'U' || type.kind == 'S'; }

// An array of text, or of integers of eight bytes, which a double cannot always tell apart: column by column, each
// number as it is written. BadInput with `name` for what is no text.
std::vector<std::vector<std::string>> read_npy_texts(std::istream& in, const ArrayLayout& layout,
                                                     const std::string& name);

// A column of labels, one a row, each given as its place in `labels`. It is int64 where all labels are such whole
// numbers as they are written ("7", not "07"), float64 where all are numbers that it holds, else text ('<U').
// BadInput with `name` where a label that has to be text is no UTF-8. Errors of the stream are left in its state.
void write_npy_labels(std::ostream& out, const std::vector<std::string>& labels, const std::vector<std::uint32_t>& rows,
                      const std::string& name);

} // namespace samara::desk
