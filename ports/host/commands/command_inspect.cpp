#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <variant>

#include "ports/host/commands/commands.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"
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

// Additions, multiplications and regenerated random numbers of rows: `blocks` of hadamard and like rows, else `rows`.
double row_operations(Rows kind, std::uint32_t inputs, double blocks, double rows)
{
    const double d = block_rows(kind, inputs);
    return kind == Rows::hadamard   ? blocks * d * (3.0 * block_log2(inputs) + 8.0)
           : kind == Rows::fastfood ? blocks * d * (2.0 * block_log2(inputs) + 24.0)
           : kind == Rows::quasi    ? blocks * d * inputs * 64.0
                                    : rows * inputs * 16.0;
}

// What a nonlinearity takes.
constexpr double finish_operations = 12.0;
template <class Spec>
double feature_operations(const Spec&)
{
    return finish_operations;
}
double feature_operations(const NtkPolySpec& spec) { return 3.0 * spec.degree + 4.0; }

// Of a signed transform, padded to a power of two.
double transform_operations(std::uint64_t n)
{
    return static_cast<double>(std::bit_ceil(n)) * (static_cast<double>(std::bit_width(n)) + 1.0);
}

// Of what the exact orders have beside constant and x.
double pair_operations(const RffSpec&) { return 0.0; }
double pair_operations(const NtkPolySpec& spec)
{
    return spec.orders == Orders::two ? static_cast<double>(samara::detail::all_pairs(spec.inputs)) : 0.0;
}
double pair_operations(const ArcCosSpec& spec)
{
    return samara::detail::sketches_pairs(spec) ? 2.0 * transform_operations(spec.inputs) + 4.0 * spec.pairs
                                                : spec.pairs;
}

template <RowSpec Spec>
double map_operations(const Spec& spec, const ChosenRows& chosen)
{
    const std::uint32_t exact = exact_features(spec) != 0 ? 1 : 0;
    double blocks = 0.0, rows = 0.0;
    for (std::uint32_t k = exact; k < block_count(spec); ++k) {
        const std::uint32_t whole = block_range(spec, chosen, k).count / features_per_row(spec);
        const double kept = whole;
        blocks += kept > 0.0 ? 1.0 : 0.0;
        rows += kept;
    }
    return row_operations(spec.rows, spec.inputs, blocks, rows) +
           feature_operations(spec) * rows * features_per_row(spec) + pair_operations(spec);
}

// All powers of x up to p by sketches: p signed transforms of x and 2 (p - 2) of products.
double powers_operations(double p, double leaf, std::uint32_t size)
{
    return p * leaf + std::max(0.0, 2.0 * (p - 2.0)) * transform_operations(size) + 4.0 * p * size;
}

// Of a sketch of a power p: by transforms, or p hashed vectors and FFTs whose tables are made anew.
template <class Spec>
double power_operations(const Spec& spec)
{
    const detail::PowerLayout layout = detail::layout_of(spec);
    if (layout.shares == 0) {
        return spec.features;
    }
    const double p = layout.highest, m = layout.width;
    const double sketch = spec.sketch == PowerSketch::srht
                              ? powers_operations(p, transform_operations(spec.inputs), layout.width)
                              : p * 12.0 * spec.inputs + (p + 1.0) * 2.5 * m * std::bit_width(layout.width) + 64.0 * m;
    return sketch * (layout.shares > 1 ? 2.0 : 1.0) + 2.0 * spec.features;
}
double map_operations(const PolynomialSpec& spec, const ChosenRows&) { return power_operations(spec); }
double map_operations(const DotSpec& spec, const ChosenRows&) { return power_operations(spec); }

// Rows and what is made of them.
double layer_rows(Rows kind, std::uint64_t inputs, std::uint32_t count)
{
    const auto n = static_cast<std::uint32_t>(inputs);
    const double blocks = std::ceil(static_cast<double>(count) / block_rows(kind, n));
    return row_operations(kind, n, blocks, count) + finish_operations * count;
}

// One sketch of the product of two vectors.
double tensor_srht_operations(std::uint64_t left, std::uint64_t right, std::uint32_t m)
{
    return transform_operations(left) + transform_operations(right) + 4.0 * m;
}
double tensor_operations(const detail::LayerPlan& plan, std::uint64_t left, std::uint64_t right)
{
    const double m = plan.tensor;
    return plan.sketch == NtkTensor::srht
               ? tensor_srht_operations(left, right, plan.tensor)
               : 12.0 * static_cast<double>(left + right) + 3.0 * 2.5 * m * std::bit_width(plan.tensor);
}

// Layer by layer: its relu features; for ntk its step features and its sketches, or the whole product.
double layer_operations(const detail::LayerPlan& plan)
{
    // The tables of the FFTs are made once a sample.
    double sum = (plan.sketch == NtkTensor::count ? 64.0 * plan.tensor : 0.0) + plan.pairs;
    for (std::uint32_t l = 0; l < plan.depth; ++l) {
        const std::uint64_t phi = detail::phi_size(plan, l);
        sum += layer_rows(plan.rows, phi, plan.relu) + 3.0 * static_cast<double>(phi);
        const bool squares = plan.pairs != 0 && l > 0;
        sum += squares ? tensor_srht_operations(phi, phi, plan.relu) : 0.0;
        if (plan.nngp) {
            continue;
        }
        const std::uint64_t psi = detail::psi_size(plan, l);
        sum += layer_rows(detail::step_rows(plan.rows), phi, plan.step);
        if (plan.sketch == NtkTensor::none) {
            sum += static_cast<double>(psi) * plan.step;
        } else {
            const double more = !plan.exact || (plan.pairs != 0 && l == 0) ? 0.0 : squares ? 2.0 : 1.0;
            sum += tensor_operations(plan, psi, plan.step) + more * tensor_operations(plan, psi, phi);
        }
    }
    return sum + 2.0 * plan.features;
}
double map_operations(const NngpSpec& spec, const ChosenRows&) { return layer_operations(detail::layer_plan(spec)); }
double map_operations(const NtkSpec& spec, const ChosenRows&) { return layer_operations(detail::layer_plan(spec)); }

// All powers of phi, their roots, and the mix.
double series_operations(const detail::SeriesPlan& plan, std::uint64_t phi)
{
    const double leaf =
        plan.base == PolyBase::srht ? transform_operations(phi) : finish_operations * static_cast<double>(phi);
    return powers_operations(plan.degree, leaf, plan.width) + 2.0 * detail::stacked(plan) +
           transform_operations(detail::stacked(plan));
}

// Of each layer two series and what takes the product of layers on; in the text's form a projection at the end.
double map_operations(const NtkSketchSpec& spec, const ChosenRows&)
{
    const detail::LayerPlan plan = detail::layer_plan(spec);
    const bool exact = spec.orders == Orders::one;
    double sum = 0.0;
    for (std::uint32_t l = 0; l < spec.depth; ++l) {
        const std::uint64_t phi = exact ? detail::phi_size(plan, l) : spec.relu;
        sum += series_operations(detail::relu_series(spec), phi) + series_operations(detail::step_series(spec), phi);
        if (exact) {
            const std::uint64_t psi = detail::psi_size(plan, l);
            sum += tensor_operations(plan, psi, plan.step) + tensor_operations(plan, psi, phi);
        } else {
            sum += tensor_operations(plan, spec.tensor, spec.tensor) +
                   transform_operations(std::uint64_t{spec.tensor} + spec.relu);
        }
    }
    if (exact) {
        return sum + 2.0 * spec.features;
    }
    return sum + transform_operations(spec.inputs) + transform_operations(spec.relu) +
           row_operations(spec.rows, spec.tensor,
                          std::ceil(static_cast<double>(spec.features) / block_rows(spec.rows, spec.tensor)),
                          spec.features);
}

// Every weight is made for the way forward, and all but the first layer's for the way back.
double map_operations(const NtkGradientSpec& spec, const ChosenRows&)
{
    const double width = spec.width, first = width * spec.inputs, others = (spec.depth - 1.0) * width * width;
    return 16.0 * (first + 2.0 * others + width) + spec.features;
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
    if (const auto* const polynomial = std::get_if<NtkPolySpec>(&loaded.spec())) {
        rows.push_back({"coefficients", coefficients_text(polynomial->coefficients)});
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
