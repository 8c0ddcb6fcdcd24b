// Linear readouts that tell classes apart, by a loss of classes and a ridge: the least of
//   (1/n) sum over rows of weight * loss(scores, class) + ridge |W|^2,   n: the sum of the weights
// The bias has no ridge. Multinomial logistic regression in a few lines, for whoever has features in memory:
//
//   ClassTask task{.classes = classes, .outputs = 10};
//   task.parts = parts_of_rows(classes.size(), 5, seed);  // to be left out in turn; none: no ridge is searched
//   const ClassFit fit = fit_classes(z, task, {});        // fit.readout.weights, fit.error on left-out rows
//
// Features need no scaling: steps are taken in coordinates in which their covariance is that of the ridge's problem, so
// that ten to thirty passes over the rows are enough. Time: of 60,000 rows, 4,096 features and 10 classes a pass is
// 50 ms on two processors; to that come the covariance (of at most four rows a feature) and its Cholesky factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/training/class_rows.hpp"

namespace samara::desk {

struct ClassTask {
    // Parts of rows below this are left out in turn: a readout is fitted to the others, and judged on them.
    static constexpr std::uint8_t in_no_part = 254;  // always fitted
    static constexpr std::uint8_t only_judged = 255; // never fitted, always judged

    std::vector<std::uint32_t> classes = {}; // of each row; one that no row has is taken for improbable
    std::size_t outputs = 2;                 // how many classes there are
    std::vector<float> weights = {};         // of each row, 0 or more; empty: all 1
    std::vector<std::uint8_t> parts = {};    // of each row; empty: in no part
    std::vector<bool> copies = {};           // of each row, whether it is never judged; empty: no row
};

// What the best ridge of several is best in, on rows that were left out.
enum class ClassJudge : std::uint8_t { log_loss, errors };

struct ClassRequest {
    ClassLoss loss = ClassLoss::logistic;
    ClassJudge judge = ClassJudge::log_loss;
    // To try, or the one to take; empty: those of a path, from the middle on to where left-out rows become no better.
    // Without left-out rows the last of them is taken, or the middle of the path.
    std::vector<double> ridges = {};
    double least_ridge = 0.0; // of the path
    unsigned threads = 1;
};

struct ClassFit {
    LinearReadout readout;
    double ridge = 0.0;
    // On rows that were left out; NaN (and 0) where none were.
    double log_loss = 0.0; // of probabilities softmax(scale * scores)
    double error = 0.0;    // the share of rows whose class was not found
    double scale = 0.0;
    std::size_t passes = 0; // over the rows
};

// BadInput where the losses leave the range of numbers.
ClassFit fit_classes(const ClassRows& rows, const ClassTask& task, const ClassRequest& request);
// The same of a matrix. With fewer rows than features it solves for the rows, which gives the same readout.
ClassFit fit_classes(const MatrixF& z, const ClassTask& task, const ClassRequest& request);

// So many parts of equal size (but for one), at random by `seed`.
std::vector<std::uint8_t> parts_of_rows(std::size_t rows, std::size_t parts, std::uint64_t seed);

} // namespace samara::desk
