// The readout of one ridge, by L-BFGS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/training/class_rows.hpp"

namespace samara::desk {

// How features vary, as far as steps are better for it: the mean and the covariance over some rows. Of very many
// features, or where they are known to be uncorrelated, the variances alone.
struct Spread {
    std::vector<double> mean, variances;
    MatrixD covariance; // whole, or empty

    double total() const; // the sum of the variances
};

Spread spread_of(const ClassRows& rows);

// How near to the least a solution must be: nearer where it is the last than where it is one to choose by.
enum class Care : std::uint8_t { search, last };

class ClassSolver {
public:
    ClassSolver(const ClassRows& rows, const std::vector<std::uint32_t>& classes, ClassLoss loss, const Spread& spread,
                unsigned threads);

    // Goes on from `readout`. `weights`: of each row. BadInput where the losses leave the range of numbers.
    void solve(double ridge, const std::vector<float>& weights, Care care, LinearReadout& readout);

    // Over the rows, so far.
    std::size_t passes() const { return passes_; }

private:
    const ClassRows& rows_;
    const std::vector<std::uint32_t>& classes_;
    ClassLoss loss_;
    const Spread& spread_;
    unsigned threads_;
    std::size_t passes_ = 0;
};

} // namespace samara::desk
