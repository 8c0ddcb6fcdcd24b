#include "ports/host/training/whole_readout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/training/dense.hpp"
#include "ports/host/training/normal_equations.hpp"
#include "ports/host/training/ridge.hpp"
#include "ports/host/training/whole_descent.hpp"
#include "samara/memory.hpp"
#include "samara/readout/whole.hpp"

namespace samara::desk {
namespace {

constexpr int most_sweeps = 20, most_scales = 4;

using Row = WholeRow;

double product(const double* a, const std::vector<double>& b)
{
    double sum = 0.0;
    for (std::size_t j = 0; j < b.size(); ++j) {
        sum += a[j] * b[j];
    }
    return sum;
}

// C (w - s q), anew.
std::vector<double> residue(const MatrixD& covariance, const std::vector<double>& w, const Row& row)
{
    std::vector<double> off(w.size()), r(w.size());
    for (std::size_t j = 0; j < w.size(); ++j) {
        off[j] = w[j] - row.scale * row.q[j];
    }
    for (std::size_t j = 0; j < w.size(); ++j) {
        r[j] = product(covariance.row(j), off);
    }
    return r;
}

void descend(const MatrixD& covariance, const std::vector<double>& w, int most, Row& row)
{
    std::vector<double> r = residue(covariance, w, row);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        bool changed = false;
        for (std::size_t j = 0; j < w.size(); ++j) {
            const double curvature = covariance.row(j)[j] * row.scale;
            if (!(curvature > 0.0)) {
                continue; // a feature that does not vary: whatever its weight is, the bias has it
            }
            const int wanted = std::clamp(row.q[j] + static_cast<int>(std::lround(r[j] / curvature)), -most, most);
            const int step = wanted - row.q[j];
            if (step == 0) {
                continue;
            }
            row.q[j] = wanted;
            changed = true;
            const double* const column = covariance.row(j);
            for (std::size_t k = 0; k < w.size(); ++k) {
                r[k] -= row.scale * step * column[k];
            }
        }
        if (!changed) {
            return;
        }
    }
}

// The scale that is best for a row's whole numbers; 0 where there is none.
double best_scale(const MatrixD& covariance, const std::vector<double>& w, const Row& row)
{
    double up = 0.0, down = 0.0;
    std::vector<double> q(row.q.begin(), row.q.end());
    for (std::size_t j = 0; j < q.size(); ++j) {
        const double weighted = row.q[j] == 0 ? 0.0 : product(covariance.row(j), q);
        up += weighted * w[j];
        down += weighted * q[j];
    }
    return down > 0.0 && up > 0.0 ? up / down : 0.0;
}

double squared(const MatrixD& covariance, const std::vector<double>& w, const Row& row)
{
    const std::vector<double> r = residue(covariance, w, row);
    double sum = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
        sum += r[j] * (w[j] - row.scale * row.q[j]);
    }
    return sum;
}

std::vector<int> rounded(const std::vector<double>& w, double scale, int most)
{
    const auto limit = static_cast<double>(most);
    std::vector<int> q(w.size());
    for (std::size_t j = 0; j < w.size(); ++j) {
        q[j] = static_cast<int>(std::clamp(std::round(w[j] / scale), -limit, limit));
    }
    return q;
}

constexpr double usual_shares[] = {1.0, 0.8, 0.6};

// From scales that cut off more or less of the largest weights, the one that ends best.
Row fitted(const MatrixD& covariance, const std::vector<double>& w, int most, std::span<const double> shares)
{
    double largest = 0.0;
    for (const double v : w) {
        largest = std::max(largest, std::fabs(v));
    }
    Row best{std::vector<int>(w.size(), 0), largest > 0.0 ? largest / most : 1.0, 0.0};
    if (!(largest > 0.0)) {
        return best;
    }
    double least = -1.0;
    for (const double share : shares) {
        Row row{{}, share * largest / most, 0.0};
        row.q = rounded(w, row.scale, most);
        for (int turn = 0; turn < most_scales; ++turn) {
            descend(covariance, w, most, row);
            const double scale = best_scale(covariance, w, row);
            if (!(scale > 0.0) || std::fabs(scale / row.scale - 1.0) < 1e-4) {
                break;
            }
            row.scale = scale;
        }
        if (const double error = squared(covariance, w, row); least < 0.0 || error < least) {
            least = error;
            best = std::move(row);
        }
    }
    return best;
}

// All outputs' rows, with biases that make up for what the features' means lose.
std::vector<Row> fitted(const MatrixD& covariance, const Eigen::VectorXd& mean, const MatrixD& weights,
                        const std::vector<double>& bias, int most, std::span<const double> shares = usual_shares)
{
    std::vector<Row> rows;
    for (std::size_t o = 0; o < weights.rows; ++o) {
        const std::vector<double> w(weights.row(o), weights.row(o) + weights.cols);
        Row row = fitted(covariance, w, most, shares);
        row.bias = bias[o];
        for (std::size_t j = 0; j < w.size(); ++j) {
            row.bias += (w[j] - row.scale * row.q[j]) * mean[static_cast<Eigen::Index>(j)];
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

// Rows that a readout of few bits is refined on: so many numbers' worth, because few rows are learned by heart.
constexpr std::size_t refined_numbers = std::size_t{1} << 25, fewest_refined = 4000;
// Large weights that make up for each other do not survive rounding: larger ridges than the floats' are tried too.
constexpr double ridge_factors[] = {1.0, 8.0};
// What the largest weights lose the smaller ones gain.
constexpr double refined_shares[] = {1.0, 0.6, 0.4};

// Returns the least loss.
double refine(const FeatureStage& stage, const RowSet& rows, const NormalEquations& equations,
              const Eigen::VectorXd& mean, const TrainedModel& model, const RidgeRequest& request, int most,
              std::vector<Row>& fits)
{
    const std::size_t numbers = stage.features() * fits.size();
    const RowSet some = rows.sample(std::max(refined_numbers / numbers, fewest_refined));
    ClassSample sample{stage.all(some), {}, {}, request.value, {}};
    for (const std::size_t row : some.numbers()) {
        sample.classes.push_back(some.y().classes[row]);
        sample.weights.push_back(some.y().weight(row));
    }
    // The ridge is that of the floats: of local features it counts weights in units of deviations.
    const bool local = std::holds_alternative<LocalSpec>(stage.spec());
    for (std::size_t j = 0; j < equations.gram.rows; ++j) {
        sample.variances.push_back(local ? equations.gram.row(j)[j] / equations.count : 1.0);
    }
    // From where the loss is least; where that leads is told well enough by it.
    double least = logistic_loss(sample, fits);
    for (const double factor : ridge_factors) {
        MatrixD weights = evaluated(view(model.weights).cast<double>());
        std::vector<double> bias(model.bias.begin(), model.bias.end());
        if (factor > 1.0) {
            RidgeRequest tried = request;
            tried.method = RidgeMethod::value;
            tried.value = request.value * factor;
            tried.calibrate = false;
            Readout readout = fit_readout(stage, some, nullptr, tried);
            weights = std::move(readout.weights);
            bias = std::move(readout.bias);
        }
        for (const double share : refined_shares) {
            std::vector<Row> found = fitted(equations.gram, mean, weights, bias, most, std::span(&share, 1));
            if (const double loss = logistic_loss(sample, found); loss < least) {
                least = loss;
                fits = std::move(found);
            }
        }
    }
    descend_logistic(sample, most, fits);
    return logistic_loss(sample, fits);
}

void put(std::vector<std::uint32_t>& words, std::size_t at, ReadoutType type, std::size_t j, int q)
{
    auto* const bytes = reinterpret_cast<std::byte*>(words.data()) + at;
    if (type == ReadoutType::whole8) {
        bytes[j] = static_cast<std::byte>(q + 128);
    } else {
        bytes[j / 8 * 4 + j % 4] |= static_cast<std::byte>((q + 8) << (j % 8 < 4 ? 0 : 4));
    }
}

} // namespace

WholeWeights fit_whole_readout(const FeatureStage& stage, const RowSet& rows, const TrainedModel& model,
                               const RidgeRequest& request, ReadoutType type)
{
    const MatrixF& weights = model.weights;
    if (weights.cols > most_whole_features) {
        throw BadInput("--readout: found " + std::to_string(weights.cols) + " features, expected at most " +
                       std::to_string(most_whole_features) + " for a readout in whole numbers");
    }
    const Origin origin = origin_of(stage, rows);
    const NormalEquations equations = centred(accumulate(stage, rows, origin, ""));
    const int most = type == ReadoutType::whole8 ? 127 : 7;
    const auto features = static_cast<std::uint32_t>(weights.cols);
    const Eigen::VectorXd mean = view(origin.z).cast<double>() + view(equations.z_mean);
    std::vector<Row> fits = fitted(equations.gram, mean, evaluated(view(weights).cast<double>()),
                                   {model.bias.begin(), model.bias.end()}, most);
    double loss = 0.0;
    if (type == ReadoutType::whole4 && request.loss == ReadoutLoss::logistic) {
        loss = refine(stage, rows, equations, mean, model, request, most, fits);
    }
    double largest = 0.0, largest_bias = 0.0;
    for (const Row& row : fits) {
        largest = std::max(largest, row.scale);
        largest_bias = std::max(largest_bias, std::fabs(row.bias));
    }
    const double step = std::ldexp(1.0, static_cast<int>(whole_shift(type, features)));
    // A unit such that the largest scale has the largest multiplier, but for large biases.
    const double unit = std::max(largest * step / most_multiplier, 2.0 * largest_bias / most_whole_bias);
    WholeWeights made;
    made.loss = loss;
    made.type = type;
    made.features = features;
    made.unit = static_cast<float>(unit);
    const std::size_t row_bytes = static_cast<std::size_t>(readout_row_bytes(type, features));
    made.weights.resize(weights.rows * row_bytes / sizeof(std::uint32_t));
    for (std::size_t o = 0; o < weights.rows; ++o) {
        const Row& row = fits[o];
        const auto multiplier = static_cast<std::uint32_t>(
            std::clamp(std::lround(row.scale * step / unit), 1L, static_cast<long>(most_multiplier)));
        made.multipliers.push_back(static_cast<std::uint16_t>(multiplier));
        const double one = multiplier * unit / step;
        // The multiplier is not quite the scale: what that does to the mean belongs to the bias.
        double bias = row.bias;
        for (std::size_t j = 0; j < weights.cols; ++j) {
            bias += (row.scale - one) * row.q[j] * mean[static_cast<Eigen::Index>(j)];
            put(made.weights, o * row_bytes, type, j, row.q[j]);
        }
        // A sum is rounded down to a multiple of 2^p, half of that in the mean.
        bias += 0.5 * multiplier * unit * (1.0 - 1.0 / step);
        const double whole = std::round(bias / unit);
        if (!(std::fabs(whole) <= most_whole_bias) || !(unit >= 0x1p-126) || !(unit <= 0x1p64)) {
            throw BadInput("readout: found the bias " + number_text(static_cast<float>(bias)) +
                           ", expected one that a readout in whole numbers can hold beside its weights (take a larger "
                           "ridge, or --readout float32)");
        }
        made.biases.push_back(static_cast<std::int32_t>(whole));
    }
    if (made.multipliers.size() % 2 != 0) {
        made.multipliers.push_back(0);
    }
    return made;
}

samara::Readout whole_view(const WholeWeights& weights)
{
    samara::Readout r;
    r.type = weights.type;
    r.outputs = static_cast<std::uint32_t>(weights.biases.size());
    r.features = weights.features;
    r.biases = reinterpret_cast<const std::byte*>(weights.biases.data());
    r.scales = reinterpret_cast<const std::byte*>(weights.multipliers.data());
    r.weights = reinterpret_cast<const std::byte*>(weights.weights.data());
    r.bias_stride = sizeof(std::int32_t);
    r.weight_stride = static_cast<std::size_t>(readout_row_bytes(weights.type, weights.features));
    return with_whole_face(r, weights.unit);
}

} // namespace samara::desk
