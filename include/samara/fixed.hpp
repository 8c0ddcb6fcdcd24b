// Maps and predictors that are known while compiling: a spec or a sealed model is a template argument, and its memory
// is part of the object.
//
//   constexpr samara::ArcCosSpec spec{.inputs = 64, .features = 256, .seed = 7};
//   static samara::Fixed<spec> map;
//   map.features(x, z);
//
//   static samara::FixedPredictor<digits_model> predictor;   // an array that `samara export --c-header` wrote
//   predictor.predict(x, digit);
//
// sizeof() is the RAM that the object needs (stack apart). Only the code that the spec's choices need is linked; two
// maps that differ in sizes alone share it.
#pragma once

#include <type_traits>

#include "samara/map.hpp"
#include "samara/memory.hpp"
#include "samara/model.hpp"
#include "samara/model/fold.hpp"
#include "samara/model/local_stream.hpp"
#include "samara/model/open_whole.hpp"

namespace samara {

inline constexpr NoData no_data{};

namespace detail {

// The code of a constant spec, without the functions that are not needed with its data, or without data.
template <auto spec, bool chosen>
constexpr auto fixed_code() noexcept
{
    constexpr auto code = Map<std::remove_const_t<decltype(spec)>>::template code<all_kinds>(spec);
    if constexpr (!requires { code.without_choice(); })
        return code;
    else if constexpr (chosen)
        return code.with_choice();
    else
        return code.without_choice();
}

} // namespace detail

// `data`: the map's data, if it has any: an object with static storage.
template <auto requested, const auto& data = no_data>
class Fixed {
public:
    static_assert(static_cast<bool>(check(requested)), "the spec does not pass check(): see the field it reports");
    static constexpr auto spec = resolve(requested);
    static_assert(resolved(spec), "resolve() leaves something out: coefficients that only the desk can make");
    static_assert(!DataSpec<std::remove_const_t<decltype(spec)>> ||
                      std::is_same_v<std::remove_cvref_t<decltype(data)>, SkeletonData>,
                  "this map needs data: a skeleton");
    static_assert(data_fit(spec, data), "the data do not fit the spec: rows ascend, and there are so many");
    static constexpr std::uint32_t inputs = spec.inputs;
    static constexpr std::uint32_t feature_count = samara::feature_count(spec, data);
    static constexpr std::uint32_t blocks = block_count(spec);
    static constexpr std::uint32_t block_features = largest_block(spec);

    // The features of one sample.
    Status features(std::span<const float, inputs> x, std::span<float, feature_count> z) noexcept
    {
        if constexpr (chosen)
            return detail::run_with_data(spec, code, data, x, z, 1, work());
        else
            return TheMap::one(spec, code, x, z, work());
    }
    // The features of several samples, one after the other.
    Status features(std::span<const float> x, std::span<float> z, std::size_t samples) noexcept
    {
        if constexpr (chosen)
            return detail::run_with_data(spec, code, data, x, z, samples, work());
        else
            return detail::run_batch(spec, code, x, z, samples, work());
    }
    // Block k of the features of one sample; z holds `block_features` floats, of which the first block_range(spec,
    // data, k).count are filled.
    Status block(std::uint32_t k, std::span<const float, inputs> x, std::span<float> z) noexcept
    {
        return detail::run_block(spec, code, data, k, x, z, work());
    }

private:
    using TheMap = Map<std::remove_const_t<decltype(spec)>>;
    static constexpr bool chosen = !data.bytes().empty();
    static constexpr auto code = detail::fixed_code<spec, chosen>();
    static constexpr std::size_t bytes = workspace_bytes(spec, data);

    std::span<std::byte> work() noexcept { return std::span<std::byte>(memory_).first(bytes); }

    alignas(16) std::byte memory_[bytes == 0 ? 1 : bytes];
};

namespace detail {

template <class... Specs>
struct SpecWithId {
    // A spec with the defaults of the map that has this number.
    template <MapId id, class First, class... Rest>
    static constexpr auto find() noexcept
    {
        if constexpr (Map<First>::id == id)
            return First{};
        else
            return find<id, Rest...>();
    }
    template <MapId id>
    static constexpr auto of() noexcept
    {
        static_assert(((Map<Specs>::id == id) || ...), "the model is of a map that this program does not know");
        return find<id, Specs...>();
    }
};

} // namespace detail

// `bytes`: a constexpr array with static storage, as the exported header defines it. If the model is of a map of your
// own, OwnMaps names that map's spec.
template <const auto& bytes, class... OwnMaps>
class FixedPredictor {
    using Byte = std::remove_cvref_t<decltype(bytes[0])>;
    static constexpr ModelLayout layout = [] {
        ModelLayout found;
        static_cast<void>(read_layout(std::span<const Byte>(bytes), found)); // total stays 0 where it fails
        return found;
    }();
    static_assert(layout.total != 0, "these bytes are not a sealed model that this version can open");
    static constexpr auto requested = [] {
        auto found = AllMaps::With<OwnMaps...>::template In<detail::SpecWithId>::template of<layout.map>();
        static_cast<void>(read_spec(bytes + layout.spec.offset, found)); // inputs stay 0 where it fails
        return found;
    }();

    using Spec = std::remove_const_t<decltype(requested)>;
    // Whether the rows that are kept are some of the map's, and the readout has as many features as it makes.
    static constexpr bool data_fit = [] {
        const std::uint32_t at = layout.map_data.offset, count = layout.data_kind == 0 ? 0 : read_u32(bytes + at + 4);
        if constexpr (layout.data_kind == 0) {
            return !DataSpec<Spec> && requested.features == layout.features;
        } else if constexpr (RowSpec<Spec>) {
            const std::uint32_t rows = ChosenRows::reads(layout.data_kind) ? row_count(requested) : 0;
            bool good = false;
            if (layout.data_kind == ChosenRows::coded_kind) {
                const std::uint32_t width = layout.map_data.bytes < 10 ? 0u : read_u8(bytes + at + 8);
                CodedRows<Byte> walk(bytes + at + 9, width, layout.map_data.bytes - 9);
                good = width >= 1 && width <= most_code_width && count >= 1 && count <= rows;
                for (std::uint32_t i = 0; good && i < count; ++i)
                    good = walk.next() < rows;
                return good && walk.at_end() &&
                       exact_features(requested) + count * features_per_row(requested) == layout.features;
            }
            good = count >= 1 && count <= rows && layout.map_data.bytes == 8 + 2 * std::uint64_t{count};
            for (std::uint32_t i = 0; good && i < count; ++i) {
                const std::uint32_t row = read_u16(bytes + at + 8 + 2 * i);
                good = row < rows && (i == 0 || row > read_u16(bytes + at + 6 + 2 * i));
            }
            return good && exact_features(requested) + count * features_per_row(requested) == layout.features;
        } else if constexpr (BlockSpec<Spec>) {
            const std::uint32_t rows = row_count(requested), made = count == 0 ? rows : count;
            return layout.data_kind == Map<Spec>::Data::kind && count <= rows &&
                   made * features_per_row(requested) == layout.features; // what else is in them, check() sees
        } else {
            return layout.data_kind == Map<Spec>::Data::kind; // what is in them, check() sees
        }
    }();
    // The numbers of the kept rows, one a call.
    struct NextRow {
        constexpr std::uint32_t operator()() noexcept
        {
            if constexpr (layout.data_kind == ChosenRows::coded_kind)
                return code.next();
            else if constexpr (layout.data_kind == 0)
                return number++;
            else
                return read_u16(bytes + layout.map_data.offset + 8 + 2 * number++);
        }
        // With its end, which while compiling a sanitizer compares better than with null.
        static constexpr bool coded = layout.data_kind == ChosenRows::coded_kind;
        CodedRows<Byte> code{bytes + layout.map_data.offset + (coded ? 9 : 0),
                             coded ? read_u8(bytes + layout.map_data.offset + 8) : 1,
                             coded ? layout.map_data.bytes - 9 : 0};
        std::uint32_t number = 0;
    };

public:
    static constexpr auto spec = requested;
    static_assert(resolved(spec) && layout.spec.bytes == spec_bytes<std::remove_const_t<decltype(requested)>>,
                  "the model's spec is damaged");
    static_assert(takes_readout(requested, layout.type),
                  "the model's readout is in whole numbers, its features are not");
    static_assert(data_fit, "the model's data or its readout do not fit its spec");
    static constexpr std::uint32_t inputs = layout.inputs;
    static constexpr std::uint32_t outputs = layout.outputs;
    static constexpr std::uint32_t feature_count = layout.features;

    // Whether flash still holds the model, whole and at a multiple of 4 bytes: Model::open(), to call once.
    Status check() const noexcept
    {
        Model model;
        return model.open(model_bytes(), checks_of<arithmetic, Spec>);
    }

    Status scores(std::span<const float, inputs> x, std::span<float, outputs> scores) noexcept
    {
        return fold_scores(map(), scaling(), readout(), x, scores, memory_);
    }
    // What the readout sees of x, for a learner.
    Status features(std::span<const float, inputs> x, std::span<float, layout.features> z) noexcept
    {
        return fold_features(map(), scaling(), x, z, memory_);
    }
    Status predict(std::span<const float, inputs> x, std::uint32_t& output) noexcept
    {
        const Status status = scores(x, scores_);
        if (status == Status::ok)
            output = best_of(scores_);
        return status;
    }
    // Whether the model computes in whole numbers throughout: map, scaling and readout.
    static constexpr bool whole = [] {
        if constexpr (detail::WholeSpec<Spec>)
            return Map<Spec>::is_whole(requested) && is_whole(layout.type) && detail::scales_to_whole(layout);
        else
            return false;
    }();
    // The same prediction from what a sensor gives, without a float and with the same scores up to their unit.
    // FixedWholePredictor needs less memory.
    template <class Number>
    Status predict_whole(std::span<const Number, inputs> x, std::uint32_t& output,
                         std::span<std::int32_t, outputs> scores) noexcept
    {
        static_assert(whole, "the model's map, scaling or readout computes with floats");
        const Status status = whole_scores(whole_model(), std::span<const Number>(x), scores, memory_);
        if (status == Status::ok)
            output = best_of(std::span<const std::int32_t>(scores));
        return status;
    }
    // The workspace of a prediction in whole numbers.
    static constexpr std::size_t whole_workspace_bytes() noexcept
    {
        if constexpr (detail::is_local<Spec>)
            return local_bytes(inputs);
        else if constexpr (detail::PowersSpec<Spec>)
            return integer_power_bytes(Map<Spec>::integer_rows(requested), Map<Spec>::integer_powers(requested));
        else
            return whole_bytes(inputs);
    }
    static WholePowers whole_model() noexcept requires detail::PowersSpec<Spec>
    {
        const std::byte* const p = model_bytes().data();
        constexpr IntegerRows rows = Map<Spec>::integer_rows(requested);
        constexpr IntegerPowers powers = Map<Spec>::integer_powers(requested);
        // As if there were no more rows than those of the blocks whose signs are needed.
        constexpr IntegerRows signed_rows{rows.prefix, rows.inputs, integer_power_rows(rows, powers)};
        const WholeScaling scaling = detail::whole_scaling_of(p, layout);
        const WholeReadout readout = detail::whole_readout_of(p, layout, add_whole_of<true>(layout.type));
        constexpr bool coded = layout.data_kind == ChosenRows::coded_kind;
        constexpr unsigned how = layout.data_kind == 0 ? detail::all_rows
                                 : coded               ? detail::any_code
                                                       : detail::listed_rows;
        constexpr detail::AddPowers add = detail::add_powers<powers.form, how>;
        const WholeKept kept = whole_kept();
        if constexpr (powers.form == PowerForm::counted)
            return {{rows, kept, scaling, readout, nullptr, nullptr, nullptr}, powers, add};
        else if constexpr (detail::has_sign_table(signed_rows))
            return {{rows, kept, scaling, readout, nullptr, detail::signs_of_table,
                     detail::sign_table<rows.prefix, rows.inputs, signed_rows.rows>.words},
                    powers,
                    add};
        else
            return {{rows, kept, scaling, readout, nullptr, detail::signs_of_stream, nullptr}, powers, add};
    }
    static WholeModel whole_model() noexcept requires(!detail::PowersSpec<Spec> && !detail::is_local<Spec>)
    {
        const std::byte* const p = model_bytes().data();
        constexpr IntegerRows rows = Map<Spec>::integer_rows(requested);
        constexpr bool coded = layout.data_kind == ChosenRows::coded_kind, all = layout.data_kind == 0;
        constexpr bool others = Map<Spec>::negative_features;
        constexpr unsigned how = all ? detail::all_rows : coded ? read_u8(bytes + layout.map_data.offset + 8) : 0;
        constexpr detail::TakeFeatures take = [] {
            if constexpr (others)
                return detail::take_others < coded ? detail::any_code : how > ;
            else
                return detail::take_features<how, rows.absolute>;
        }();
        constexpr detail::AddWhole add = add_whole_of<others>(layout.type);
        const WholeKept kept = whole_kept();
        const WholeScaling scaling = detail::whole_scaling_of(p, layout);
        const WholeReadout readout = detail::whole_readout_of(p, layout, add);
        if constexpr (detail::has_sign_table(rows))
            return {rows,
                    kept,
                    scaling,
                    readout,
                    take,
                    detail::signs_of_table,
                    detail::sign_table<rows.prefix, rows.inputs, rows.rows>.words};
        else
            return {rows, kept, scaling, readout, take, detail::signs_of_stream, nullptr};
    }
    static LocalModel whole_model() noexcept requires detail::is_local<Spec>
    {
        // Filters are drawn while compiling.
        constexpr LocalRows rows = Map<Spec>::integer_rows(requested);
        constexpr std::size_t words = local_table_words(rows.filters, layout.features, NextRow());
        static constexpr LocalTable<words> table = local_table<words>(rows.filters, layout.features, NextRow());
        constexpr detail::AddWhole add = add_whole_of<false>(layout.type);
        constexpr detail::AddOneWhole add_one = add_one_of(layout.type);
        const std::byte* const p = model_bytes().data();
        return {.rows = {rows.filters, rows.inputs, layout.features},
                .kept = {},
                .scaling = detail::whole_scaling_of(p, layout),
                .readout = detail::whole_readout_of(p, layout, add, add_one),
                .add = detail::add_of_table,
                .table = table.words};
    }
    // Whether the model has streams.
    static constexpr bool streams = [] {
        if constexpr (detail::WholeSpec<Spec>)
            return whole && detail::is_local<Spec>;
        else
            return false;
    }();
    // The same model for a stream (FixedStream below), with the table of its form.
    template <std::uint32_t wanted_hop, StreamForm form, std::uint32_t together>
    struct Stream {
        static constexpr LocalRows rows = Map<Spec>::integer_rows(requested);
        static constexpr LocalShape shape = rows.filters.shape;
        static constexpr std::uint32_t window = shape.series ? shape.width : shape.height;
        static constexpr std::uint32_t hop = wanted_hop == 0 ? window : wanted_hop;
        static_assert(hop <= window, "the hop is longer than the window");
        static_assert(steps_scale_alike(shape, layout.scaling_steps == 0 ? 0 : layout.scaling_length,
                                        whole_run(layout.scaling_steps, inputs, layout.scaling_length)),
                      "the model scales each place of a window by its own factor, which windows that move cannot have");
        // Each by itself: compilers take so many steps for one constant and no more.
        template <bool running>
        static constexpr StreamPlan plan_of = detail::stream_plan_of(rows.filters, layout.features, hop, running,
                                                                     together, NextRow());
        static constexpr StreamPlan plan = [] {
            if constexpr (form == StreamForm::automatic)
                return detail::smaller_plan(plan_of<true>, plan_of<false>);
            else
                return plan_of<form == StreamForm::running>;
        }();
        static constexpr auto table = [] {
            LocalTable<plan.running ? plan.words : 1> made;
            if constexpr (plan.running)
                stream_table(rows.filters, plan, NextRow(), made.words);
            return made;
        }();
        static StreamSource source() noexcept
        {
            WholeScaling scaling = detail::whole_scaling_of(model_bytes().data(), layout);
            scaling.run = 0; // of a step
            return {.plan = plan,
                    .scaling = scaling,
                    .advance = plan.running ? detail::advance_of_table : nullptr,
                    .table = table.words};
        }
        static LocalModel model() noexcept
        {
            if constexpr (!plan.running)
                return whole_model();
            constexpr detail::AddWhole add = add_whole_of<false>(layout.type);
            constexpr detail::AddOneWhole add_one = add_one_of(layout.type);
            return {.rows = {}, // the table has all of them
                    .kept = {},
                    .scaling = {},
                    .readout = detail::whole_readout_of(model_bytes().data(), layout, add, add_one),
                    .add = nullptr,
                    .table = nullptr};
        }
    };
    // How probable each class is. no_probabilities where the model does not say.
    Status probabilities(std::span<const float, inputs> x, std::span<float, outputs> probabilities) noexcept
    {
        constexpr float scale = probability_scale_of(&bytes[0], layout);
        if constexpr (std::bit_cast<std::uint32_t>(scale) == 0) {
            return Status::no_probabilities;
        } else {
            const Status status = scores(x, probabilities);
            if (status == Status::ok)
                softmax(probabilities, scale);
            return status;
        }
    }
    // What a learner starts from: learner.start(predictor). Only the code of this readout's type is linked.
    static Readout readout() noexcept
    {
        constexpr detail::AddReadout multiply = detail::add_of(layout.type);
        if constexpr (is_whole(layout.type))
            return whole_readout_of(model_bytes().data(), layout, multiply);
        else
            return readout_of(model_bytes().data(), layout, multiply);
    }
    static std::uint32_t features_id() noexcept { return samara::features_id(model_bytes().data(), layout); }
    // The scores of the last predict() that was ok.
    std::span<const float, outputs> last_scores() const noexcept { return scores_; }

    static Application application() noexcept { return application_of(model_bytes().data(), layout); }
    static DriftSpec drift(float window = 64) noexcept { return drift_of(application(), window); }

    static std::span<const std::byte> model_bytes() noexcept { return std::as_bytes(std::span(bytes)); }

private:
    static constexpr bool chosen = layout.data_kind != 0;
    static WholeKept whole_kept() noexcept
    {
        constexpr bool coded = layout.data_kind == ChosenRows::coded_kind, all = layout.data_kind == 0;
        constexpr std::uint32_t at = layout.map_data.offset;
        constexpr std::uint32_t count = all ? 0 : read_u32(bytes + at + 4), width = coded ? read_u8(bytes + at + 8) : 0;
        return {model_bytes().data() + at + (coded ? 9 : 8), count, width};
    }
    // A model that has nothing of whole numbers needs no code of theirs.
    static constexpr Arithmetic arithmetic = [] {
        bool any = is_whole(layout.type) || scales_whole(layout.scaling_steps) ||
                   (std::is_same_v<typename Map<Spec>::Data, ChosenRows> && layout.data_kind == ChosenRows::coded_kind);
        if constexpr (detail::MayBeWhole<Spec>)
            any = any || Map<Spec>::is_whole(requested);
        return any ? Arithmetic::any : Arithmetic::floats;
    }();
    static constexpr auto code = detail::fixed_code<requested, chosen>();
    static constexpr BlockPlan blocks = block_plan(requested);
    using Data = std::conditional_t<chosen, typename Map<Spec>::Data, NoData>;

    static OpenMap<Spec, Data> map() noexcept
    {
        Data data;
        if constexpr (chosen && std::is_same_v<Data, ChosenRows>) // which data_fit has checked
            data = ChosenRows::known(layout.data_kind, model_bytes().data() + layout.map_data.offset + 4);
        else if constexpr (chosen)
            static_cast<void>(data_of<Spec, arithmetic>(model_bytes().data(), layout, data));
        return {requested, code, blocks, data};
    }
    static InputScaling scaling() noexcept { return scaling_of<arithmetic>(model_bytes().data(), layout); }

    alignas(16) std::byte memory_[fold_bytes(blocks, layout.scaling_steps != 0 ? inputs : 0)];
    float scores_[outputs];
};

// Predictions in whole numbers alone, of a model that is known while compiling: sizeof() is all the RAM they need.
template <const auto& bytes>
class FixedWholePredictor {
    using Known = FixedPredictor<bytes>;
    static_assert(Known::whole, "the model's map, scaling or readout computes with floats");

public:
    static constexpr std::uint32_t inputs = Known::inputs, outputs = Known::outputs;

    // x as the sensor gives it: uint8, int8 or int16.
    template <class Number, std::size_t extent>
    Status predict(std::span<const Number, extent> x, std::uint32_t& output) noexcept
    {
        static_assert(extent == inputs || extent == std::dynamic_extent);
        const Status status = whole_scores(Known::whole_model(), std::span<const Number>(x), scores_, memory_);
        if (status == Status::ok)
            output = best_of(last_scores());
        return status;
    }
    // The scores of the last predict() that was ok.
    std::span<const std::int32_t, outputs> last_scores() const noexcept { return scores_; }

private:
    alignas(4) std::byte memory_[Known::whole_workspace_bytes()];
    std::int32_t scores_[outputs];
};

// The same for a stream of a model of the map local: samples of a series, or rows of an image, one after the other, and
// every `hop` of them the scores of the last window, those of FixedWholePredictor bit for bit. sizeof() is all the RAM.
//
//   static samara::FixedStream<gestures_model, 25> stream;   // the model's window is 100 samples of 6 channels
//   stream.push(std::span(sample));                          // 6 numbers, as the sensor gives them
//   if (stream.due())                                        // after 100 samples, then after every 25
//       stream.predict(gesture);
//
// `hop`: 1 to the window (the series' length, the image's height); 0: the window, so that windows do not overlap.
// `form` and `together` say whether memory or time is to be small, where that is not the same: as StreamChoice does
// (samara/model/open_stream.hpp).
template <const auto& bytes, std::uint32_t hop = 0, StreamForm form = StreamForm::automatic, std::uint32_t together = 0>
class FixedStream {
    using Known = FixedPredictor<bytes>;
    static_assert(Known::streams, "only models of the map local that compute in whole numbers have streams");
    using Stream = typename Known::template Stream<hop, form, together>;

public:
    static constexpr StreamPlan plan = Stream::plan;
    static constexpr std::uint32_t numbers = plan.numbers; // of a step: a sample's channels, a row's pixels
    static constexpr std::uint32_t outputs = Known::outputs;
    static constexpr std::size_t workspace_bytes = stream_bytes(plan); // of sizeof(), without scores and a few words

    // x: `numbers` of uint8, int8 or int16; wrong_length where there are not so many.
    template <class Number, std::size_t extent>
    Status push(std::span<Number, extent> x) noexcept
    {
        static_assert(extent == numbers || extent == std::dynamic_extent);
        return push_step(Stream::source(), state_, std::span<const Number>(x), memory_);
    }
    // Whether the last step has completed a window that is to be answered.
    bool due() const noexcept { return state_.due(); }
    // The class of the last window; wrong_length where none is due.
    Status predict(std::uint32_t& output) noexcept
    {
        constexpr detail::AddStream add = plan.running ? detail::running_of_table : detail::of_window;
        const Status status = stream_scores(Stream::model(), Stream::source(), state_, scores_, memory_, add);
        if (status == Status::ok)
            output = best_of(last_scores());
        return status;
    }
    // The scores of the last predict() that was ok.
    std::span<const std::int32_t, outputs> last_scores() const noexcept { return scores_; }
    // The next step is the first one again.
    void reset() noexcept { state_ = {}; }

private:
    alignas(4) std::byte memory_[workspace_bytes];
    StreamState state_;
    std::int32_t scores_[outputs];
};

} // namespace samara
