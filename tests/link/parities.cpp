// A sealed model of the map `skeleton` that is known when this is compiled, and nothing else.
#include "../../examples/data/tic_tac_toe_model.h"
#include "measure.hpp"
#include "samara/fixed.hpp"

namespace {

samara::FixedPredictor<tic_tac_toe_model> predictor;

bool step(const float* x)
{
    std::uint32_t won = 0;
    return predictor.predict(std::span<const float, predictor.inputs>(x, predictor.inputs), won) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(sizeof predictor, step); }
