// Features of the same digits as in features_firmware.cpp, on the desk: the same maps, the same digests.
#include <cinttypes>
#include <cstdio>

#include "digits.hpp"

namespace {

template <auto spec>
bool run(const char* name)
{
    static samara::Fixed<spec> map;
    static float x[spec.inputs], z[spec.features];

    std::uint32_t crc = 0;
    for (const auto& image : digits::pixels) {
        digits::read(image, x);
        if (map.features(x, z) != samara::Status::ok)
            return false;
        crc = samara::crc32(std::as_bytes(std::span(z)), crc);
    }
    std::printf("%s crc %08" PRIx32 "\n", name, crc);
    return true;
}

} // namespace

int main() { return run<digits::rff>("rff") && run<digits::arccos>("arccos") ? 0 : 1; }
