#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_rows.hpp"
#include "ports/host/training/score.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara evaluate MODEL",
    "How good a sealed model's predictions are. For classes: the accuracy, its mean over the classes, the confusion\n"
    "matrix, recall and precision; of more than 20 classes only the ten with the least recall. For values: the root "
    "of\n"
    "the mean squared error (RMSE), the mean absolute error (MAE) and R2. --json has all digits.\n",
    with_dataset_options(
        {model_inputs_option(),
         {.name = "--target",
          .value = "Y",
          .meaning =
              "the answers: a file, or of a CSV file X a column (its name, or column:NUMBER); not needed where X is a "
              "libsvm file",
          .needed = true,
          .file = FileUse::read},
         {.name = "--json", .meaning = "as JSON"},
         most_operations_option(),
         threads_option()}),
    FileUse::read};

// A confusion matrix of more classes is wider than a screen.
constexpr std::size_t most_shown_classes = 20;
constexpr std::size_t most_worst_classes = 10;
constexpr std::size_t most_shown_targets = 20;

// How many rows there are of one class, how many were said to be of it, and how many rightly.
struct ClassCounts {
    std::size_t rows = 0, predicted = 0, right = 0;
};

// Of no rows there is no share.
std::string share_text(std::size_t right, std::size_t all)
{
    return all == 0 ? "-" : per_cent(static_cast<double>(right) / static_cast<double>(all));
}

std::vector<ClassCounts> counts_of(const Score& score)
{
    const auto& confusion = score.confusion();
    std::vector<ClassCounts> counts(confusion.size());
    for (std::size_t i = 0; i < confusion.size(); ++i) {
        counts[i].right = confusion[i][i];
        for (std::size_t j = 0; j < confusion.size(); ++j) {
            counts[i].rows += confusion[i][j];
            counts[j].predicted += confusion[i][j];
        }
    }
    return counts;
}

nlohmann::ordered_json as_json(const Score& score, const std::vector<std::string>& labels)
{
    nlohmann::ordered_json json = {{"rows", score.rows()}};
    if (score.task() == Task::classify) {
        json["accuracy"] = score.accuracy();
        json["balanced_accuracy"] = score.balanced_accuracy();
        json["labels"] = labels;
        json["confusion"] = score.confusion();
        return json;
    }
    json["root_mean_squared_error"] = score.root_mean_squared_error();
    json["mean_absolute_error"] = score.mean_absolute_error();
    json["mean_squared_error"] = score.mean_squared_error();
    json["r_squared"] = score.r_squared();
    json["constant_targets"] = score.constant_targets();
    json["relative_error"] = score.relative_error();
    return json;
}

std::string classes_text(const Score& score, const std::vector<std::string>& labels)
{
    const std::vector<ClassCounts> counts = counts_of(score);
    std::size_t right = 0;
    for (const ClassCounts& one : counts) {
        right += one.right;
    }
    std::string text = "rows               " + std::to_string(score.rows()) + "\n";
    text += "accuracy           " + per_cent(score.accuracy()) + " (" + std::to_string(right) + " right)\n";
    text += "balanced accuracy  " + per_cent(score.balanced_accuracy()) + "\n";
    std::vector<std::size_t> shown(labels.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    if (labels.size() <= most_shown_classes) {
        std::vector<std::vector<std::string>> cells(1, {""});
        for (std::size_t i = 0; i < labels.size(); ++i) {
            cells.front().push_back(visible_text(labels[i]));
            cells.push_back({visible_text(labels[i])});
            for (const std::size_t count : score.confusion()[i]) {
                cells.back().push_back(std::to_string(count));
            }
        }
        text += "\nrows: what it is; columns: what was predicted\n" + aligned(cells, "  ", 1);
    } else {
        // Classes that there are no rows of say nothing.
        std::erase_if(shown, [&](std::size_t k) { return counts[k].rows == 0; });
        std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
            return counts[a].right * counts[b].rows < counts[b].right * counts[a].rows;
        });
        shown.resize(std::min(shown.size(), most_worst_classes));
        text += "\nthe " + std::to_string(shown.size()) + " of " + std::to_string(labels.size()) +
                " classes with the least recall\n";
    }
    std::vector<std::vector<std::string>> cells(1, {"class", "rows", "recall", "precision"});
    for (const std::size_t k : shown) {
        cells.push_back({visible_text(labels[k]), std::to_string(counts[k].rows),
                         share_text(counts[k].right, counts[k].rows),
                         share_text(counts[k].right, counts[k].predicted)});
    }
    return text + (labels.size() <= most_shown_classes ? "\n" : "") + aligned(cells, "  ", 1);
}

std::string values_text(const Score& score, const std::vector<std::string>& names)
{
    std::string text = "rows  " + std::to_string(score.rows()) + "\n";
    text += "RMSE  " + short_number(score.root_mean_squared_error(), 4) + "\n";
    text += "MAE   " + short_number(score.mean_absolute_error(), 4) + "\n";
    text += "R2    " + score.r_squared_text() + "\n";
    if (names.size() == 1 || names.size() > most_shown_targets) {
        return text;
    }
    std::vector<std::vector<std::string>> cells(1, {"target", "RMSE", "R2"});
    for (std::size_t k = 0; k < names.size(); ++k) {
        cells.push_back(
            {visible_text(names[k]), short_number(score.root_mean_squared_error_of(k), 4), score.r_squared_text_of(k)});
    }
    return text + "\n" + aligned(cells, "  ", 1);
}

} // namespace

int evaluate_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(1, 1, "a model");
    const std::string in = arguments.required_text("--in");
    TableReading reading = dataset_reading(arguments, in);
    const std::string target_name = target_words(arguments, in, reading);
    const LoadedModel model(arguments.positionals().front(), most_operations(arguments));
    const Task task = task_of(model);
    const std::vector<std::string> labels = class_names(model);
    reading = reading_for(model, reading);
    reading.labels = task == Task::classify ? &labels : nullptr;
    const Dataset data = open_dataset(in, target_name, reading);
    require_width(model, *data.x);
    const Target target = target_like(data.y, task, labels, model.model().outputs());
    for (const std::string& note : data.y.notes) {
        say(note);
    }
    Score score(task, model.model().outputs());
    predict_rows(model, *data.x, thread_count(arguments), [&](const MatrixF& outputs, std::size_t first) {
        for (std::size_t i = 0; i < outputs.rows; ++i) {
            score.add(target, first + i, outputs.row(i));
        }
    });
    if (arguments.has("--json")) {
        print_json(as_json(score, labels), 0);
    } else {
        print_text(task == Task::classify ? classes_text(score, labels) : values_text(score, labels));
    }
    return 0;
}

} // namespace samara::desk
