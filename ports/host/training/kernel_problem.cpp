// Ridge regression in terms of rows: the dual form of features, and the exact kernel.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::desk {
namespace {

// Rows less their means, which are returned.
std::vector<double> centre_rows(MatrixD& y)
{
    std::vector<double> means = evaluated_vector(view(y).rowwise().mean());
    view(y).colwise() -= view(means);
    return means;
}

} // namespace

MatrixD encoded_outputs(const RowSet& rows)
{
    const std::vector<std::size_t> numbers = rows.numbers();
    MatrixD y(rows.y().outputs(), numbers.size());
    std::vector<float> one(y.rows);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        rows.y().encode(numbers[i], one.data());
        view(y).col(static_cast<Eigen::Index>(i)) = view(one).cast<double>();
    }
    return y;
}

RowWords words_of(const RowSet& rows)
{
    RowWords words;
    const Target& y = rows.y();
    for (const std::size_t row : rows.numbers()) {
        if (!y.weights.empty()) {
            words.weights.push_back(y.weight(row));
        }
        if (!y.groups.empty()) {
            words.groups.push_back(y.groups[row]);
        }
    }
    return words;
}

KernelProblem::KernelProblem(MatrixD kernel, MatrixD y, Task task, RowWords words)
    : kernel_(std::move(kernel)), y_(std::move(y)), task_(task), groups_(std::move(words.groups)),
      count_(static_cast<double>(y_.cols))
{
    if (!words.weights.empty()) {
        roots_ = evaluated_vector(view(words.weights).cwiseSqrt());
        count_ = view(words.weights).sum();
        view(kernel_).array().colwise() *= view(roots_).array();
        view(kernel_).array().rowwise() *= view(roots_).transpose().array();
        view(y_).array().rowwise() *= view(roots_).transpose().array();
    }
    set_variances();
}

void KernelProblem::set_variances()
{
    MatrixD around = y_;
    centre_outputs(around);
    variances_ = evaluated_vector(view(around).rowwise().squaredNorm() / count_);
}

void KernelProblem::centre_kernel(MatrixD& kernel) const
{
    if (roots_.empty()) {
        centre(kernel);
        return;
    }
    // Less the part along the roots, which are what the constant 1 has become.
    auto k = view(kernel);
    const Eigen::VectorXd along = k * view(roots_) / count_;
    const double both = along.dot(view(roots_)) / count_;
    k -= along * view(roots_).transpose() + view(roots_) * (along - both * view(roots_)).transpose();
}

std::vector<double> KernelProblem::centre_outputs(MatrixD& y) const
{
    if (roots_.empty()) {
        return centre_rows(y);
    }
    std::vector<double> means = evaluated_vector(view(y) * view(roots_) / count_);
    view(y) -= view(means) * view(roots_).transpose();
    return means;
}

double KernelProblem::spread() const
{
    if (roots_.empty()) {
        return view(kernel_).diagonal().mean() - view(kernel_).mean();
    }
    return (view(kernel_).trace() - view(roots_).dot(view(kernel_) * view(roots_)) / count_) / count_;
}

std::vector<double> KernelProblem::leave_one_out(const std::vector<double>& ridges) const
{
    const auto outputs = static_cast<Eigen::Index>(y_.rows);
    MatrixD vectors = kernel_, y = y_;
    centre_kernel(vectors);
    centre_outputs(y);
    const std::vector<double> values = eigenvectors(vectors);
    const Eigen::ArrayXd spectrum = view(values).array().max(0.0);
    // Of each eigenvector its share of the outputs, and the square of its part in each row.
    const MatrixD share = multiply_transposed(y, vectors);
    const MatrixD squares = evaluated(view(vectors).cwiseAbs2());
    MatrixD damping(ridges.size(), rows()), damped(ridges.size() * y.rows, rows());
    for (std::size_t t = 0; t < ridges.size(); ++t) {
        const auto at = static_cast<Eigen::Index>(t);
        const double ridge = count_ * ridges[t];
        view(damping).row(at) = ridge / (spectrum + ridge).transpose();
        view(damped).middleRows(at * outputs, outputs) = view(share).array().rowwise() * view(damping).row(at).array();
    }
    // Of each row what the intercept takes of it.
    Eigen::ArrayXd of_intercept = Eigen::ArrayXd::Constant(static_cast<Eigen::Index>(rows()), 1.0 / count_);
    if (!roots_.empty()) {
        of_intercept = view(roots_).array().square() / count_;
    }
    const MatrixD left = multiply(damping, squares), residuals = multiply(damped, vectors);
    std::vector<double> means;
    for (Eigen::Index t = 0; t < view(left).rows(); ++t) {
        const Eigen::ArrayXXd errors = view(residuals).middleRows(t * outputs, outputs).array().rowwise() /
                                       (view(left).row(t).array() - of_intercept.transpose()).max(1e-12);
        means.push_back(mean_error(evaluated_vector(errors.square().rowwise().sum()), variances_, task_, count_));
    }
    return means;
}

std::vector<double> KernelProblem::cross_validation(const std::vector<double>& ridges,
                                                    const std::vector<std::size_t>& groups,
                                                    std::size_t used_groups) const
{
    const auto kernel = view(kernel_);
    const auto y = view(y_);
    std::vector<std::vector<double>> errors(ridges.size(), std::vector<double>(y_.rows));
    double count = 0.0;
    for (std::size_t group = 0; group < used_groups; ++group) {
        std::vector<std::size_t> inside, outside;
        for (std::size_t i = 0; i < rows(); ++i) {
            (groups[i] == group ? outside : inside).push_back(i);
        }
        KernelProblem part(evaluated(kernel(inside, inside)), evaluated(columns_of(y, inside)), task_);
        Eigen::RowVectorXd roots = Eigen::RowVectorXd::Ones(static_cast<Eigen::Index>(outside.size()));
        if (!roots_.empty()) {
            part.roots_ = evaluated_vector(view(roots_)(inside));
            part.count_ = view(part.roots_).squaredNorm();
            part.set_variances();
            roots = view(roots_)(outside).transpose();
        }
        if (!(part.count_ > 0.0)) {
            continue; // all that counts was left out
        }
        count += roots.squaredNorm();
        const MatrixD between = evaluated(kernel(inside, outside));
        for (std::size_t t = 0; t < ridges.size(); ++t) {
            MatrixD alpha;
            std::vector<double> bias;
            if (!part.solve_scaled(ridges[t], alpha, bias)) {
                errors[t][0] = std::numeric_limits<double>::infinity();
                continue;
            }
            const MatrixD found = multiply(alpha, between);
            view(errors[t]) += (columns_of(y, outside) - view(found) - view(bias) * roots).rowwise().squaredNorm();
        }
    }
    std::vector<double> means;
    means.reserve(errors.size());
    for (const std::vector<double>& error : errors) {
        means.push_back(mean_error(error, variances_, task_, count));
    }
    return means;
}

Readout KernelProblem::choose(const RidgeRequest& request, std::size_t features) const
{
    const RidgeMethod method = resolved_method(request, rows(), features);
    Readout readout{.ridge = request.value, .error = std::numeric_limits<double>::quiet_NaN()};
    if (method == RidgeMethod::rule) {
        readout.ridge = 1.0 / std::sqrt(static_cast<double>(rows()) * static_cast<double>(features));
    }
    if (method == RidgeMethod::value || method == RidgeMethod::rule) {
        return readout;
    }
    std::vector<double> ridges = ridge_candidates(spread()), errors;
    if (method == RidgeMethod::loo) {
        errors = leave_one_out(ridges);
    } else {
        std::size_t folds = std::min(method == RidgeMethod::cv ? request.folds : std::size_t{10}, rows());
        Target none;
        none.groups = groups_;
        // Only the numbers of the rows matter here, so the table is empty.
        const auto numbered = table_of(MatrixF(rows(), 1), "");
        std::vector<std::size_t> groups(rows());
        const std::vector<RowSet> sets = RowSet(*numbered, none).folds(folds, request.seed);
        folds = sets.size();
        for (std::size_t fold = 0; fold < folds; ++fold) {
            for (const std::size_t row : sets[fold].numbers()) {
                groups[row] = fold;
            }
        }
        ridges = every_other(ridges);
        errors = cross_validation(ridges, groups, method == RidgeMethod::cv ? folds : 1);
    }
    const std::size_t best = index_of_least(errors);
    return {.ridge = ridges[best], .searched = true, .error = errors[best]};
}

bool KernelProblem::solve(double ridge, MatrixD& alpha, std::vector<double>& bias) const
{
    const bool solved = solve_scaled(ridge, alpha, bias);
    if (solved && !roots_.empty()) {
        view(alpha).array().rowwise() *= view(roots_).transpose().array();
    }
    return solved;
}

bool KernelProblem::solve_scaled(double ridge, MatrixD& alpha, std::vector<double>& bias) const
{
    MatrixD matrix = kernel_;
    centre_kernel(matrix);
    view(matrix).diagonal().array() += count_ * ridge;
    if (!factor(matrix)) {
        return false;
    }
    alpha = y_;
    bias = centre_outputs(alpha);
    solve_factored(matrix, alpha);
    const MatrixD fitted = multiply(alpha, kernel_);
    if (roots_.empty()) {
        view(bias) -= view(fitted).rowwise().mean();
    } else {
        view(bias) -= view(fitted) * view(roots_) / count_;
    }
    return true;
}

Readout fit_dual(const FeatureStage& stage, const RowSet& rows, const RowSet*, const RidgeRequest& request)
{
    const MatrixF z = stage.all(rows);
    const KernelProblem problem(row_products(z), encoded_outputs(rows), rows.y().task, words_of(rows));
    Readout readout = problem.choose(request, stage.features());
    MatrixD alpha;
    if (!problem.solve(readout.ridge, alpha, readout.bias)) {
        refuse_ridge(readout.ridge);
    }
    // alpha sums to zero, so that the features' own means drop out of the weights.
    readout.weights = MatrixD(alpha.rows, z.cols);
    constexpr Eigen::Index most = 512;
    for (Eigen::Index first = 0; first < view(z).rows(); first += most) {
        const Eigen::Index count = std::min(most, view(z).rows() - first);
        const MatrixD part = multiply(evaluated(view(alpha).middleCols(first, count)),
                                      evaluated(view(z).middleRows(first, count).cast<double>()));
        view(readout.weights) += view(part);
    }
    return readout;
}

} // namespace samara::desk
