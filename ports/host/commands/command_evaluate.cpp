#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/commands/score_report.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_rows.hpp"
#include "ports/host/training/score.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara evaluate MODEL",
    "How good a sealed model's predictions are. For classes: the accuracy, its mean over the classes, the log-loss\n"
    "where the model has probabilities, the confusion matrix, recall, precision and F1; of more than 20 classes only\n"
    "the ten with the least recall. For values: the root of the mean squared error (RMSE), the mean absolute error\n"
    "(MAE) and R2. --json has all digits and all classes.\n",
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
    require_shape(model, *data.x);
    const Target target = target_like(data.y, task, labels, model.model().outputs());
    for (const std::string& note : data.y.notes) {
        say(note);
    }
    Score score(task, model.model().outputs(), static_cast<double>(model.model().probability_scale()));
    predict_rows(model, *data.x, thread_count(arguments), [&](const MatrixF& outputs, std::size_t first) {
        for (std::size_t i = 0; i < outputs.rows; ++i) {
            score.add(target, first + i, outputs.row(i));
        }
    });
    if (arguments.has("--json")) {
        print_json(score_json(score, labels), 1);
    } else {
        print_text(score_text(score, labels));
    }
    return 0;
}

} // namespace samara::desk
