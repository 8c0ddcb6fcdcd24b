// Fourier features on Hadamard rows, and nothing else.
#include "measure_map.hpp"

#if !defined(SAMARA_TEST_FEATURES)
#define SAMARA_TEST_FEATURES 256
#endif

namespace {

constexpr samara::RffSpec spec{.inputs = samara::test::inputs,
                               .features = SAMARA_TEST_FEATURES,
                               .rows = samara::Rows::hadamard,
                               .bandwidth = 2,
                               .seed = 7};

} // namespace

extern "C" int firmware_main() { return samara::test::measure_map<spec>(); }
