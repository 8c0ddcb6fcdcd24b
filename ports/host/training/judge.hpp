// What ways of making features are worth, on rows from which nothing of them was learned.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::desk {

// What each judged row loses: of classes 1 where another one was found, else 0 (the mean over several deals of the
// rows); of values the squared error, in units of their variance; both as often as the row counts. Judgements of one
// Judge have the same rows in the same order.
using Losses = std::vector<double>;

// What rows lose, one after the other.
class LossMeter {
public:
    explicit LossMeter(const RowSet& judged);

    // The outputs for the judged row that comes next.
    void add(const double* outputs);
    const Losses& losses() const { return losses_; }
    // How much the rows of these losses count together.
    double weight() const { return weight_; }

private:
    const Target* target_;
    std::vector<std::size_t> numbers_;
    MatrixD wanted_;
    std::vector<double> units_; // of values, the variance of each output
    Losses losses_;
    double weight_ = 0.0;
};

// As the request, but with a ridge that is searched for, and without what only a sealed model needs.
RidgeRequest searching(RidgeRequest request);

class Judge {
public:
    // Each part of some of the rows is judged by what the other parts teach; where there are validation rows, some of
    // them by some of the rows. `features`: how many are to be judged, which says how many rows tell them apart.
    Judge(const RowSet& rows, const RowSet* valid, std::size_t features, const RidgeRequest& ridge);

    // Whether there are rows enough to tell anything, and how many are judged.
    bool possible() const { return !splits_.empty(); }
    std::size_t rows() const { return rows_; }

    // The same with rows dealt once only: for what takes long to make.
    Judge once() const;

    // Stages that were made of the learned rows alone, as many for each split.
    using Make = std::function<std::vector<FeatureStage>(const RowSet& learned)>;
    // One for each of the stages: of a readout that is fitted to the learned rows.
    std::vector<Losses> losses(const Make& make) const;
    // Of one stage that depends on no rows.
    Losses losses(const FeatureStage& stage) const;

private:
    struct Split {
        RowSet learned, judged;
        std::vector<std::size_t> places; // of the judged rows among all losses
    };
    std::vector<Split> splits_;
    std::size_t rows_ = 0, deals_ = 1; // each row is judged once a deal
    RidgeRequest ridge_;
};

double mean_of(const Losses& losses);

// Whether the second way is better than the first, simpler one by more than chance would have it: a tie goes to the
// simpler one.
bool takes_over(const Losses& simpler, const Losses& other);
// Whether it is so much worse that no other readout would change that.
bool falls_behind(const Losses& best, const Losses& other);
// Whether it is worse by less than half a standard error of the difference.
bool keeps_up(const Losses& best, const Losses& other);

} // namespace samara::desk
