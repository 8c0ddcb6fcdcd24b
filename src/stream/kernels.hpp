// Draws and functions of whole vectors.
#pragma once

#include "samara/stream.hpp"
#include "simd/kernels.hpp"

namespace samara {

// apply_function: see apply.cpp.
#define SAMARA_STREAM_KERNELS(X)                                                                                       \
    X(void, fill_words, (StreamKey key, std::uint32_t * out, std::size_t n))                                           \
    X(void, fill_uniforms, (StreamKey key, float* out, std::size_t n))                                                 \
    X(void, fill_normals, (StreamKey key, float* out, std::size_t n))                                                  \
    X(void, fill_cauchy, (StreamKey key, float* out, std::size_t n))                                                   \
    X(void, fill_laplace, (StreamKey key, float* out, std::size_t n))                                                  \
    X(void, fill_chi, (StreamKey key, std::uint32_t freedom, float* out, std::size_t n))                               \
    X(void, apply_function, (int which, const float* in, float* out, std::size_t n))
SAMARA_KERNELS(stream, SAMARA_STREAM_KERNELS)

} // namespace samara
