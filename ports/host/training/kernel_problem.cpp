// Ridge regression in terms of rows: the dual form of features, and the exact kernel.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::desk {
namespace {

double mean_of(const double* values, std::size_t count)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += values[i];
    }
    return sum / static_cast<double>(count);
}

// HKH with H = I - 11'/n.
void centre(MatrixD& kernel)
{
    std::vector<double> means(kernel.rows);
    for (std::size_t i = 0; i < kernel.rows; ++i) {
        means[i] = mean_of(kernel.row(i), kernel.cols);
    }
    const double all = mean_of(means.data(), means.size());
    for (std::size_t i = 0; i < kernel.rows; ++i) {
        for (std::size_t j = 0; j < kernel.cols; ++j) {
            kernel.row(i)[j] += all - means[i] - means[j];
        }
    }
}

std::vector<double> centre_rows(MatrixD& y)
{
    std::vector<double> means;
    for (std::size_t k = 0; k < y.rows; ++k) {
        means.push_back(mean_of(y.row(k), y.cols));
        for (std::size_t i = 0; i < y.cols; ++i) {
            y.row(k)[i] -= means.back();
        }
    }
    return means;
}

MatrixD picked(const MatrixD& matrix, const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols)
{
    MatrixD part(rows.size(), cols.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < cols.size(); ++j) {
            part.row(i)[j] = matrix.row(rows[i])[cols[j]];
        }
    }
    return part;
}

} // namespace

MatrixD encoded_outputs(const RowSet& rows)
{
    const std::vector<std::size_t> numbers = rows.numbers();
    MatrixD y(rows.y().outputs(), numbers.size());
    std::vector<float> one(y.rows);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        rows.y().encode(numbers[i], one.data());
        for (std::size_t k = 0; k < y.rows; ++k) {
            y.row(k)[i] = static_cast<double>(one[k]);
        }
    }
    return y;
}

KernelProblem::KernelProblem(MatrixD kernel, MatrixD y, Task task)
    : kernel_(std::move(kernel)), y_(std::move(y)), task_(task)
{
    MatrixD around = y_;
    centre_rows(around);
    for (std::size_t k = 0; k < y_.rows; ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i < y_.cols; ++i) {
            sum += around.row(k)[i] * around.row(k)[i];
        }
        variances_.push_back(sum / static_cast<double>(y_.cols));
    }
}

double KernelProblem::spread() const
{
    double trace = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < rows(); ++i) {
        trace += kernel_.row(i)[i];
        sum += mean_of(kernel_.row(i), rows());
    }
    return (trace - sum) / static_cast<double>(rows());
}

std::vector<double> KernelProblem::leave_one_out(const std::vector<double>& ridges) const
{
    const std::size_t n = rows();
    const auto count = static_cast<double>(n);
    MatrixD vectors = kernel_, y = y_;
    centre(vectors);
    centre_rows(y);
    const std::vector<double> values = eigenvectors(vectors);
    // Of each eigenvector its share of the outputs, and the square of its part in each row.
    MatrixD share(n, y.rows), squares(n, n);
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < y.rows; ++k) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                sum += vectors.row(j)[i] * y.row(k)[i];
            }
            share.row(j)[k] = sum;
        }
        for (std::size_t i = 0; i < n; ++i) {
            squares.row(j)[i] = vectors.row(j)[i] * vectors.row(j)[i];
        }
    }
    MatrixD damping(ridges.size(), n), damped(ridges.size() * y.rows, n);
    for (std::size_t t = 0; t < ridges.size(); ++t) {
        for (std::size_t j = 0; j < n; ++j) {
            const double ridge = count * ridges[t];
            damping.row(t)[j] = ridge / (std::max(values[j], 0.0) + ridge);
            for (std::size_t k = 0; k < y.rows; ++k) {
                damped.row(t * y.rows + k)[j] = damping.row(t)[j] * share.row(j)[k];
            }
        }
    }
    const MatrixD left = multiply(damping, squares), residuals = multiply(damped, vectors);
    std::vector<double> means;
    for (std::size_t t = 0; t < ridges.size(); ++t) {
        std::vector<double> errors(y.rows);
        for (std::size_t k = 0; k < y.rows; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                const double error = residuals.row(t * y.rows + k)[i] / std::max(1e-12, left.row(t)[i] - 1.0 / count);
                errors[k] += error * error;
            }
        }
        means.push_back(mean_error(errors, variances_, task_, count));
    }
    return means;
}

std::vector<double> KernelProblem::cross_validation(const std::vector<double>& ridges,
                                                    const std::vector<std::size_t>& groups,
                                                    std::size_t used_groups) const
{
    std::vector<std::vector<double>> errors(ridges.size(), std::vector<double>(y_.rows));
    double count = 0.0;
    for (std::size_t group = 0; group < used_groups; ++group) {
        std::vector<std::size_t> inside, outside, outputs(y_.rows);
        for (std::size_t i = 0; i < rows(); ++i) {
            (groups[i] == group ? outside : inside).push_back(i);
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            outputs[k] = k;
        }
        count += static_cast<double>(outside.size());
        const KernelProblem part(picked(kernel_, inside, inside), picked(y_, outputs, inside), task_);
        const MatrixD between = picked(kernel_, inside, outside);
        for (std::size_t t = 0; t < ridges.size(); ++t) {
            MatrixD alpha;
            std::vector<double> bias;
            if (!part.solve(ridges[t], alpha, bias)) {
                errors[t][0] = std::numeric_limits<double>::infinity();
                continue;
            }
            const MatrixD found = multiply(alpha, between);
            for (std::size_t k = 0; k < y_.rows; ++k) {
                for (std::size_t i = 0; i < outside.size(); ++i) {
                    const double error = y_.row(k)[outside[i]] - bias[k] - found.row(k)[i];
                    errors[t][k] += error * error;
                }
            }
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
    const RidgeWay way = resolved_way(request, rows(), features);
    Readout readout{request.value, false, std::numeric_limits<double>::quiet_NaN(), {}, {}};
    if (way == RidgeWay::rule) {
        readout.ridge = 1.0 / std::sqrt(static_cast<double>(rows()) * static_cast<double>(features));
    }
    if (way == RidgeWay::value || way == RidgeWay::rule) {
        return readout;
    }
    std::vector<double> ridges = ridge_candidates(spread()), errors;
    if (way == RidgeWay::loo) {
        errors = leave_one_out(ridges);
    } else {
        const std::size_t folds = std::min(way == RidgeWay::cv ? request.folds : std::size_t{10}, rows());
        const Target none;
        const auto places = table_of(MatrixF(rows(), 1), "");
        std::vector<std::size_t> groups(rows());
        const std::vector<RowSet> sets = RowSet(*places, none).folds(folds, request.seed);
        for (std::size_t fold = 0; fold < folds; ++fold) {
            for (const std::size_t row : sets[fold].numbers()) {
                groups[row] = fold;
            }
        }
        for (std::size_t i = 1; i < ridges.size(); ++i) {
            ridges.erase(ridges.begin() + static_cast<std::ptrdiff_t>(i));
        }
        errors = cross_validation(ridges, groups, way == RidgeWay::cv ? folds : 1);
    }
    const std::size_t best = place_of_least(errors);
    return {ridges[best], true, errors[best], {}, {}};
}

bool KernelProblem::solve(double ridge, MatrixD& alpha, std::vector<double>& bias) const
{
    MatrixD matrix = kernel_;
    centre(matrix);
    for (std::size_t i = 0; i < rows(); ++i) {
        matrix.row(i)[i] += static_cast<double>(rows()) * ridge;
    }
    if (!factor(matrix)) {
        return false;
    }
    alpha = y_;
    bias = centre_rows(alpha);
    solve_factored(matrix, alpha);
    const MatrixD fitted = multiply(alpha, kernel_);
    for (std::size_t k = 0; k < bias.size(); ++k) {
        bias[k] -= mean_of(fitted.row(k), rows());
    }
    return true;
}

Readout fit_dual(const FeatureStage& stage, const RowSet& rows, const RowSet*, const RidgeRequest& request)
{
    const MatrixF z = stage.all(rows);
    const KernelProblem problem(row_products(z), encoded_outputs(rows), rows.y().task);
    Readout readout = problem.choose(request, stage.features());
    MatrixD alpha;
    if (!problem.solve(readout.ridge, alpha, readout.bias)) {
        refuse_ridge(readout.ridge);
    }
    // alpha sums to zero, so that the features' own means drop out of the weights.
    readout.weights = MatrixD(alpha.rows, z.cols);
    constexpr std::size_t panel = 512;
    for (std::size_t first = 0; first < z.rows; first += panel) {
        const std::size_t count = std::min(panel, z.rows - first);
        MatrixD some(count, z.cols), factors(alpha.rows, count);
        for (std::size_t i = 0; i < count; ++i) {
            std::copy_n(z.row(first + i), z.cols, some.row(i));
            for (std::size_t k = 0; k < alpha.rows; ++k) {
                factors.row(k)[i] = alpha.row(k)[first + i];
            }
        }
        const MatrixD part = multiply(factors, some);
        for (std::size_t i = 0; i < part.values.size(); ++i) {
            readout.weights.values[i] += part.values[i];
        }
    }
    return readout;
}

} // namespace samara::desk
