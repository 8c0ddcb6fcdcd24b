#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_rows.hpp"
#include "ports/host/training/score.hpp"

namespace samara::desk {
namespace {

const char* const help =
    "usage: samara evaluate MODEL --in X --target Y [--json] [--threads N]\n\n"
    "How good a sealed model's predictions are: for classes the accuracy and the confusion matrix, for values the\n"
    "mean squared error, R2 and the relative error |y - f| / |y|.\n\n"
    "  --in X       the inputs: .npy, .csv or IDX, each perhaps with .gz behind it\n"
    "  --target Y   the answers: a file, or of a CSV file X a column (its name, or column:NUMBER)\n"
    "  --json       as JSON\n"
    "  --threads N  how many threads compute (default: all of the machine)\n";

std::string json_text(const std::string& text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            result += '\\';
            result += character;
        } else if (byte < 0x20u) {
            result += "\\u00";
            result += digits[byte >> 4u];
            result += digits[byte & 15u];
        } else {
            result += character;
        }
    }
    return result + '"';
}

std::string as_json(const Score& score, const std::vector<std::string>& labels)
{
    std::string text = "{\"rows\": " + std::to_string(score.rows());
    if (score.task() == Task::classify) {
        text += ", \"accuracy\": " + number_text(score.accuracy()) + ", \"labels\": [";
        for (std::size_t k = 0; k < labels.size(); ++k) {
            text += (k == 0 ? "" : ", ") + json_text(labels[k]);
        }
        text += "], \"confusion\": [";
        for (std::size_t i = 0; i < score.confusion().size(); ++i) {
            text += i == 0 ? "[" : ", [";
            for (std::size_t j = 0; j < score.confusion()[i].size(); ++j) {
                text += (j == 0 ? "" : ", ") + std::to_string(score.confusion()[i][j]);
            }
            text += ']';
        }
        text += ']';
    }
    return text + ", \"mean_squared_error\": " + number_text(score.mean_squared_error()) +
           ", \"r_squared\": " + number_text(score.r_squared()) +
           ", \"relative_error\": " + number_text(score.relative_error()) + "}\n";
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
    const Arguments arguments(words, {{"--in"}, {"--target"}, {"--json", false}, {"--threads"}});
    if (arguments.help()) {
        print_text(help);
        return 0;
    }
    arguments.require_positionals(1, 1, "a model");
    const LoadedModel model(arguments.positionals().front());
    const Dataset data =
        open_dataset(arguments.required_text("--in"), arguments.required_text("--target"), fills_missing(model));
    const Task task = task_of(model);
    const std::vector<std::string> labels = class_names(model);
    require_width(model, *data.x);
    const Target target = target_like(data.y, task, labels, model.model().outputs());
    Score score(task, model.model().outputs());
    predict_rows(model, *data.x, thread_count(arguments), [&](const MatrixF& outputs, std::size_t first) {
        for (std::size_t i = 0; i < outputs.rows; ++i) {
            score.add(target, first + i, outputs.row(i));
        }
    });
    print_text(arguments.has("--json") ? as_json(score, labels) : as_text(score, labels));
    return 0;
}

} // namespace samara::desk
