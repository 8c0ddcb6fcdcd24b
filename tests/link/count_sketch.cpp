// A CountSketch of entries as they come, one at a time.
#include "measure.hpp"
#include "samara/sketch/hash.hpp"

namespace {

// What a map's own object is to the other images: the sketch and the numbers it adds to.
struct Sketch {
    samara::CountSketch hash{samara::CountSketchSpec{.size = 64, .seed = 7}};
    float z[64] = {};
};
Sketch sketch;

bool step(const float* x)
{
    for (std::uint32_t i = 0; i < samara::test::inputs; ++i)
        if (sketch.hash.add(i * 2654435761u, x[i], sketch.z) != samara::Status::ok)
            return false;
    return true;
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(sizeof sketch, step); }
