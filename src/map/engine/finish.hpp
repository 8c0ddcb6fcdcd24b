// The nonlinearities make features of projections, for one sample and one block of rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samara {

struct FinishArgs {
    const float* t; // the block's projections
    float* out;     // its features; may start where t does
    std::uint32_t rows;
    float amplitude;     // multiplies every feature
    float centre;        // what the exact orders carry: the mean of the cosine; |x| mu or mu / |x|; for series 1 / |x|
    std::uint64_t seed;  // for phases and ties
    std::uint32_t index; // of the block
    const float* series; // coefficients of a Hermite series, most_map_degree + 1 of them
    float square;        // of finish_absolute_tail: -a / |x|, the factor of t^2; see quadratic.hpp
};

} // namespace samara
