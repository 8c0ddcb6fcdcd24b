#include "project/dense_rows.hpp"

#include "project/kernels.hpp"

namespace samara::SAMARA_ARCH {

void dense_normal_rows(const RowBlock& b) { regenerated_rows<NormalRows, false>(b); }
void dense_cauchy_rows(const RowBlock& b) { regenerated_rows<CauchyRows, false>(b); }
void dense_laplace_rows(const RowBlock& b) { regenerated_rows<LaplaceRows, false>(b); }
// eq. (16) of arXiv 2104.01351 needs only the direction of v, which is uniform on the sphere: a normal row over its
// length is the exact leverage-score sampler.
void unit_rows(const RowBlock& b) { regenerated_rows<NormalRows, true>(b); }

} // namespace samara::SAMARA_ARCH
