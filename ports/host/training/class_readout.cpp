#include "ports/host/training/class_readout.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/training/class_fit.hpp"

namespace samara::desk {
namespace {

// A tenth of the rows is left out.
constexpr std::size_t holdout_parts = 10;

// Rows of one set behind those of the other, made anew each time.
class StageRows : public ClassRows {
public:
    StageRows(const FeatureStage& stage, std::vector<const RowSet*> sets) : stage_(stage), sets_(std::move(sets)) {}

    std::size_t rows() const override
    {
        std::size_t sum = 0;
        for (const RowSet* const set : sets_) {
            sum += set->count();
        }
        return sum;
    }
    std::size_t features() const override { return stage_.features(); }
    void in_blocks(const std::function<void(const MatrixF&, std::size_t, std::size_t)>& body) const override
    {
        std::size_t first = 0;
        for (const RowSet* const set : sets_) {
            stage_.in_blocks(*set, "", {}, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
                body(z, first, numbers.size());
                first += numbers.size();
            });
        }
    }

private:
    const FeatureStage& stage_;
    std::vector<const RowSet*> sets_;
};

// All features of all sets.
MatrixF features_of(const FeatureStage& stage, const std::vector<const RowSet*>& sets, std::size_t rows)
{
    MatrixF all(rows, stage.features());
    std::size_t done = 0;
    for (const RowSet* const set : sets) {
        stage.in_blocks(*set, "rows", {}, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
            std::copy_n(z.values.begin(), numbers.size() * z.cols, all.row(done));
            done += numbers.size();
        });
    }
    return all;
}

// What is known of the rows of the sets, in order. Those of the second are judged alone.
ClassTask task_of(const std::vector<const RowSet*>& sets)
{
    ClassTask task;
    task.outputs = sets.front()->y().outputs();
    const bool weighted =
        std::any_of(sets.begin(), sets.end(), [](const RowSet* set) { return !set->y().weights.empty(); });
    for (const RowSet* const set : sets) {
        for (const std::size_t row : set->numbers()) {
            task.classes.push_back(set->y().classes[row]);
            if (weighted) {
                task.weights.push_back(static_cast<float>(set->y().weight(row)));
            }
            if (set->copies() != 0) {
                // A row comes first, and its copies behind it.
                task.copies.push_back(task.copies.size() % (1 + set->copies()) != 0);
            }
            task.parts.push_back(set == sets.front() ? ClassTask::in_no_part : ClassTask::only_judged);
        }
        if (!task.copies.empty()) {
            task.copies.resize(task.parts.size());
        }
    }
    return task;
}

// Deals the rows of the first set; of a holdout the first part alone is left out.
void deal(const RowSet& rows, const RidgeRequest& request, RidgeMethod method, ClassTask& task)
{
    const bool holdout = method == RidgeMethod::holdout;
    const std::size_t wanted = std::min(holdout ? holdout_parts : request.folds, rows.originals().count());
    const std::vector<RowSet> sets = rows.folds(wanted, request.seed);
    std::vector<std::uint8_t> part_of_row(rows.x().rows());
    for (std::size_t part = 0; part < sets.size(); ++part) {
        for (const std::size_t row : sets[part].numbers()) {
            part_of_row[row] = holdout && part != 0 ? ClassTask::in_no_part : static_cast<std::uint8_t>(part);
        }
    }
    std::size_t place = 0;
    for (const std::size_t row : rows.numbers()) {
        task.parts[place++] = part_of_row[row];
    }
}

} // namespace

Readout fit_class_readout(const FeatureStage& stage, const RowSet& rows, const RowSet* valid,
                          const RidgeRequest& request)
{
    RidgeMethod method = resolved_method(request, rows, stage.features());
    ClassRequest fit_request;
    fit_request.loss = request.loss == ReadoutLoss::hinge ? ClassLoss::hinge : ClassLoss::logistic;
    fit_request.threads = stage.threads();
    fit_request.least_ridge = request.least;
    const bool given = method == RidgeMethod::value;
    if (given) {
        fit_request.ridges = {request.value};
    }
    if (given || method == RidgeMethod::rule || method == RidgeMethod::loo) {
        RidgeRequest automatic = request;
        automatic.method = RidgeMethod::automatic;
        method = resolved_method(automatic, rows, stage.features());
    }
    std::vector<const RowSet*> sets{&rows};
    const bool left_out = !given || request.calibrate;
    if (left_out && valid != nullptr) {
        sets.push_back(valid);
    }
    ClassTask task = task_of(sets);
    if (left_out && valid == nullptr) {
        deal(rows, request, method, task);
    }
    const double bytes = 4.0 * static_cast<double>(task.classes.size()) * static_cast<double>(stage.features());
    const bool kept = bytes <= static_cast<double>(most_memory());
    ClassFit fit = kept ? fit_classes(features_of(stage, sets, task.classes.size()), task, fit_request)
                        : fit_classes(StageRows(stage, sets), task, fit_request);
    return {.ridge = fit.ridge,
            .searched = !given,
            .error = fit.log_loss,
            .weights = std::move(fit.readout.weights),
            .bias = std::move(fit.readout.bias),
            .wrong = fit.error,
            .scale = fit.scale};
}

} // namespace samara::desk
