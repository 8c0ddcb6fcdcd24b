#include "ports/host/training/seal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/training/map_data.hpp"
#include "ports/host/training/whole_inputs.hpp"
#include "ports/host/training/whole_readout.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void refuse_weight(const TrainedModel& trained, std::size_t output, float value, ReadoutType type)
{
    const std::string name = output < trained.labels.size() ? " of " + quoted_text(trained.labels[output]) : "";
    throw BadInput("readout: found the weight " + number_text(value) + name +
                   ", expected a number that the readout's type can hold (take a larger ridge" +
                   (type == ReadoutType::float16 ? ", or --readout float32)" : ")"));
}

// The core says that a number is to blame; which one, only the desk has the words for.
void refuse_weights(const TrainedModel& trained, ReadoutType type)
{
    const float most = type == ReadoutType::float16 ? 65519.0f : std::numeric_limits<float>::max();
    for (std::size_t o = 0; o < trained.weights.rows; ++o) {
        for (std::size_t j = 0; j < trained.weights.cols; ++j) {
            if (!(std::abs(trained.weights.row(o)[j]) <= most)) {
                refuse_weight(trained, o, trained.weights.row(o)[j], type);
            }
        }
        if (!std::isfinite(trained.bias[o])) {
            refuse_weight(trained, o, trained.bias[o], type);
        }
    }
    for (const auto* vector : {&trained.scaling.fill, &trained.scaling.shift, &trained.scaling.factor}) {
        for (const float v : *vector) {
            if (!std::isfinite(v)) {
                throw BadInput("scaling: found " + number_text(v) + ", expected finite numbers");
            }
        }
    }
}

std::string joined_labels(const TrainedModel& trained)
{
    std::string all;
    for (const std::string& label : trained.labels) {
        if (label.find('\0') != std::string::npos) {
            throw BadInput("label: found " + quoted_text(label) + ", expected no zero byte in it");
        }
        all += label;
        all += '\0';
    }
    return all;
}

Readout readout_of(const TrainedModel& trained)
{
    const MatrixF& w = trained.weights;
    return float_readout(static_cast<std::uint32_t>(w.rows), static_cast<std::uint32_t>(w.cols), w.values.data(),
                         w.cols, trained.bias.data(), 1);
}

} // namespace

std::string seal_model(const TrainedModel& trained, ReadoutType type)
{
    const std::string labels = joined_labels(trained);
    if (trained.weights.rows > most_outputs) {
        throw BadInput("model: found " + std::to_string(trained.weights.rows) + " outputs, expected at most " +
                       std::to_string(most_outputs));
    }
    const ModelParts parts{.task = trained.task == Task::classify ? ModelTask::classify : ModelTask::regress,
                           .readout = trained.whole.biases.empty() || trained.whole.type != type
                                          ? readout_of(trained)
                                          : whole_view(trained.whole),
                           .type = type,
                           .probability_scale = trained.probability_scale,
                           .fill = trained.scaling.fill,
                           .shift = trained.scaling.shift,
                           .factor = trained.scaling.factor,
                           .unit = trained.scaling.unit,
                           .whole = trained.scaling.whole,
                           .whole_runs = trained.scaling.runs,
                           .labels = labels,
                           .application = {.version = trained.application.version,
                                           .input_layout = trained.application.input_layout,
                                           .confidence_mean = trained.application.confidence_mean,
                                           .confidence_spread = trained.application.confidence_spread,
                                           .data = std::as_bytes(std::span(trained.application.data))}};
    const MapData all_data(trained.spec, trained.kept_rows, is_whole(trained.spec) ? RowForm::coded : RowForm::listed);
    return std::visit(
        [&]<class Spec>(const Spec& spec) {
            if (!BlockSpec<Spec> && !trained.kept_rows.empty()) {
                throw std::logic_error("sealing: rows are kept of a map that has none");
            }
            const auto data = all_data.of(spec);
            const std::size_t size = sealed_bytes(spec, data, parts);
            if (size > most_model_bytes) {
                throw BadInput("model: found " + std::to_string(size) + " bytes, expected fewer than 2^32");
            }
            std::vector<std::uint32_t> words(size / 4); // so that the bytes are aligned
            std::size_t written = 0;
            const Status status = seal(spec, data, parts, std::as_writable_bytes(std::span(words)), written);
            if (status == Status::not_finite || status == Status::overflow) {
                refuse_weights(trained, type);
            }
            if (status != Status::ok) {
                throw std::logic_error(std::string("sealing: ") + samara::text(status));
            }
            return std::string(reinterpret_cast<const char*>(words.data()), written);
        },
        trained.spec);
}

} // namespace samara::desk
