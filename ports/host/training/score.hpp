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

class Score {
public:
    Score(Task task, std::size_t outputs);

    void add(const Target& target, std::size_t row, const float* outputs);

    Task task() const { return task_; }
    std::size_t rows() const { return rows_; }
    double accuracy() const;
    // Row: what it is; column: what was predicted.
    const std::vector<std::vector<std::size_t>>& confusion() const { return confusion_; }
    // Over all outputs; for classes, of the scores against one-hot minus 1/classes.
    double mean_squared_error() const;
    double r_squared() const;      // the mean over the targets; 0 where a target has one value only
    double relative_error() const; // |y - f| / |y|

    // "accuracy 98.91 %", or the errors of regression.
    std::string text() const;

private:
    Task task_;
    std::size_t rows_ = 0, correct_ = 0;
    std::vector<std::vector<std::size_t>> confusion_;
    std::vector<double> errors_, first_, sums_, squares_, energies_; // of each output; sums and squares from the first
};

// Calls `body` with the outputs of some rows, and the rows' numbers.
void for_each_output(const TrainedModel& model, const RowSet& rows, unsigned threads,
                     const std::function<void(const MatrixF& outputs, const std::vector<std::size_t>& rows)>& body);

Score score_of(const TrainedModel& model, const RowSet& rows, unsigned threads);

} // namespace samara::desk
