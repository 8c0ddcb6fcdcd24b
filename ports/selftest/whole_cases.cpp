// Predictions in whole numbers: scaling, rows, features and readouts of int8 and of 4 bits, of inputs of each type.
#include "whole_cases.hpp"

#include <algorithm>
#include <type_traits>

#include "samara/map/polynomial.hpp"
#include "samara/map/rff.hpp"
#include "samara/model/local_predictor.hpp"
#include "samara/model/whole_predictor.hpp"

namespace samara::selftest {

namespace {

constexpr std::uint32_t inputs = 70, rows = 300, outputs = 5, samples = 4;
constexpr std::uint32_t most_stride = (rows + 3) / 4 * 4;

alignas(4) std::byte weights[outputs * most_stride], biases[4 * outputs], multipliers[2 * outputs + 2];
alignas(4) std::byte work[std::max(whole_bytes(inputs), local_bytes(inputs))];

// Fields of four bits of the numbers 2, 5, 8, ...: 100 of 300 rows.
std::byte kept_rows[4 + 1 + 50];

template <class Number, class Model>
std::uint32_t scores_of(const Model& model, std::uint32_t so_far, bool& good)
{
    for (std::uint32_t k = 0; k < samples; ++k) {
        Number x[inputs];
        std::int32_t scores[outputs];
        Xoshiro words(stream_key(23, 97, k));
        for (Number& v : x)
            v = static_cast<Number>(words.word() >> 11);
        good = whole_scores(model, std::span<const Number>(x), scores, work) == Status::ok && good;
        so_far = crc_of<std::int32_t>(scores, so_far);
    }
    return so_far;
}

// Scores of inputs of each type.
template <class Model>
std::uint32_t scores_of_all(const Model& model, bool& good)
{
    std::uint32_t crc = scores_of<std::int8_t>(model, 0, good);
    crc = scores_of<std::uint8_t>(model, crc, good);
    return scores_of<std::int16_t>(model, crc, good);
}

// All filters of images are taken, of series those that are kept.
constexpr LocalFilters image_filters = Map<LocalSpec>::filters(
    Map<LocalSpec>::resolve({.inputs = inputs, .features = rows, .height = 7, .pairs = 4, .gain = 6, .seed = 42}));
constexpr LocalFilters series_filters = Map<LocalSpec>::filters(
    Map<LocalSpec>::resolve({.inputs = inputs, .features = rows, .channels = 2, .pairs = 3, .gain = 7, .seed = 43}));

} // namespace

void whole_cases(Report& report)
{
    Xoshiro words(stream_key(22, 97, 0));
    for (std::byte& w : weights)
        w = static_cast<std::byte>(words.word() >> 24 | 1u);
    for (std::uint32_t o = 0; o < outputs; ++o) {
        write_u32(biases + 4 * o, words.word() >> 4);
        write_u16(multipliers + 2 * o, 1 + words.word() % most_multiplier);
    }
    write_u32(kept_rows, 100);
    kept_rows[4] = std::byte{4};
    for (std::uint32_t i = 1; i <= 50; ++i)
        kept_rows[4 + i] = std::byte{0x22};
    ChosenRows some;
    if (!ChosenRows::read(ChosenRows::coded_kind, kept_rows, some))
        report.fail("whole/8/chosen", "the code of kept rows was refused");
    std::byte scaling[3 * inputs];
    for (std::uint32_t i = 0; i < inputs; ++i) {
        write_u16(scaling + 2 * i, words.word() >> 20);
        const std::uint32_t eighths = words.word() % 8;
        scaling[2 * inputs + i] = static_cast<std::byte>(whole_factor(eighths, 10 + words.word() % 8));
    }
    const auto readout_of = [](ReadoutType type, std::uint32_t features, auto add) {
        return WholeReadout{.outputs = outputs,
                            .stride = static_cast<std::uint32_t>(readout_row_bytes(type, features)),
                            .shift = whole_shift(type, features),
                            .biases = biases,
                            .multipliers = multipliers,
                            .weights = weights,
                            .add = add};
    };
    const auto scaling_of = [&](bool chosen) { return chosen ? WholeScaling{scaling, inputs} : WholeScaling{}; };
    const auto line_of = [&](const char* name, const auto& model) {
        bool good = true;
        const std::uint32_t crc = scores_of_all(model, good);
        if (good)
            report.line(name, crc);
        else
            report.fail(name, "a prediction was refused");
    };
    const std::uint64_t prefix = stream_prefix(42, static_cast<std::uint64_t>(Domain::hadamard_signs));
    const auto scores_of_model = [&]<bool others>(const char* name, const IntegerRows& made_by, ReadoutType type,
                                                  bool chosen, std::bool_constant<others>) {
        const std::uint32_t features = (chosen ? 100 : made_by.rows) * made_by.turns.parts;
        const WholeReadout readout = readout_of(type, features, add_whole_of<others>(type));
        line_of(name, whole_model<others>(made_by, chosen ? some : ChosenRows(),
                                          chosen ? WholeScaling{scaling, inputs} : WholeScaling{}, readout));
    };
    for (const ReadoutType type : {ReadoutType::whole8, ReadoutType::whole4}) {
        for (const bool chosen : {false, true}) {
            const char* const name = type == ReadoutType::whole8 ? (chosen ? "whole/8/chosen" : "whole/8/all")
                                                                 : (chosen ? "whole/4/chosen" : "whole/4/all");
            scores_of_model(name, {prefix, inputs, rows, chosen}, type, chosen, std::false_type{});
        }
    }
    const auto waves = [](Form form) {
        const RffSpec spec{.inputs = inputs,
                           .features = form == Form::pair ? 200 : rows,
                           .form = form,
                           .rows = Rows::hadamard,
                           .orders = Orders::none,
                           .bandwidth = 300.0f,
                           .numbers = Numbers::int8,
                           .seed = 42};
        return Map<RffSpec>::integer_rows(spec);
    };
    scores_of_model("whole/8/phase", waves(Form::phase), ReadoutType::whole8, true, std::true_type{});
    scores_of_model("whole/4/pair", waves(Form::pair), ReadoutType::whole4, false, std::true_type{});
    const auto powers = [&](const char* name, std::uint32_t features, std::uint32_t degree, PowerSketch sketch,
                            ReadoutType type, bool chosen = false) {
        const PolynomialSpec spec{.inputs = inputs,
                                  .features = features,
                                  .degree = degree,
                                  .sketch = sketch,
                                  .orders = Orders::none,
                                  .offset = 5000.0f,
                                  .numbers = Numbers::int8,
                                  .seed = 42};
        const WholeReadout readout = readout_of(type, chosen ? 100 : features, add_whole_of<true>(type));
        line_of(name, whole_powers(Map<PolynomialSpec>::integer_rows(spec), Map<PolynomialSpec>::integer_powers(spec),
                                   chosen ? some : ChosenRows(), WholeScaling{scaling, inputs}, readout));
    };
    powers("whole/8/linear", 100, 1, PowerSketch::srht, ReadoutType::whole8);
    powers("whole/4/square", rows, 2, PowerSketch::srht, ReadoutType::whole4);
    powers("whole/8/square/chosen", rows, 2, PowerSketch::srht, ReadoutType::whole8, true);
    powers("whole/8/count", 64, 1, PowerSketch::count, ReadoutType::whole8);
    const auto scores_of_filters = [&](const char* name, const LocalFilters& filters, ReadoutType type, bool chosen,
                                       const WholeScaling& scaled) {
        WholeReadout readout = readout_of(type, chosen ? 100 : rows, add_whole_of<false>(type));
        readout.add_one = add_one_of(type);
        const LocalModel model{{filters, inputs, rows}, chosen ? some : ChosenRows(), scaled, readout};
        line_of(name, model);
    };
    scores_of_filters("whole/8/local", image_filters, ReadoutType::whole8, false, {});
    scores_of_filters("whole/4/local", series_filters, ReadoutType::whole4, true, scaling_of(true));
    // A shift and a factor for each of the two channels.
    alignas(2) std::byte channels[6];
    for (std::uint32_t i = 0; i < 4; ++i)
        channels[i] = scaling[i];
    for (std::uint32_t i = 0; i < 2; ++i)
        channels[4 + i] = scaling[2 * inputs + i];
    scores_of_filters("whole/8/local/runs", series_filters, ReadoutType::whole8, true, {channels, 2, inputs / 2});
}

} // namespace samara::selftest
