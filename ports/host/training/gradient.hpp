// Training by steps of AdaGrad over features that are made anew for each: for maps of so many features that a matrix of
// their products does not fit memory. What is needed grows with the features alone, not with the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// Of classes: that of softmax, or of least squares against one-hot targets.
enum class GradientLoss : std::uint32_t { logistic, squared };

// A weight's step is rate / sqrt(features) * g / sqrt(sum of g^2 so far), g the mean gradient of some rows: of a few
// where there are many features. Values have squared loss, in units of their spread.
struct GradientSettings {
    std::uint32_t epochs = 0; // rounds through the rows, in a new order each; 0: not this way
    double rate = 10.0;
    GradientLoss loss = GradientLoss::logistic; // of classes
    double ridge = 0.0;                         // adds ridge * weight to a gradient
    std::uint64_t seed = 0;                     // of the order of rows
    std::string state;          // a file that is gone on from where there is one, and kept up to date; "": none
    unsigned save_seconds = 60; // between two times of that; also at the end, and after an epoch if a second has passed
    bool talk = true;           // a line an epoch on standard error
};

// Fills x with the inputs of a row in an epoch, before they are scaled: for rows that are made anew each time.
using FillRow = std::function<void(std::uint32_t epoch, std::size_t row, float* x)>;
// Called after each epoch with the model so far, whose spec, scaling and labels are not set.
using AfterEpoch = std::function<void(std::uint32_t epoch, const TrainedModel& model)>;

// The weights and the bias. The same for any number of threads. BadInput for a state file of another training.
TrainedModel train_by_gradient(const FeatureStage& stage, const RowSet& rows, const GradientSettings& settings,
                               const FillRow& fill = {}, const AfterEpoch& after = {});

} // namespace samara::desk
