#include "ports/host/training/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/class_readout.hpp"
#include "ports/host/training/dense.hpp"

namespace samara::desk {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Above this many bytes of features the dual form, which has all of them in memory, is not used.
constexpr double most_dual_bytes = 1e9;

// A ridge for which the equations cannot be solved is raised by this factor, so many times at most.
constexpr int most_raises = 12;
constexpr double raise = 2.0;

std::vector<double> variances_of(const NormalEquations& equations)
{
    return evaluated_vector(view(equations.y_energy) / equations.count);
}

// Sums over all rows, and over the parts of them that are left out in turn: the rest is their difference.
struct Parts {
    Moments total;
    std::vector<Moments> left_out;
    std::vector<Moments> judged = {}; // the left-out rows without copies; empty: there are none
    bool separate = false;            // left_out is no part of total

    const Moments& judged_part(std::size_t part) const { return judged.empty() ? left_out[part] : judged[part]; }
};

double error_without(const NormalEquations& rest, const Moments& left_out, double ridge, Task task)
{
    const MatrixD weights = solve(rest, ridge);
    return weights.rows == 0
               ? std::numeric_limits<double>::infinity()
               : mean_error(squared_errors(rest, weights, left_out), variances_of(rest), task, left_out.count);
}

NormalEquations rest_of(const Parts& parts, std::size_t part)
{
    Moments rest = parts.total;
    if (!parts.separate) {
        subtract(rest, parts.left_out[part]);
    }
    return centred(std::move(rest));
}

// Descends from the middle candidate to a neighbour of less error as long as there is one: first over whole decades,
// then over halves and quarters of one. Each error that is asked for costs a factorisation.
Readout descend(const Parts& parts, const std::vector<double>& candidates, Task task)
{
    const NormalEquations rest = rest_of(parts, 0);
    std::map<std::size_t, double> errors;
    const auto error = [&](std::size_t candidate) {
        auto known = errors.find(candidate);
        if (known == errors.end()) {
            known =
                errors.emplace(candidate, error_without(rest, parts.judged_part(0), candidates[candidate], task)).first;
        }
        return known->second;
    };
    std::size_t best = candidates.size() / 2;
    for (const std::size_t step : {std::size_t{4}, std::size_t{2}, std::size_t{1}}) {
        for (bool moved = true; moved;) {
            moved = false;
            if (best + step < candidates.size() && error(best + step) < error(best)) {
                best += step;
                moved = true;
            }
            if (best >= step && error(best - step) < error(best)) {
                best -= step;
                moved = true;
            }
        }
    }
    return {.ridge = candidates[best], .searched = true, .error = error(best)};
}

Readout search(const Parts& parts, const std::vector<double>& candidates, Task task)
{
    if (parts.left_out.size() == 1) {
        return descend(parts, candidates, task);
    }
    const std::vector<double> tried = every_other(candidates);
    std::vector<double> errors(tried.size());
    for (std::size_t part = 0; part < parts.left_out.size(); ++part) {
        if (!(parts.left_out[part].count > 0.0)) {
            continue; // rows that count nothing
        }
        const NormalEquations rest = rest_of(parts, part);
        const double share = parts.left_out[part].count / parts.total.count;
        for (std::size_t i = 0; i < tried.size(); ++i) {
            errors[i] += share * error_without(rest, parts.judged_part(part), tried[i], task);
        }
    }
    const std::size_t best = index_of_least(errors);
    return {.ridge = tried[best], .searched = true, .error = errors[best]};
}

// One eigendecomposition serves all candidates; a second pass over the rows gives each one's leverage.
Readout leave_one_out(const FeatureStage& stage, const RowSet& rows, const Origin& origin,
                      const NormalEquations& equations, const std::vector<double>& candidates)
{
    MatrixD vectors = equations.gram;
    const std::vector<double> values = eigenvectors(vectors);
    const std::size_t features = values.size(), outputs = equations.cross.rows, tries = candidates.size();
    // Of each eigenvector its product with the outputs.
    const MatrixD products = multiply_transposed(equations.cross, vectors);
    const MatrixF basis = evaluated(view(vectors).cast<float>());
    MatrixF inverse(tries, features), weights(tries * outputs, features);
    const Eigen::ArrayXd spectrum = view(values).array().max(0.0);
    const auto height = static_cast<Eigen::Index>(outputs);
    for (std::size_t t = 0; t < tries; ++t) {
        const auto at = static_cast<Eigen::Index>(t);
        const Eigen::ArrayXd damping = 1.0 / (spectrum + equations.count * candidates[t]);
        view(inverse).row(at) = damping.cast<float>().transpose();
        view(weights).middleRows(at * height, height) =
            (view(products).array().rowwise() * damping.transpose()).cast<float>();
    }
    const std::vector<float> shift =
        evaluated_vector((view(origin.z).cast<double>() + view(equations.z_mean)).cast<float>());
    const Eigen::VectorXd y_mean = view(origin.y).cast<double>() + view(equations.y_mean);
    std::vector<std::vector<double>> errors(tries, std::vector<double>(outputs));
    const std::size_t most = stage.block_rows();
    MatrixF q(most, features), leverage(most, tries), fitted(most, tries * outputs);
    std::vector<float> y(outputs);
    stage.in_blocks(rows, "leave-one-out", shift, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
        multiply_transposed(z, numbers.size(), basis, q);
        multiply_transposed(q, numbers.size(), weights, fitted);
        view(q) = view(q).cwiseAbs2();
        multiply_transposed(q, numbers.size(), inverse, leverage);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            rows.y().encode(numbers[i], y.data());
            const Eigen::VectorXd target = view(y).cast<double>() - y_mean;
            const double weight = rows.y().weight(numbers[i]);
            for (std::size_t t = 0; t < tries; ++t) {
                const auto at = static_cast<Eigen::Index>(t);
                const double left =
                    std::max(1e-6, 1.0 - weight / equations.count - weight * static_cast<double>(leverage.row(i)[t]));
                const auto found = view(fitted).row(row).segment(at * height, height).transpose().cast<double>();
                view(errors[t]) += weight * ((target - found) / left).cwiseAbs2();
            }
        }
    });
    std::vector<double> means;
    means.reserve(tries);
    for (const std::vector<double>& error : errors) {
        means.push_back(mean_error(error, variances_of(equations), rows.y().task, equations.count));
    }
    const std::size_t best = index_of_least(means);
    return {.ridge = candidates[best], .searched = true, .error = means[best]};
}

} // namespace

RidgeMethod resolved_method(const RidgeRequest& request, std::size_t rows, std::size_t features)
{
    if (request.method != RidgeMethod::automatic) {
        return request.method;
    }
    if (request.loss != ReadoutLoss::squared || request.groups) {
        return rows * features <= most_for_cv ? RidgeMethod::cv : RidgeMethod::holdout;
    }
    return std::min(rows, features) <= most_for_loo ? RidgeMethod::loo : RidgeMethod::holdout;
}

RidgeMethod resolved_method(RidgeRequest request, const RowSet& rows, std::size_t features)
{
    request.groups = request.groups || rows.copies() != 0;
    return resolved_method(request, rows.count(), features);
}

const char* name_of(RidgeMethod method)
{
    switch (method) {
    case RidgeMethod::cv:
        return "cross-validation";
    case RidgeMethod::loo:
        return "leave-one-out";
    case RidgeMethod::holdout:
        return "a tenth of the rows held out";
    case RidgeMethod::rule:
        return "1/sqrt(rows * features)";
    default:
        return "given";
    }
}

std::vector<double> ridge_candidates(double spread)
{
    constexpr int decades = 8;
    constexpr int steps = 4;
    std::vector<double> candidates;
    // Features that do not vary at all have no spread, and then any ridge is as good as another.
    const double first = spread > 0.0 ? spread : 1.0;
    for (int i = 0; i <= decades * steps; ++i) {
        candidates.push_back(first * std::pow(10.0, -static_cast<double>(i) / steps));
    }
    return candidates;
}

std::vector<double> every_other(const std::vector<double>& candidates)
{
    std::vector<double> some;
    for (std::size_t i = 0; i < candidates.size(); i += 2) {
        some.push_back(candidates[i]);
    }
    return some;
}

double mean_error(const std::vector<double>& errors, const std::vector<double>& variances, Task task, double count)
{
    double sum = 0.0;
    for (std::size_t k = 0; k < errors.size(); ++k) {
        const bool relative = task == Task::regress && variances[k] > 0.0;
        sum += relative ? errors[k] / variances[k] : errors[k];
    }
    return sum / (count * (task == Task::regress ? static_cast<double>(errors.size()) : 1.0));
}

std::size_t index_of_least(const std::vector<double>& errors)
{
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (std::isfinite(errors[i]) && (!best || errors[i] < errors[*best])) {
            best = i;
        }
    }
    if (!best) {
        throw BadInput("--ridge: found no ridge for which the equations can be solved, expected features and targets "
                       "of ordinary size (--scale standardise)");
    }
    return *best;
}

void refuse_ridge(double ridge)
{
    throw BadInput("--ridge: found " + number_text(ridge) +
                   ", for which the equations cannot be solved, expected a larger one");
}

Readout fit_primal(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const RidgeRequest& request)
{
    const RidgeMethod method = resolved_method(request, rows, stage.features());
    const Task task = rows.y().task;
    const Origin origin = origin_of(stage, rows);
    Parts parts;
    Readout readout{.ridge = request.value, .error = no_number};
    const bool by_parts = method == RidgeMethod::cv || method == RidgeMethod::holdout;
    if (by_parts && valid == nullptr) {
        std::size_t folds =
            std::min(method == RidgeMethod::cv ? request.folds : std::size_t{10}, rows.originals().count());
        std::vector<RowSet> sets = rows.folds(folds, request.seed);
        // Of groups that belong together there may be fewer.
        folds = sets.size();
        const std::size_t left_out = method == RidgeMethod::cv ? folds : 1;
        for (std::size_t fold = 0; rows.copies() != 0 && fold < left_out; ++fold) {
            parts.judged.push_back(accumulate(stage, sets[fold], origin, ""));
        }
        for (RowSet& set : sets) {
            set = set.with_its_copies();
        }
        if (method == RidgeMethod::holdout) {
            parts.left_out.push_back(accumulate(stage, sets[0], origin, "held-out rows"));
            parts.total = accumulate(stage, sets[0].without(0), origin, "rows");
            add(parts.total, parts.left_out[0]);
        }
        for (std::size_t fold = 0; method == RidgeMethod::cv && fold < folds; ++fold) {
            parts.left_out.push_back(accumulate(stage, sets[fold], origin,
                                                "fold " + std::to_string(fold + 1) + " of " + std::to_string(folds)));
            if (fold == 0) {
                parts.total = parts.left_out[0];
            } else {
                add(parts.total, parts.left_out[fold]);
            }
        }
    } else {
        parts.total = accumulate(stage, rows, origin, "rows");
        if (by_parts) {
            parts.left_out.push_back(accumulate(stage, *valid, origin, "validation rows"));
            parts.separate = true;
        }
    }
    if (by_parts) {
        const double spread = centred(parts.total).spread();
        readout = search(parts, ridge_candidates(spread), task);
        parts.left_out.clear();
    }
    const NormalEquations equations = centred(std::move(parts.total));
    if (method == RidgeMethod::rule) {
        readout.ridge = 1.0 / std::sqrt(equations.count * static_cast<double>(stage.features()));
    } else if (method == RidgeMethod::loo) {
        readout = leave_one_out(stage, rows, origin, equations, ridge_candidates(equations.spread()));
    }
    readout.weights = solve(equations, readout.ridge);
    // Leave-one-out needs no factor; with the ridge that it has found, sums in float may be too rough for one.
    for (int step = 0; step < most_raises && readout.searched && readout.weights.rows == 0; ++step) {
        readout.ridge *= raise;
        readout.weights = solve(equations, readout.ridge);
    }
    if (readout.weights.rows == 0) {
        refuse_ridge(readout.ridge);
    }
    readout.bias = intercepts(equations.z_mean, equations.y_mean, origin, readout.weights);
    return readout;
}

namespace {

// Of features in whole numbers one that varies less than this says next to nothing.
constexpr double least_deviation = 0.25;

// Over the number of rows: the least ridge of features that are scaled to their deviation.
constexpr double local_ridge = 0.2;

std::vector<float> inverse_deviations(const FeatureStage& stage, const RowSet& rows)
{
    Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(stage.features())), squares = sums;
    double count = 0.0;
    stage.in_blocks(rows, "", {}, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const Eigen::ArrayXd row = view(z).row(static_cast<Eigen::Index>(i)).transpose().array().cast<double>();
            const double weight = rows.y().weight(numbers[i]);
            sums += weight * row;
            squares += weight * row.square();
            count += weight;
        }
    });
    const Eigen::ArrayXd mean = sums / count;
    return evaluated_vector(
        (squares / count - mean.square()).max(least_deviation * least_deviation).rsqrt().matrix().cast<float>());
}

Readout fit_features(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const RidgeRequest& request)
{
    if (request.loss != ReadoutLoss::squared) {
        return fit_class_readout(stage, rows, valid, request);
    }
    const double bytes = 4.0 * static_cast<double>(rows.count()) * static_cast<double>(stage.features());
    const RidgeMethod method = resolved_method(request, rows, stage.features());
    const bool other_rows = valid != nullptr && (method == RidgeMethod::cv || method == RidgeMethod::holdout);
    // Which row is a copy the dual form does not know.
    return rows.count() < stage.features() && bytes < most_dual_bytes && !other_rows && rows.copies() == 0
               ? fit_dual(stage, rows, valid, request)
               : fit_primal(stage, rows, valid, request);
}

} // namespace

Readout fit_readout(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const RidgeRequest& request)
{
    const OneBlasThread alone(rows.count() * stage.features() <= most_numbers_alone);
    if (!std::holds_alternative<LocalSpec>(stage.spec())) {
        return fit_features(stage, rows, valid, request);
    }
    // Local features differ in size; a ridge is to tell them apart by what they say alone.
    const std::vector<float> factors = inverse_deviations(stage, rows);
    // The rows have chosen their features: others that are left out are told too well, and want no ridge at all.
    RidgeRequest with_floor = request;
    with_floor.least = local_ridge / static_cast<double>(rows.count());
    Readout readout = fit_features(stage.with_factors(factors), rows, valid, with_floor);
    view(readout.weights).array().rowwise() *= view(factors).cast<double>().transpose().array();
    return readout;
}

} // namespace samara::desk
