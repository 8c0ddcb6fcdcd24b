// The Neural Tangent Kernel of one hidden layer, with the sketch and the orders that are the defaults.
#include "measure.hpp"
#include "samara/fixed.hpp"

#if !defined(SAMARA_TEST_FEATURES)
#define SAMARA_TEST_FEATURES 512
#endif

namespace {

constexpr samara::NtkSpec spec{
    .inputs = samara::test::inputs, .features = SAMARA_TEST_FEATURES, .rows = samara::Rows::hadamard, .seed = 7};

samara::Fixed<spec> map;
float z[spec.features];

bool step(const float* x)
{
    return map.features(std::span<const float, spec.inputs>(x, spec.inputs), z) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(sizeof map, step); }
