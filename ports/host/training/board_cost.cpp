#include "ports/host/training/board_cost.hpp"

#include <cmath>
#include <type_traits>
#include <variant>

#include "ports/host/training/board_cost_table.hpp"
#include "samara/fixed.hpp"

namespace samara::desk {
namespace {

constexpr const char* family_names[] = {"arccos hadamard", "arccos dense", "rff hadamard", "rff dense",
                                        "linear",          "whole",        "whole fourier"};
constexpr const char* count_names[] = {"once",    "inputs",     "shifted",    "to_unit", "blocks",     "points",
                                       "levels",  "odd_levels", "sign_words", "norms",   "lone_norms", "products",
                                       "rows",    "chosen",     "exact",      "floats",  "halves",     "bytes",
                                       "nibbles", "sums",       "outputs"};
static_assert(std::size(family_names) == board_families && std::size(count_names) == board_counts);

bool computes_whole(BoardFamily family) { return family == BoardFamily::whole || family == BoardFamily::whole_fourier; }

// The family of a spec whose costs were measured.
template <class Spec>
std::optional<BoardFamily> family_of(const Spec& spec)
{
    if constexpr (std::is_same_v<Spec, ArcCosSpec>) {
        if (Map<Spec>::is_whole(spec)) {
            return BoardFamily::whole;
        }
        if (spec.order == 1 && spec.orders != Orders::two && spec.rows == Rows::hadamard) {
            return BoardFamily::arccos_hadamard;
        }
        if (spec.order == 1 && spec.orders != Orders::two && spec.rows == Rows::dense) {
            return BoardFamily::arccos_dense;
        }
    } else if constexpr (std::is_same_v<Spec, RffSpec>) {
        if (Map<Spec>::is_whole(spec)) {
            return BoardFamily::whole_fourier;
        }
        if (spec.kernel == Kernel::gaussian && spec.rows == Rows::hadamard) {
            return BoardFamily::rff_hadamard;
        }
        if (spec.kernel == Kernel::gaussian && spec.rows == Rows::dense) {
            return BoardFamily::rff_dense;
        }
    } else if constexpr (std::is_same_v<Spec, PolynomialSpec>) {
        if (spec.degree == 1 && spec.orders == Orders::one && spec.features == spec.inputs) {
            return BoardFamily::linear;
        }
    }
    return std::nullopt;
}

BoardCount weights_of(ReadoutType type)
{
    switch (type) {
    case ReadoutType::float32:
        return BoardCount::floats;
    case ReadoutType::float16:
        return BoardCount::halves;
    case ReadoutType::int8:
    case ReadoutType::whole8:
        return BoardCount::bytes;
    default:
        return BoardCount::nibbles;
    }
}

constexpr std::uint32_t features_at_once = 64;

template <class Spec>
void count_rows(const Spec& spec, const ChosenRows& chosen, double outputs, const auto& set)
{
    const bool whole = computes_whole(*family_of(spec)), hadamard = spec.rows == Rows::hadamard;
    const unsigned log2 = block_log2(spec.inputs);
    const std::uint32_t size = 1u << log2;
    const BlockPlan plan = block_plan(spec);
    double blocks = 0.0, norms = 0.0, lone_norms = 0.0, pieces = plan.exact != 0 ? 1.0 : 0.0;
    for (std::uint32_t k = plan.exact != 0 ? 1 : 0; k < plan.count; ++k) {
        const std::uint32_t features = plan.range(chosen, k).count, rows = features / plan.per_row;
        if (features == 0) {
            continue;
        }
        blocks += 1.0;
        pieces += whole ? (features + features_at_once - 1) / features_at_once : 1;
        // As hadamard_kept_rows() has it.
        const bool of_block = chosen.all() || 4 * rows > size;
        (of_block ? norms : lone_norms) += of_block ? size : rows;
    }
    const double rows = chosen.all() ? row_count(spec) : chosen.count();
    if (hadamard) {
        // Whole numbers have a first round in common for all blocks, and one more for each.
        const double points = (whole ? blocks + 1.0 : blocks) * size;
        set(BoardCount::blocks, blocks);
        set(BoardCount::points, points);
        set(BoardCount::levels, points * log2);
        set(BoardCount::odd_levels, log2 % 2 != 0 ? points : 0.0);
        if constexpr (requires { Map<Spec>::integer_rows(spec); }) {
            if (whole && !signs_in_table(Map<Spec>::integer_rows(spec))) {
                set(BoardCount::sign_words, (blocks + 1.0) * static_cast<double>(integer_sign_words(spec.inputs)));
            }
        }
        set(BoardCount::norms, whole ? 0.0 : norms);
        set(BoardCount::lone_norms, whole ? 0.0 : lone_norms);
    } else {
        set(BoardCount::products, rows * spec.inputs);
    }
    // Pairs in whole numbers look up their rows twice.
    const double taken = whole ? rows * plan.per_row : rows;
    set(BoardCount::rows, taken);
    set(BoardCount::chosen, chosen.all() ? 0.0 : taken);
    set(BoardCount::sums, pieces * outputs);
}

// What all that is counted takes.
double sum_of(const BoardWork& work, const std::array<double, board_counts>& costs)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < board_counts; ++i) {
        sum += costs[i] * work.counts[i];
    }
    return sum;
}

// Code is there or not, however often it runs.
double sum_of_present(const BoardWork& work, const std::array<double, board_counts>& costs)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < board_counts; ++i) {
        sum += work.counts[i] > 0.0 ? costs[i] : 0.0;
    }
    return sum;
}

} // namespace

const char* name_of(BoardFamily family) { return family_names[static_cast<std::size_t>(family)]; }
const char* name_of(BoardCount count) { return count_names[static_cast<std::size_t>(count)]; }
std::span<const char* const> board_cores() { return board_core_names; }

std::optional<BoardWork> board_work(const LoadedModel& loaded)
{
    const Model& model = loaded.model();
    const ModelLayout& layout = model.layout();
    return std::visit(
        [&]<class Spec>(const Spec& spec) -> std::optional<BoardWork> {
            const std::optional<BoardFamily> family = family_of(spec);
            const bool whole = family && computes_whole(*family);
            // A model in whole numbers is so throughout, or computes like no program that was measured.
            if (!family || whole != is_whole(layout.type) || (whole && (layout.scaling_steps & ~scaling_whole) != 0)) {
                return std::nullopt;
            }
            BoardWork work;
            work.family = *family;
            work.model_bytes = model.total_bytes();
            const double inputs = model.inputs(), outputs = model.outputs();
            const auto set = [&](BoardCount count, double value) {
                work.counts[static_cast<std::size_t>(count)] = value;
            };
            set(BoardCount::once, 1.0);
            set(BoardCount::inputs, inputs);
            const bool shifted = (layout.scaling_steps & scaling_affine) != 0 ||
                                 (layout.scaling_steps == scaling_whole && layout.scaling_length != 1);
            set(BoardCount::shifted, shifted ? inputs : 0.0);
            set(BoardCount::to_unit, (layout.scaling_steps & scaling_unit) != 0 ? inputs : 0.0);
            set(weights_of(layout.type), outputs * model.features());
            set(BoardCount::outputs, outputs);
            if constexpr (std::is_same_v<Spec, PolynomialSpec>) {
                set(BoardCount::exact, inputs);
            } else if constexpr (std::is_same_v<Spec, ArcCosSpec> || std::is_same_v<Spec, RffSpec>) {
                set(BoardCount::exact, exact_features(spec));
                count_rows(spec, model.chosen(), outputs, set);
            }
            const std::size_t scores = sizeof(float) * model.outputs();
            if (whole) {
                work.predictor_bytes = whole_bytes(model.inputs()) + scores;
                work.input_bytes = model.inputs();
            } else {
                const std::uint32_t scaled = layout.scaling_steps != 0 ? model.inputs() : 0;
                constexpr std::size_t alignment = 16;
                const std::size_t bytes = fold_bytes(block_plan(spec), scaled) + scores;
                work.predictor_bytes = (bytes + alignment - 1) / alignment * alignment;
                work.input_bytes = sizeof(float) * model.inputs();
            }
            return work;
        },
        loaded.spec());
}

BoardCost board_cost(const BoardWork& work, std::size_t core)
{
    const BoardRates& rates = board_rates[core][static_cast<std::size_t>(work.family)];
    const auto rounded = [](double value) { return static_cast<std::uint64_t>(std::llround(std::fmax(value, 0.0))); };
    return {.flash = work.model_bytes + rounded(sum_of_present(work, rates.code)),
            .ram = work.predictor_bytes + work.input_bytes + rounded(rates.stack),
            .instructions = rounded(sum_of(work, rates.instructions))};
}

} // namespace samara::desk
