// Local features of several samples at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/kernels.hpp"

namespace samara {

struct LocalShape;

struct LocalBatch {
    const LocalShape* shape;
    const float* x; // samples one after the other
    std::size_t inputs, samples;
    const std::uint16_t* filters; // packed, one after the other
    std::uint32_t count;
    float* out;
    std::size_t out_stride;
    std::int16_t* work; // local_lanes numbers an input
};

#define SAMARA_LOCAL_KERNELS(X)                                                                                        \
    X(void, local_features, (const LocalBatch& b))                                                                     \
    X(void, local_inputs, (const float* x, std::size_t inputs, std::int16_t* out))
SAMARA_KERNELS(local, SAMARA_LOCAL_KERNELS)

} // namespace samara
