// What the header of an NPY file says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace samara::desk {

struct NpyHeader {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
    std::string shape_text;
};

// The header is a Python dictionary literal; only the forms that NumPy itself writes are understood, others are
// BadInput. `name` stands for the file in messages.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);

} // namespace samara::desk
