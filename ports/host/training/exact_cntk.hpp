#pragma once

#include "ports/host/data/matrix.hpp"
#include "samara/kernel.hpp"

namespace samara::desk {

// The kernel of the convolutional NTK of all pairs of images, one a row: samara::cntk_kernel() within 1e-10 of
// sqrt(k(x, x) k(y, y)), but for its windows that are almost parallel. The same bits for any number of threads and of
// images, symmetric if x and y are the same object. A shape or a number that cntk_kernel() refuses is BadInput.
//
// Eight images of y go through the layers at a time, and fewer take as long. Memory beside the result: for each thread
// under 100 times that of 64 images.
MatrixD cntk_matrix(const CntkShape& shape, const MatrixF& x, const MatrixF& y, unsigned threads);

} // namespace samara::desk
