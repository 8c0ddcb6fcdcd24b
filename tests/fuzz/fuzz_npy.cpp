// Any bytes as an NPY array, and what was read is written and read again with the same bits.
#include <bit>
#include <cmath>
#include <sstream>

#include "ports/host/data/npy.hpp"
#include "sandbox.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace samara::desk;
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    MatrixF numbers;
    if (!fuzz::accepted([&] { numbers = read_npy_f32(in, "data.npy"); }))
        return 0;
    fuzz::require(numbers.values.size() == numbers.rows * numbers.cols, "an array is full");
    fuzz::require(numbers.values.size() <= 64 * size, "an array is not larger than its file by far");
    if (numbers.values.empty())
        return 0;
    std::ostringstream out;
    write_npy(out, numbers);
    std::istringstream written(out.str());
    MatrixF again;
    fuzz::require(fuzz::accepted([&] { again = read_npy_f32(written, "again.npy"); }), "what is written can be read");
    fuzz::require(again.rows == numbers.rows && again.cols == numbers.cols, "an array keeps its size");
    for (std::size_t i = 0; i < numbers.values.size(); ++i)
        fuzz::require(std::bit_cast<std::uint32_t>(again.values[i]) ==
                              std::bit_cast<std::uint32_t>(numbers.values[i]) ||
                          (std::isnan(again.values[i]) && std::isnan(numbers.values[i])),
                      "an array keeps its numbers");
    return 0;
}
