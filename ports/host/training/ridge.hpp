// Readouts with a ridge: which ridge, and the weights. Least squares is here, losses of classes are class_readout's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/normal_equations.hpp"

namespace samara::desk {

// automatic: loo where one eigendecomposition of the smaller side is cheap, else holdout.
// rule: 1 / sqrt(rows * features). holdout: a tenth of the rows decides.
enum class RidgeMethod { automatic, value, cv, loo, holdout, rule };

// What is least: the squared error of values or of one-hot classes, or a loss of classes (class_rows.hpp).
enum class ReadoutLoss : std::uint8_t { squared, logistic, hinge };

struct RidgeRequest {
    RidgeMethod method = RidgeMethod::automatic;
    ReadoutLoss loss = ReadoutLoss::squared;
    double value = 0.0;
    std::size_t folds = 5; // of cv
    std::uint64_t seed = 0;
    double least = 0.0;     // of a loss of classes: no smaller one is searched
    bool groups = false;    // rows belong together, so that no single one can be left out
    bool calibrate = false; // a loss of classes leaves rows out even where the ridge is given: for Readout::scale
};

// Automatic means cv up to so many numbers of features where loo is not to be had.
inline constexpr std::size_t most_for_cv = std::size_t{1} << 24;
// The most rows or features (the fewer of them) for which automatic means loo.
inline constexpr std::size_t most_for_loo = 2048;
RidgeMethod resolved_method(const RidgeRequest& request, std::size_t rows, std::size_t features);
// The same of these rows: of those with copies none is left out alone.
RidgeMethod resolved_method(RidgeRequest request, const RowSet& rows, std::size_t features);
const char* name_of(RidgeMethod method);
// Whether a method tries ridges, and does not just take one.
inline bool searches(RidgeMethod method) { return method != RidgeMethod::value && method != RidgeMethod::rule; }

// What ridges are tried: each a step below the one before, from the spread of the data down to 1e-8 of it.
std::vector<double> ridge_candidates(double spread);
// The first of them, the third and so on: two a decade are enough where each costs factorisations.
std::vector<double> every_other(const std::vector<double>& candidates);

struct Readout {
    double ridge = 0.0;
    bool searched = false;
    // On rows that were left out: the mean squared error, for regression in units of each target's variance; of a loss
    // of classes the log-loss. NaN where no rows were left out.
    double error = 0.0;
    MatrixD weights = {}; // an output each row
    std::vector<double> bias = {};
    // Of a loss of classes, on the same rows; 0 where none were left out.
    double wrong = 0.0; // the share whose class was not found
    double scale = 0.0; // probabilities = softmax(scale * scores)
};

// `valid`, where there is one, takes the place of the rows that cv and holdout would leave out. With fewer rows than
// features it solves for the rows (the dual form), which gives the same weights.
Readout fit_readout(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const RidgeRequest& request);

// The two forms; which one fits is fit_readout's to know.
Readout fit_primal(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const RidgeRequest& request);
Readout fit_dual(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const RidgeRequest& request);

// Errors on left-out rows, of each candidate, to one number: see Readout::error. `errors` are sums over `count` rows.
double mean_error(const std::vector<double>& errors, const std::vector<double>& variances, Task task, double count);

// The outputs as rows, in double.
MatrixD encoded_outputs(const RowSet& rows);

// What is known of the rows beside their outputs, as Target has it.
struct RowWords {
    std::vector<double> weights = {};
    std::vector<std::uint32_t> groups = {};
};
RowWords words_of(const RowSet& rows);

// Least squares in a kernel's own terms: f(x) = bias + sum of alpha_i k(x, x_i).
class KernelProblem {
public:
    // The kernel of all pairs of rows; an output a row of y.
    KernelProblem(MatrixD kernel, MatrixD y, Task task, RowWords words = {});

    std::size_t rows() const { return kernel_.rows; }
    double spread() const;
    // Mean errors of exact leave-one-out, a candidate each.
    std::vector<double> leave_one_out(const std::vector<double>& ridges) const;
    // Mean errors over the groups that are left out in turn; the rows of group g are those of number g.
    std::vector<double> cross_validation(const std::vector<double>& ridges, const std::vector<std::size_t>& groups,
                                         std::size_t used_groups) const;
    // The one ridge of `request`, and its error.
    Readout choose(const RidgeRequest& request, std::size_t features) const;
    // alpha, an output a row, and the bias; false when the matrix cannot be factored.
    bool solve(double ridge, MatrixD& alpha, std::vector<double>& bias) const;

private:
    // The rows' share in the mean; both where rows are weighted alone.
    void centre_kernel(MatrixD& kernel) const;
    std::vector<double> centre_outputs(MatrixD& y) const;
    bool solve_scaled(double ridge, MatrixD& alpha, std::vector<double>& bias) const;
    void set_variances();

    // Where rows are weighted, each is multiplied by the root of its weight, in kernel, outputs and the constant 1.
    MatrixD kernel_, y_;
    Task task_;
    std::vector<double> variances_, roots_; // roots_: empty where rows are not weighted
    std::vector<std::uint32_t> groups_;
    double count_; // the sum of the weights
};

// The index of the least error; BadInput when none is a number.
std::size_t index_of_least(const std::vector<double>& errors);

[[noreturn]] void refuse_ridge(double ridge);

} // namespace samara::desk
