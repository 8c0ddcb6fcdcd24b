// The kinds of rows.
#pragma once

#include "project/block.hpp"
#include "simd/kernels.hpp"

namespace samara {

#define SAMARA_PROJECT_KERNELS(X)                                                                                      \
    X(void, hadamard_rows, (const RowBlock& b))                                                                        \
    X(void, hadamard_kept_rows, (const RowBlock& b))                                                                   \
    X(void, fastfood_rows, (const RowBlock& b))                                                                        \
    X(void, dense_normal_rows, (const RowBlock& b))                                                                    \
    X(void, dense_cauchy_rows, (const RowBlock& b))                                                                    \
    X(void, dense_laplace_rows, (const RowBlock& b))                                                                   \
    X(void, unit_rows, (const RowBlock& b))                                                                            \
    X(void, gibbs_rows, (const RowBlock& b))                                                                           \
    X(void, integer_hadamard_rows, (const RowBlock& b))                                                                \
    X(void, integer_angle_rows, (const RowBlock& b))                                                                   \
    X(void, quasi_normal_rows, (const RowBlock& b))                                                                    \
    X(void, quasi_cauchy_rows, (const RowBlock& b))                                                                    \
    X(void, quasi_laplace_rows, (const RowBlock& b))
SAMARA_KERNELS(project, SAMARA_PROJECT_KERNELS)

} // namespace samara
