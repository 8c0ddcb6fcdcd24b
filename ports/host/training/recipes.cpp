#include "ports/host/training/recipes.hpp"
#include "ports/host/training/map_twin.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "ports/host/training/judge.hpp"
#include "ports/host/training/local_fit.hpp"
#include "ports/host/training/map_plan.hpp"
#include "ports/host/training/map_search.hpp"
#include "ports/host/training/model_file.hpp"
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

constexpr const char *whole_map = "arccos:numbers=int8", *whole_fourier_map = "rff:numbers=int8,bandwidth=auto";
constexpr const char* float_maps[] = {"arccos", "rff", "polynomial"};

constexpr const char *local_images = "local:height=", *local_series = "local:channels=";

// A way whose map and scaling are decided.
struct Way {
    TrainSettings settings;
    std::vector<ReadoutType> readouts;
    std::vector<std::uint32_t> multiples; // of the features; of local maps all have the same candidates
};

bool is_local(const TrainSettings& settings) { return std::holds_alternative<LocalSpec>(settings.map.spec); }

// Where `orders` is automatic, what the map has stays.
void set_orders(MapSpec& map, Orders orders)
{
    std::visit(
        [&]<class Spec>(Spec& spec) {
            if constexpr (OpenOrders<Spec>) {
                spec.orders = orders == Orders::automatic ? spec.orders : orders;
            }
        },
        map);
}

// What is left open of a map in whole numbers, the simpler way first. |z| of orders=even has less noise, and cannot
// tell x from -x: good for pixels, bad for numbers on both sides of 0.
void settle_whole(const RowSet& rows, const RowSet* valid, bool any_orders, TrainSettings& settings)
{
    const std::vector<ScalingKind> scalings = settings.scaling == ScalingKind::automatic
                                                  ? std::vector{ScalingKind::global, ScalingKind::standardise}
                                                  : std::vector{settings.scaling};
    const std::vector<Orders> orders =
        any_orders ? std::vector{Orders::even, Orders::none} : std::vector{Orders::automatic};
    const Judge judge(rows.sample(rows_of_shape * 10), valid, 0, settings.ridge);
    std::optional<TrainSettings> best;
    Losses least;
    for (const ScalingKind scaling : scalings) {
        for (const Orders wanted : orders) {
            TrainSettings tried = settings;
            tried.scaling = scaling;
            set_orders(tried.map.spec, wanted);
            Losses losses = judge.possible() ? judge.losses(MapPlan(rows, tried).stage()) : Losses{};
            if (!best || (judge.possible() && takes_over(least, losses))) {
                best = std::move(tried);
                least = std::move(losses);
            }
        }
    }
    settings = std::move(*best);
}

// Once for all sizes, and not for each model again.
void settle_bandwidth(const RowSet& rows, const RowSet* valid, TrainSettings& settings)
{
    MapPlan plan(rows, settings);
    choose_bandwidth(plan, rows, valid, settings);
    if (const auto* const rff = std::get_if<RffSpec>(&plan.spec())) {
        std::get<RffSpec>(settings.map.spec).bandwidth = rff->bandwidth;
        settings.map.median_bandwidth = false;
        settings.bandwidths.clear();
    }
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

Way local_way(const RowSet& rows, const RowSet* valid, const SweepRequest& request, const MapRequest& map)
{
    Way way{request.settings, readouts_of(true, request), {1}};
    way.settings.any_map = false;
    way.settings.talk = false;
    way.settings.map = map;
    choose_scaling(rows, valid, way.settings);
    return way;
}

// Of rows that have a shape: images, or where there is a row of numbers for each channel, series.
std::vector<MapRequest> maps_of_shape(const std::vector<std::uint64_t>& shape, std::uint64_t seed)
{
    std::vector<MapRequest> maps;
    const auto add = [&](const char* text) {
        maps.push_back(parse_map(text + std::to_string(shape[0])));
        set_seed(maps.back().spec, seed);
    };
    const auto has_neighbours = [](std::uint64_t side) { return side >= 3 && side <= most_local_side; };
    if ((shape.size() == 2 || shape.size() == 3) && has_neighbours(shape[0]) && has_neighbours(shape[1])) {
        add(local_images);
    }
    if (shape.size() == 2 && has_neighbours(shape[1])) {
        add(local_series);
    }
    return maps;
}

std::vector<Way> ways_of_any_map(const RowSet& rows, const RowSet* valid, const SweepRequest& request)
{
    std::vector<Way> ways;
    const std::uint64_t seed = seed_of(request.settings.map.spec);
    const std::vector<ReadoutType> of_whole = readouts_of(true, request), of_floats = readouts_of(false, request);
    if (!of_whole.empty() && !request.settings.fill_missing && scales_to_whole(request.settings.scaling) &&
        rows.x().cols() <= most_integer_inputs) {
        TrainSettings settings = request.settings;
        settings.any_map = false;
        settings.talk = false;
        settings.map = parse_map(whole_map);
        set_seed(settings.map.spec, seed);
        set_features(settings.map.spec, 128);
        settle_whole(rows, valid, true, settings);
        const std::vector<std::uint32_t> multiples(std::begin(multiples_of_whole), std::end(multiples_of_whole));
        ways.push_back({settings, of_whole, multiples});
        if (has_median(rows, settings)) {
            settings.map = parse_map(whole_fourier_map);
            set_seed(settings.map.spec, seed);
            set_features(settings.map.spec, 128);
            settle_bandwidth(rows, valid, settings);
            ways.push_back({settings, of_whole, multiples});
        }
        for (const MapRequest& map : maps_of_shape(rows.x().row_shape(), seed)) {
            ways.push_back(local_way(rows, valid, request, map));
        }
    }
    for (const char* const name : float_maps) {
        if (of_floats.empty()) {
            break;
        }
        TrainSettings settings = request.settings;
        settings.talk = false;
        settings.features = std::max<std::uint32_t>(settings.features, static_cast<std::uint32_t>(rows.x().cols()));
        if (!choose_map(rows, valid, settings, name)) {
            continue;
        }
        const bool linear = !has_rows(settings.map.spec);
        if (!linear) {
            set_orders(settings.map.spec, Orders::none);
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
    if (is_local(request.settings)) {
        return {local_way(rows, valid, request, request.settings.map)};
    }
    Way way{request.settings, readouts_of(is_whole(request.settings.map.spec), request), {1}};
    way.settings.talk = false;
    if (is_whole(way.settings.map.spec) && way.settings.scaling == ScalingKind::automatic) {
        settle_whole(rows, valid, false, way.settings);
    }
    settle_bandwidth(rows, valid, way.settings);
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
                    const auto* const rff = std::get_if<RffSpec>(&settings.map.spec);
                    if (request.settings.any_map && rff != nullptr && rff->form == Form::pair && features % 2 != 0) {
                        continue; // nobody asked for this map, which has an even number
                    }
                    settings.features = features;
                    settings.readout = readout;
                    settings.fit_scales = false;
                    const bool local = is_local(settings);
                    if (multiple != 0) {
                        settings.candidates = local ? local_candidates : multiple == 1 ? 0 : multiple * features;
                        settings.blocks = 0;
                    }
                    const bool few_chosen = features <= most_chosen || (local && !request.sizes.empty());
                    const bool tried = settings.candidates == 0 || request.candidates_given ||
                                       (settings.candidates <= most_candidates && few_chosen);
                    if (!tried || (settings.candidates != 0 && settings.candidates < features)) {
                        break;
                    }
                    const std::optional<BoardCost> cost = cost_of_shape(settings, few, budget.core);
                    if (!cost) {
                        break;
                    }
                    if (!budget.allows(*cost)) {
                        if (!all.too_dear || budget.share(*cost) < budget.share(*all.too_dear)) {
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

} // namespace samara::desk
