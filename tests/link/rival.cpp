// A model that tests/bench/rivals.py wrote as rival.h, samara's or another's: what a prediction takes here, and that it
// says of some rows what the desk said.
#include "rival.h"

#include "measure.hpp"

namespace {

// measure() takes four steps; each predicts a quarter of the rows.
constexpr unsigned steps = 4;
static_assert(rival_rows % steps == 0);

unsigned row = 0;

bool step(const float*)
{
    for (unsigned i = 0; i < rival_rows / steps; ++i, ++row)
        if (rival_predict(rival_inputs_of_rows + row * rival_inputs) != rival_expected[row])
            return false;
    return true;
}

} // namespace

extern "C" int firmware_main() { return samara::test::measure(rival_ram, step); }
