#include <cstring>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"
#include "ports/host/training/seal.hpp"
#include "samara/learn.hpp"

namespace samara::desk {
namespace {

const std::string help =
    "usage: samara merge MODEL STATE... --out MODEL2 [--ridge R] [--readout TYPE]\n"
    "       samara merge MODEL STATE... --state-out STATE2\n\n"
    "Adds up what several devices have gathered in samara::Gram accumulators, and seals the model that\n"
    "the sum gives: MODEL's map, scaling and labels with a new readout.\n\n"
    "  STATE            the bytes of Gram::state(), of an accumulator that was started with MODEL\n"
    "  --out MODEL2     the new model\n"
    "  --state-out S    the sum itself, to merge again later\n"
    "  --ridge R        lambda of (1/n) sum |y - W z|^2 + lambda |W|^2 (default: 1e-6)\n"
    "  --readout TYPE   float32, float16 or int8 (default: MODEL's)\n";

// An accumulator and the words that it lives in.
struct State {
    std::vector<std::uint32_t> words;
    Gram gram;
};

void read_state(State& state, const std::string& path, const Model& model)
{
    const std::string bytes = read_file(path);
    const GramSpec spec{.features = model.features(), .outputs = model.outputs()};
    if (bytes.size() != state_bytes(spec)) {
        throw BadInput(path + ": found " + std::to_string(bytes.size()) + " bytes, expected the " +
                       std::to_string(state_bytes(spec)) + " of an accumulator of " + std::to_string(spec.features) +
                       " features and " + std::to_string(spec.outputs) + " outputs");
    }
    state.words.resize((bytes.size() + 3) / 4);
    std::memcpy(state.words.data(), bytes.data(), bytes.size());
    if (state.gram.resume(spec, std::as_writable_bytes(std::span<std::uint32_t>(state.words))) != Status::ok) {
        throw BadInput(path + ": found other bytes, expected the state of a samara::Gram accumulator of this model");
    }
    if (state.gram.features_id() != model.features_id()) {
        throw BadInput(path + ": found an accumulator that another model's features went into, expected this model's");
    }
    for (std::size_t i = detail::state_header_bytes / 4; i < state.words.size(); ++i) {
        if ((state.words[i] & 0x7f800000u) == 0x7f800000u) {
            throw BadInput(path + ": found a sum that is not finite, expected numbers");
        }
    }
}

ReadoutType readout_from(const Arguments& arguments, ReadoutType fallback)
{
    const std::vector<std::string> names = {"float32", "float16", "int8"};
    const std::string name = arguments.choice("--readout", names, names[static_cast<std::size_t>(fallback)]);
    return name == "float32" ? ReadoutType::float32 : name == "float16" ? ReadoutType::float16 : ReadoutType::int8;
}

std::vector<float> floats_at(const Model& model, std::uint32_t offset, std::size_t count)
{
    std::vector<float> values(count);
    std::memcpy(values.data(), model.bytes() + offset, count * sizeof(float));
    return values;
}

Scaling scaling_of(const Model& model)
{
    const auto& layout = model.layout();
    Scaling scaling;
    std::uint32_t at = layout.scaling.offset + 8;
    const auto next = [&] {
        at += 4 * layout.inputs;
        return floats_at(model, at - 4 * layout.inputs, layout.inputs);
    };
    if ((layout.scaling_steps & detail::scaling_fill) != 0) {
        scaling.fill = next();
    }
    if ((layout.scaling_steps & detail::scaling_affine) != 0) {
        scaling.shift = next();
        scaling.factor = next();
    }
    scaling.unit = (layout.scaling_steps & detail::scaling_unit) != 0;
    return scaling;
}

TrainedModel with_readout(const LoadedModel& loaded, const Gram& solved)
{
    const Model& model = loaded.model();
    TrainedModel trained;
    trained.spec = loaded.spec();
    const ChosenRows chosen = model.chosen();
    for (std::uint32_t i = 0; i < chosen.count(); ++i) {
        trained.kept_rows.push_back(static_cast<std::uint16_t>(chosen.row(i)));
    }
    trained.scaling = scaling_of(model);
    trained.task = model.task() == ModelTask::classify ? Task::classify : Task::regress;
    trained.labels = loaded.labels();
    trained.weights = MatrixF(model.outputs(), model.features());
    for (std::uint32_t o = 0; o < model.outputs(); ++o) {
        trained.bias.push_back(solved.bias(o));
        for (std::uint32_t j = 0; j < model.features(); ++j) {
            trained.weights.row(o)[j] = solved.weight(o, j);
        }
    }
    return trained;
}

} // namespace

int merge_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words,
                              {{"--out", "MODEL2"}, {"--state-out", "S"}, {"--ridge", "R"}, {"--readout", "TYPE"}});
    if (arguments.help()) {
        print_text(help);
        return 0;
    }
    arguments.require_positionals(2, 1u << 20, "a sealed model and the states to add up");
    if (!arguments.has("--out") && !arguments.has("--state-out")) {
        throw BadInput("merge: found neither --out nor --state-out, expected a place for the result");
    }
    const auto& paths = arguments.positionals();
    const LoadedModel loaded(paths.front());
    const double ridge = arguments.real("--ridge", 0.0, 1e30, 1e-6);
    const ReadoutType type = readout_from(arguments, loaded.model().readout_type());

    State sum;
    read_state(sum, paths[1], loaded.model());
    for (std::size_t i = 2; i < paths.size(); ++i) {
        State next;
        read_state(next, paths[i], loaded.model());
        sum.gram.merge(next.gram); // of the same features: read_state made sure
    }
    if (arguments.has("--state-out")) {
        const auto state = sum.gram.state();
        write_file(arguments.required_text("--state-out"), [&](std::ostream& out) {
            out.write(reinterpret_cast<const char*>(state.data()), static_cast<std::streamsize>(state.size()));
        });
    }
    if (arguments.has("--out")) {
        if (const Status status = sum.gram.solve(static_cast<float>(ridge)); status != Status::ok) {
            throw BadInput("merge: found " + std::to_string(sum.gram.samples()) + " samples and --ridge " +
                           number_text(ridge) + ", of which " + text(status));
        }
        const std::string bytes = seal_model(with_readout(loaded, sum.gram), type);
        write_file(arguments.required_text("--out"),
                   [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
    }
    return 0;
}

} // namespace samara::desk
