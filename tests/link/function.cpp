// The model of predictor.cpp by its exported C functions.
#include "../../examples/data/digits.h"
#include "measure.hpp"

namespace {

bool step(const float* x)
{
    uint32_t digit = 0;
    return digits_predict(x, &digit) == 0;
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(DIGITS_RAM_BYTES, step); }
