#pragma once

#include "ports/host/data/matrix.hpp"
#include "samara/kernel.hpp"

namespace samara::desk {

// The kernel of the convolutional NTK of all pairs of images, one a row: samara::cntk_kernel() within 1e-10 of
// sqrt(k(x, x) k(y, y)), but for its windows that are almost parallel. The same bits for any number of threads;
// symmetric if x and y are the same object. A shape or a number that cntk_kernel() refuses is BadInput.
//
// Eight images of y go through the layers at a time, and fewer take as long. Memory beside the result: for each thread
// at most 1.5 KB times (channels + 2 depth) a pixel. tests/bench/cntk_exact.cpp measures the time.
MatrixD cntk_matrix(const CntkShape& shape, const MatrixF& x, const MatrixF& y, unsigned threads);

} // namespace samara::desk
