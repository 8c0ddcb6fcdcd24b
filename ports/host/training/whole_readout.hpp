// A readout in whole numbers for features that are whole: not rounded, but fitted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/trained.hpp"
#include "samara/readout.hpp"

namespace samara::desk {

struct RidgeRequest;

// The weights q and the scales s of each output that make (w - s q)' C (w - s q) small, w the output's weights and C
// the features' covariance over these rows: from rounded weights by coordinate descent, one q after the other, and the
// best s for these in turn. Biases make up for what the features' means lose. `type`: whole8 or whole4; the latter, of
// a logistic loss, is then refined by what the loss itself says, with larger ridges too. `request` is that of the
// weights, with the ridge that was taken as its value. BadInput where a bias or a weight cannot be held.
WholeWeights fit_whole_readout(const FeatureStage& stage, const RowSet& rows, const TrainedModel& model,
                               const RidgeRequest& request, ReadoutType type);

// A view of it.
samara::Readout whole_view(const WholeWeights& weights);

} // namespace samara::desk
