// Weights of one type times a block of features, added to the outputs' totals.
#pragma once

#include "readout/readout_block.hpp"
#include "simd/kernels.hpp"

namespace samara {

#define SAMARA_READOUT_KERNELS(X)                                                                                      \
    X(void, add_readout_float32, (const ReadoutBlock& r))                                                              \
    X(void, add_readout_float16, (const ReadoutBlock& r))                                                              \
    X(void, add_readout_int8, (const ReadoutBlock& r))
SAMARA_KERNELS(readout, SAMARA_READOUT_KERNELS)

} // namespace samara
