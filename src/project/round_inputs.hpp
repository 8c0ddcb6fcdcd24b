// Inputs of maps that compute with whole numbers, as their common way gives them: floats.
#pragma once

#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

// Rounded to the nearest integer, ties to even, and clamped to -127 ... 127 before that.
SAMARA_INLINE F whole(F x)
{
    const F most = broadcast(127.0f), least = broadcast(-127.0f);
    F v = select(x > most, most, x);
    v = select(v < least, least, v);
    return round_to_integer(v);
}

// A sample's inputs, rounded: number i goes to y[i * stride].
SAMARA_INLINE void round_inputs(const float* x, std::size_t inputs, std::int16_t* y, std::size_t stride)
{
    float v[F::size] = {};
    for (std::size_t i = 0; i < inputs; i += F::size) {
        const std::size_t valid = inputs - i < F::size ? inputs - i : F::size;
        if (valid == F::size) {
            store(v, whole(load(x + i)));
        } else {
            float part[F::size] = {};
            for (std::size_t k = 0; k < valid; ++k)
                part[k] = x[i + k];
            store(v, whole(load(part)));
        }
        for (std::size_t k = 0; k < valid; ++k)
            y[(i + k) * stride] = static_cast<std::int16_t>(v[k]);
    }
}

} // namespace samara::SAMARA_ARCH
