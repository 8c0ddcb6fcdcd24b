#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <vector>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/csv.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_rows.hpp"
#include "ports/host/training/score.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara predict MODEL",
    "Writes a sealed model's predictions, a row each: the label of the class, or the values.\n",
    {model_inputs_option(),
     {"--out", "Y", "where to write, .npy or .csv; labels that are no numbers need .csv", "CSV to standard output"},
     {.name = "--scores", .meaning = "all outputs of a classifier, in the order of its labels"},
     most_operations_option(),
     threads_option()}};

bool all_numbers(const std::vector<std::string>& labels, std::vector<float>& values)
{
    for (const std::string& label : labels) {
        float value = 0.0f;
        const char* const end = label.data() + label.size();
        const auto [stop, status] = std::from_chars(label.data(), end, value);
        if (status != std::errc() || stop != end) {
            return false;
        }
        values.push_back(value);
    }
    return true;
}

} // namespace

int predict_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page.options);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(1, 1, "a model");
    const LoadedModel model(arguments.positionals().front(), most_operations(arguments));
    const std::string out = output_path(arguments);
    const auto x = open_table(arguments.required_text("--in"), fills_missing(model));
    const std::vector<std::string> labels = class_names(model);
    const bool classes = task_of(model) == Task::classify && !arguments.has("--scores");
    const bool npy = out != "-" && data_format(out) == DataFormat::npy;
    std::vector<float> values;
    if (classes && npy && !all_numbers(labels, values)) {
        throw BadInput(out + ": found labels that are no numbers, expected a .csv file for them (or --scores)");
    }
    // Of a classifier the number of the class, until it is written.
    MatrixF results(x->rows(), classes ? 1 : labels.size());
    predict_rows(model, *x, thread_count(arguments), [&](const MatrixF& outputs, std::size_t first) {
        for (std::size_t i = 0; i < outputs.rows; ++i) {
            if (classes) {
                results.row(first + i)[0] = static_cast<float>(largest(outputs.row(i), outputs.cols));
            } else {
                std::copy_n(outputs.row(i), outputs.cols, results.row(first + i));
            }
        }
    });
    if (npy) {
        if (classes) {
            for (float& value : results.values) {
                value = values[static_cast<std::size_t>(value)];
            }
        }
        write_matrix(out, results);
        return 0;
    }
    write_file(out, [&](std::ostream& stream) {
        if (!classes) {
            write_csv(stream, results, model.labels());
            return;
        }
        for (const float number : results.values) {
            write_csv_cell(stream, labels[static_cast<std::size_t>(number)]);
            stream << '\n';
        }
    });
    return 0;
}

} // namespace samara::desk
