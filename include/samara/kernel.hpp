// Exact kernels, one pair of vectors at a time: what the maps estimate.
//
// Computed in double by our own functions, so that the values are the same on every target; relative error below 1e-12
// on well-conditioned input, below 1e-6 for parallel and antiparallel vectors of floats as well. x and y have the same
// length; the result for vectors of different lengths is 0.
#pragma once

#include <span>

#include "samara/map.hpp"

namespace samara {

// exp(-|x-y|^2 / (2 b^2)), exp(-|x-y|_1 / b), prod 1 / (1 + ((x_i-y_i)/b)^2)
double gaussian_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept;
double laplacian_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept;
double cauchy_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept;

// 1 - angle/pi; 0 if x or y is 0, because step(0) = 0.
double arccos0_kernel(std::span<const float> x, std::span<const float> y) noexcept;
// |x||y| (sin a + (pi - a) cos a) / pi
double arccos1_kernel(std::span<const float> x, std::span<const float> y) noexcept;

// The kernel that the map of this spec estimates.
double kernel(const RffSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;
double kernel(const ArcCosSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;

} // namespace samara
