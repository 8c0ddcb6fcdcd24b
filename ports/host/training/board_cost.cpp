#include "ports/host/training/board_cost.hpp"

#include <cmath>
#include <type_traits>
#include <variant>

#include "ports/host/training/board_cost_table.hpp"
#include "samara/fixed.hpp"

namespace samara::desk {
namespace {

constexpr const char* family_names[] = {"arccos hadamard", "arccos dense",  "rff hadamard", "rff dense",     "linear",
                                        "whole",           "whole fourier", "whole powers", "whole counted", "local"};
constexpr const char* count_names[] = {
    "once",       "inputs",      "shifted",     "to_unit",      "blocks",        "points",         "levels",
    "odd_levels", "sign_words",  "norms",       "lone_norms",   "products",      "rows",           "chosen",
    "exact",      "floats",      "halves",      "bytes",        "nibbles",       "sums",           "outputs",
    "multiplied", "factors",     "sums_of_two", "sums_of_four", "maxima_of_two", "maxima_of_four", "any_places",
    "any_taps",   "window_rows", "odd_rows",    "negatives"};
static_assert(std::size(family_names) == board_families && std::size(count_names) == board_counts);

bool computes_whole(BoardFamily family) { return family >= BoardFamily::whole; }

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
    } else if constexpr (std::is_same_v<Spec, LocalSpec>) {
        return BoardFamily::local;
    } else if constexpr (std::is_same_v<Spec, PolynomialSpec>) {
        if (Map<Spec>::is_whole(spec)) {
            return spec.sketch == PowerSketch::count ? BoardFamily::whole_counted : BoardFamily::whole_powers;
        }
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

// The readout adds up so many features at once.
double pieces_of(std::uint32_t features)
{
    const std::uint32_t pieces = (features + features_at_once - 1) / features_at_once;
    return pieces;
}

void count_powers(const PolynomialSpec& spec, const ChosenRows& chosen, double outputs, const auto& set)
{
    const IntegerRows rows = Map<PolynomialSpec>::integer_rows(spec);
    const IntegerPowers powers = Map<PolynomialSpec>::integer_powers(spec);
    if (powers.form == PowerForm::counted) {
        set(BoardCount::points, static_cast<double>(std::size_t{1} << powers.log2_places));
    } else {
        const unsigned log2 = block_log2(spec.inputs);
        const std::uint32_t of_blocks = integer_power_rows(rows, powers);
        // A first round, and one more for each block.
        const double points = of_blocks + (1u << log2), transforms = 1.0 + (of_blocks >> log2);
        set(BoardCount::blocks, transforms - 1.0);
        set(BoardCount::points, points);
        set(BoardCount::levels, points * log2);
        set(BoardCount::odd_levels, log2 % 2 != 0 ? points : 0.0);
        if (!signs_in_table({.prefix = rows.prefix, .inputs = rows.inputs, .rows = of_blocks})) {
            set(BoardCount::sign_words, transforms * static_cast<double>(integer_sign_words(spec.inputs)));
        }
    }
    const std::uint32_t features = chosen.all() ? spec.features : chosen.count();
    set(BoardCount::rows, features);
    set(BoardCount::chosen, chosen.all() ? 0.0 : features);
    set(BoardCount::multiplied, powers.form == PowerForm::square ? features : 0.0);
    set(BoardCount::sums, outputs * pieces_of(features));
}

// Walks the filters as local_feature() does. Returns the bytes of their table.
std::size_t count_filters(const LocalSpec& spec, const ChosenRows& chosen, double outputs, const auto& set)
{
    const LocalFilters filters = Map<LocalSpec>::filters(spec);
    const std::uint32_t features = chosen.all() ? spec.features : chosen.count();
    const bool side_by_side = filters.shape.right() == 1;
    constexpr BoardCount quick[2][2] = {{BoardCount::sums_of_two, BoardCount::sums_of_four},
                                        {BoardCount::maxima_of_two, BoardCount::maxima_of_four}};
    double places_of[2][2] = {}, any_places = 0.0, any_taps = 0.0, rows = 0.0, odd_rows = 0.0, negatives = 0.0;
    std::size_t words = 0;
    for (std::uint32_t i = 0; i < features; ++i) {
        const LocalFilter f = local_filter(filters, chosen.all() ? i : chosen.row(i));
        const double places = double{1} * f.height * f.width;
        if (side_by_side && f.taps <= 4 && 2 * f.plus == f.taps) {
            places_of[f.maximum ? 1 : 0][f.taps / 2 - 1] += places;
        } else {
            any_places += places;
            any_taps += places * f.taps;
        }
        rows += f.height;
        odd_rows += f.width % 2 != 0 ? f.height : 0;
        // As if places were independent of each other, and as often negative as positive.
        negatives += f.maximum ? std::exp2(-places) : 0.0;
        words += PackedFilter::head + f.taps;
    }
    for (const int maximum : {0, 1}) {
        for (const int pair : {0, 1}) {
            set(quick[maximum][pair], places_of[maximum][pair]);
        }
    }
    set(BoardCount::any_places, any_places);
    set(BoardCount::any_taps, any_taps);
    set(BoardCount::window_rows, rows);
    set(BoardCount::odd_rows, odd_rows);
    set(BoardCount::negatives, negatives * outputs);
    set(BoardCount::rows, features);
    set(BoardCount::sums, outputs * pieces_of(features));
    return sizeof(std::uint16_t) * words;
}

// The RAM of the predictor's workspace in whole numbers.
template <class Spec>
std::size_t whole_bytes_of(const Spec& spec)
{
    if constexpr (std::is_same_v<Spec, LocalSpec>) {
        return local_bytes(spec.inputs);
    } else if constexpr (std::is_same_v<Spec, PolynomialSpec>) {
        return integer_power_bytes(Map<Spec>::integer_rows(spec), Map<Spec>::integer_powers(spec));
    } else {
        return whole_bytes(spec.inputs);
    }
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
            const std::uint32_t steps_of_whole =
                scaling_whole | (family == BoardFamily::local ? scaling_runs : std::uint32_t{0});
            if (!family || whole != is_whole(layout.type) || (whole && (layout.scaling_steps & ~steps_of_whole) != 0)) {
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
                                 ((layout.scaling_steps & scaling_whole) != 0 && layout.scaling_length != 1);
            set(BoardCount::shifted, shifted ? inputs : 0.0);
            if (*family >= BoardFamily::whole_powers && shifted) {
                set(BoardCount::factors, layout.scaling_length);
            }
            set(BoardCount::to_unit, (layout.scaling_steps & scaling_unit) != 0 ? inputs : 0.0);
            set(weights_of(layout.type), outputs * model.features());
            set(BoardCount::outputs, outputs);
            if constexpr (std::is_same_v<Spec, LocalSpec>) {
                work.table_bytes = count_filters(spec, model.chosen(), outputs, set);
            } else if constexpr (std::is_same_v<Spec, PolynomialSpec>) {
                if (whole) {
                    count_powers(spec, model.chosen(), outputs, set);
                } else {
                    set(BoardCount::exact, inputs);
                }
            } else if constexpr (std::is_same_v<Spec, ArcCosSpec> || std::is_same_v<Spec, RffSpec>) {
                set(BoardCount::exact, exact_features(spec));
                count_rows(spec, model.chosen(), outputs, set);
            }
            const std::size_t scores = sizeof(float) * model.outputs();
            if (whole) {
                work.predictor_bytes = whole_bytes_of(spec) + scores;
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
    return {.flash = work.model_bytes + work.table_bytes + rounded(sum_of_present(work, rates.code)),
            .ram = work.predictor_bytes + work.input_bytes + rounded(rates.stack),
            .instructions = rounded(sum_of(work, rates.instructions))};
}

} // namespace samara::desk
