// Sums over rows that least squares needs: of features, of their products, and of their products with the outputs. Each
// row counts as often as the target's weights say.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"

namespace samara::desk {

// Sums are taken around a point near the mean, so that float products lose little where features hardly vary.
struct Origin {
    std::vector<float> z, y;
};

// The means over a first block of rows, and of all outputs.
Origin origin_of(const FeatureStage& stage, const RowSet& rows);

struct Moments {
    double count = 0.0;                          // of rows; the sum of their weights
    std::vector<double> z_sum, y_sum, y_squares; // y_squares: of each output
    MatrixD gram;                                // features x features, whole
    MatrixD cross;                               // outputs x features
};

// Products in float by block, sums of some thousand rows of them in double. Memory: 2.5 times the Gram matrix in
// double, and a block of features.
Moments accumulate(const FeatureStage& stage, const RowSet& rows, const Origin& origin, const std::string& label);

void add(Moments& sum, const Moments& part);
void subtract(Moments& sum, const Moments& part);

// The same around the rows' own means: what is left when the intercept is free.
struct NormalEquations {
    double count = 0.0;
    std::vector<double> z_mean, y_mean; // from the origin
    std::vector<double> y_energy;       // of each output: the sum of squares around its mean
    MatrixD gram, cross;

    // The mean of |z - mean|^2
    double spread() const;
};
NormalEquations centred(Moments moments);

// The weights, an output each row, that minimise (1/n) |Y - ZW'|^2 + ridge |W|^2; none when the matrix cannot be
// factored, which a larger ridge cures.
MatrixD solve(const NormalEquations& equations, double ridge);

// Sums of squared errors over other rows, of each output.
std::vector<double> squared_errors(const NormalEquations& trained, const MatrixD& weights, const Moments& other);

// What is to be added to the outputs: from the means and the origin.
std::vector<double> intercepts(const std::vector<double>& z_mean, const std::vector<double>& y_mean,
                               const Origin& origin, const MatrixD& weights);

} // namespace samara::desk
