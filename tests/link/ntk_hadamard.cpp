// The Neural Tangent Kernel of one hidden layer, with the sketch and the orders that are the defaults.
#include "measure_map.hpp"

#if !defined(SAMARA_TEST_FEATURES)
#define SAMARA_TEST_FEATURES 512
#endif

namespace {

constexpr samara::NtkSpec spec{
    .inputs = samara::test::inputs, .features = SAMARA_TEST_FEATURES, .rows = samara::Rows::hadamard, .seed = 7};

} // namespace

extern "C" int firmware_main() { return samara::test::measure_map<spec>(); }
