#include <algorithm>
#include <cstring>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"
#include "samara/learn.hpp"
#include "samara/model/seal.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara merge MODEL STATE...",
    "Adds up what several devices have gathered in samara::Gram accumulators, and seals the model that\n"
    "the sum gives: MODEL's map, scaling and labels with a new readout; or writes the sum.\n"
    "A STATE is the bytes of Gram::state(), of an accumulator that was started with MODEL.\n",
    {{.name = "--out", .value = "MODEL2", .meaning = "the new model", .file = FileUse::written},
     {.name = "--state-out",
      .value = "STATE2",
      .meaning = "the sum itself, to merge again later",
      .file = FileUse::written},
     {"--ridge", "R", "lambda of (1/n) sum |y - W z|^2 + lambda |W|^2", "1e-6"},
     {.name = "--readout",
      .value = "TYPE",
      .meaning = "float32, float16 or int8 (default: MODEL's)",
      .choices = {"float32", "float16", "int8"}}},
    FileUse::read};

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
    const Status status = state.gram.resume(spec, std::as_writable_bytes(std::span<std::uint32_t>(state.words)));
    if (status == Status::not_finite) {
        throw BadInput(path + ": found a sum that is not finite, expected numbers");
    }
    if (status != Status::ok) {
        throw BadInput(path + ": found other bytes, expected the state of a samara::Gram accumulator of this model");
    }
    if (state.gram.features_id() != model.features_id()) {
        throw BadInput(path + ": found an accumulator that another model's features went into, expected this model's");
    }
    if (state.gram.consumed()) {
        throw BadInput(path + ": found an accumulator whose sums solve() has consumed, expected the state before that");
    }
}

ReadoutType readout_from(const Arguments& arguments, ReadoutType fallback)
{
    // Of a model whose features are whole numbers, so is an int8 or int4 readout.
    const bool whole = is_whole(fallback);
    std::vector<std::string> names = {"float32", "float16", "int8"};
    const std::size_t old = static_cast<std::size_t>(fallback);
    if (whole) {
        names.emplace_back("int4");
    }
    const std::string name = arguments.choice("--readout", names, names[whole ? old - 1 : old]);
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    return static_cast<ReadoutType>(whole && at >= 2 ? at + 1 : at);
}

// The model again, with what the sums give in the place of its readout.
std::string resealed(const Model& model, const Gram& solved, ReadoutType type)
{
    std::vector<std::uint32_t> words(resealed_bytes(model, type) / 4); // so that the bytes are aligned
    std::size_t written = 0;
    const Status status =
        reseal(model, solved.readout(), type, std::as_writable_bytes(std::span<std::uint32_t>(words)), written);
    if (status == Status::not_finite || status == Status::overflow) {
        throw BadInput(std::string("merge: found weights of which ") + text(status) +
                       ", expected ones that the readout's type can hold (take a larger --ridge" +
                       (type == ReadoutType::float32 ? ")" : ", or --readout float32)"));
    }
    if (status != Status::ok) {
        throw std::logic_error(std::string("merge: ") + text(status));
    }
    return {reinterpret_cast<const char*>(words.data()), written};
}

} // namespace

int merge_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(2, 1u << 20, "a sealed model and the states to add up");
    if (!arguments.has("--out") && !arguments.has("--state-out")) {
        throw BadInput("merge: found neither --out nor --state-out, expected a place for the result");
    }
    const auto& paths = arguments.positionals();
    const LoadedModel loaded(paths.front(), any_operations); // nothing is predicted
    const double ridge = arguments.real("--ridge", 0.0, 1e30, 1e-6);
    const ReadoutType type = readout_from(arguments, loaded.model().readout_type());

    State sum;
    read_state(sum, paths[1], loaded.model());
    for (std::size_t i = 2; i < paths.size(); ++i) {
        State next;
        read_state(next, paths[i], loaded.model());
        if (sum.gram.merge(next.gram) != Status::ok) { // read_state made sure of all but the sums' size
            throw BadInput(paths[i] + ": found sums that leave the range of floats when they are added to those "
                                      "before, expected smaller ones");
        }
    }
    // What solving consumes, and all that can be refused before anything is written.
    const auto sums = sum.gram.state();
    const std::string state(reinterpret_cast<const char*>(sums.data()), sums.size());
    std::string model;
    if (arguments.has("--out")) {
        const std::uint64_t samples = sum.gram.samples();
        if (const Status status = sum.gram.solve(static_cast<float>(ridge)); status != Status::ok) {
            throw BadInput("merge: found " + std::to_string(samples) + " samples and --ridge " + number_text(ridge) +
                           ", of which " + text(status));
        }
        model = resealed(loaded.model(), sum.gram, type);
    }
    const auto write = [&](const char* option, const std::string& bytes) {
        if (arguments.has(option)) {
            write_file(arguments.required_text(option),
                       [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
        }
    };
    write("--state-out", state);
    write("--out", model);
    return 0;
}

} // namespace samara::desk
