#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ports/host/commands/commands.hpp"
#include "ports/host/commands/train_options.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/seal.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

// What the weights of a narrower type cost is measured on this many rows at most.
constexpr std::size_t most_compared_rows = 10000;

std::string name_of(ReadoutType type)
{
    return type == ReadoutType::float32 ? "float32" : type == ReadoutType::float16 ? "float16" : "int8";
}

std::string ridge_text(const Readout& readout, const RidgeRequest& request, std::size_t rows, std::size_t features,
                       bool valid)
{
    const RidgeMethod method = resolved_method(request, rows, features);
    const bool judged = valid && (method == RidgeMethod::cv || method == RidgeMethod::holdout);
    std::string text =
        "ridge " + short_number(readout.ridge, 3) + " (" + (judged ? "by the validation rows" : name_of(method));
    if (readout.searched) {
        text += ", error " + short_number(readout.error, 4);
    }
    return text + ")";
}

Score sealed_score(const LoadedModel& model, const RowSet& rows, unsigned threads)
{
    Score score(rows.y().task, rows.y().outputs());
    constexpr std::size_t block = 4096;
    rows.in_blocks(std::min(block, rows.count()), [&](MatrixF& x, const std::vector<std::size_t>& numbers) {
        MatrixF some(numbers.size(), x.cols);
        std::copy_n(x.values.begin(), some.values.size(), some.values.begin());
        const MatrixF outputs = model.scores(some, threads, rows.x().name());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            score.add(rows.y(), numbers[i], outputs.row(i));
        }
    });
    return score;
}

// Rounded to even hundredths of a point, or the ratio of the errors.
std::string cost_text(const Score& sealed, const Score& trained)
{
    if (sealed.task() == Task::classify) {
        const double points = 100.0 * (sealed.accuracy() - trained.accuracy());
        return std::string(points < 0.0 ? "-" : "+") + short_number(std::fabs(points), 2) + " points of accuracy";
    }
    const double ratio = sealed.mean_squared_error() / trained.mean_squared_error();
    return "mean squared error x " + short_number(ratio, 5);
}

struct Judges {
    std::unique_ptr<LabelledData> valid, test;
};

void write_model(const TrainOptions& options, const Trained& trained, const RowSet& rows, const Judges& judges)
{
    const std::string bytes = seal_model(trained.model, options.readout);
    if (options.readout != ReadoutType::float32) {
        const bool test = judges.test != nullptr;
        const std::string where = test ? "test" : judges.valid != nullptr ? "validation" : "training";
        const RowSet judged = (test                      ? judges.test->rows()
                               : judges.valid != nullptr ? judges.valid->rows()
                                                         : rows)
                                  .sample(most_compared_rows);
        const unsigned threads = options.settings.threads;
        const LoadedModel narrow(bytes, options.out);
        const LoadedModel full(seal_model(trained.model, ReadoutType::float32), options.out);
        say("readout " + name_of(options.readout) + ": " +
            cost_text(sealed_score(narrow, judged, threads), sealed_score(full, judged, threads)) +
            " against float32, on " + std::to_string(judged.count()) + " " + where + " rows");
    }
    write_file(options.out, [&](std::ostream& out) { out << bytes; });
    say(options.out + ": " + std::to_string(bytes.size()) + " bytes, readout " + name_of(options.readout));
    const std::uint64_t operations = LoadedModel(bytes, options.out).predictor().operations();
    if (operations > default_most_operations) {
        say(options.out + ": a prediction costs about " + with_commas(operations) +
            " operations; programs refuse that unless they are told to take it (--most-operations)");
    }
}

void summarise(const TrainOptions& options, const Trained& trained, const RowSet& rows, const Judges& judges)
{
    const TrainSettings& settings = options.settings;
    const std::size_t features = trained.model.weights.cols;
    say(std::to_string(rows.count()) + " rows, " + std::to_string(features) + " features" +
        (trained.model.kept_rows.empty() ? "" : " chosen of " + std::to_string(features_of(trained.model.spec))) +
        ", " + ridge_text(trained.readout, settings.ridge, rows.count(), features, judges.valid != nullptr));
    say("the map is " + map_text(trained.model.spec));
    const RowSet some = rows.sample(most_compared_rows);
    say("training: " + score_of(trained.model, some, settings.threads).text() + " (" + std::to_string(some.count()) +
        " rows)");
    for (const auto& [name, data] :
         {std::pair("validation: ", judges.valid.get()), std::pair("test: ", judges.test.get())}) {
        if (data != nullptr) {
            say(name + score_of(trained.model, data->rows(), settings.threads).text() + " (" +
                std::to_string(data->rows().count()) + " rows)");
        }
    }
}

// Mean and standard error over folds of what a fold's model does on rows that it never saw.
void cross_validate(const TrainOptions& options, const RowSet& rows, const RowSet* valid)
{
    if (rows.count() < 2 * options.folds) {
        throw BadInput("--folds: found " + std::to_string(options.folds) + " folds for " +
                       std::to_string(rows.count()) + " rows, expected at least two rows a fold");
    }
    TrainSettings settings = options.settings;
    settings.talk = false;
    const std::vector<RowSet> folds = rows.folds(options.folds, settings.ridge.seed);
    const bool classify = rows.y().task == Task::classify;
    double sum = 0.0, squares = 0.0;
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
            ridge = short_number(trained.readout.ridge, 3);
            return score_of(trained.model, folds[fold], settings.threads);
        }();
        say("fold " + std::to_string(fold + 1) + ": " + score.text() + ", ridge " + ridge);
        const double value = classify ? 100.0 * score.accuracy() : score.r_squared();
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(folds.size());
    const double mean = sum / count;
    const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean) / (count - 1.0));
    print_text(std::string(classify ? "accuracy " : "R2 ") + short_number(mean, classify ? 4 : 5) +
               (classify ? " %" : "") + " over " + std::to_string(folds.size()) + " test folds, standard error " +
               short_number(deviation, 2) + "\n");
}

} // namespace

int train_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, train_page().options);
    if (arguments.help()) {
        print_text(help_text(train_page()));
        return 0;
    }
    const TrainOptions options = read_train_options(arguments);
    const TrainSettings& settings = options.settings;
    const auto start = std::chrono::steady_clock::now();
    const auto data = read_training_data(options.in, options.target, options.task, options.reading);
    Judges judges;
    if (!options.valid_in.empty()) {
        judges.valid = read_more_data(options.valid_in, options.valid_target, *data, options.reading);
    }
    if (!options.test_in.empty()) {
        judges.test = read_more_data(options.test_in, options.test_target, *data, options.reading);
    }
    for (const LabelledData* const read : {data.get(), judges.valid.get(), judges.test.get()}) {
        for (const std::string& remark : read == nullptr ? std::vector<std::string>() : read->remarks) {
            say(remark);
        }
    }
    const RowSet rows = data->rows();
    if (rows.count() < 2) {
        throw BadInput(options.in + ": found 1 row, expected at least 2 to train on");
    }
    const auto valid = judges.valid == nullptr ? nullptr : std::make_unique<RowSet>(judges.valid->rows());
    if (options.folds != 0) {
        cross_validate(options, rows, valid.get());
    }
    if (options.exact) {
        if (judges.test != nullptr) {
            const ExactMachine machine(rows, settings);
            say(std::to_string(rows.count()) + " rows, exact kernel, ridge " + short_number(machine.ridge(), 3));
            print_text("test: " + machine.score(judges.test->rows()).text() + "\n");
        }
        return 0;
    }
    if (options.out.empty() && judges.test == nullptr) {
        return 0;
    }
    Trained trained = train_model(rows, valid.get(), settings);
    ApplicationWords& application = trained.model.application;
    application.version = options.application.version;
    application.input_layout = options.application.input_layout;
    application.data = options.application.data;
    summarise(options, trained, rows, judges);
    if (!options.out.empty()) {
        write_model(options, trained, rows, judges);
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    say("done in " + short_number(taken.count(), 3) + " s");
    return 0;
}

} // namespace samara::desk
