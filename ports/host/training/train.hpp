// Training: from rows to a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/text/map_text.hpp"
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
    bool fill_missing = false;
    std::vector<double> bandwidths; // to try, instead of the map's
    bool features_auto = false;
    std::uint32_t candidates = 0; // 0: rows are not chosen
    std::uint32_t features = 0;   // of the map, or kept of the candidates
    unsigned threads = 1;
    GradientSettings gradient; // with epochs: in place of solving
    bool confidence = false;   // seal how sure predictions are on rows that are left out
    bool talk = true;          // notes on standard error
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
