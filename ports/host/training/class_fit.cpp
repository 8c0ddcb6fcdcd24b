#include "ports/host/training/class_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/calibration.hpp"
#include "ports/host/training/class_solver.hpp"
#include "ports/host/training/dense.hpp"
#include "ports/host/training/ridge.hpp"
#include "samara/stream.hpp"

namespace samara::desk {
namespace {

// The path, in units of the features' spread: half a decade a step. Where no rows are left out, its middle is taken.
constexpr int first_step = 1, middle_step = 7, last_step = 18;

// Of the largest eigenvalue of the kernel: what is below is rounding.
constexpr double least_eigenvalue = 1e-9;

// Of so few features BLAS's threads would wait for each other most of the time.
constexpr std::size_t most_alone = 512;

// What a class that no row has is taken for.
constexpr double least_share = 1e-6;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// A readout is fitted to the rows with a weight, and judged on others.
struct Fold {
    std::uint8_t part;
    std::vector<float> weights; // of each row; 0 where it is not fitted
    LinearReadout readout;
};

class ClassTraining {
public:
    ClassTraining(const ClassRows& rows, const ClassTask& task, const ClassRequest& request, Spread spread)
        : rows_(rows), task_(task), request_(request), spread_(std::move(spread)),
          solver_(rows, task.classes, request.loss, spread_, request.threads)
    {
        // A part that nothing would be left beside says nothing of a ridge.
        const std::set<std::uint8_t> parts(task.parts.begin(), task.parts.end());
        const auto is_fold = [](std::uint8_t part) { return part != ClassTask::in_no_part; };
        for (const std::uint8_t part : parts) {
            if (is_fold(part) && has_weight(part) && weights_without(part).second) {
                std::vector<float> weights = weights_without(part).first;
                LinearReadout readout = none(weights);
                folds_.push_back({part, std::move(weights), std::move(readout)});
            }
        }
    }

    ClassFit run()
    {
        ClassFit fit;
        fit.log_loss = fit.error = no_number;
        fit.ridge = request_.ridges.empty() ? path()[middle_step - first_step] : request_.ridges.back();
        const std::vector<float> weights = weights_without(ClassTask::only_judged).first;
        fit.readout = none(weights);
        if (!folds_.empty()) {
            const std::vector<double> bias = fit.readout.bias;
            search(fit);
            view(fit.readout.bias) += view(bias) - view(none(folds_.back().weights).bias);
        }
        solver_.solve(fit.ridge, weights, Care::last, fit.readout);
        fit.passes = solver_.passes();
        return fit;
    }

private:
    // Without any weights the best readout of rows that count like this: what is left of it where features tell
    // nothing.
    LinearReadout none(const std::vector<float>& weights) const
    {
        std::vector<double> shares(task_.outputs);
        for (std::size_t row = 0; row < weights.size(); ++row) {
            shares[task_.classes[row]] += static_cast<double>(weights[row]);
        }
        const double total = std::max(std::accumulate(shares.begin(), shares.end(), 0.0), 1e-30);
        for (double& share : shares) {
            share /= total;
            share = request_.loss == ClassLoss::logistic ? std::log(std::max(share, least_share)) : 2.0 * share - 1.0;
        }
        return {MatrixD(task_.outputs, rows_.features()), std::move(shares)};
    }

    float weight(std::size_t row) const { return task_.weights.empty() ? 1.0f : task_.weights[row]; }
    std::uint8_t part(std::size_t row) const { return task_.parts.empty() ? ClassTask::in_no_part : task_.parts[row]; }

    bool has_weight(std::uint8_t wanted) const
    {
        for (std::size_t row = 0; row < rows_.rows(); ++row) {
            if (part(row) == wanted && weight(row) > 0.0f) {
                return true;
            }
        }
        return false;
    }

    // And whether there is any.
    std::pair<std::vector<float>, bool> weights_without(std::uint8_t left_out) const
    {
        std::vector<float> weights(rows_.rows());
        bool some = false;
        for (std::size_t row = 0; row < weights.size(); ++row) {
            const bool fitted = part(row) != left_out && part(row) != ClassTask::only_judged;
            weights[row] = fitted ? weight(row) : 0.0f;
            some = some || weights[row] > 0.0f;
        }
        return {std::move(weights), some};
    }

    std::vector<double> path() const
    {
        std::vector<double> ridges;
        // Features that do not vary at all have no spread, and then any ridge is as good as another.
        const double spread = spread_.total() > 0.0 ? spread_.total() : 1.0;
        for (int step = first_step; step <= last_step; ++step) {
            ridges.push_back(std::max(spread * std::pow(10.0, -0.5 * step), request_.least_ridge));
        }
        return ridges;
    }

    JudgedScores judged() const
    {
        JudgedScores all;
        all.scores.cols = task_.outputs;
        for (const Fold& fold : folds_) {
            const MatrixF scores = scores_of_rows(rows_, fold.readout, request_.threads);
            for (std::size_t row = 0; row < scores.rows; ++row) {
                const bool copy = !task_.copies.empty() && task_.copies[row];
                if (part(row) == fold.part && weight(row) > 0.0f && !copy) {
                    all.add(scores.row(row), task_.classes[row], weight(row));
                }
            }
        }
        return all;
    }

    // What was found of the ridges that were tried.
    struct Search {
        std::map<double, double> errors;
        double best = std::numeric_limits<double>::infinity();
        JudgedScores scores; // of the best one
    };

    // Whether this ridge is the best so far. Each fold goes on from where it is.
    bool is_best(double ridge, Search& search, ClassFit& fit)
    {
        if (search.errors.count(ridge) != 0) {
            return false;
        }
        for (Fold& fold : folds_) {
            solver_.solve(ridge, fold.weights, Care::search, fold.readout);
        }
        JudgedScores scores = judged();
        const bool by_errors = request_.judge == ClassJudge::errors;
        // Scores of a hinge are no logarithms of probabilities.
        const double scale = request_.loss == ClassLoss::logistic ? 1.0 : probability_scale(scores);
        const double error = by_errors ? error_share(scores) : log_loss(scores, scale);
        search.errors.emplace(ridge, error);
        if (!(error < search.best)) {
            return false;
        }
        search.best = error;
        search.scores = std::move(scores);
        fit.ridge = ridge;
        // The last fold's is as good a beginning for all rows as any.
        fit.readout = folds_.back().readout;
        return true;
    }

    // Down the path from its middle as long as that is better, else up; first in whole decades.
    void walk(Search& search, ClassFit& fit)
    {
        const std::vector<double> ridges = path();
        auto at = static_cast<std::ptrdiff_t>(middle_step - first_step);
        const auto try_at = [&](std::ptrdiff_t place) {
            const bool better = place >= 0 && place < std::ssize(ridges) &&
                                is_best(ridges[static_cast<std::size_t>(place)], search, fit);
            at = better ? place : at;
            return better;
        };
        try_at(at);
        for (const std::ptrdiff_t step : {2, 1}) {
            for (const std::ptrdiff_t way : {step, -step}) {
                while (try_at(at + way)) {
                }
            }
        }
    }

    void search(ClassFit& fit)
    {
        Search found;
        if (request_.ridges.empty()) {
            walk(found, fit);
        }
        for (const double ridge : request_.ridges) {
            static_cast<void>(is_best(ridge, found, fit));
        }
        if (found.scores.rows() == 0) {
            refuse_ridge(fit.ridge);
        }
        fit.scale = probability_scale(found.scores);
        fit.log_loss = log_loss(found.scores, fit.scale);
        fit.error = error_share(found.scores);
    }

    const ClassRows& rows_;
    const ClassTask& task_;
    const ClassRequest& request_;
    Spread spread_;
    ClassSolver solver_;
    std::vector<Fold> folds_;
};

// Fewer rows than features: the weights are combinations of rows, and all that the fit sees of the rows is their
// products with each other.
ClassFit fit_by_rows(const MatrixF& z, const ClassTask& task, const ClassRequest& request)
{
    MatrixF around = z;
    const std::vector<float> mean = evaluated_vector(view(z).cast<double>().colwise().mean().transpose().cast<float>());
    view(around).rowwise() -= view(mean).transpose();
    // Row i becomes the i-th eigenvector.
    MatrixD vectors = row_products(around);
    const std::vector<double> values = eigenvectors(vectors);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] > least_eigenvalue * values.back()) {
            kept.push_back(i);
        }
    }
    if (kept.empty()) {
        kept.push_back(values.size() - 1); // features that are constant: a coordinate of zeros
    }
    const auto rank = static_cast<Eigen::Index>(kept.size());
    MatrixD directions(kept.size(), z.rows); // times the rows: the weights of a coordinate
    MatrixF coordinates(z.rows, kept.size());
    Spread spread{std::vector<double>(kept.size()), {}, {}};
    for (Eigen::Index i = 0; i < rank; ++i) {
        const std::size_t from = kept[static_cast<std::size_t>(i)];
        const double root = std::sqrt(std::max(0.0, values[from]));
        const auto vector = view(vectors).row(static_cast<Eigen::Index>(from));
        view(directions).row(i) = root > 0.0 ? (vector / root).eval() : (vector * 0.0).eval();
        view(coordinates).col(i) = (root * vector).transpose().cast<float>();
        spread.variances.push_back(std::max(0.0, values[from]) / static_cast<double>(z.rows));
    }
    const MatrixRows rows(coordinates);
    ClassFit fit = ClassTraining(rows, task, request, std::move(spread)).run();
    const MatrixD combined = multiply(fit.readout.weights, directions);
    fit.readout.weights = multiply(combined, evaluated(view(around).cast<double>()));
    view(fit.readout.bias) -= view(fit.readout.weights) * view(mean).cast<double>();
    return fit;
}

} // namespace

ClassFit fit_classes(const ClassRows& rows, const ClassTask& task, const ClassRequest& request)
{
    const OneBlasThread alone(rows.features() <= most_alone);
    return ClassTraining(rows, task, request, spread_of(rows)).run();
}

ClassFit fit_classes(const MatrixF& z, const ClassTask& task, const ClassRequest& request)
{
    if (z.rows < z.cols && z.rows <= most_for_loo) {
        const OneBlasThread alone(z.rows <= most_alone);
        return fit_by_rows(z, task, request);
    }
    return fit_classes(MatrixRows(z), task, request);
}

std::vector<std::uint8_t> parts_of_rows(std::size_t rows, std::size_t parts, std::uint64_t seed)
{
    std::vector<std::uint8_t> part(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        part[i] = static_cast<std::uint8_t>(i % parts);
    }
    std::uint64_t word = mix64(seed + splitmix_increment);
    for (std::size_t i = rows; i > 1; --i) {
        word = mix64(word + splitmix_increment);
        std::swap(part[i - 1], part[word % i]);
    }
    return part;
}

} // namespace samara::desk
