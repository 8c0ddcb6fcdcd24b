#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/text/map_text.hpp"
#include "samara/skeleton.hpp"

namespace samara::desk {

// The features of every row; x.cols is what the resolved spec says. The same bits for any number of threads.
MatrixF compute_features(const MapSpec& spec, const MatrixF& x, unsigned threads);

// The sketch of every row: of x itself, of x with x, or of x's power.
MatrixF compute_sketches(const SketchSpec& spec, const MatrixF& x, unsigned threads);

// Of the rows that are kept; empty: all.
MatrixF compute_features(const MapSpec& spec, const std::vector<std::uint16_t>& kept_rows, const MatrixF& x,
                         unsigned threads);

// The kernel that a map stands for, or the one that its features tend to as they grow in number: of ntk-sketch the NTK
// with its series cut off, of ntk-poly the polynomial; of the others it is the same.
enum class KernelKind { own, limit };

// Of all pairs of rows. x.cols == y.cols.
MatrixD kernel_matrix(const MapSpec& spec, const MatrixF& x, unsigned threads, KernelKind kind = KernelKind::own);
MatrixD kernel_matrix(const MapSpec& spec, const MatrixF& x, const MatrixF& y, unsigned threads,
                      KernelKind kind = KernelKind::own);
// x.cols == y.cols == skeleton.inputs().
MatrixD kernel_matrix(const Skeleton& skeleton, const MatrixF& x, const MatrixF& y, unsigned threads);

} // namespace samara::desk
