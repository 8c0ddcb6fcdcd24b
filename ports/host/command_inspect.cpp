#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <variant>

#include "ports/host/commands.hpp"
#include "ports/host/error.hpp"
#include "ports/host/model_file.hpp"
#include "samara/learn.hpp"

namespace samara::desk {
namespace {

const std::string help =
    "usage: samara inspect MODEL\n\n"
    "Says what is in a sealed model and what it will cost on a device: bytes of flash and RAM, and\n"
    "an estimate of the operations of one prediction.\n";

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
    add(detail::scaling_fill, "missing values filled");
    add(detail::scaling_affine, "shifted and scaled");
    add(detail::scaling_unit, "unit length");
    return text.empty() ? "none" : text;
}

// Additions, multiplications and regenerated random numbers of the rows of one sample; what a nonlinearity takes is
// counted as 12.
template <class Spec>
double map_operations(const Spec& spec, const ChosenRows& chosen)
{
    const std::uint32_t per_block = block_rows(spec.rows, spec.inputs), exact = spec.orders == Orders::one ? 1 : 0;
    double blocks = 0.0, rows = 0.0;
    for (std::uint32_t k = exact; k < block_count(spec); ++k) {
        const std::uint32_t whole = block_range(spec, chosen, k).count / features_per_row(spec);
        const double kept = whole;
        blocks += kept > 0.0 ? 1.0 : 0.0;
        rows += kept;
    }
    const double d = per_block;
    const double made = spec.rows == Rows::hadamard   ? blocks * d * (3.0 * block_log2(spec.inputs) + 8.0)
                        : spec.rows == Rows::fastfood ? blocks * d * (2.0 * block_log2(spec.inputs) + 24.0)
                        : spec.rows == Rows::quasi    ? blocks * d * spec.inputs * 64.0
                                                      : rows * spec.inputs * 16.0;
    return made + 12.0 * rows * features_per_row(spec);
}

// Of a sketch of a power p: p signed transforms of x and 2 (p - 2) of products, or p hashed vectors and FFTs whose
// tables are made anew.
template <WholeSpec Spec>
double map_operations(const Spec& spec, const ChosenRows&)
{
    const detail::PowerLayout layout = detail::layout_of(spec);
    if (layout.shares == 0) {
        return spec.features;
    }
    const double p = layout.highest, m = layout.width;
    const auto transform = [](std::uint32_t n) { return std::bit_ceil(n) * (std::bit_width(n) + 1.0); };
    const double sketch =
        spec.sketch == PowerSketch::srht
            ? p * transform(spec.inputs) + std::max(0.0, 2.0 * (p - 2.0)) * transform(layout.width) + 4.0 * p * m
            : p * 12.0 * spec.inputs + (p + 1.0) * 2.5 * m * std::bit_width(layout.width) + 64.0 * m;
    return sketch * (layout.shares > 1 ? 2.0 : 1.0) + 2.0 * spec.features;
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
    const Arguments arguments(words, {});
    if (arguments.help()) {
        print_text(help);
        return 0;
    }
    arguments.require_positionals(1, 1, "a sealed model");
    const LoadedModel loaded(arguments.positionals().front());
    const Model& m = loaded.model();
    const auto& layout = m.layout();
    const char* types[] = {"float32", "float16", "int8"};

    Cells rows;
    rows.push_back({"map", map_text(loaded.spec())});
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

    const double operations = std::visit([&](const auto& s) { return map_operations(s, m.chosen()); }, loaded.spec());
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
