// Two maps that differ in sizes alone: they must share all code.
#include "measure.hpp"
#include "samara/fixed.hpp"

namespace {

template <std::uint32_t features>
constexpr samara::RffSpec spec{
    .inputs = samara::test::inputs, .features = features, .rows = samara::Rows::hadamard, .bandwidth = 2, .seed = 7};

samara::Fixed<spec<256>> map;
samara::Fixed<spec<512>> larger_map;
float z[512];

bool step(const float* x)
{
    const std::span<const float, samara::test::inputs> sample(x, samara::test::inputs);
    return map.features(sample, std::span(z).first<256>()) == samara::Status::ok &&
           larger_map.features(sample, z) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(sizeof map + sizeof larger_map, step); }
