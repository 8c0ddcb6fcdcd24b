#include "ports/host/commands/training_data.hpp"

#include <algorithm>
#include <optional>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/rounding.hpp"
#include "ports/host/data/row_weights.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/seal.hpp"

namespace samara::desk {
namespace {

// The same names in another order would be taken for each other without a word; other names may mean the same.
void require_same_order(const TableSource& x, const TableSource& like)
{
    const auto [found, expected] =
        std::mismatch(x.columns().begin(), x.columns().end(), like.columns().begin(), like.columns().end());
    if (found != x.columns().end() && expected != like.columns().end() &&
        std::is_permutation(x.columns().begin(), x.columns().end(), like.columns().begin(), like.columns().end())) {
        throw BadInput(x.name() + ": line 1: found the column " + quoted_text(*found) + " where " + like.name() +
                       " has " + quoted_text(*expected) + ", expected the same order of the same columns");
    }
}

} // namespace

void require_sealable(const TrainOptions& options, const Target& target)
{
    const std::string& path = names_a_file(options.target) ? options.target : options.in;
    if (target.outputs() > most_outputs) {
        throw BadInput(path + ": found " + std::to_string(target.outputs()) +
                       " columns of the target, expected at most " + std::to_string(most_outputs) + " targets");
    }
    if (readout_row_bytes(options.readout, options.settings.features) * target.outputs() > most_model_bytes) {
        throw BadInput("--features: found " + std::to_string(options.settings.features) + " for " +
                       std::to_string(target.outputs()) + " outputs, expected a model of fewer than 2^32 bytes");
    }
    for (const std::string& label : target.labels) {
        if (label.find('\0') != std::string::npos) {
            throw BadInput(path + ": found the label " + quoted_text(label) + ", expected no zero byte in it");
        }
    }
}

std::unique_ptr<LabelledData> read_training_data(const TrainOptions& options)
{
    auto data = std::make_unique<LabelledData>();
    data->data = open_dataset(options.in, options.target, options.reading, columns_beside(options.loss));
    data->target = make_target(data->data.y, options.task);
    take_columns_beside(options.loss, data->data, data->target);
    data->remarks = notes_on(data->data.y, data->target, options.task.has_value());
    data->remarks.insert(data->remarks.begin(), task_text(data->target));
    if (const std::optional<std::string> note = note_on_rounded_inputs(*data->data.x)) {
        data->remarks.push_back(*note);
    }
    if (data->target.task == Task::regress) {
        if (const std::optional<std::string> note = note_on_rounded_target(data->data.y)) {
            data->remarks.push_back(*note);
        }
    }
    data->data.y = {};
    data->data.beside.clear();
    return data;
}

RowSet training_rows(const TrainOptions& options, LabelledData& data)
{
    RowSet rows = data.rows();
    if (!options.augment) {
        return rows;
    }
    const RowGrid grid =
        grid_of(*options.augment, options.settings.any_map ? nullptr : &options.settings.map, rows.x());
    return rows.with_copies(
        std::make_shared<const Augmentation>(options.augment->settings, grid, options.settings.ridge.seed));
}

std::unique_ptr<LabelledData> read_more_data(const TrainOptions& options, const std::string& in,
                                             const std::string& target, const LabelledData& like)
{
    auto data = std::make_unique<LabelledData>();
    TableReading reading = options.reading;
    reading.columns = like.data.x->cols();
    reading.labels = like.target.task == Task::classify ? &like.target.labels : nullptr;
    // A file has a row for each of the training's; a column is one of this file, too.
    LossOptions loss = options.loss;
    for (std::string* const words : {&loss.weights, &loss.groups}) {
        if (!words->empty() && names_a_file(*words)) {
            words->clear();
        }
    }
    data->data = open_dataset(in, target, reading, columns_beside(loss));
    data->remarks = data->data.y.notes;
    if (data->data.x->cols() != like.data.x->cols()) {
        throw BadInput(in + ": found " + std::to_string(data->data.x->cols()) + " columns, expected " +
                       std::to_string(like.data.x->cols()) + " as in " + like.data.x->name());
    }
    const TableSource& first = *like.data.x;
    require_same_images(options.settings.map, first.row_shape(), first.name(), data->data.x->row_shape(), in);
    require_same_order(*data->data.x, *like.data.x);
    data->target = target_like(data->data.y, like.target.task, like.target.labels, like.target.outputs());
    if (!loss.weights.empty()) {
        data->target.weights = weights_from(data->data.beside.front(), "--weights");
    }
    data->data.y = {};
    data->data.beside.clear();
    return data;
}

} // namespace samara::desk
