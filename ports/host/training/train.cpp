#include "ports/host/training/train.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/training/choose_rows.hpp"
#include "samara/learn/drift.hpp"
#include "samara/map.hpp"

namespace samara::desk {
namespace {

// The best bandwidth hardly depends on how many rows and features it is judged with.
constexpr std::size_t bandwidth_rows = 1500;
constexpr std::uint32_t bandwidth_features = 2048;
constexpr std::size_t median_rows = 1000;

constexpr std::uint32_t fewest_features = 64;
constexpr std::uint32_t most_auto_features = 16384;
// A doubling that lowers the error by less than this share of it is the last.
constexpr double least_gain = 0.02;

MatrixF scaled_sample(const RowSet& rows, const Scaling& scaling, std::size_t most)
{
    MatrixF x = rows.sample(most).inputs();
    apply_scaling(scaling, x.values.data(), x.rows, x.cols);
    return x;
}

bool searches(RidgeMethod method) { return method != RidgeMethod::value && method != RidgeMethod::rule; }

void set_bandwidth(MapSpec& spec, double bandwidth)
{
    if (auto* const rff = std::get_if<RffSpec>(&spec)) {
        rff->bandwidth = static_cast<float>(bandwidth);
    }
}

std::vector<double> bandwidths_to_try(const MapSpec& spec, const TrainSettings& settings)
{
    const auto* const rff = std::get_if<RffSpec>(&spec);
    std::vector<double> tries;
    if (rff == nullptr || (!settings.map.median_bandwidth && settings.bandwidths.empty())) {
        return tries;
    }
    if (!settings.bandwidths.empty()) {
        return settings.bandwidths;
    }
    if (!searches(settings.ridge.method)) {
        return tries;
    }
    for (int i = -4; i <= 2; ++i) {
        tries.push_back(static_cast<double>(rff->bandwidth) * std::pow(2.0, 0.5 * i));
    }
    return tries;
}

// Fewer features than the spec has, of the same map.
MapSpec with_features(const MapRequest& request, MapSpec spec, std::uint32_t features, const MatrixF& sample,
                      const std::string& name)
{
    MapRequest fewer = request;
    fewer.median_bandwidth = false;
    set_features(fewer.spec, features);
    if (const auto* const rff = std::get_if<RffSpec>(&spec)) {
        set_bandwidth(fewer.spec, static_cast<double>(rff->bandwidth));
    }
    return fit_map(fewer, sample, name);
}

// The bandwidth whose small machine, with the best ridge for it, has the least error.
void choose_bandwidth(MapSpec& spec, const Scaling& scaling, const RowSet& rows, const RowSet* valid,
                      const TrainSettings& settings, const std::function<MapSpec(std::uint32_t)>& of_features)
{
    const std::vector<double> tries = bandwidths_to_try(spec, settings);
    if (tries.empty()) {
        return;
    }
    const RowSet some = rows.sample(bandwidth_rows);
    RidgeRequest request = settings.ridge;
    request.method = searches(request.method) ? request.method : RidgeMethod::automatic;
    double best = std::numeric_limits<double>::infinity();
    double best_bandwidth = tries.front();
    for (const double bandwidth : tries) {
        MapSpec small = of_features(std::min(settings.features, bandwidth_features));
        set_bandwidth(small, bandwidth);
        const Readout readout = fit_readout(FeatureStage(small, {}, scaling, settings.threads), some, valid, request);
        if (readout.error < best) {
            best = readout.error;
            best_bandwidth = bandwidth;
        }
    }
    set_bandwidth(spec, best_bandwidth);
    if (settings.talk) {
        say("bandwidth " + short_number(best_bandwidth, 4) + " chosen of " + std::to_string(tries.size()) +
            " by the error on left-out rows (" + std::to_string(some.count()) + " rows)");
    }
}

// What a model has beside its weights.
void describe(TrainedModel& model, const FeatureStage& stage, const RowSet& rows)
{
    model.spec = stage.spec();
    model.kept_rows = stage.kept_rows();
    model.scaling = stage.scaling();
    model.task = rows.y().task;
    model.labels = rows.y().labels;
}

Trained trained_with(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const TrainSettings& settings)
{
    Trained trained;
    trained.readout = fit_readout(stage, rows, valid, settings.ridge);
    TrainedModel& model = trained.model;
    describe(model, stage, rows);
    model.bias.assign(trained.readout.bias.begin(), trained.readout.bias.end());
    const MatrixD& weights = trained.readout.weights;
    model.weights = MatrixF(weights.rows, weights.cols, {weights.values.begin(), weights.values.end()});
    trained.readout.weights = {};
    return trained;
}

constexpr std::size_t confidence_parts = 5;

// How sure a model of this kind is on rows that its training did not see: those of `valid`, or a fifth of the rows.
void measure_confidence(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, TrainSettings settings,
                        Trained& trained)
{
    std::optional<RowSet> judged, learned;
    if (valid == nullptr) {
        judged = rows.folds(confidence_parts, settings.ridge.seed + 2).front();
        learned = judged->without(0);
    }
    settings.ridge.method = RidgeMethod::value;
    settings.ridge.value = trained.readout.ridge;
    const Trained other = learned ? trained_with(stage, *learned, nullptr, settings) : Trained{};
    std::vector<double> all;
    for_each_output(learned ? other.model : trained.model, judged ? *judged : *valid, settings.threads,
                    [&](const MatrixF& outputs, const std::vector<std::size_t>& numbers) {
                        for (std::size_t i = 0; i < numbers.size(); ++i) {
                            all.push_back(static_cast<double>(confidence({outputs.row(i), outputs.cols})));
                        }
                    });
    const auto count = static_cast<double>(all.size());
    const double mean = std::accumulate(all.begin(), all.end(), 0.0) / count;
    double squares = 0.0;
    for (const double sure : all) {
        squares += (sure - mean) * (sure - mean);
    }
    ApplicationWords& words = trained.model.application;
    words.confidence_mean = static_cast<float>(mean);
    words.confidence_spread = static_cast<float>(std::sqrt(squares / (count - 1.0)));
    const std::string rows_text = std::to_string(all.size()) + " left-out rows";
    if (!check(DriftSpec{.mean = words.confidence_mean, .spread = words.confidence_spread})) {
        throw BadInput("--confidence: found predictions on " + rows_text +
                       " that are all equally sure, expected ones that vary");
    }
    if (settings.talk) {
        say("confidence " + short_number(mean, 4) + " with spread " +
            short_number(static_cast<double>(words.confidence_spread), 4) + " on " + rows_text);
    }
}

// Doubles the number of features while that lowers the error on rows that were left out.
std::uint32_t features_that_pay(const RowSet& rows, const RowSet* valid, const Scaling& scaling,
                                const TrainSettings& settings, const std::function<MapSpec(std::uint32_t)>& of_features)
{
    constexpr std::size_t parts = 5;
    std::optional<RowSet> learned, judged;
    if (valid == nullptr) {
        if (rows.count() < 2 * parts) {
            throw BadInput("--features auto: found " + std::to_string(rows.count()) + " rows, expected at least " +
                           std::to_string(2 * parts));
        }
        judged = rows.folds(parts, settings.ridge.seed + 1).front();
        learned = judged->without(0);
    }
    std::uint32_t best = fewest_features;
    double best_error = std::numeric_limits<double>::infinity();
    for (std::uint32_t features = fewest_features; features <= most_auto_features; features *= 2) {
        const FeatureStage stage(of_features(features), {}, scaling, settings.threads);
        const Trained trained = trained_with(stage, learned ? *learned : rows, valid, settings);
        const Score score = score_of(trained.model, judged ? *judged : *valid, settings.threads);
        const double error = score.mean_squared_error();
        if (settings.talk) {
            say(std::to_string(features) + " features: " + score.text() + " on " + std::to_string(score.rows()) +
                " left-out rows" +
                (features == fewest_features || !(best_error > 0.0)
                     ? ""
                     : ", mean squared error " + short_number(100.0 * (error / best_error - 1.0), 2) + " %"));
        }
        if (!(error < best_error * (1.0 - least_gain))) {
            break;
        }
        best_error = error;
        best = features;
    }
    if (settings.talk) {
        say(std::to_string(best) + " features taken: another doubling takes less than 2 % off the error");
    }
    return best;
}

// What exact orders the kept features can carry is decided by their number, not by the candidates'.
MapSpec candidates_spec(const MapRequest& request, MapSpec kept, const TrainSettings& settings, const MatrixF& sample,
                        const std::string& name)
{
    MapRequest all = request;
    all.median_bandwidth = false;
    std::visit(
        [&](auto& wanted) {
            if constexpr (RowSpec<std::remove_cvref_t<decltype(wanted)>>) {
                const auto& chosen = std::get<std::remove_cvref_t<decltype(wanted)>>(kept);
                wanted.orders = chosen.orders;
                if constexpr (requires { wanted.pairs; }) {
                    wanted.pairs = chosen.pairs;
                }
            }
        },
        all.spec);
    return with_features(all, kept, settings.candidates, sample, name);
}

} // namespace

void require_rows(const RowSet& rows, const RowSet* valid, const TrainSettings& settings)
{
    if (rows.count() < 2) {
        throw BadInput(rows.x().name() + ": found 1 row, expected at least 2 to train on");
    }
    if (settings.confidence && valid == nullptr && rows.count() < 2 * confidence_parts) {
        throw BadInput("--confidence: found " + std::to_string(rows.count()) + " rows, expected at least " +
                       std::to_string(2 * confidence_parts));
    }
}

void say(const std::string& line) { std::fprintf(stderr, "samara: %s\n", visible_text(line).c_str()); }

std::string short_number(double value, int digits)
{
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    return buffer;
}

Prepared prepare(const RowSet& rows, const TrainSettings& settings, MapUse use)
{
    const bool of_channels = settings.scaling == ScalingKind::channel;
    const std::size_t channels =
        of_channels ? image_channels(settings.map, rows.x().cols(), rows.x().row_shape(), rows.x().name()) : 1;
    const LearnedScaling learned = learn_scaling(rows, settings.scaling, settings.fill_missing, channels);
    if (!learned.constant.empty() && settings.talk) {
        std::string columns;
        constexpr std::size_t most_shown = 8;
        for (std::size_t i = 0; i < std::min(learned.constant.size(), most_shown); ++i) {
            columns += (i == 0 ? "" : ", ") + std::to_string(learned.constant[i] + 1);
        }
        say(std::string(of_channels ? "channels" : "columns") +
            " with one value only are shifted to 0 and not scaled: " + columns +
            (learned.constant.size() > most_shown
                 ? " and " + std::to_string(learned.constant.size() - most_shown) + " more"
                 : ""));
    }
    const MapSpec spec = fit_map(settings.map, scaled_sample(rows, learned.scaling, median_rows), rows.x().name(), use);
    return {learned.scaling, spec};
}

Trained train_model(const RowSet& rows, const RowSet* valid, const TrainSettings& given)
{
    TrainSettings settings = given;
    set_features(settings.map.spec, settings.features);
    Prepared prepared = prepare(rows, settings, MapUse::features);
    const std::string& name = rows.x().name();
    const MatrixF sample = scaled_sample(rows, prepared.scaling, 2);
    const auto of_features = [&](std::uint32_t features) {
        return with_features(settings.map, prepared.spec, features, sample, name);
    };
    if (settings.gradient.epochs != 0) {
        const FeatureStage stage(prepared.spec, {}, prepared.scaling, settings.threads);
        GradientSettings gradient = settings.gradient;
        gradient.talk = settings.talk;
        Trained trained;
        trained.model = train_by_gradient(stage, rows, gradient);
        describe(trained.model, stage, rows);
        return trained;
    }
    choose_bandwidth(prepared.spec, prepared.scaling, rows, valid, settings, of_features);
    if (settings.features_auto) {
        settings.features = features_that_pay(rows, valid, prepared.scaling, settings, of_features);
        prepared.spec = of_features(settings.features);
    }
    const auto finished = [&](const FeatureStage& stage) {
        Trained trained = trained_with(stage, rows, valid, settings);
        if (settings.confidence) {
            measure_confidence(stage, rows, valid, settings, trained);
        }
        return trained;
    };
    if (settings.candidates == 0) {
        return finished(FeatureStage(prepared.spec, {}, prepared.scaling, settings.threads));
    }
    const MapSpec all = candidates_spec(settings.map, prepared.spec, settings, sample, name);
    // Of features that are merged there may be fewer than wanted.
    const auto rows_of = [](const MapSpec& map) {
        return std::visit([](const auto& s) { return std::size_t{row_count(s)}; }, map);
    };
    const std::size_t keep = std::min(rows_of(prepared.spec), rows_of(all));
    const FeatureStage stage(all, {}, prepared.scaling, settings.threads);
    const NormalEquations equations = centred(accumulate(stage, rows, origin_of(stage, rows), "candidates"));
    double ridge = fit_readout(stage, rows, valid, settings.ridge).ridge;
    std::vector<std::uint16_t> kept = choose_rows(all, equations, ridge, rows.y().task, keep);
    if (searches(settings.ridge.method) && enough_data_to_exchange(equations.count, keep)) {
        // The ridge above is the best one for all candidates; that of a first choice is nearer to what the final
        // choice will have.
        const FeatureStage few(all, kept, prepared.scaling, settings.threads);
        const double kept_share = static_cast<double>(keep) / static_cast<double>(columns_of_rows(all).size());
        ridge = fit_readout(few, rows, valid, settings.ridge).ridge * kept_share;
        kept = choose_rows(all, equations, ridge, rows.y().task, keep);
    }
    return finished(FeatureStage(all, std::move(kept), prepared.scaling, settings.threads));
}

} // namespace samara::desk
