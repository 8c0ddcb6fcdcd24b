#pragma once

#include "simd/kernels.hpp"

namespace samara {

#define SAMARA_TRANSFORM_KERNELS(X) X(void, hadamard, (float* values, unsigned log2_size))
SAMARA_KERNELS(transform, SAMARA_TRANSFORM_KERNELS)

} // namespace samara
