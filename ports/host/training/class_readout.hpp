// Readouts of classes over the features of a stage: class_fit.hpp's fits for data that need not fit memory.
#pragma once

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::desk {

// Of RidgeRequest's methods loo and rule are those of least squares, and taken for automatic. All features are kept
// where they fit --most-memory; else they are made anew for each pass over the rows, which takes longer and no more
// memory than least squares.
Readout fit_class_readout(const FeatureStage& stage, const RowSet& rows, const RowSet* valid,
                          const RidgeRequest& request);

} // namespace samara::desk
