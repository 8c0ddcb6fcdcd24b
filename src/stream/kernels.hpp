// Random numbers and elementary functions, for whole vectors.
#pragma once

#include "samara/stream.hpp"
#include "simd/kernels.hpp"

namespace samara {

// The functions of apply_function. The numbers are those of tests/vectors/functions.json.
enum class Elementary : int {
    sine = 0,   // of turns
    cosine = 1, // of turns
    log = 2,
    exp = 3,
    sqrt = 4,
    round = 5,          // to the nearest integer
    inverse_normal = 6, // takes its argument's bits as the word
    fma = 7,            // takes n numbers a, then n numbers b, then n numbers c
};

#define SAMARA_STREAM_KERNELS(X)                                                                                       \
    X(void, fill_words, (StreamKey key, std::uint32_t * out, std::size_t n))                                           \
    X(void, fill_uniforms, (StreamKey key, float* out, std::size_t n))                                                 \
    X(void, fill_normals, (StreamKey key, float* out, std::size_t n))                                                  \
    X(void, fill_cauchy, (StreamKey key, float* out, std::size_t n))                                                   \
    X(void, fill_laplace, (StreamKey key, float* out, std::size_t n))                                                  \
    X(void, fill_chi, (StreamKey key, std::uint32_t freedom, float* out, std::size_t n))                               \
    X(void, apply_function, (Elementary function, const float* in, float* out, std::size_t n))
SAMARA_KERNELS(stream, SAMARA_STREAM_KERNELS)

} // namespace samara
