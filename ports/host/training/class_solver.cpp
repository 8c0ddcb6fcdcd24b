#include "ports/host/training/class_solver.hpp"

#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <numeric>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"

namespace samara::desk {
namespace {

// Steps are good as soon as the covariance is roughly right: so many rows a feature are enough for that.
constexpr std::size_t rows_a_feature = 4;
constexpr std::size_t fewest_rows = 2048;
// Above this many features their covariance would take longer than the steps that it saves.
constexpr std::size_t most_covariance_features = 8192;
constexpr std::size_t rows_at_once = 1024;

// A loss that falls by less than this share of it in so many steps is at its least.
constexpr double least_fall = 1e-4, least_fall_of_search = 1e-3;
constexpr int steps_of_fall = 3;
// Where classes can be told apart exactly, a small ridge's optimum is far away, and no better than what these find.
constexpr int most_steps = 200;
constexpr double least_remembered = 3.0, most_remembered = 10.0, memory_share = 0.25;

// The second derivative of a hinge's loss, where about a quarter of the scores are within the margin.
constexpr double hinge_curvature = 0.5;
constexpr double least_curvature = 1e-4;

void gather(const ClassRows& rows, std::size_t wanted, const std::function<void(const MatrixF&, std::size_t)>& body)
{
    const std::size_t all = rows.rows();
    wanted = std::min(wanted, all);
    MatrixF some(std::min(rows_at_once, wanted), rows.features());
    std::size_t held = 0;
    rows.in_blocks([&](const MatrixF& z, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = first + i;
            if ((row + 1) * wanted / all == row * wanted / all) {
                continue;
            }
            std::copy_n(z.row(i), z.cols, some.row(held));
            if (++held == some.rows) {
                body(some, held);
                held = 0;
            }
        }
    });
    if (held != 0) {
        body(some, held);
    }
}

// The problem in other coordinates: weights = u times the inverse of a factor of the Hessian that there would be if all
// rows were as surely told apart as the mean one is.
class Coordinates {
public:
    Coordinates(const Spread& spread, double curvature, double ridge) : root_(std::sqrt(curvature))
    {
        if (spread.covariance.rows == 0) {
            scales_ = evaluated_vector((curvature * view(spread.variances).array() + 2.0 * ridge).rsqrt());
            return;
        }
        factor_ = spread.covariance;
        view(factor_) *= curvature;
        view(factor_).diagonal().array() += 2.0 * ridge;
        // Sums in float may be too rough for a factor.
        for (double more = 1e-7 * curvature * spread.total() + 2.0 * ridge; !factor(factor_); more *= 10.0) {
            factor_ = spread.covariance;
            view(factor_) *= curvature;
            view(factor_).diagonal().array() += 2.0 * ridge + more;
            if (!std::isfinite(more)) {
                throw BadInput("--ridge: found features for which no step can be taken, expected ones of ordinary "
                               "size (--scale standardise)");
            }
        }
    }

    // In place.
    void to_weights(MatrixD& u) const { apply(u, Triangle::solve_transposed); }
    void from_weights(MatrixD& weights) const
    {
        if (scales_.empty()) {
            apply_triangle(factor_, Triangle::multiply_transposed, weights);
        } else {
            view(weights).array().rowwise() /= view(scales_).transpose().array();
        }
    }
    void of_derivatives(MatrixD& derivatives) const { apply(derivatives, Triangle::solve); }
    double root() const { return root_; }

private:
    void apply(MatrixD& rows, Triangle how) const
    {
        if (scales_.empty()) {
            apply_triangle(factor_, how, rows);
        } else {
            view(rows).array().rowwise() *= view(scales_).transpose().array();
        }
    }

    MatrixD factor_;
    std::vector<double> scales_; // where there is no factor
    double root_;
};

// What L-BFGS sees: the weights in the coordinates, and the bias around the features' mean in units of the root of the
// curvature.
struct Objective {
    const ClassRows& rows;
    const std::vector<std::uint32_t>& classes;
    const std::vector<float>& weights;
    ClassLoss loss;
    const Spread& spread;
    const Coordinates& coordinates;
    double ridge, total_weight;
    unsigned threads;
    std::size_t outputs;
    std::size_t passes = 0;
    double first = std::numeric_limits<double>::quiet_NaN(); // value

    // Those that are there to fill the last of the library's vectors do not count.
    std::size_t variables() const { return (outputs * (spread.mean.size() + 1) + 15) / 16 * 16; }

    LinearReadout readout_at(const double* x) const
    {
        LinearReadout readout{MatrixD(outputs, spread.mean.size()), std::vector<double>(outputs)};
        std::copy_n(x, readout.weights.values.size(), readout.weights.values.begin());
        coordinates.to_weights(readout.weights);
        std::copy_n(x + readout.weights.values.size(), outputs, readout.bias.begin());
        view(readout.bias) /= coordinates.root();
        view(readout.bias) -= view(readout.weights) * view(spread.mean);
        return readout;
    }

    void set(const LinearReadout& readout, double* x) const
    {
        MatrixD start = readout.weights;
        const Eigen::VectorXd bias =
            coordinates.root() * (view(readout.bias) + view(readout.weights) * view(spread.mean));
        coordinates.from_weights(start);
        std::copy(start.values.begin(), start.values.end(), x);
        std::copy_n(bias.data(), outputs, x + start.values.size());
    }

    double operator()(const double* x, double* derivatives)
    {
        const LinearReadout readout = readout_at(x);
        ClassSums sums = class_sums(rows, classes, weights, loss, readout, threads);
        ++passes;
        auto by_weights = view(sums.weights);
        by_weights.noalias() -= view(sums.bias) * view(spread.mean).transpose();
        by_weights /= total_weight;
        by_weights += 2.0 * ridge * view(readout.weights);
        coordinates.of_derivatives(sums.weights);
        std::fill_n(derivatives, variables(), 0.0);
        std::copy(sums.weights.values.begin(), sums.weights.values.end(), derivatives);
        for (std::size_t k = 0; k < outputs; ++k) {
            derivatives[sums.weights.values.size() + k] = sums.bias[k] / (total_weight * coordinates.root());
        }
        const double value = sums.loss / total_weight + ridge * view(readout.weights).squaredNorm();
        first = passes == 1 ? value : first;
        return value;
    }

    static lbfgsfloatval_t evaluate(void* self, const lbfgsfloatval_t* x, lbfgsfloatval_t* derivatives, int,
                                    lbfgsfloatval_t)
    {
        return (*static_cast<Objective*>(self))(x, derivatives);
    }
};

} // namespace

double Spread::total() const { return std::accumulate(variances.begin(), variances.end(), 0.0); }

Spread spread_of(const ClassRows& rows)
{
    const std::size_t features = rows.features();
    const bool whole = features <= most_covariance_features;
    Spread spread;
    std::vector<float> origin;
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(features)), squares = sum;
    MatrixF gram(whole ? features : 0, whole ? features : 0);
    double count = 0.0;
    // Not in place, because a block may be the rows themselves.
    gather(rows, std::max(fewest_rows, rows_a_feature * features), [&](const MatrixF& z, std::size_t held) {
        MatrixF around(held, features);
        if (origin.empty()) {
            origin = evaluated_vector(view(z).topRows(static_cast<Eigen::Index>(held)).colwise().mean().transpose());
        }
        view(around) = view(z).topRows(static_cast<Eigen::Index>(held)).rowwise() - view(origin).transpose();
        sum += view(around).cast<double>().colwise().sum().transpose();
        squares += view(around).cast<double>().colwise().squaredNorm().transpose();
        if (whole) {
            add_gram(around, held, gram);
        }
        count += static_cast<double>(held);
    });
    const Eigen::VectorXd mean = sum / count;
    spread.variances = evaluated_vector((squares / count - mean.cwiseAbs2()).cwiseMax(0.0));
    if (whole) {
        spread.covariance = evaluated(view(gram).cast<double>() / count);
        view(spread.covariance).noalias() -= mean * mean.transpose();
    }
    spread.mean = evaluated_vector(mean + view(origin).cast<double>());
    return spread;
}

ClassSolver::ClassSolver(const ClassRows& rows, const std::vector<std::uint32_t>& classes, ClassLoss loss,
                         const Spread& spread, unsigned threads)
    : rows_(rows), classes_(classes), loss_(loss), spread_(spread), threads_(threads)
{}

void ClassSolver::solve(double ridge, const std::vector<float>& weights, Care care, LinearReadout& readout)
{
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::size_t outputs = readout.bias.size();
    double curvature = hinge_curvature;
    if (loss_ == ClassLoss::logistic) {
        const ClassSums sums = class_sums(rows_, classes_, weights, loss_, readout, threads_);
        ++passes_;
        curvature = std::max(least_curvature, sums.squares / (total * static_cast<double>(outputs)));
    }
    const Coordinates coordinates(spread_, curvature, ridge);
    Objective objective{rows_, classes_, weights, loss_, spread_, coordinates, ridge, total, threads_, outputs};
    // Aligned as the library wants it.
    const std::unique_ptr<double, void (*)(double*)> x(lbfgs_malloc(static_cast<int>(objective.variables())),
                                                       lbfgs_free);
    if (x == nullptr) {
        throw std::bad_alloc();
    }
    std::fill_n(x.get(), objective.variables(), 0.0);
    objective.set(readout, x.get());
    lbfgs_parameter_t parameters;
    lbfgs_parameter_init(&parameters);
    // Each of them is remembered as two vectors.
    const double step_bytes = 16.0 * static_cast<double>(objective.variables());
    parameters.m = static_cast<int>(
        std::clamp(memory_share * static_cast<double>(most_memory()) / step_bytes, least_remembered, most_remembered));
    parameters.epsilon = 1e-7;
    parameters.past = steps_of_fall;
    parameters.delta = care == Care::last ? least_fall : least_fall_of_search;
    parameters.max_iterations = most_steps;
    // Products with a triangle are too small to be shared out: BLAS's threads would wait for each other most of the
    // time.
    const OneBlasThread alone(true);
    // What it returns is no matter: where it can go no further, by steps or by rounding, x is the best that was found.
    lbfgs(static_cast<int>(objective.variables()), x.get(), nullptr, Objective::evaluate, nullptr, &objective,
          &parameters);
    passes_ += objective.passes;
    if (!std::isfinite(objective.first)) {
        throw BadInput("--ridge: found features for which the loss leaves the range of numbers, expected ones of "
                       "ordinary size (--scale standardise)");
    }
    readout = objective.readout_at(x.get());
}

} // namespace samara::desk
