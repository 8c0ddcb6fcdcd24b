// Arc-cosine features with orders two: exactly or by a sketch, as the features allow.
#include "measure_map.hpp"

#if !defined(SAMARA_TEST_FEATURES)
#define SAMARA_TEST_FEATURES 2400
#endif

namespace {

constexpr samara::ArcCosSpec spec{.inputs = samara::test::inputs,
                                  .features = SAMARA_TEST_FEATURES,
                                  .rows = samara::Rows::hadamard,
                                  .orders = samara::Orders::two,
                                  .seed = 7};

} // namespace

extern "C" int firmware_main() { return samara::test::measure_map<spec>(); }
