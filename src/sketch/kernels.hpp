// What sketches by Hadamard transforms do with a transform's values.
#pragma once

#include "samara/stream.hpp"
#include "simd/kernels.hpp"

namespace samara {

#define SAMARA_SKETCH_KERNELS(X)                                                                                       \
    X(void, signed_hadamard,                                                                                           \
      (StreamKey key, const float* x, std::size_t n, float* y, unsigned log2_size, std::uint32_t* signs))              \
    X(void, sampled_rows,                                                                                              \
      (const Bijection& bijection, std::uint32_t first, std::uint32_t flip, std::size_t n, std::uint32_t* rows))       \
    X(void, gather, (const float* values, const std::uint32_t* rows, std::size_t n, float scale, float* out))          \
    X(void, gather_products,                                                                                           \
      (const float* left, const float* right, const std::uint32_t* rows, std::size_t n, float scale, float* out))      \
    X(void, flipped_products,                                                                                          \
      (const float* left, const float* right, std::uint32_t flip, std::size_t n, float scale, float* out))             \
    X(void, grouped_products,                                                                                          \
      (const float* left, const float* right, const std::uint32_t* groups, std::size_t n, float scale, float* out))
SAMARA_KERNELS(sketch, SAMARA_SKETCH_KERNELS)

} // namespace samara
