// How rows are to become features: the map and the scaling, as far as they are decided.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/judge.hpp"
#include "ports/host/training/train.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

class MapPlan {
public:
    // What the settings say of the map and the scaling, for these rows.
    MapPlan(const RowSet& rows, const TrainSettings& settings);

    const MapSpec& spec() const { return spec_; }
    const Scaling& scaling() const { return scaling_; }

    // The same with other numbers of features, of which the first are the same.
    MapSpec of_features(std::uint32_t features) const;
    FeatureStage stage(std::uint32_t features) const { return {of_features(features), {}, scaling_, threads_}; }
    FeatureStage stage() const { return {spec_, {}, scaling_, threads_}; }
    // Of candidates: what exact orders the kept features can carry is decided by their number, not by the candidates'.
    MapSpec candidates(std::uint32_t count) const;

    void set_features(std::uint32_t features);
    void set_bandwidth(double bandwidth);
    void set_orders(Orders orders);
    void set_scaling(Scaling scaling) { scaling_ = std::move(scaling); }

private:
    MapSpec fitted(const MapRequest& request) const;

    MapRequest request_; // bandwidth and orders as they were decided
    std::string name_;
    MatrixF sample_; // two rows, for their width and shape
    unsigned threads_;
    Scaling scaling_;
    MapSpec spec_;
};

// Whether rows differ, as these settings scale them, so that a bandwidth can be measured by their median distance.
bool has_median(const RowSet& rows, const TrainSettings& settings);

// Each asks rows that were left out. They say what they decide where the settings let them talk.

// Of local maps, where it is automatic: one scale for all inputs, or for series one for each channel where that pays.
void choose_scaling(const RowSet& rows, const RowSet* valid, TrainSettings& settings);
// Bandwidths of `rff` around the median distance, or those of the settings.
void choose_bandwidth(MapPlan& plan, const RowSet& rows, const RowSet* valid, const TrainSettings& settings);
// A factor for each input, where that pays.
void choose_scales(MapPlan& plan, const RowSet& rows, const Judge& judge, const TrainSettings& settings);
// Whether low orders are carried exactly, where the request leaves that open: of rff around the mean of the rows.
void choose_orders(MapPlan& plan, const RowSet& rows, const Judge& judge, const TrainSettings& settings);

} // namespace samara::desk
