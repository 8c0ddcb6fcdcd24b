// Exact kernels, one pair of vectors at a time: what the maps estimate.
//
// Computed in double by our own functions, so that the values are the same on every target; relative error below 1e-12
// on well-conditioned input, below 1e-6 for parallel and antiparallel vectors of floats as well. x and y have the same
// length; the result for vectors of different lengths is 0.
#pragma once

#include <cstdint>
#include <span>

#include "samara/kernel/cntk.hpp"
#include "samara/status.hpp" // says what is wrong below C++20

namespace samara {

// exp(-|x-y|^2 / (2 b^2)), exp(-|x-y|_1 / b), prod 1 / (1 + ((x_i-y_i)/b)^2)
double gaussian_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept;
double laplacian_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept;
double cauchy_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept;

// 1 - angle/pi; 0 if x or y is 0, because step(0) = 0.
double arccos0_kernel(std::span<const float> x, std::span<const float> y) noexcept;
// |x||y| (sin a + (pi - a) cos a) / pi
double arccos1_kernel(std::span<const float> x, std::span<const float> y) noexcept;

// Fully connected ReLU networks of infinite width with `depth` hidden layers, He scaling, no biases: the recursion of
// arXiv 2104.01351, Eq. (5), whose diagonals stay |x|^2, so that it is |x||y| times a function of the cosine alone,
// arXiv 2106.07880, Definition 1 and Eq. (5). With k0(cos t) = 1 - t/pi, k1(cos t) = (sin t + (pi - t) cos t) / pi:
//   S(0) = K(0) = a,   S(l) = k1(S(l-1)),   K(l) = K(l-1) k0(S(l-1)) + S(l);
//   NNGP = |x||y| S(depth),   NTK = |x||y| K(depth).
// So NNGP(x, x) = |x|^2 and NTK(x, x) = (depth + 1) |x|^2; depth 0 is <x, y>, and a kernel with the vector 0 is 0.
// Tested to depth 32: relative errors below 1e-12, also where depth 1 vanishes towards the cosine -1. But NTK of depth
// 1 has a zero at the cosine -0.394, below which it is negative; there the error is 1e-15 |x||y|.
double nngp_kernel(std::span<const float> x, std::span<const float> y, std::uint32_t depth) noexcept;
double ntk_kernel(std::span<const float> x, std::span<const float> y, std::uint32_t depth) noexcept;
// S(depth) and K(depth) of a cosine; beyond -1 and 1, those of -1 and 1.
double nngp_of_cosine(double cosine, std::uint32_t depth) noexcept;
double ntk_of_cosine(double cosine, std::uint32_t depth) noexcept;
// 1 - angle/pi of a cosine, also clamped.
double arccos0_of_cosine(double cosine) noexcept;

// What sketches of the Taylor series converge to (arXiv 2106.07880, Algorithm 1): the recursion above with k1 and k0
// replaced by the polynomials of its Eq. (6), for p = relu_degree and p' = step_degree the terms i = 0 ... p and p':
//   P(a) = 1/pi + a/2 + sum t(i) a^(2i+2) / (pi (2i+1) (2i+2)),   Q(a) = 1/2 + sum t(i) a^(2i+1) / (pi (2i+1)),
// t(i) = (2i)! / (2^i i!)^2, of degrees 2p + 2 and 2p' + 1. P(1) and Q(1) are less than 1, more so with each layer;
// fix_diagonal adds what is missing to the highest coefficient of each. Then the kernel at x, x is exact, and so are
// P(-1) = Q(-1) = 0, because what was cut off has the parity of the highest term.
double ntk_taylor_kernel(std::span<const float> x, std::span<const float> y, std::uint32_t depth,
                         std::uint32_t relu_degree, std::uint32_t step_degree, bool fix_diagonal) noexcept;
double ntk_taylor_of_cosine(double cosine, std::uint32_t depth, std::uint32_t relu_degree, std::uint32_t step_degree,
                            bool fix_diagonal) noexcept;

} // namespace samara
