#include <algorithm>
#include <memory>
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
    "How good a sealed model's predictions are: for classes the accuracy and the confusion matrix, for values the\n"
    "mean squared error, R2 and the relative error |y - f| / |y|.\n",
    {model_inputs_option(),
     {.name = "--target",
      .value = "Y",
      .meaning = "the answers: a file, or of a CSV file X a column (its name, or column:NUMBER)",
      .needed = true},
     header_option(),
     target_header_option(),
     {.name = "--json", .meaning = "as JSON"},
     most_operations_option(),
     threads_option()}};

nlohmann::ordered_json as_json(const Score& score, const std::vector<std::string>& labels)
{
    nlohmann::ordered_json json = {{"rows", score.rows()}};
    if (score.task() == Task::classify) {
        json["accuracy"] = score.accuracy();
        json["labels"] = labels;
        json["confusion"] = score.confusion();
    }
    json["mean_squared_error"] = score.mean_squared_error();
    json["r_squared"] = score.r_squared();
    json["relative_error"] = score.relative_error();
    return json;
}

std::string as_text(const Score& score, const std::vector<std::string>& labels)
{
    std::string text = "rows                " + std::to_string(score.rows()) + "\n";
    if (score.task() == Task::classify) {
        text += "accuracy            " + number_text(score.accuracy()) + "\n";
    }
    text += "mean squared error  " + number_text(score.mean_squared_error()) + "\n";
    text += "R2                  " + number_text(score.r_squared()) + "\n";
    text += "relative error      " + number_text(score.relative_error()) + "\n";
    if (score.task() == Task::classify) {
        std::vector<std::vector<std::string>> cells(1, {""});
        cells.front().insert(cells.front().end(), labels.begin(), labels.end());
        for (std::size_t i = 0; i < labels.size(); ++i) {
            cells.push_back({labels[i]});
            for (const std::size_t count : score.confusion()[i]) {
                cells.back().push_back(std::to_string(count));
            }
        }
        text += "\nrows: what it is; columns: what was predicted\n" + aligned(cells, "  ", 1);
    }
    return text;
}

} // namespace

int evaluate_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page.options);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(1, 1, "a model");
    const LoadedModel model(arguments.positionals().front(), most_operations(arguments));
    const Task task = task_of(model);
    const std::vector<std::string> labels = class_names(model);
    TableReading reading = table_reading(arguments, fills_missing(model));
    reading.labels = task == Task::classify ? &labels : nullptr;
    const Dataset data = open_dataset(arguments.required_text("--in"), arguments.required_text("--target"), reading);
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
        print_text(as_text(score, labels));
    }
    return 0;
}

} // namespace samara::desk
