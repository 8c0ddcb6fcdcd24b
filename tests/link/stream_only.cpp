// Random numbers without any map.
#include "measure.hpp"
#include "samara/stream.hpp"

namespace {

float z[256];

bool step(const float*)
{
    samara::fill_normals(samara::stream_key(7, samara::Domain::user, 3), z);
    return z[0] != z[1];
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(0, step); }
