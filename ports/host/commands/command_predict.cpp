#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/csv.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/data/npy_text.hpp"
#include "ports/host/data/output_place.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/visible.hpp"
#include "ports/host/training/model_rows.hpp"
#include "ports/host/training/score.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara predict MODEL", "Writes a sealed model's predictions, a row each: the label of the class, or the values.\n",
    with_reading_options(
        {model_inputs_option(),
         {.name = "--out",
          .value = "Y",
          .meaning = "where to write, .npy or .csv; labels become int64 in .npy where all are whole numbers, else "
                     "float64 or text",
          .fallback = "CSV to standard output",
          .file = FileUse::written},
         {.name = "--scores", .meaning = "all outputs of a classifier, in the order of its labels"},
         {.name = "--probabilities",
          .meaning = "how probable each class is, in the same order; the model says it where it was trained to (samara "
                     "train --loss logistic, or --probabilities)"},
         most_operations_option(),
         threads_option()}),
    FileUse::read};

} // namespace

int predict_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(1, 1, "a model");
    const std::string in = arguments.required_text("--in");
    const TableReading reading = table_reading(arguments, in);
    const LoadedModel model(arguments.positionals().front(), most_operations(arguments));
    const std::string out = output_path(arguments);
    const auto x = open_table(in, reading_for(model, reading));
    const std::vector<std::string> labels = class_names(model);
    const bool probabilities = arguments.has("--probabilities");
    const float scale = model.model().probability_scale();
    if (probabilities && !(scale > 0.0f)) {
        throw BadInput(arguments.positionals().front() + ": found " +
                       (task_of(model) == Task::classify ? "nothing that makes probabilities of its scores"
                                                         : "a model of values, which have no probabilities") +
                       ", expected a model of classes that was trained with --loss logistic or --probabilities");
    }
    if (probabilities && arguments.has("--scores")) {
        throw BadInput("--probabilities: found it with --scores, expected one of them");
    }
    const bool classes = task_of(model) == Task::classify && !arguments.has("--scores") && !probabilities;
    const bool npy = output_format(out) == TableFormat::npy;
    MatrixF results(classes ? 0 : x->rows(), labels.size());
    std::vector<std::uint32_t> predicted(classes ? x->rows() : 0);
    predict_rows(model, *x, thread_count(arguments), [&](const MatrixF& outputs, std::size_t first) {
        for (std::size_t i = 0; i < outputs.rows; ++i) {
            if (classes) {
                predicted[first + i] = static_cast<std::uint32_t>(largest(outputs.row(i), outputs.cols));
            } else {
                std::copy_n(outputs.row(i), outputs.cols, results.row(first + i));
                if (probabilities) {
                    softmax({results.row(first + i), outputs.cols}, scale);
                }
            }
        }
    });
    if (npy && !classes) {
        write_matrix(out, results);
        return 0;
    }
    // A file gets the labels as they are; a terminal must not be told what to do by those of somebody else's model.
    std::vector<std::string> names = classes ? labels : model.labels();
    if (const int descriptor = place_of(out).descriptor; descriptor >= 0 && ::isatty(descriptor) == 1) {
        std::transform(names.begin(), names.end(), names.begin(), visible_text);
    }
    write_file(out, [&](std::ostream& stream) {
        if (!classes) {
            write_csv(stream, results, names);
        } else if (npy) {
            write_npy_labels(stream, labels, predicted, out);
        } else {
            for (const std::uint32_t number : predicted) {
                write_csv_cell(stream, names[number]);
                stream << '\n';
            }
        }
    });
    return 0;
}

} // namespace samara::desk
