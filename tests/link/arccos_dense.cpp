// Arc-cosine features on dense rows.
#include "measure_map.hpp"

#if !defined(SAMARA_TEST_FEATURES)
#define SAMARA_TEST_FEATURES 256
#endif

namespace {

constexpr samara::ArcCosSpec spec{.inputs = samara::test::inputs,
                                  .features = SAMARA_TEST_FEATURES,
                                  .rows = samara::Rows::dense,
                                  .orders = samara::Orders::one,
                                  .seed = 7};

} // namespace

extern "C" int firmware_main() { return samara::test::measure_map<spec>(); }
