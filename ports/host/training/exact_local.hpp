#pragma once

#include "ports/host/data/matrix.hpp"
#include "samara/map/local_arccos.hpp"

namespace samara::desk {

// The kernel that local-arccos estimates (samara/map/local_arccos.hpp), of all pairs of samples, one a row: the mean
// over all patches and windows that can be drawn, in double precision. Symmetric if x and y are the same object. A
// number that is not finite or beyond 2^40 is BadInput.
//
// Time for a pair: for each patch, the square of its places times its sites, and of that square an arc-cosine each; so
// it grows with the square of the pixels, and of many channels with the square of their number. Memory beside the
// result: for each thread the patches of two samples.
MatrixD local_matrix(const LocalArcCosSpec& spec, const MatrixF& x, const MatrixF& y, unsigned threads);

} // namespace samara::desk
