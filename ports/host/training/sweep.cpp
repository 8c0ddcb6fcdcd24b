#include "ports/host/training/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "ports/host/training/model_file.hpp"
#include "ports/host/training/row_choice.hpp"
#include "ports/host/training/seal.hpp"

namespace samara::desk {
namespace {

// With which rows are chosen while ways are compared: it suits few and noisy rows.
constexpr double ridge_of_choice = 0.03;

} // namespace

SweepJudge::SweepJudge(const RowSet& rows, const RowSet* valid, std::uint64_t seed, std::uint32_t features)
{
    constexpr std::size_t fewest_rows = 24, few_rows = 500, least = 3000, most = 20000;
    const std::size_t wanted = std::clamp<std::size_t>(std::size_t{4} * features, least, most);
    if (rows.originals().count() + (valid == nullptr ? 0 : valid->count()) < fewest_rows) {
        return;
    }
    const RowSet some = rows.sample(wanted);
    if (valid != nullptr) {
        splits_.push_back({some, valid->sample(wanted)});
        rows_ = splits_.back().judged.count();
        return;
    }
    // Dealt otherwise than the rows that maps, scales and rows are chosen by.
    constexpr std::uint64_t own_deal = 7;
    const std::vector<RowSet> parts = some.folds(some.originals().count() < few_rows ? 5 : 3, seed + own_deal);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        splits_.push_back({parts[part].without(part), parts[part]});
    }
    rows_ = some.originals().count();
}

std::optional<Tried> SweepJudge::ask(const Recipe& recipe, const Tried* best, std::size_t core) const
{
    TrainSettings settings = recipe.settings;
    settings.ridge = searching(settings.ridge);
    settings.talk = settings.confidence = settings.probabilities = false;
    const bool local = std::holds_alternative<LocalSpec>(settings.map.spec);
    Tried tried{recipe, {}, 0.0, 0.0};
    double weight = 0.0;
    for (const Split& split : splits_) {
        settings.choosing_ridge = local ? local_ridge_of(split.learned) : ridge_of_choice;
        const Trained trained = train_model(split.learned, nullptr, settings);
        const LoadedModel model(seal_model(trained.model, settings.readout), "the model");
        if (const std::optional<BoardWork> work = board_work(model)) {
            const BoardCost cost = board_cost(*work, core);
            tried.recipe.cost = {.flash = std::max(cost.flash, tried.recipe.cost.flash),
                                 .ram = std::max(cost.ram, tried.recipe.cost.ram),
                                 .instructions = std::max(cost.instructions, tried.recipe.cost.instructions)};
        }
        LossMeter meter(split.judged);
        std::vector<double> outputs;
        model.each_output(split.judged, settings.threads, [&](const float* scores, std::size_t) {
            outputs.assign(scores, scores + model.model().outputs());
            meter.add(outputs.data());
        });
        weight += meter.weight();
        tried.losses.insert(tried.losses.end(), meter.losses().begin(), meter.losses().end());
        if (best != nullptr && tried.losses.size() < best->losses.size() &&
            falls_behind(
                Losses(best->losses.begin(), best->losses.begin() + static_cast<std::ptrdiff_t>(tried.losses.size())),
                tried.losses)) {
            return std::nullopt;
        }
    }
    const double mean = mean_of(tried.losses);
    double squares = 0.0;
    for (const double loss : tried.losses) {
        squares += (loss - mean) * (loss - mean);
    }
    const auto count = static_cast<double>(tried.losses.size());
    // Rows count as often as their weights say.
    const double rows_each = count / weight;
    tried.quality = 1.0 - mean * rows_each;
    tried.standard_error = rows_each * std::sqrt(squares / (count * std::max(count - 1.0, 1.0)));
    return tried;
}

std::string quality_text(const Tried& tried, Task task)
{
    return task == Task::classify
               ? "accuracy " + per_cent(tried.quality) + ", standard error " + per_cent(tried.standard_error)
               : "R2 " + short_number(tried.quality, 4);
}

} // namespace samara::desk
