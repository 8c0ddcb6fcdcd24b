// Loops over whole vectors. Other directories of src may call them.
#pragma once

#include "simd/kernels.hpp"

namespace samara {

// mix: y = a y + b x; add_multiple: y = y + a x; dot and sum_of_squares are those of SPEC.md, section 2.4.
#define SAMARA_SIMD_KERNELS(X)                                                                                         \
    X(std::uint32_t, largest_magnitude_bits, (const float* x, std::size_t n))                                          \
    X(float, sum_of_squares, (const float* x, std::size_t n, float factor))                                            \
    X(float, dot, (const float* a, const float* b, std::size_t n))                                                     \
    X(void, scaled_copy, (const float* x, std::size_t n, float factor, float* out))                                    \
    X(void, add_multiple, (float a, const float* x, std::size_t n, float* y))                                          \
    X(void, mix, (float a, float b, const float* x, std::size_t n, float* y))
SAMARA_KERNELS(simd, SAMARA_SIMD_KERNELS)

} // namespace samara
