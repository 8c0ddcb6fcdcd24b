#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"
#include "ports/host/training/board_cost.hpp"
#include "ports/host/training/model_file.hpp"
#include "samara/learn.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara inspect MODEL",
    "Says what is in a sealed model and what it will cost on a device: bytes of flash and RAM, and\n"
    "an estimate of the operations of one prediction.\n",
    {{.name = "--json", .meaning = "as JSON"}},
    FileUse::read};

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::vector<std::string>>;

std::string scaling_text(const ModelLayout& layout)
{
    const std::uint32_t steps = layout.scaling_steps;
    std::string text;
    const auto add = [&](std::uint32_t step, const char* name) {
        if ((steps & step) != 0) {
            text += text.empty() ? "" : ", then ";
            text += name;
        }
    };
    add(scaling_fill, "missing values filled");
    add(scaling_affine, "shifted and scaled");
    add(scaling_unit, "unit length");
    add(scaling_whole, "rounded to whole numbers");
    if ((steps & scaling_runs) != 0) {
        text += " (one for each of " + std::to_string(layout.scaling_length) + " channels)";
    } else if (steps != 0 && layout.scaling_length != layout.inputs) {
        text += " (alike for every " + std::to_string(layout.scaling_length) +
                (layout.scaling_length == 1 ? " input)" : " inputs)");
    }
    return text.empty() ? "none" : text;
}

// Bytes as hexadecimal digits, the first of them where there are many.
std::string bytes_text(std::span<const std::byte> bytes)
{
    constexpr std::size_t most = 32;
    std::string text = std::to_string(bytes.size()) + " bytes: ";
    for (const std::byte b : bytes.first(std::min(bytes.size(), most))) {
        for (const unsigned shift : {4u, 0u}) {
            text += "0123456789abcdef"[std::to_integer<unsigned>(b) >> shift & 15u];
        }
    }
    return text + (bytes.size() > most ? " ..." : "");
}

const char* name_of(ReadoutType type)
{
    const char* const types[] = {"float32", "float16", "int8", "int8, whole numbers", "int4, whole numbers"};
    return types[static_cast<unsigned>(type)];
}

// RAM of a learner that goes on from the model.
std::uint64_t learning_bytes(const Model& m)
{
    return state_bytes(SgdSpec{.features = m.features(), .outputs = m.outputs()}) + std::uint64_t{4} * m.features();
}

Json as_json(const LoadedModel& loaded)
{
    const Model& m = loaded.model();
    const auto& layout = m.layout();
    Json json = {{"map", map_text(loaded.spec())}};
    if (has_rows(loaded.spec()) && !loaded.spec().skeleton) {
        json["rows_kept"] = m.chosen().all() ? Json("all") : Json(m.chosen().count());
    }
    json["inputs"] = m.inputs();
    json["input_scaling"] = scaling_text(layout);
    json["features"] = m.features();
    json["outputs"] = m.outputs();
    json["task"] = m.task() == ModelTask::classify ? "classify" : "regress";
    json["labels"] = loaded.labels();
    json["probability_scale"] = m.probability_scale() > 0.0f ? Json(m.probability_scale()) : Json();
    json["readout"] = name_of(m.readout_type());
    if (layout.application.bytes != 0) {
        const Application application = m.application();
        json["application"] = {{"version", application.version},
                               {"input_layout", application.input_layout},
                               {"confidence_mean", application.confidence_mean},
                               {"confidence_spread", application.confidence_spread},
                               {"data_bytes", application.data.size()}};
    }
    json["flash_bytes"] = m.total_bytes();
    json["readout_bytes"] = layout.readout.bytes;
    json["workspace_bytes"] = loaded.predictor().workspace_bytes();
    json["inputs_and_scores_bytes"] = std::uint64_t{4} * (m.inputs() + m.outputs());
    json["learning_bytes"] = learning_bytes(m);
    json["operations"] = loaded.predictor().operations();
    if (const std::optional<BoardWork> work = board_work(loaded)) {
        for (std::size_t core = 0; core < board_cores().size(); ++core) {
            const BoardCost cost = board_cost(*work, core);
            json["boards"][board_cores()[core]] = {
                {"flash_bytes", cost.flash}, {"ram_bytes", cost.ram}, {"instructions", cost.instructions}};
        }
        json["work_bytes"] = {
            {"predictor", work->predictor_bytes}, {"sample", work->input_bytes}, {"tables", work->table_bytes}};
        json["work"]["family"] = name_of(work->family);
        for (std::size_t i = 0; i < board_counts; ++i) {
            json["work"][name_of(static_cast<BoardCount>(i))] = work->counts[i];
        }
    }
    return json;
}

// What a program of this model alone takes on each core.
std::string boards_text(const std::optional<BoardWork>& work)
{
    if (!work) {
        return "\nCode and stack come on top. Instructions were not measured of models of this kind.\n";
    }
    Cells cells = {{"linked as a constant, about", "flash, model and code", "RAM, sample and stack", "instructions"}};
    for (std::size_t core = 0; core < board_cores().size(); ++core) {
        const BoardCost cost = board_cost(*work, core);
        cells.push_back({std::string(board_cores()[core]), with_commas(cost.flash), with_commas(cost.ram),
                         with_commas(cost.instructions)});
    }
    return '\n' + aligned(cells, "", 1);
}

} // namespace

int inspect_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(1, 1, "a sealed model");
    const LoadedModel loaded(arguments.positionals().front(), any_operations);
    const Model& m = loaded.model();
    const auto& layout = m.layout();
    if (arguments.has("--json")) {
        print_json(as_json(loaded), 1);
        return 0;
    }
    Cells rows;
    rows.push_back({"map", map_text(loaded.spec())});
    for (const KeyHelp& field : made_fields(loaded.spec())) {
        rows.push_back({field.name, field.fallback});
    }
    if (loaded.spec().skeleton) {
        const SkeletonPart& part = *loaded.spec().skeleton;
        rows.push_back({"skeleton", skeleton_summary(skeleton_of(part))});
        rows.push_back({"rows kept", part.list.indices.empty() ? "all" : list_summary(part.list)});
    } else if (has_rows(loaded.spec())) {
        rows.push_back({"rows kept", m.chosen().all() ? "all" : std::to_string(m.chosen().count())});
    }
    rows.push_back({"inputs", std::to_string(m.inputs())});
    rows.push_back({"input scaling", scaling_text(layout)});
    rows.push_back({"features", std::to_string(m.features())});
    rows.push_back({"outputs", std::to_string(m.outputs())});
    rows.push_back({"task", m.task() == ModelTask::classify ? "classify" : "regress"});
    std::string labels;
    for (const std::string& label : loaded.labels()) {
        labels += labels.empty() ? "" : " ";
        labels += quoted_text(label);
    }
    rows.push_back({"labels", labels.empty() ? "none" : labels});
    if (m.task() == ModelTask::classify) {
        rows.push_back({"probabilities", m.probability_scale() > 0.0f
                                             ? "softmax of scores times " + number_text(m.probability_scale())
                                             : "not sealed"});
    }
    if (layout.application.bytes != 0) {
        const Application application = m.application();
        rows.push_back({"application version", std::to_string(application.version)});
        rows.push_back(
            {"input layout", application.input_layout == 0 ? "any" : std::to_string(application.input_layout)});
        rows.push_back({"confidence", application.confidence_spread > 0.0f
                                          ? number_text(application.confidence_mean) + ", spread " +
                                                number_text(application.confidence_spread)
                                          : "not sealed"});
        rows.push_back({"application data", application.data.empty() ? "none" : bytes_text(application.data)});
    }
    rows.push_back({"readout", name_of(m.readout_type())});

    Cells costs;
    const auto bytes = [&](const char* what, std::uint64_t value) {
        costs.push_back({what, with_commas(value), "bytes"});
    };
    bytes("flash, this model", m.total_bytes());
    bytes("  of it the readout", layout.readout.bytes);
    bytes("RAM, workspace of a prediction", loaded.predictor().workspace_bytes());
    bytes("RAM, inputs and scores", std::uint64_t{4} * (m.inputs() + m.outputs()));
    bytes("RAM to go on learning (gradient)", learning_bytes(m));
    costs.push_back({"operations of a prediction, about", with_commas(loaded.predictor().operations()), ""});
    print_text(aligned(rows, "", 2) + '\n' + aligned(costs, "", 1) + boards_text(board_work(loaded)));
    return 0;
}

} // namespace samara::desk
