#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/commands/score_report.hpp"
#include "ports/host/commands/train_options.hpp"
#include "ports/host/commands/training_data.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/budget.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/seal.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

// The score of the rows that were trained on is measured on this many of them at most.
constexpr std::size_t most_training_rows = 10000;

std::string name_of(ReadoutType type)
{
    const char* const names[] = {"float32", "float16", "int8", "int8", "int4"};
    return names[static_cast<unsigned>(type)];
}

std::string gradient_text(const GradientSettings& gradient)
{
    return std::to_string(gradient.epochs) + (gradient.epochs == 1 ? " epoch" : " epochs") + " of AdaGrad, rate " +
           short_number(gradient.rate, 3) + (gradient.ridge > 0.0 ? ", ridge " + short_number(gradient.ridge, 3) : "");
}

std::string name_of(ReadoutLoss loss)
{
    return loss == ReadoutLoss::squared ? "squared" : loss == ReadoutLoss::logistic ? "logistic" : "hinge";
}

std::string ridge_text(const Readout& readout, const RidgeRequest& request, const RowSet& rows, std::size_t features,
                       bool valid)
{
    const RidgeMethod method = resolved_method(request, rows, features);
    const bool judged = valid && (method == RidgeMethod::cv || method == RidgeMethod::holdout);
    const bool squared = request.loss == ReadoutLoss::squared;
    std::string text = (squared ? "" : name_of(request.loss) + " loss, ") + "ridge " + short_number(readout.ridge, 3) +
                       " (" + (judged ? "by the validation rows" : name_of(method));
    if (!squared && std::isfinite(readout.error)) {
        text += ", log-loss " + short_number(readout.error, 4) + " and " + per_cent(readout.wrong) +
                " wrong of rows left out";
    } else if (readout.searched) {
        text += ", error " + short_number(readout.error, 4);
    }
    return text + ")";
}

Score sealed_score(const LoadedModel& model, const RowSet& rows, unsigned threads)
{
    Score score(rows.y().task, rows.y().outputs(), static_cast<double>(model.model().probability_scale()));
    model.each_output(rows, threads, [&](const float* outputs, std::size_t row) { score.add(rows.y(), row, outputs); });
    return score;
}

struct Judges {
    std::unique_ptr<LabelledData> valid, test;
};

using Json = nlohmann::ordered_json;

std::string copies_text(const RowSet& rows)
{
    const std::size_t copies = rows.copies();
    return copies == 0 ? "" : "each with " + std::to_string(copies) + (copies == 1 ? " copy, " : " copies, ");
}

// What --json prints, or nothing. It is made only for that, because it cannot be destroyed without memory.
class Report {
public:
    explicit Report(bool wanted) : wanted_(wanted) {}

    // `make` gives what a key has.
    template <class Make>
    void say(const char* key, const Make& make)
    {
        if (wanted_) {
            json_[key] = make();
        }
    }
    // Of the folds, one after the other.
    void add_fold(const Score& score, const std::vector<std::string>& labels)
    {
        if (wanted_) {
            json_["folds"]["scores"].push_back(score_json(score, labels));
        }
    }
    void say_of_folds(const char* measure, double mean, double standard_error)
    {
        if (wanted_) {
            json_["folds"]["measure"] = measure;
            json_["folds"]["mean"] = mean;
            json_["folds"]["standard_error"] = standard_error;
        }
    }
    void print() const
    {
        if (wanted_) {
            print_json(json_.is_null() ? Json::object() : json_, 1);
        }
    }

private:
    bool wanted_;
    Json json_;
};

// What --json says of a readout and of how its ridge came about.
Json readout_json(const Trained& trained, const TrainSettings& settings, const RowSet& rows, std::size_t features)
{
    const Readout& readout = trained.readout;
    if (settings.gradient.epochs != 0) {
        const bool logistic = trained.model.task == Task::classify && settings.gradient.loss == GradientLoss::logistic;
        return {{"loss", logistic ? "logistic" : "squared"},
                {"epochs", settings.gradient.epochs},
                {"ridge", settings.gradient.ridge}};
    }
    const bool squared = settings.ridge.loss == ReadoutLoss::squared;
    Json json = {{"loss", name_of(settings.ridge.loss)},
                 {"ridge", readout.ridge},
                 {"ridge_method", name_of(resolved_method(settings.ridge, rows, features))}};
    // On the rows that were left out; null where none were.
    if (squared) {
        json["left_out_error"] = readout.error;
    } else {
        json["left_out_log_loss"] = readout.error;
        json["left_out_wrong"] = std::isfinite(readout.error) ? Json(readout.wrong) : Json();
    }
    return json;
}

// The model as it is sealed, with the score that `samara evaluate` will give it.
class SealedModel {
public:
    SealedModel(const TrainedModel& trained, const TrainOptions& options)
        : trained_(trained), threads_(options.settings.threads), bytes_(seal_model(trained, options.readout)),
          model_(bytes_, "the model")
    {}

    const std::string& bytes() const { return bytes_; }
    std::uint64_t operations() const { return model_.predictor().operations(); }
    Score score(const RowSet& rows) const { return sealed_score(model_, rows, threads_); }
    // What a narrow readout costs on these rows: "accuracy 98.44 % against float32's 98.66 %".
    std::string cost_text(const Score& sealed, const RowSet& rows) const
    {
        const Score full = score_of(trained_, rows, threads_);
        if (sealed.task() == Task::classify) {
            return sealed.text() + " against float32's " + per_cent(full.accuracy());
        }
        return "RMSE " + short_number(sealed.root_mean_squared_error(), 4) + " against float32's " +
               short_number(full.root_mean_squared_error(), 4);
    }

private:
    const TrainedModel& trained_;
    unsigned threads_;
    std::string bytes_;
    LoadedModel model_;
};

void summarise(const TrainOptions& options, const Trained& trained, const SealedModel& sealed, const RowSet& rows,
               const Judges& judges, Report& report)
{
    const TrainSettings& settings = options.settings;
    const std::size_t features = trained.model.weights.cols;
    say(std::to_string(rows.originals().count()) + " rows, " + copies_text(rows) + std::to_string(features) +
        " features" +
        (trained.model.kept_rows.empty() ? "" : " chosen of " + std::to_string(features_of(trained.model.spec))) +
        ", " +
        (settings.gradient.epochs != 0
             ? gradient_text(settings.gradient)
             : ridge_text(trained.readout, settings.ridge, rows, features, judges.valid != nullptr)));
    report.say("rows", [&] { return rows.originals().count(); });
    if (rows.copies() != 0) {
        report.say("copies", [&] { return rows.copies(); });
    }
    report.say("features", [&] { return features; });
    report.say("map", [&] { return map_text(trained.model.spec); });
    report.say("readout", [&] { return readout_json(trained, settings, rows, features); });
    report.say("probability_scale", [&] {
        const float scale = trained.model.probability_scale;
        return scale > 0.0f ? Json(scale) : Json();
    });
    say("the map is " + map_text(trained.model.spec));
    say_skeleton(trained.model.spec);
    const bool narrow = options.readout != ReadoutType::float32;
    const RowSet training = rows.originals().sample(most_training_rows);
    const auto say_score = [&](const char* name, const RowSet& judged, bool last) {
        // Of the rows that nobody judges by, a float32 readout's score may come the quicker way.
        const Score score =
            narrow || &judged != &training ? sealed.score(judged) : score_of(trained.model, judged, settings.threads);
        const std::string count = std::to_string(judged.count());
        say(std::string(name) + ": " + score.text() + " (" + count + " rows)");
        report.say(name, [&] { return score_json(score, trained.model.labels); });
        if (narrow && last) {
            say("readout " + name_of(options.readout) + ": " + sealed.cost_text(score, judged) + ", on " + count + " " +
                name + " rows");
        }
    };
    // While steps were taken, each epoch said how they went.
    if (settings.gradient.epochs == 0) {
        say_score("training", training, judges.valid == nullptr && judges.test == nullptr);
    }
    if (judges.valid != nullptr) {
        say_score("validation", judges.valid->rows(), judges.test == nullptr);
    }
    if (judges.test != nullptr) {
        say_score("test", judges.test->rows(), true);
    }
}

// Mean and standard error over folds of what a fold's model does on rows that it never saw.
void cross_validate(const TrainOptions& options, const RowSet& rows, const RowSet* valid, Report& report)
{
    const std::size_t count_of_rows = rows.originals().count();
    if (count_of_rows < 2 * options.folds) {
        throw BadInput("--folds: found " + std::to_string(options.folds) + " folds for " +
                       std::to_string(count_of_rows) + " rows, expected at least two rows a fold");
    }
    TrainSettings settings = options.settings;
    settings.talk = false;
    settings.confidence = settings.probabilities = settings.ridge.calibrate = false; // nothing is sealed
    const std::vector<RowSet> folds = rows.folds(options.folds, settings.ridge.seed);
    if (folds.size() < options.folds) {
        throw BadInput("--folds: found " + std::to_string(options.folds) + " folds for the " +
                       std::to_string(folds.size()) + " groups of --groups, expected at most one fold a group");
    }
    const bool classify = rows.y().task == Task::classify;
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (std::size_t fold = 0; fold < folds.size(); ++fold) {
        const RowSet rest = folds[fold].without(fold);
        std::string ridge;
        const Score score = [&] {
            if (options.exact) {
                const ExactMachine machine(rest, settings);
                ridge = short_number(machine.ridge(), 3);
                return machine.score(folds[fold]);
            }
            const Trained trained = train_model(rest, valid, settings);
            ridge = settings.gradient.epochs != 0 ? "" : short_number(trained.readout.ridge, 3);
            return options.readout == ReadoutType::float32 ? score_of(trained.model, folds[fold], settings.threads)
                                                           : SealedModel(trained.model, options).score(folds[fold]);
        }();
        report.add_fold(score, rows.y().labels);
        say("fold " + std::to_string(fold + 1) + ": " + score.text() + (ridge.empty() ? "" : ", ridge " + ridge));
        const double value = classify ? 100.0 * score.accuracy() : score.r_squared();
        if (std::isnan(value)) {
            continue; // R2 is not defined of targets that do not vary
        }
        sum += value;
        squares += value * value;
        count += 1.0;
    }
    const std::string all = std::to_string(folds.size()) + " test folds";
    const auto print = [&](const std::string& line) { options.json ? say(line) : print_text(line + "\n"); };
    if (count < 2.0) {
        print("R2 is not defined over " + all + ": the target has one value only in them");
        return;
    }
    const double mean = sum / count;
    const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean) / (count - 1.0));
    const bool some = count < static_cast<double>(folds.size());
    const double unit = classify ? 100.0 : 1.0;
    report.say_of_folds(classify ? "accuracy" : "r_squared", mean / unit, deviation / unit);
    print((classify ? "accuracy " + per_cent(mean / 100.0) : "R2 " + short_number(mean, 4)) + " over " +
          (some ? short_number(count, 4) + " of " : "") + all + ", standard error " + short_number(deviation, 2) +
          (some ? "; of the others it is not defined" : ""));
}

void write_model(const TrainOptions& options, const SealedModel& sealed, Report& report)
{
    write_file(options.out, [&](std::ostream& out) { out << sealed.bytes(); });
    say(options.out + ": " + std::to_string(sealed.bytes().size()) + " bytes, readout " + name_of(options.readout));
    if (sealed.operations() > default_most_operations) {
        say(options.out + ": a prediction costs about " + with_commas(sealed.operations()) +
            " operations; programs refuse that unless they are told to take it (--most-operations)");
    }
    report.say("model", [&] {
        return Json{{"file", options.out},
                    {"bytes", sealed.bytes().size()},
                    {"readout", name_of(options.readout)},
                    {"operations", sealed.operations()}};
    });
}

// The best model within the budget; `options` says then how it was trained.
Trained train_within(const RowSet& rows, const RowSet* valid, TrainOptions& options)
{
    options.sweep.settings.ridge = options.settings.ridge; // with the loss that the targets have
    const std::vector<Tried> tried = within_budget(rows, valid, options.sweep, options.budget);
    const TrainSettings wanted = options.settings;
    for (const Tried& way : tried) {
        options.settings = way.recipe.settings;
        options.settings.talk = wanted.talk;
        options.settings.confidence = wanted.confidence;
        options.settings.probabilities = wanted.probabilities;
        options.readout = way.recipe.readout();
        say("best of " + std::to_string(tried.size()) + " models within the budget: " + text_of(way.recipe) +
            (way.losses.empty() ? ", because there are too few rows to tell"
                                : " (" + quality_text(way, rows.y().task) + " on left-out rows)"));
        Trained trained = train_model(rows, valid, options.settings);
        const LoadedModel model(seal_model(trained.model, options.readout), "the model");
        const BoardCost cost = board_cost(*board_work(model), options.budget.core);
        say("about " + text_of(cost, options.budget.core));
        if (options.budget.allows(cost)) {
            return trained;
        }
        say("that is more than the budget; the next best follows");
    }
    throw BadInput("the budget of " + text_of(options.budget) +
                   ": found no model that fits when it is trained on all rows, expected more");
}

} // namespace

int train_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, train_page());
    if (arguments.help()) {
        print_text(help_text(train_page()));
        return 0;
    }
    TrainOptions options = read_train_options(arguments);
    const TrainSettings& settings = options.settings;
    const auto start = std::chrono::steady_clock::now();
    const auto data = read_training_data(options);
    Judges judges;
    if (!options.valid_in.empty()) {
        judges.valid = read_more_data(options, options.valid_in, options.valid_target, *data);
    }
    if (!options.test_in.empty()) {
        judges.test = read_more_data(options, options.test_in, options.test_target, *data);
    }
    if (!options.exact) {
        require_sealable(options, data->target);
    }
    settle_loss(options.loss, options.exact, data->target, {judges.valid == nullptr ? nullptr : &judges.valid->target},
                options.settings);
    const RowSet rows = training_rows(options, *data);
    const auto valid = judges.valid == nullptr ? nullptr : std::make_unique<RowSet>(judges.valid->rows());
    require_rows(rows, valid.get(), settings);
    for (const LabelledData* const read : {data.get(), judges.valid.get(), judges.test.get()}) {
        for (const std::string& remark : read == nullptr ? std::vector<std::string>() : read->remarks) {
            say(remark);
        }
    }
    Report report(options.json);
    if (options.folds != 0) {
        cross_validate(options, rows, valid.get(), report);
    }
    if (!options.exact && (!options.out.empty() || judges.test != nullptr)) {
        Trained trained =
            options.budget.any() ? train_within(rows, valid.get(), options) : train_model(rows, valid.get(), settings);
        ApplicationWords& application = trained.model.application;
        application.version = options.application.version;
        application.input_layout = options.application.input_layout;
        application.data = options.application.data;
        const SealedModel sealed(trained.model, options);
        summarise(options, trained, sealed, rows, judges, report);
        if (!options.out.empty()) {
            write_model(options, sealed, report);
        }
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        report.say("seconds", [&] { return taken.count(); });
        say("done in " + short_number(taken.count(), 3) + " s");
    } else if (options.exact && judges.test != nullptr) {
        const ExactMachine machine(rows, settings);
        const Score score = machine.score(judges.test->rows());
        say(std::to_string(rows.count()) + " rows, exact kernel, ridge " + short_number(machine.ridge(), 3));
        report.say("test", [&] { return score_json(score, data->target.labels); });
        if (!options.json) {
            print_text("test: " + score.text() + "\n");
        }
    }
    report.print();
    return 0;
}

} // namespace samara::desk
