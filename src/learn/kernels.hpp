// The loops over a row of weights that learners need.
#pragma once

#include "learn/adagrad_step.hpp"
#include "simd/kernels.hpp"

namespace samara {

#define SAMARA_LEARN_KERNELS(X)                                                                                        \
    X(void, adagrad_step, (const AdagradStep& s))                                                                      \
    X(void, rls_column, (float lambda, float v, std::size_t n, float* u, float* gain))
SAMARA_KERNELS(learn, SAMARA_LEARN_KERNELS)

} // namespace samara
