// Training: from rows to a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/gradient.hpp"
#include "ports/host/training/ridge.hpp"
#include "ports/host/training/scaling.hpp"
#include "ports/host/training/score.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

struct TrainSettings {
    MapRequest map;
    RidgeRequest ridge;
    ScalingKind scaling = ScalingKind::none;
    bool any_map = false; // the map and, where they are automatic, scaling and loss are chosen too
    bool fill_missing = false;
    std::vector<double> bandwidths; // to try, instead of the map's
    bool features_auto = false;
    std::uint32_t candidates = 0;      // 0: rows are not chosen
    std::optional<std::size_t> blocks; // of how many transforms they may be; 0: any; none: what pays
    // Rows are chosen with this ridge, and nobody asks whether that pays: where ways of training are compared as a
    // whole.
    std::optional<double> choosing_ridge;
    bool fit_scales = false;    // a factor for each input is learned, and taken if it pays
    std::uint32_t features = 0; // of the map, or kept of the candidates
    unsigned threads = 1;
    GradientSettings gradient; // with epochs: in place of solving
    // The readout in whole numbers that is to be fitted, for maps with numbers=int8; else a type in floats.
    ReadoutType readout = ReadoutType::float32;
    bool confidence = false; // seal how sure predictions are on rows that are left out
    // Seal what makes probabilities of outputs, learned on rows that are left out: of a loss of classes always, of
    // squared loss where this is wanted, because it takes another fit.
    bool probabilities = false;
    bool talk = true; // notes on standard error
};

struct Trained {
    TrainedModel model;
    Readout readout; // its weights are moved into the model
};

// BadInput for too few rows to train on, or to leave some out where the settings want that.
void require_rows(const RowSet& rows, const RowSet* valid, const TrainSettings& settings);

// Of rows that require_rows() takes. `valid`: rows that choices (ridge, bandwidth, number of features) are judged on,
// else parts of `rows` are.
Trained train_model(const RowSet& rows, const RowSet* valid, const TrainSettings& settings);

// A model whose features are settled: its readout, of squared loss or of classes, and in whole numbers where wanted.
Trained train_readout(const FeatureStage& stage, const RowSet& rows, const RowSet* valid,
                      const TrainSettings& settings);

// Kernel ridge regression with the kernel that the map estimates.
class ExactMachine {
public:
    static constexpr std::size_t most_rows = 20000;

    ExactMachine(const RowSet& rows, const TrainSettings& settings);

    double ridge() const { return readout_.ridge; }
    Score score(const RowSet& rows) const;

private:
    MapSpec spec_;
    Scaling scaling_;
    unsigned threads_;
    MatrixF x_;
    Readout readout_;
    MatrixD alpha_;
};

// One line on standard error.
void say(const std::string& line);

// What both kinds of training begin with: the map for these rows as they are scaled, and the scaling.
struct Prepared {
    Scaling scaling;
    MapSpec spec;
};
Prepared prepare(const RowSet& rows, const TrainSettings& settings, MapUse use);

// "12.3", with so many digits that count.
std::string short_number(double value, int digits);

} // namespace samara::desk
