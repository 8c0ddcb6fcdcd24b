// How good predictions are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// The class of the largest score; the first of equals.
std::size_t largest(const float* scores, std::size_t count);

// "98.66 %", with four digits that count.
std::string per_cent(double share);

class Score {
public:
    // With a scale above 0 the outputs are probabilities' logarithms over it: then there is a log-loss.
    Score(Task task, std::size_t outputs, double probability_scale = 0.0);

    void add(const Target& target, std::size_t row, const float* outputs);

    Task task() const { return task_; }
    std::size_t rows() const { return rows_; }
    double accuracy() const;
    // The mean over the classes that there are rows of, of the share that was found of each.
    double balanced_accuracy() const;
    // Row: what it is; column: what was predicted.
    const std::vector<std::vector<std::size_t>>& confusion() const { return confusion_; }
    // Of softmax(scale * outputs), the mean of -log(probability of the row's class); a NaN without a scale.
    double log_loss() const;
    // Over all outputs; for classes, of the scores against one-hot minus 1/classes.
    double mean_squared_error() const;
    double root_mean_squared_error() const;
    double mean_absolute_error() const;
    // The mean over the targets with more than one value, for which alone it is defined; a NaN where there is none.
    double r_squared() const;
    // How many targets have one value in all rows.
    std::size_t constant_targets() const;
    double relative_error() const; // |y - f| / |y|

    // "accuracy 98.91 %", or R2 and the errors of regression.
    std::string text() const;
    // What r_squared() says, in words where it is not defined: "0.9841", "not defined: the target has one value only".
    std::string r_squared_text() const;
    // The same of one target.
    double root_mean_squared_error_of(std::size_t target) const;
    std::string r_squared_text_of(std::size_t target) const;

private:
    Task task_;
    double spread(std::size_t output) const;

    double scale_, log_losses_ = 0.0;
    std::size_t rows_ = 0, correct_ = 0;
    std::vector<std::vector<std::size_t>> confusion_;
    std::vector<double> errors_, first_, sums_, squares_, energies_; // of each output; sums and squares from the first
    double absolute_errors_ = 0.0;
    std::vector<bool> constant_; // every value is the first one
};

// Calls `body` with the outputs of some rows, and the rows' numbers.
void for_each_output(const TrainedModel& model, const RowSet& rows, unsigned threads,
                     const std::function<void(const MatrixF& outputs, const std::vector<std::size_t>& rows)>& body);

Score score_of(const TrainedModel& model, const RowSet& rows, unsigned threads);

} // namespace samara::desk
