// What every image of this directory does: run one step a few times, and print what it took.
#pragma once

#include <cstddef>

namespace samara::test {

#if defined(SAMARA_MEASURED_INPUTS)
inline constexpr std::size_t inputs = SAMARA_MEASURED_INPUTS;
#else
inline constexpr std::size_t inputs = 64;
#endif

// One sample of `inputs` floats; false if it was refused.
using Step = bool (*)(const float* x);

// The firmware's exit status. Instructions are right when the emulator runs with -icount shift=6.
int measure(std::size_t ram, Step step);

} // namespace samara::test
