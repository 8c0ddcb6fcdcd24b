#include "ports/host/training/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>

#include "ports/host/training/blas.hpp"
#include "ports/host/training/calibration.hpp"

namespace samara::desk {
namespace {

std::string four_digits(double value)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", value);
    return buffer;
}

} // namespace

std::string per_cent(double share) { return four_digits(100.0 * share) + " %"; }

std::size_t largest(const float* scores, std::size_t count)
{
    return static_cast<std::size_t>(std::max_element(scores, scores + count) - scores);
}

Score::Score(Task task, std::size_t outputs, double probability_scale)
    : task_(task), scale_(probability_scale), errors_(outputs), first_(outputs), sums_(outputs), squares_(outputs),
      energies_(outputs), constant_(outputs, true)
{
    if (task == Task::classify) {
        confusion_.assign(outputs, std::vector<std::size_t>(outputs));
    }
}

void Score::add(const Target& target, std::size_t row, const float* outputs)
{
    std::vector<float> wanted(errors_.size());
    target.encode(row, wanted.data());
    if (task_ == Task::classify) {
        const std::size_t found = largest(outputs, errors_.size());
        ++confusion_[target.classes[row]][found];
        correct_ += found == target.classes[row] ? 1 : 0;
        log_losses_ += log_loss_of(outputs, errors_.size(), target.classes[row], scale_);
    }
    for (std::size_t k = 0; k < errors_.size(); ++k) {
        const auto y = static_cast<double>(wanted[k]);
        const double error = y - static_cast<double>(outputs[k]);
        absolute_errors_ += std::fabs(error);
        first_[k] = rows_ == 0 ? y : first_[k];
        constant_[k] = constant_[k] && std::equal_to<>()(y, first_[k]);
        errors_[k] += error * error;
        sums_[k] += y - first_[k];
        squares_[k] += (y - first_[k]) * (y - first_[k]);
        energies_[k] += y * y;
    }
    ++rows_;
}

double Score::accuracy() const { return static_cast<double>(correct_) / static_cast<double>(rows_); }

double Score::log_loss() const
{
    return scale_ > 0.0 ? log_losses_ / static_cast<double>(rows_) : std::numeric_limits<double>::quiet_NaN();
}

double Score::balanced_accuracy() const
{
    double sum = 0.0, classes = 0.0;
    for (std::size_t k = 0; k < confusion_.size(); ++k) {
        const auto count = std::accumulate(confusion_[k].begin(), confusion_[k].end(), std::size_t{0});
        if (count != 0) {
            sum += static_cast<double>(confusion_[k][k]) / static_cast<double>(count);
            classes += 1.0;
        }
    }
    return sum / classes;
}

double Score::root_mean_squared_error() const { return std::sqrt(mean_squared_error()); }

double Score::root_mean_squared_error_of(std::size_t target) const
{
    return std::sqrt(errors_[target] / static_cast<double>(rows_));
}

double Score::mean_absolute_error() const
{
    return absolute_errors_ / (static_cast<double>(rows_) * static_cast<double>(errors_.size()));
}

double Score::mean_squared_error() const
{
    double sum = 0.0;
    for (const double error : errors_) {
        sum += error;
    }
    return sum / (static_cast<double>(rows_) * static_cast<double>(errors_.size()));
}

double Score::spread(std::size_t output) const
{
    return squares_[output] - sums_[output] * sums_[output] / static_cast<double>(rows_);
}

double Score::r_squared() const
{
    double sum = 0.0, targets = 0.0;
    for (std::size_t k = 0; k < errors_.size(); ++k) {
        if (!constant_[k] && spread(k) > 0.0) {
            sum += 1.0 - errors_[k] / spread(k);
            targets += 1.0;
        }
    }
    return targets > 0.0 ? sum / targets : std::numeric_limits<double>::quiet_NaN();
}

std::size_t Score::constant_targets() const
{
    return static_cast<std::size_t>(std::count(constant_.begin(), constant_.end(), true));
}

std::string Score::r_squared_text_of(std::size_t target) const
{
    if (constant_[target] || !(spread(target) > 0.0)) {
        return "not defined";
    }
    return four_digits(1.0 - errors_[target] / spread(target));
}

std::string Score::r_squared_text() const
{
    const std::size_t constant = constant_targets(), all = errors_.size();
    const double value = r_squared();
    if (std::isnan(value)) {
        return constant == all ? std::string("not defined: ") + (all == 1 ? "the target has" : "the targets have") +
                                     " one value only"
                               : "not defined: the targets hardly vary";
    }
    return four_digits(value) + (constant == 0
                                     ? ""
                                     : " (the mean over " + std::to_string(all - constant) + " of " +
                                           std::to_string(all) + " targets: of one value only it is not defined)");
}

double Score::relative_error() const
{
    double error = 0.0, energy = 0.0;
    for (std::size_t k = 0; k < errors_.size(); ++k) {
        error += errors_[k];
        energy += energies_[k];
    }
    return energy > 0.0 ? std::sqrt(error / energy) : 0.0;
}

std::string Score::text() const
{
    if (task_ == Task::classify) {
        return "accuracy " + per_cent(accuracy());
    }
    return "R2 " + r_squared_text() + ", RMSE " + four_digits(root_mean_squared_error()) + ", MAE " +
           four_digits(mean_absolute_error());
}

void for_each_output(const TrainedModel& model, const RowSet& rows, unsigned threads,
                     const std::function<void(const MatrixF&, const std::vector<std::size_t>&)>& body)
{
    const FeatureStage stage(model.spec, model.kept_rows, model.scaling, threads);
    MatrixF outputs(stage.block_rows(), model.weights.rows);
    stage.in_blocks(rows, "predictions", {}, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
        multiply_transposed(z, numbers.size(), model.weights, outputs);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            for (std::size_t k = 0; k < outputs.cols; ++k) {
                outputs.row(i)[k] += model.bias[k];
            }
        }
        body(outputs, numbers);
    });
}

Score score_of(const TrainedModel& model, const RowSet& rows, unsigned threads)
{
    Score score(model.task, model.weights.rows, static_cast<double>(model.probability_scale));
    for_each_output(model, rows, threads, [&](const MatrixF& outputs, const std::vector<std::size_t>& numbers) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            score.add(rows.y(), numbers[i], outputs.row(i));
        }
    });
    return score;
}

} // namespace samara::desk
