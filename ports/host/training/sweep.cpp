#include "ports/host/training/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/text/progress.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/map_plan.hpp"
#include "ports/host/training/map_search.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/scale_fit.hpp"
#include "ports/host/training/seal.hpp"
#include "ports/host/training/whole_inputs.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t usual_sizes[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
// Candidates for each kept feature. Each doubling doubles the transforms of a prediction.
constexpr std::uint32_t multiples_of_whole[] = {1, 2, 4}, multiples_of_floats[] = {1, 4, 16};
constexpr std::uint32_t most_candidates = 2048;
// The more features are kept, the less it matters which, and the longer it takes to find out.
constexpr std::uint32_t most_chosen = 256;
// Usual sizes go up to so many, or to the number of rows.
constexpr std::uint32_t fewest_usual = 64;

// Costs depend on the shape of a model, which so few rows give it.
constexpr std::size_t rows_of_shape = 200;

// With which rows are chosen while ways are compared: it suits few and noisy rows.
constexpr double ridge_of_choice = 0.03;

constexpr const char* whole_map = "arccos:numbers=int8,orders=even";
constexpr const char* float_maps[] = {"arccos", "rff", "polynomial"};

// A way whose map and scaling are decided.
struct Way {
    TrainSettings settings;
    std::vector<ReadoutType> readouts;
    std::vector<std::uint32_t> multiples;
};

void set_orders_none(MapSpec& map)
{
    std::visit(
        []<class Spec>(Spec& spec) {
            if constexpr (RowSpec<Spec> && requires { spec.orders; }) {
                spec.orders = Orders::none;
            }
        },
        map);
}

// The scaling of whole numbers: one pair for all inputs is the simpler one.
void settle_whole_scaling(const RowSet& rows, const RowSet* valid, TrainSettings& settings)
{
    const auto losses = [&](ScalingKind kind) {
        TrainSettings tried = settings;
        tried.scaling = kind;
        const Judge judge(rows.sample(rows_of_shape * 10), valid, 0, settings.ridge);
        return judge.possible() ? judge.losses(MapPlan(rows, tried).stage()) : Losses{};
    };
    const Losses global = losses(ScalingKind::global), each = losses(ScalingKind::standardise);
    settings.scaling = !global.empty() && takes_over(global, each) ? ScalingKind::standardise : ScalingKind::global;
}

bool scales_to_whole(ScalingKind kind) { return kind != ScalingKind::centre && kind != ScalingKind::unit; }

std::vector<ReadoutType> readouts_of(bool whole, const SweepRequest& request)
{
    if (!request.readout) {
        return whole ? std::vector{ReadoutType::whole8, ReadoutType::whole4} : std::vector{ReadoutType::int8};
    }
    const bool of_whole = *request.readout == ReadoutType::whole8 || *request.readout == ReadoutType::whole4;
    if (of_whole == whole) {
        return {*request.readout};
    }
    // Without a map "int8" is what both kinds of numbers have.
    if (*request.readout == ReadoutType::int8) {
        return {ReadoutType::whole8};
    }
    return {};
}

std::vector<Way> ways_of_any_map(const RowSet& rows, const RowSet* valid, const SweepRequest& request)
{
    std::vector<Way> ways;
    const std::uint64_t seed = seed_of(request.settings.map.spec);
    const std::vector<ReadoutType> of_whole = readouts_of(true, request), of_floats = readouts_of(false, request);
    if (!of_whole.empty() && !request.settings.fill_missing && scales_to_whole(request.settings.scaling)) {
        TrainSettings settings = request.settings;
        settings.any_map = false;
        settings.talk = false;
        settings.map = parse_map(whole_map);
        set_seed(settings.map.spec, seed);
        set_features(settings.map.spec, 128);
        if (settings.scaling == ScalingKind::automatic) {
            settle_whole_scaling(rows, valid, settings);
        }
        ways.push_back({settings, of_whole, {std::begin(multiples_of_whole), std::end(multiples_of_whole)}});
    }
    for (const char* const name : float_maps) {
        if (of_floats.empty()) {
            break;
        }
        TrainSettings settings = request.settings;
        settings.talk = false;
        settings.features = std::max<std::uint32_t>(settings.features, static_cast<std::uint32_t>(rows.x().cols()));
        choose_map(rows, valid, settings, name);
        const bool linear = !has_rows(settings.map.spec);
        if (!linear) {
            set_orders_none(settings.map.spec);
        }
        ways.push_back({settings, of_floats, {1}});
        if (!linear) {
            ways.back().multiples.assign(std::begin(multiples_of_floats), std::end(multiples_of_floats));
        }
    }
    return ways;
}

std::vector<Way> ways_to_try(const RowSet& rows, const RowSet* valid, const SweepRequest& request)
{
    if (request.settings.any_map) {
        return ways_of_any_map(rows, valid, request);
    }
    Way way{request.settings, readouts_of(is_whole(request.settings.map.spec), request), {1}};
    way.settings.talk = false;
    if (way.settings.map.median_bandwidth) {
        MapPlan plan(rows, way.settings);
        choose_bandwidth(plan, rows, valid, way.settings);
        if (const auto* const rff = std::get_if<RffSpec>(&plan.spec())) {
            std::get<RffSpec>(way.settings.map.spec).bandwidth = rff->bandwidth;
            way.settings.map.median_bandwidth = false;
        }
    }
    if (is_whole(way.settings.map.spec) && way.settings.scaling == ScalingKind::automatic) {
        settle_whole_scaling(rows, valid, way.settings);
    }
    if (has_rows(way.settings.map.spec)) {
        const bool whole = is_whole(way.settings.map.spec);
        whole ? way.multiples.assign(std::begin(multiples_of_whole), std::end(multiples_of_whole))
              : way.multiples.assign(std::begin(multiples_of_floats), std::end(multiples_of_floats));
    }
    return {way};
}

// What a model of such a shape costs; nothing where that is not known. Kept rows are spread over all candidates.
std::optional<BoardCost> cost_of_shape(const TrainSettings& wanted, const RowSet& few, std::size_t core)
{
    TrainSettings settings = wanted;
    settings.ridge.loss = ReadoutLoss::squared;
    settings.ridge.method = RidgeMethod::value;
    settings.ridge.value = 1.0;
    settings.ridge.calibrate = false;
    settings.talk = false;
    set_features(settings.map.spec, settings.features);
    const MapPlan plan(few, settings);
    FeatureStage stage = plan.stage();
    if (settings.candidates > settings.features) {
        const MapSpec candidates = plan.candidates(settings.candidates);
        const auto rows = [](const MapSpec& map) {
            return std::visit([](const auto& spec) { return std::uint32_t{row_count(spec)}; }, map);
        };
        const std::uint32_t keep = rows(plan.spec()), all = rows(candidates);
        std::vector<std::uint16_t> kept;
        for (std::uint32_t i = 0; i < keep; ++i) {
            kept.push_back(static_cast<std::uint16_t>(std::uint64_t{i} * all / keep));
        }
        stage = FeatureStage(candidates, std::move(kept), plan.scaling(), settings.threads);
    }
    const Trained trained = train_readout(stage, few, nullptr, settings);
    const LoadedModel model(seal_model(trained.model, settings.readout), "the model");
    const std::optional<BoardWork> work = board_work(model);
    return work ? std::optional(board_cost(*work, core)) : std::nullopt;
}

std::vector<std::uint32_t> sizes_of(const SweepRequest& request, const Way& way, std::size_t rows)
{
    if (!has_rows(way.settings.map.spec)) {
        return {way.settings.features}; // one for each input
    }
    std::vector<std::uint32_t> sizes = request.sizes;
    for (const std::uint32_t size : usual_sizes) {
        if (request.sizes.empty() && (size <= fewest_usual || size <= rows)) {
            sizes.push_back(size);
        }
    }
    return sizes;
}

} // namespace

Recipes recipes(const RowSet& rows, const RowSet* valid, const SweepRequest& request, const Budget& budget)
{
    Recipes all;
    const RowSet few = rows.sample(rows_of_shape);
    for (const Way& way : ways_to_try(rows, valid, request)) {
        for (const ReadoutType readout : way.readouts) {
            for (const std::uint32_t multiple :
                 request.candidates_given ? std::vector<std::uint32_t>{0} : way.multiples) {
                std::vector<Recipe> sizes;
                for (const std::uint32_t features : sizes_of(request, way, rows.count())) {
                    TrainSettings settings = way.settings;
                    settings.features = features;
                    settings.readout = readout;
                    settings.fit_scales = false;
                    if (multiple != 0) {
                        settings.candidates = multiple == 1 ? 0 : multiple * features;
                        settings.blocks = 0;
                    }
                    const bool tried = settings.candidates == 0 || request.candidates_given ||
                                       (settings.candidates <= most_candidates && features <= most_chosen);
                    if (!tried || (settings.candidates != 0 && settings.candidates < features)) {
                        break;
                    }
                    const std::optional<BoardCost> cost = cost_of_shape(settings, few, budget.core);
                    if (!cost) {
                        break;
                    }
                    if (!budget.allows(*cost)) {
                        if (!all.too_dear || cost->flash < all.too_dear->flash) {
                            all.too_dear = *cost;
                        }
                        break;
                    }
                    sizes.push_back({settings, *cost});
                }
                if (!sizes.empty()) {
                    all.ways.push_back(std::move(sizes));
                }
            }
        }
    }
    return all;
}

SweepJudge::SweepJudge(const RowSet& rows, const RowSet* valid, std::uint64_t seed, std::uint32_t features)
{
    constexpr std::size_t fewest_rows = 24, few_rows = 500, least = 3000, most = 20000;
    const std::size_t wanted = std::clamp<std::size_t>(std::size_t{4} * features, least, most);
    if (rows.count() + (valid == nullptr ? 0 : valid->count()) < fewest_rows) {
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
    const std::vector<RowSet> parts = some.folds(some.count() < few_rows ? 5 : 3, seed + own_deal);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        splits_.push_back({parts[part].without(part), parts[part]});
    }
    rows_ = some.count();
}

std::optional<Tried> SweepJudge::ask(const Recipe& recipe, const Tried* best, std::size_t core) const
{
    TrainSettings settings = recipe.settings;
    settings.ridge = searching(settings.ridge);
    settings.talk = settings.confidence = settings.probabilities = false;
    settings.choosing_ridge = ridge_of_choice;
    Tried tried{recipe, {}, 0.0, 0.0};
    for (const Split& split : splits_) {
        const Trained trained = train_model(split.learned, nullptr, settings);
        const LoadedModel model(seal_model(trained.model, settings.readout), "the model");
        if (const std::optional<BoardWork> work = board_work(model)) {
            const BoardCost cost = board_cost(*work, core);
            tried.recipe.cost = {.flash = std::max(cost.flash, tried.recipe.cost.flash),
                                 .ram = std::max(cost.ram, tried.recipe.cost.ram),
                                 .instructions = std::max(cost.instructions, tried.recipe.cost.instructions)};
        }
        LossMeter meter(split.judged);
        constexpr std::size_t block = 4096;
        std::vector<double> outputs;
        split.judged.in_blocks(std::min(block, split.judged.count()),
                               [&](MatrixF& x, const std::vector<std::size_t>& numbers) {
                                   MatrixF some(numbers.size(), x.cols);
                                   std::copy_n(x.values.begin(), some.values.size(), some.values.begin());
                                   const MatrixF scores = model.scores(some, settings.threads, split.judged.x().name());
                                   for (std::size_t i = 0; i < numbers.size(); ++i) {
                                       outputs.assign(scores.row(i), scores.row(i) + scores.cols);
                                       meter.add(outputs.data());
                                   }
                               });
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
    tried.quality = 1.0 - mean;
    tried.standard_error = std::sqrt(squares / (count * std::max(count - 1.0, 1.0)));
    return tried;
}

namespace {

// The largest share of the budget that a cost takes.
double share_of(const BoardCost& cost, const Budget& budget)
{
    const auto share = [](std::uint64_t value, const std::optional<std::uint64_t>& most) {
        return most ? static_cast<double>(value) / static_cast<double>(std::max<std::uint64_t>(*most, 1)) : 0.0;
    };
    return std::max(
        {share(cost.flash, budget.flash), share(cost.ram, budget.ram), share(cost.instructions, budget.instructions)});
}

[[noreturn]] void refuse_budget(const Budget& budget, const std::optional<BoardCost>& cheapest)
{
    throw BadInput("the budget of " + text_of(budget) + ": found no model that fits" +
                   (cheapest ? "; the smallest that was tried takes " + text_of(*cheapest, budget.core) : "") +
                   ", expected more");
}

// The models that were judged within a budget.
class BudgetSearch {
public:
    BudgetSearch(const SweepJudge& judge, const Budget& budget) : judge_(judge), budget_(budget) {}

    // Judges it against the best one so far.
    bool ask(const Recipe& recipe)
    {
        std::optional<Tried> found = judge_.ask(recipe, tried_.empty() ? nullptr : &best(), budget_.core);
        if (!found || !budget_.allows(found->recipe.cost)) {
            return false;
        }
        tried_.push_back(std::move(*found));
        return true;
    }
    const Tried& best() const
    {
        return *std::max_element(tried_.begin(), tried_.end(),
                                 [](const Tried& a, const Tried& b) { return a.quality < b.quality; });
    }
    const Tried& last() const { return tried_.back(); }
    // First those that keep up with the best one, the cheapest of them first; then the others, the best first.
    std::vector<Tried> sorted() const
    {
        std::vector<Tried> all = tried_;
        const Losses top = tried_.empty() ? Losses() : best().losses;
        std::stable_sort(all.begin(), all.end(), [&](const Tried& a, const Tried& b) {
            const bool first = keeps_up(top, a.losses), second = keeps_up(top, b.losses);
            if (first != second) {
                return first;
            }
            return first ? share_of(a.recipe.cost, budget_) < share_of(b.recipe.cost, budget_) : a.quality > b.quality;
        });
        return all;
    }

private:
    const SweepJudge& judge_;
    const Budget& budget_;
    std::vector<Tried> tried_;
};

// Where there are too few rows to judge by: the smallest model is the safest.
std::vector<Tried> smallest_first(const Recipes& all, const Budget& budget)
{
    std::vector<Tried> tried;
    for (const std::vector<Recipe>& sizes : all.ways) {
        tried.push_back({sizes.front(), {}, 0.0, 0.0});
    }
    std::stable_sort(tried.begin(), tried.end(), [&](const Tried& a, const Tried& b) {
        return share_of(a.recipe.cost, budget) < share_of(b.recipe.cost, budget);
    });
    return tried;
}

} // namespace

std::vector<Tried> within_budget(const RowSet& rows, const RowSet* valid, const SweepRequest& request,
                                 const Budget& budget)
{
    const Recipes all = recipes(rows, valid, request, budget);
    if (all.ways.empty()) {
        refuse_budget(budget, all.too_dear);
    }
    std::uint32_t features = 0;
    for (const std::vector<Recipe>& sizes : all.ways) {
        features = std::max(features, sizes.back().settings.features);
    }
    const SweepJudge judge(rows, valid, request.settings.ridge.seed, features);
    if (!judge.possible()) {
        return smallest_first(all, budget);
    }
    // The largest model of each way, and of ways that are near the best the one before it: more features are rarely
    // worse, and never by much.
    BudgetSearch search(judge, budget);
    std::vector<const Recipe*> smaller;
    std::vector<Losses> losses;
    Progress progress("models", all.ways.size());
    for (const std::vector<Recipe>& sizes : all.ways) {
        if (search.ask(sizes.back()) && sizes.size() > 1) {
            smaller.push_back(&sizes[sizes.size() - 2]);
            losses.push_back(search.last().losses);
        }
        progress.advance();
    }
    progress.finish();
    for (std::size_t i = 0; i < smaller.size(); ++i) {
        if (!takes_over(losses[i], search.best().losses)) {
            search.ask(*smaller[i]);
        }
    }
    std::vector<Tried> tried = search.sorted();
    if (tried.empty()) {
        refuse_budget(budget, std::nullopt);
    }
    // Factors of single inputs cost some bytes, and may be worth them.
    Recipe with_factors = tried.front().recipe;
    if (request.settings.fit_scales && can_fit_scales(with_factors.settings.map.spec)) {
        with_factors.settings.fit_scales = true;
        const std::optional<Tried> found = judge.ask(with_factors, &tried.front(), budget.core);
        if (found && budget.allows(found->recipe.cost) && takes_over(tried.front().losses, found->losses)) {
            tried.insert(tried.begin(), *found);
        }
    }
    return tried;
}

std::string text_of(const Recipe& recipe)
{
    const TrainSettings& settings = recipe.settings;
    const char* const names[] = {"float32", "float16", "int8", "int8", "int4"};
    const bool whole = is_whole(settings.map.spec);
    std::string text = name_of(settings.map.spec) + (whole ? " in whole numbers" : "");
    if (has_rows(settings.map.spec)) {
        text += ", " + std::to_string(settings.features) + " features";
        if (settings.candidates != 0) {
            text += " of " + std::to_string(settings.candidates);
        }
    }
    return text + ", " + names[static_cast<unsigned>(recipe.readout())] +
           (settings.fit_scales ? ", factors of inputs" : "");
}

std::string quality_text(const Tried& tried, Task task)
{
    return task == Task::classify
               ? "accuracy " + per_cent(tried.quality) + ", standard error " + per_cent(tried.standard_error)
               : "R2 " + short_number(tried.quality, 4);
}

std::string text_of(const BoardCost& cost, std::size_t core)
{
    return with_commas(cost.flash) + " bytes of flash, " + with_commas(cost.ram) + " bytes of RAM and " +
           with_commas(cost.instructions) + " instructions on a " + board_cores()[core];
}

std::string text_of(const Budget& budget)
{
    std::string text;
    const auto add = [&](const std::optional<std::uint64_t>& value, const char* what) {
        if (value) {
            text += (text.empty() ? "" : ", ") + with_commas(*value) + what;
        }
    };
    add(budget.flash, " bytes of flash");
    add(budget.ram, " bytes of RAM");
    add(budget.instructions, " instructions");
    return text + " on a " + board_cores()[budget.core];
}

} // namespace samara::desk
