#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "ports/host/commands/commands.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"
#include "samara/learn.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara inspect MODEL",
    "Says what is in a sealed model and what it will cost on a device: bytes of flash and RAM, and\n"
    "an estimate of the operations of one prediction.\n",
    {},
    FileUse::read};

using Cells = std::vector<std::vector<std::string>>;

std::string scaling_text(std::uint32_t steps)
{
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
    return text.empty() ? "none" : text;
}

std::string with_commas(double value)
{
    const std::string digits = std::to_string(std::llround(value));
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            text += ',';
        }
        text += digits[i];
    }
    return text;
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
    const LoadedModel loaded(arguments.positionals().front());
    const Model& m = loaded.model();
    const auto& layout = m.layout();
    const char* types[] = {"float32", "float16", "int8"};

    Cells rows;
    rows.push_back({"map", map_text(loaded.spec())});
    for (const KeyHelp& field : made_fields(loaded.spec())) {
        rows.push_back({field.name, field.fallback});
    }
    if (has_rows(loaded.spec())) {
        rows.push_back({"rows kept", m.chosen().all() ? "all" : std::to_string(m.chosen().count())});
    }
    rows.push_back({"inputs", std::to_string(m.inputs())});
    rows.push_back({"input scaling", scaling_text(layout.scaling_steps)});
    rows.push_back({"features", std::to_string(m.features())});
    rows.push_back({"outputs", std::to_string(m.outputs())});
    rows.push_back({"task", m.task() == ModelTask::classify ? "classify" : "regress"});
    std::string labels;
    for (const std::string& label : loaded.labels()) {
        labels += labels.empty() ? "" : " ";
        labels += quoted_text(label);
    }
    rows.push_back({"labels", labels.empty() ? "none" : labels});
    rows.push_back({"readout", types[static_cast<unsigned>(m.readout_type())]});

    const double operations = std::visit(
        [&]<class Spec>(const Spec& spec) {
            typename Map<Spec>::Data data;
            Spec same;
            static_cast<void>(m.get(same, data)); // the model is open, and of this map
            return static_cast<double>(samara::operations(spec, data));
        },
        loaded.spec());
    const double readout = 2.0 * m.features() * m.outputs();
    Cells costs;
    const auto bytes = [&](const char* what, double value) { costs.push_back({what, with_commas(value), "bytes"}); };
    bytes("flash, this model", m.total_bytes());
    bytes("  of it the readout", layout.readout.bytes);
    bytes("RAM, workspace of a prediction", static_cast<double>(loaded.predictor().workspace_bytes()));
    bytes("RAM, inputs and scores", 4.0 * (m.inputs() + m.outputs()));
    bytes("RAM to go on learning (gradient)",
          static_cast<double>(state_bytes(SgdSpec{.features = m.features(), .outputs = m.outputs()})) +
              4.0 * m.features());
    costs.push_back({"operations of a prediction, about", with_commas(operations + readout), ""});
    print_text(aligned(rows, "", 2) +
               "\nCode and stack come on top; the README's table has them for each processor.\n" +
               aligned(costs, "", 1));
    return 0;
}

} // namespace samara::desk
