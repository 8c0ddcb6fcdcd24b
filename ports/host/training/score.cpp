#include "ports/host/training/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ports/host/training/blas.hpp"

namespace samara::desk {

std::size_t largest(const float* scores, std::size_t count)
{
    return static_cast<std::size_t>(std::max_element(scores, scores + count) - scores);
}

Score::Score(Task task, std::size_t outputs)
    : task_(task), errors_(outputs), first_(outputs), sums_(outputs), squares_(outputs), energies_(outputs)
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
    }
    for (std::size_t k = 0; k < errors_.size(); ++k) {
        const auto y = static_cast<double>(wanted[k]);
        const double error = y - static_cast<double>(outputs[k]);
        first_[k] = rows_ == 0 ? y : first_[k];
        errors_[k] += error * error;
        sums_[k] += y - first_[k];
        squares_[k] += (y - first_[k]) * (y - first_[k]);
        energies_[k] += y * y;
    }
    ++rows_;
}

double Score::accuracy() const { return static_cast<double>(correct_) / static_cast<double>(rows_); }

double Score::mean_squared_error() const
{
    double sum = 0.0;
    for (const double error : errors_) {
        sum += error;
    }
    return sum / (static_cast<double>(rows_) * static_cast<double>(errors_.size()));
}

double Score::r_squared() const
{
    double sum = 0.0;
    for (std::size_t k = 0; k < errors_.size(); ++k) {
        const double spread = squares_[k] - sums_[k] * sums_[k] / static_cast<double>(rows_);
        sum += spread > 0.0 ? 1.0 - errors_[k] / spread : 0.0;
    }
    return sum / static_cast<double>(errors_.size());
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
    char buffer[160];
    if (task_ == Task::classify) {
        std::snprintf(buffer, sizeof buffer, "accuracy %.2f %%", 100.0 * accuracy());
    } else {
        std::snprintf(buffer, sizeof buffer, "R2 %.4f, mean squared error %.6g, relative error %.4f", r_squared(),
                      mean_squared_error(), relative_error());
    }
    return buffer;
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
    Score score(model.task, model.weights.rows);
    for_each_output(model, rows, threads, [&](const MatrixF& outputs, const std::vector<std::size_t>& numbers) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            score.add(rows.y(), numbers[i], outputs.row(i));
        }
    });
    return score;
}

} // namespace samara::desk
