// A polynomial near the Neural Tangent Kernel, of coefficients that are not negative.
#pragma once

#include <cstdint>

#include "samara/map/ntk_poly.hpp"

namespace samara::desk {

// Where kernel and polynomial are compared: cosines of equal steps of the angle, so that they are dense at both ends,
// where the kernel's slope, or its second derivative, is infinite. Point i is cos(pi (i + 1/2) / fit_points).
inline constexpr std::uint32_t fit_points = 1024;

// High powers have heavy tails, and the nearest polynomial of all has what is above the first few on the highest
// two: at 2,048 features its errors on images of digits are two to six times those of the power series.
inline constexpr double fit_penalty = 0x1p-12;

// The remainder `fit` of NtkPolySpec: c_j >= 0, j = 0 ... degree, with sum depth + 1, that minimise
//   the mean over the points of (P - K^(depth))^2 + fit_penalty sum of (j c_j)^2, j >= 2.
// What is below 2^-20 of the sum is 0, and the last one that is not takes what rounding to float leaves. None for a
// depth or degree outside the spec's ranges.
Coefficients fit_ntk_poly(std::uint32_t depth, std::uint32_t degree);

} // namespace samara::desk
