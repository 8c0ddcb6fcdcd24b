#pragma once

#include <cstddef>

namespace samara {

// A step of AdaGrad for the n weights of one output.
struct AdagradStep {
    const float* z;
    std::size_t n;
    float error, ridge, rate;
    float *weights, *squares; // squares: sums of squared gradients
};

} // namespace samara
