#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/csv.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/data/npy_text.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/training/model_rows.hpp"
#include "ports/host/training/score.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara predict MODEL",
    "Writes a sealed model's predictions, a row each: the label of the class, or the values.\n",
    {model_inputs_option(),
     header_option(),
     {"--out", "Y",
      "where to write, .npy or .csv; labels become int64 in .npy where all are whole numbers, else float64 or text",
      "CSV to standard output"},
     {.name = "--scores", .meaning = "all outputs of a classifier, in the order of its labels"},
     most_operations_option(),
     threads_option()}};

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
    TableReading reading;
    reading.blanks_are_missing = fills_missing(model);
    reading.header = csv_header(arguments);
    const auto x = open_table(arguments.required_text("--in"), reading);
    const std::vector<std::string> labels = class_names(model);
    const bool classes = task_of(model) == Task::classify && !arguments.has("--scores");
    const bool npy = out != "-" && data_format(out) == DataFormat::npy;
    MatrixF results(classes ? 0 : x->rows(), labels.size());
    std::vector<std::uint32_t> predicted(classes ? x->rows() : 0);
    predict_rows(model, *x, thread_count(arguments), [&](const MatrixF& outputs, std::size_t first) {
        for (std::size_t i = 0; i < outputs.rows; ++i) {
            if (classes) {
                predicted[first + i] = static_cast<std::uint32_t>(largest(outputs.row(i), outputs.cols));
            } else {
                std::copy_n(outputs.row(i), outputs.cols, results.row(first + i));
            }
        }
    });
    if (npy && !classes) {
        write_matrix(out, results);
        return 0;
    }
    write_file(out, [&](std::ostream& stream) {
        if (!classes) {
            write_csv(stream, results, model.labels());
        } else if (npy) {
            write_npy_labels(stream, labels, predicted, out);
        } else {
            for (const std::uint32_t number : predicted) {
                write_csv_cell(stream, labels[number]);
                stream << '\n';
            }
        }
    });
    return 0;
}

} // namespace samara::desk
