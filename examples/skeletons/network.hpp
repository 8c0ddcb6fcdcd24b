// Networks of a skeleton with random weights, the other feature map for the same kernel that arXiv 1703.07872 names.
#pragma once

#include <cstdint>

#include "ports/host/data/matrix.hpp"
#include "samara/skeleton.hpp"

namespace samara::examples {

// The outputs of `width` neurons at the last node, over the root of their number, for every row of x. Each internal
// node has so many neurons, each of which sees all neurons of the nodes that it is made of, by weights of its own;
// their activation is the one whose dual the node has: for a series with coefficients c the sum of sqrt(c_j) h_j, with
// the Hermite polynomials h_j of norm 1. Bases are circles, with a cosine and a sine each.
desk::MatrixF network_features(const Skeleton& skeleton, std::uint64_t seed, std::uint32_t width,
                               const desk::MatrixF& x);

} // namespace samara::examples
