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
#include "ports/host/training/calibration.hpp"
#include "ports/host/training/judge.hpp"
#include "ports/host/training/map_plan.hpp"
#include "ports/host/training/map_search.hpp"
#include "ports/host/training/row_choice.hpp"
#include "ports/host/training/whole_inputs.hpp"
#include "ports/host/training/whole_readout.hpp"
#include "samara/learn/drift.hpp"
#include "samara/map.hpp"

namespace samara::desk {
namespace {

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

// What a model has beside its weights.
void describe(TrainedModel& model, const FeatureStage& stage, const RowSet& rows)
{
    model.spec = stage.spec();
    model.kept_rows = stage.kept_rows();
    model.scaling = stage.scaling();
    model.task = rows.y().task;
    model.labels = rows.y().labels;
}

constexpr std::size_t left_out_parts = 5;

// What a model of this kind says of rows that its training did not see: those of `valid`, or a fifth of the rows.
JudgedScores scores_of_left_out(const FeatureStage& stage, const RowSet& rows, const RowSet* valid,
                                TrainSettings settings, const Trained& trained)
{
    std::optional<RowSet> judged, learned;
    if (valid == nullptr) {
        judged = rows.folds(left_out_parts, settings.ridge.seed + 2).front();
        learned = judged->without(0);
    }
    settings.ridge.method = RidgeMethod::value;
    settings.ridge.value = trained.readout.ridge;
    settings.ridge.calibrate = false;
    const Trained other = learned ? train_readout(stage, *learned, nullptr, settings) : Trained{};
    const RowSet& others = judged ? *judged : *valid;
    JudgedScores all;
    all.scores.cols = trained.model.weights.rows;
    for_each_output(learned ? other.model : trained.model, others, settings.threads,
                    [&](const MatrixF& outputs, const std::vector<std::size_t>& numbers) {
                        for (std::size_t i = 0; i < numbers.size(); ++i) {
                            const bool classes = others.y().task == Task::classify;
                            all.add(outputs.row(i), classes ? others.y().classes[numbers[i]] : 0,
                                    static_cast<float>(others.y().weight(numbers[i])));
                        }
                    });
    return all;
}

void seal_confidence(const JudgedScores& judged, const TrainSettings& settings, TrainedModel& model)
{
    std::vector<double> all;
    for (std::size_t i = 0; i < judged.rows(); ++i) {
        all.push_back(static_cast<double>(confidence({judged.scores.row(i), judged.scores.cols})));
    }
    const auto count = static_cast<double>(all.size());
    const double mean = std::accumulate(all.begin(), all.end(), 0.0) / count;
    double squares = 0.0;
    for (const double sure : all) {
        squares += (sure - mean) * (sure - mean);
    }
    ApplicationWords& words = model.application;
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

// What only rows that are left out can tell of a model.
void measure(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const TrainSettings& settings,
             Trained& trained)
{
    const bool probabilities = settings.probabilities && !(trained.model.probability_scale > 0.0f);
    if (!settings.confidence && !probabilities) {
        return;
    }
    const JudgedScores judged = scores_of_left_out(stage, rows, valid, settings, trained);
    if (settings.confidence) {
        seal_confidence(judged, settings, trained.model);
    }
    if (probabilities) {
        const double scale = probability_scale(judged);
        trained.model.probability_scale = static_cast<float>(scale);
        if (settings.talk) {
            say("log-loss " + short_number(log_loss(judged, scale), 4) + " of probabilities on " +
                std::to_string(judged.rows()) + " left-out rows");
        }
    }
}

// Doubles the number of features while that lowers the error on rows that were left out.
std::uint32_t features_that_pay(const MapPlan& plan, const RowSet& rows, const RowSet* valid,
                                const TrainSettings& settings)
{
    constexpr std::size_t parts = 5;
    std::optional<RowSet> learned, judged;
    if (valid == nullptr) {
        const std::size_t count = rows.originals().count();
        if (count < 2 * parts) {
            throw BadInput("--features auto: found " + std::to_string(count) + " rows, expected at least " +
                           std::to_string(2 * parts));
        }
        judged = rows.folds(parts, settings.ridge.seed + 1).front();
        learned = judged->without(0);
    }
    std::uint32_t best = fewest_features;
    double best_error = std::numeric_limits<double>::infinity();
    for (std::uint32_t features = fewest_features; features <= most_auto_features; features *= 2) {
        TrainSettings calibrated = settings;
        calibrated.ridge.calibrate = true; // the log-loss is one of probabilities
        const Trained trained = train_readout(plan.stage(features), learned ? *learned : rows, valid, calibrated);
        const Score score = score_of(trained.model, judged ? *judged : *valid, settings.threads);
        // Outputs of a loss of classes are no estimates of 0 and 1.
        const bool squared = settings.ridge.loss == ReadoutLoss::squared;
        const double error = squared ? score.mean_squared_error() : score.log_loss();
        if (settings.talk) {
            say(std::to_string(features) + " features: " + score.text() + " on " + std::to_string(score.rows()) +
                " left-out rows" +
                (features == fewest_features || !(best_error > 0.0)
                     ? ""
                     : (squared ? ", mean squared error " : ", log-loss ") +
                           short_number(100.0 * (error / best_error - 1.0), 2) + " %"));
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

// Inputs of wildly different scales are standardised, where the map's own scale is not a matter of the user's.
ScalingKind resolved_scaling(const RowSet& rows, const TrainSettings& settings)
{
    if (settings.scaling != ScalingKind::automatic) {
        return settings.scaling;
    }
    if (!takes_any_scale(settings.map.spec)) {
        return ScalingKind::none;
    }
    if (std::holds_alternative<LocalSpec>(settings.map.spec)) {
        return ScalingKind::global; // places are compared with each other
    }
    const ColumnSpreads spreads = column_spreads(rows);
    if (!spreads.wild) {
        return is_whole(settings.map.spec) ? ScalingKind::global
                                           : ScalingKind::none; // whole numbers have a range to fill
    }
    const bool own_bandwidth = std::holds_alternative<RffSpec>(settings.map.spec) && !settings.map.median_bandwidth;
    if (settings.talk) {
        say("inputs: a few columns have nearly all of the variance (deviations from " + short_number(spreads.least, 2) +
            " to " + short_number(spreads.most, 2) + "); " +
            (own_bandwidth ? "with the bandwidth as it was given they stay so, --scale standardise would change it"
                           : "they are standardised, --scale none would leave them"));
    }
    return own_bandwidth ? ScalingKind::none : ScalingKind::standardise;
}

} // namespace

void require_rows(const RowSet& rows, const RowSet* valid, const TrainSettings& settings)
{
    const std::size_t count = rows.originals().count();
    if (count < 2) {
        throw BadInput(rows.x().name() + ": found 1 row, expected at least 2 to train on");
    }
    for (const auto& [wanted, option] : {std::pair(settings.confidence, "--confidence: found "),
                                         std::pair(settings.probabilities, "--probabilities: found ")}) {
        if (wanted && valid == nullptr && count < 2 * left_out_parts) {
            throw BadInput(option + std::to_string(count) + " rows, expected at least " +
                           std::to_string(2 * left_out_parts));
        }
    }
}

void say(const std::string& line) { std::fprintf(stderr, "samara: %s\n", visible_text(line).c_str()); }

std::string short_number(double value, int digits)
{
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    return buffer;
}

Prepared prepare(const RowSet& all, const TrainSettings& given, MapUse use)
{
    const RowSet rows = all.originals();
    TrainSettings settings = given;
    settings.scaling = resolved_scaling(rows, given);
    const bool of_channels = settings.scaling == ScalingKind::channel;
    const Channels channels =
        of_channels ? image_channels(settings.map, rows.x().cols(), rows.x().row_shape(), rows.x().name()) : Channels{};
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
    Scaling scaling = learned.scaling;
    if (is_whole(settings.map.spec)) {
        std::string remark;
        scaling = whole_inputs(learned.scaling, settings.scaling, rows.x().cols(), rows.x().name(), remark);
        if (!remark.empty() && settings.talk) {
            say(remark);
        }
    }
    const MapSpec spec = fit_map(settings.map, scaled_sample(rows, scaling, median_rows), rows.x().name(), use);
    return {scaling, spec};
}

Trained train_readout(const FeatureStage& stage, const RowSet& rows, const RowSet* valid, const TrainSettings& settings)
{
    Trained trained;
    trained.readout = fit_readout(stage, rows, valid, settings.ridge);
    TrainedModel& model = trained.model;
    describe(model, stage, rows);
    model.bias.assign(trained.readout.bias.begin(), trained.readout.bias.end());
    const MatrixD& weights = trained.readout.weights;
    model.weights = MatrixF(weights.rows, weights.cols, {weights.values.begin(), weights.values.end()});
    trained.readout.weights = {};
    model.probability_scale = static_cast<float>(trained.readout.scale);
    if (samara::is_whole(settings.readout)) {
        RidgeRequest request = settings.ridge;
        request.value = trained.readout.ridge;
        model.whole = fit_whole_readout(stage, rows, model, request, settings.readout);
    }
    return trained;
}

Trained train_model(const RowSet& rows, const RowSet* valid, const TrainSettings& given)
{
    TrainSettings settings = given;
    if (settings.any_map) {
        static_cast<void>(choose_map(rows, valid, settings)); // arccos takes any rows
    }
    set_features(settings.map.spec, settings.features);
    choose_scaling(rows, valid, settings);
    MapPlan plan(rows, settings);
    if (settings.gradient.epochs != 0) {
        GradientSettings gradient = settings.gradient;
        gradient.talk = settings.talk;
        const FeatureStage stage = plan.stage();
        Trained trained;
        FillRow fill;
        if (const Augmentation* const augmentation = rows.augmentation()) {
            // Rows as they are in the first round, then another copy in each.
            fill = [&, augmentation](std::uint32_t epoch, std::size_t row, float* x) {
                rows.x().read(row, 1, x);
                if (epoch != 0) {
                    const std::vector<float> own(x, x + rows.x().cols());
                    augmentation->copy(own.data(), row, epoch, x);
                }
            };
        }
        trained.model = train_by_gradient(stage, rows.originals(), gradient, fill);
        describe(trained.model, stage, rows);
        return trained;
    }
    choose_bandwidth(plan, rows, valid, settings);
    const Judge judge(rows, valid, settings.features, settings.ridge);
    if (settings.fit_scales) {
        choose_scales(plan, rows, judge, settings);
    }
    if (settings.features_auto) {
        settings.features = features_that_pay(plan, rows, valid, settings);
        plan.set_features(settings.features);
    }
    choose_orders(plan, rows, judge, settings);
    FeatureStage stage = plan.stage();
    Trained trained;
    if (settings.candidates != 0) {
        const RowChoice choice{plan.spec(),     plan.candidates(settings.candidates),
                               plan.scaling(),  settings.threads,
                               settings.blocks, settings.choosing_ridge,
                               false,           settings.talk};
        stage = stage_of_choice(choice, rows, judge);
        trained = train_readout(stage, rows, valid, settings);
        if (trained.model.whole.loss > 0.0 && !stage.kept_rows().empty() &&
            std::holds_alternative<LocalSpec>(stage.spec()) && !are_few(rows)) {
            // Whether features of like size do better in four bits depends on the data, and the loss says so: of few
            // rows only how well each is learned by heart.
            RowChoice alike = choice;
            alike.ridge = local_ridge_of(rows);
            alike.alike = true;
            const FeatureStage other = stage_of_choice(alike, rows, judge);
            Trained of_other = train_readout(other, rows, valid, settings);
            if (of_other.model.whole.loss < trained.model.whole.loss) {
                stage = other;
                trained = std::move(of_other);
            }
        }
    } else {
        trained = train_readout(stage, rows, valid, settings);
    }
    measure(stage, rows, valid, settings, trained);
    return trained;
}

} // namespace samara::desk
