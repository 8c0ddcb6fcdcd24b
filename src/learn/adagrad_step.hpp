#pragma once

#include <cstddef>

namespace samara {

struct AdagradStep {
    const float* z;
    std::size_t n;
    float error, ridge, rate;
    float *weights, *squares;
};

} // namespace samara
