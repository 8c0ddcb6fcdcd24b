// A sealed model that is known when this is compiled, and nothing else.
#include "digits_model.h"
#include "measure.hpp"
#include "samara/fixed.hpp"

namespace {

samara::FixedPredictor<digits_model> predictor;

bool step(const float* x)
{
    std::uint32_t digit = 0;
    return predictor.predict(std::span<const float, 64>(x, 64), digit) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(sizeof predictor, step); }
