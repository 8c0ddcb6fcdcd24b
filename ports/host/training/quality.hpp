#pragma once

#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// How near an estimate G (mostly ZZ') is to a kernel matrix K, both symmetric, n by n. Centred means HKH with
// H = I - 11'/n: what is left for a learner with an intercept. A relative error is 0 where both sides are 0.
struct Quality {
    double frobenius;         // |G-K|_F / |K|_F
    double spectral;          // the same in the spectral norm
    double centred_frobenius; // |H(G-K)H|_F / |HKH|_F
    double centred_spectral;
    double maximum; // the largest |G-K| of one entry
    // Of W = (K + lambda I)^(-1/2) (G + lambda I) (K + lambda I)^(-1/2), which is I for G = K:
    double condition; // largest eigenvalue / smallest
    double epsilon;   // the largest distance of an eigenvalue from 1
};

// LAPACK's integers have 32 bits, and its workspace for eigenvectors is twice the matrix.
inline constexpr std::size_t most_quality_rows = 32000;

// What depends on K alone is computed once. lambda > 0.
class QualityMeter {
public:
    QualityMeter(MatrixD kernel, double lambda);

    Quality measure(const MatrixD& estimate) const;

    // tr K (K + lambda I)^-1
    double statistical_dimension() const { return statistical_dimension_; }

private:
    MatrixD kernel_;
    std::vector<double> ridge_; // lambda over the eigenvalues of K + lambda I
    MatrixD whitener_;          // row i: the i-th eigenvector of K over the root of its eigenvalue + lambda
    double statistical_dimension_ = 0.0;
    double frobenius_ = 0.0, spectral_ = 0.0, centred_frobenius_ = 0.0, centred_spectral_ = 0.0;
};

} // namespace samara::desk
