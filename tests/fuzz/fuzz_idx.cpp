// Any bytes as an IDX file: what its header promises can be read to the last value.
#include <sstream>

#include "ports/host/data/idx.hpp"
#include "sandbox.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace samara::desk;
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    ArrayLayout layout;
    if (!fuzz::accepted([&] { layout = idx_layout(in, "data.idx"); }))
        return 0;
    fuzz::require(layout.rows > 0 && layout.cols > 0 && layout.rows <= size && layout.cols <= size,
                  "an array is not larger than its file");
    std::vector<float> values(layout.rows * layout.cols);
    fuzz::require(fuzz::accepted([&] { read_values(in, layout, 0, values.size(), values.data(), "data.idx"); }),
                  "what the header says is there");
    return 0;
}
