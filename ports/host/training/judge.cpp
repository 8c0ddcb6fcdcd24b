#include "ports/host/training/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>

#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"

namespace samara::desk {
namespace {

// With fewer rows than this, whatever is judged better is so by chance.
constexpr std::size_t fewest_rows = 24;
constexpr std::size_t few_rows = 500;
constexpr std::size_t folds_of_few = 5, folds_of_many = 3;
// So many rows are enough to compare by, or so many for each feature.
constexpr std::size_t most_rows = 3000, rows_a_feature = 4, most_rows_of_many = 20000;

// Rows that are few are dealt several times: which rows come together is a part of chance that can be averaged out.
constexpr std::size_t deals_of_few = 2;

// How many standard errors of the mean difference are more than chance.
constexpr double more_than_chance = 1.0 + 1e-9; // rounding is no gain
constexpr double hopeless = 4.0;
constexpr double no_matter = 0.5;

// What each row of one split loses.
Losses losses_of(const FeatureStage& stage, const RowSet& learned, const RowSet& judged, const RidgeRequest& request)
{
    const OneBlasThread alone(learned.count() * stage.features() <= most_numbers_alone);
    const Readout readout = fit_readout(stage, learned, nullptr, request);
    const MatrixF weights = evaluated(view(readout.weights).cast<float>());
    MatrixF outputs(stage.block_rows(), weights.rows);
    LossMeter meter(judged);
    stage.in_blocks(judged, "", {}, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
        multiply_transposed(z, numbers.size(), weights, outputs);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const Eigen::VectorXd found =
                view(outputs).row(static_cast<Eigen::Index>(i)).transpose().cast<double>() + view(readout.bias);
            meter.add(found.data());
        }
    });
    return meter.losses();
}

} // namespace

LossMeter::LossMeter(const RowSet& judged)
    : target_(&judged.y()), numbers_(judged.numbers()), wanted_(encoded_outputs(judged)), units_(wanted_.rows, 1.0)
{
    if (target_->task != Task::regress) {
        return;
    }
    const Eigen::VectorXd mean = view(wanted_).rowwise().mean();
    const Eigen::ArrayXd variance =
        (view(wanted_).colwise() - mean).rowwise().squaredNorm() / static_cast<double>(wanted_.cols);
    for (std::size_t o = 0; o < units_.size(); ++o) {
        const double unit = variance[static_cast<Eigen::Index>(o)];
        units_[o] = unit > 0.0 ? unit : 1.0;
    }
}

void LossMeter::add(const double* outputs)
{
    const std::size_t row = losses_.size(), number = numbers_[row];
    double loss = 0.0;
    if (target_->task == Task::classify) {
        const auto found = static_cast<std::uint32_t>(std::max_element(outputs, outputs + wanted_.rows) - outputs);
        loss = found == target_->classes[number] ? 0.0 : 1.0;
    } else {
        for (std::size_t o = 0; o < wanted_.rows; ++o) {
            const double error = wanted_.row(o)[row] - outputs[o];
            loss += error * error / units_[o] / static_cast<double>(wanted_.rows);
        }
    }
    losses_.push_back(loss * target_->weight(number));
    weight_ += target_->weight(number);
}

// Features of another scale need another ridge: only what suits each of them compares them.
RidgeRequest searching(RidgeRequest request)
{
    request.method = searches(request.method) ? request.method : RidgeMethod::automatic;
    request.calibrate = false; // nobody asks for probabilities
    if (request.loss != ReadoutLoss::squared && request.method == RidgeMethod::automatic) {
        // Each ridge costs passes over the rows, and which one is taken matters less than which features are.
        request.method = RidgeMethod::holdout;
    }
    return request;
}

Judge::Judge(const RowSet& rows, const RowSet* valid, std::size_t features, const RidgeRequest& ridge)
    : ridge_(searching(ridge))
{
    const std::size_t most = std::clamp(rows_a_feature * features, most_rows, most_rows_of_many);
    if (rows.originals().count() + (valid == nullptr ? 0 : valid->count()) < fewest_rows) {
        return;
    }
    const RowSet some = rows.sample(most);
    const auto add = [&](const RowSet& learned, const RowSet& judged, const std::map<std::size_t, std::size_t>& place) {
        Split split{learned, judged, {}};
        for (const std::size_t number : judged.numbers()) {
            split.places.push_back(place.at(number));
        }
        splits_.push_back(std::move(split));
    };
    const auto places_of = [&](const RowSet& judged) {
        std::map<std::size_t, std::size_t> places;
        for (const std::size_t number : judged.numbers()) {
            places.emplace(number, places.size());
        }
        rows_ = places.size();
        return places;
    };
    if (valid != nullptr) {
        const RowSet judged = valid->sample(most);
        add(some, judged, places_of(judged));
        return;
    }
    const bool few = some.originals().count() < few_rows;
    const std::size_t parts = few ? folds_of_few : folds_of_many;
    const std::map<std::size_t, std::size_t> places = places_of(some.originals());
    deals_ = few ? deals_of_few : 1;
    for (std::size_t deal = 0; deal < deals_; ++deal) {
        const std::vector<RowSet> dealt = some.folds(parts, ridge.seed + 3 + deal);
        // Of groups that belong together there may be fewer.
        for (std::size_t part = 0; part < dealt.size(); ++part) {
            add(dealt[part].without(part), dealt[part], places);
        }
    }
}

Judge Judge::once() const
{
    Judge judge = *this;
    judge.splits_.erase(judge.splits_.begin() + static_cast<std::ptrdiff_t>(splits_.size() / deals_),
                        judge.splits_.end());
    judge.deals_ = 1;
    return judge;
}

std::vector<Losses> Judge::losses(const Make& make) const
{
    std::vector<Losses> all;
    for (const Split& split : splits_) {
        const std::vector<FeatureStage> stages = make(split.learned);
        all.resize(stages.size(), Losses(rows_));
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const Losses found = losses_of(stages[i], split.learned, split.judged, ridge_);
            for (std::size_t row = 0; row < found.size(); ++row) {
                all[i][split.places[row]] += found[row] / static_cast<double>(deals_);
            }
        }
    }
    return all;
}

Losses Judge::losses(const FeatureStage& stage) const
{
    return losses([&](const RowSet&) { return std::vector<FeatureStage>{stage}; }).front();
}

double mean_of(const Losses& losses)
{
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

namespace {

// The mean of what the second gains, in standard errors of it.
double gain_of(const Losses& first, const Losses& second)
{
    const Eigen::ArrayXd gains = view(first).array() - view(second).array();
    const auto count = static_cast<double>(gains.size());
    const double mean = gains.mean();
    const double error = std::sqrt((gains - mean).square().sum() / (count * (count - 1.0)));
    // Losses that are all equal have no error, and no gain.
    return mean / std::max(error, std::numeric_limits<double>::min());
}

} // namespace

bool takes_over(const Losses& simpler, const Losses& other) { return gain_of(simpler, other) > more_than_chance; }

bool falls_behind(const Losses& best, const Losses& other) { return gain_of(other, best) > hopeless; }

bool keeps_up(const Losses& best, const Losses& other) { return gain_of(other, best) < no_matter; }

} // namespace samara::desk
