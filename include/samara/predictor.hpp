// Predicts with a sealed model that arrives at run time, one sample at a time. Block by block the features are made and
// multiplied with the readout; the next block overwrites them. So the memory does not grow with their number (with maps
// whose features are one block it does: map/engine/whole.hpp), and the readout stays where it is.
//
//   Predictor<Rff, ArcCos>                          opens models of these maps
//   Predictor<Only<ArcCos, kinds(Rows::hadamard)>>  opens models of arccos with these rows, and links no code of others
//
// A model that is known while compiling is a FixedPredictor's (fixed.hpp). All calls give Status::ok or leave the
// outputs untouched; but for overflow, when finite weights make a score beyond the range of floats: that sample's
// scores are 0 then.
#pragma once

#include <new>

#include "samara/model.hpp"
#include "samara/model/fold.hpp"

namespace samara {

namespace detail {

// Maps that a program can open by their kind of rows.
template <class Spec>
concept HasRowKinds = std::is_base_of_v<MapOfRows<Spec>, Map<Spec>>;

// An entry of a predictor's list: a map, and which of its kinds are opened.
template <class Entry>
struct Opened {
    using Spec = Entry;
    static constexpr Kinds kinds = all_kinds;
};
template <class S, Kinds k>
struct Opened<Only<S, k>> {
    using Spec = S;
    static constexpr Kinds kinds = k;
};
template <class Entry>
using SpecOf = typename Opened<Entry>::Spec;

// What a prediction costs: the features, and a product and a sum for each weight of the readout.
template <FeatureMapSpec Spec>
[[gnu::cold]] constexpr std::uint64_t prediction_operations(const Model& model, const Spec& spec,
                                                            typename Map<Spec>::Data data) noexcept
{
    return operations(spec, data) + std::uint64_t{2} * model.outputs() * model.features();
}

} // namespace detail

template <class... Maps>
class Predictor {
public:
    static_assert(sizeof...(Maps) > 0);

    // Returns what Model::open() does; unsupported_map if the map is not among Maps or has rows or orders that are not
    // opened; too_many_operations if a prediction costs more than default_most_operations. The bytes must outlive this.
    // An earlier model stays open where the status is not ok.
    Status open(std::span<const std::byte> bytes) noexcept
    {
        Model model;
        const Status status = model.open(bytes, checks_of<arithmetic, detail::SpecOf<Maps>...>);
        return status == Status::ok ? adopt(model, default_most_operations) : status;
    }
    // The same with the program's own rules.
    Status open(std::span<const std::byte> bytes, const OpenRules& rules) noexcept
    {
        Model model;
        const Status status = model.open_by(rules, bytes, checks_of<arithmetic, detail::SpecOf<Maps>...>);
        return status == Status::ok ? adopt(model, rules.most_operations) : status;
    }

    const Model& model() const noexcept { return model_; }
    // What a prediction costs, about: operations() of the map, and the readout. 0 while no model is open.
    [[gnu::noinline]] std::uint64_t operations() const noexcept
    {
        std::uint64_t count = 0;
        static_cast<void>(with_map([&](const auto& opened) {
            count = detail::prediction_operations(model_, opened.spec, opened.data);
            return Status::ok;
        }));
        return count;
    }
    // The workspace of scores() and predict(), which starts at a multiple of 4 bytes.
    std::size_t workspace_bytes() const noexcept { return bytes_; }
    // The workspace of scores() for several samples.
    std::size_t workspace_bytes(std::size_t samples) const noexcept
    {
        std::size_t bytes = 0;
        static_cast<void>(with_map([&](const auto& opened) {
            bytes = sizeof(float) * samples * (std::size_t{model_.inputs()} + model_.features()) +
                    samara::workspace_bytes(opened.spec, opened.data);
            return Status::ok;
        }));
        return bytes;
    }

    // x: model().inputs() floats as the training saw them, unscaled; scores: model().outputs().
    Status scores(std::span<const float> x, std::span<float> scores, std::span<std::byte> work) const noexcept
    {
        if (scores.size() != model_.outputs())
            return model_.is_open() ? Status::wrong_length : Status::not_open;
        return with_map([&](const auto& opened) {
            return fold_scores(opened, model_.scaling<arithmetic>(), readout(), x, scores, work);
        });
    }
    // The scores of several samples, one after the other. They have the same bits, and are faster where the map makes
    // batches faster.
    Status scores(std::span<const float> x, std::span<float> scores, std::size_t samples,
                  std::span<std::byte> work) const noexcept
    {
        const std::size_t d = model_.inputs(), m = model_.features(), k = model_.outputs();
        if (!model_.is_open())
            return Status::not_open;
        if (x.size() / d != samples || x.size() % d != 0 || scores.size() / k != samples || scores.size() % k != 0)
            return Status::wrong_length;
        Bump memory(work);
        if (!memory.aligned())
            return Status::misaligned;
        if (work.size() < workspace_bytes(samples))
            return Status::small_workspace;
        const std::span<float> scaled(memory.take<float>(samples * d), samples * d);
        const std::span<float> z(memory.take<float>(samples * m), samples * m);
        if (samples != 0 && (scaled.data() == nullptr || z.data() == nullptr)) // more bytes than there can be
            return Status::small_workspace;
        for (std::size_t i = 0; i < samples; ++i)
            model_.scale_input<arithmetic>(x.data() + i * d, scaled.data() + i * d);
        return with_map([&](const auto& opened) {
            Status status = detail::run_with_data(opened.spec, opened.code, opened.data, scaled, z, samples,
                                                  work.last(memory.left()));
            if (status != Status::ok)
                return status;
            for (std::size_t i = 0; i < samples; ++i)
                if (scores_of_features(opened.spec, opened.data, readout(), z.subspan(i * m, m),
                                       scores.subspan(i * k, k)) != Status::ok)
                    status = Status::overflow;
            return status;
        });
    }
    // What the readout sees of x, for a learner: z of model().features() floats.
    Status features(std::span<const float> x, std::span<float> z, std::span<std::byte> work) const noexcept
    {
        if (z.size() != model_.features())
            return model_.is_open() ? Status::wrong_length : Status::not_open;
        return with_map(
            [&](const auto& opened) { return fold_features(opened, model_.scaling<arithmetic>(), x, z, work); });
    }
    // The scores, and in `output` the class: the one with the largest score.
    Status predict(std::span<const float> x, std::uint32_t& output, std::span<float> scores,
                   std::span<std::byte> work) const noexcept
    {
        const Status status = this->scores(x, scores, work);
        if (status == Status::ok)
            output = best_of(scores);
        return status;
    }

    // How probable each class is: model().outputs() numbers. no_probabilities where the model does not say.
    Status probabilities(std::span<const float> x, std::span<float> probabilities,
                         std::span<std::byte> work) const noexcept
    {
        if (model_.is_open() && std::bit_cast<std::uint32_t>(model_.probability_scale()) == 0)
            return Status::no_probabilities;
        const Status status = scores(x, probabilities, work);
        if (status == Status::ok)
            softmax(probabilities, model_.probability_scale());
        return status;
    }

private:
    // Whether models with readouts in whole numbers are opened.
    template <class Entry>
    static constexpr bool opens_whole() noexcept
    {
        if constexpr (detail::MayBeWhole<detail::SpecOf<Entry>>)
            return detail::Opened<Entry>::kinds.has(Numbers::int8);
        else
            return false;
    }
    static constexpr Arithmetic arithmetic = (opens_whole<Maps>() || ...) ? Arithmetic::any : Arithmetic::floats;
    // Of a model that is open.
    Readout readout() const noexcept
    {
        if constexpr (arithmetic == Arithmetic::any)
            return model_.readout();
        else
            return readout_of(model_.bytes(), model_.layout(), detail::float_add_of(model_.readout_type()));
    }
    // A map as it was opened; what follows from its spec is worked out once.
    template <class Entry>
    struct State {
        using Spec = detail::SpecOf<Entry>;
        Spec spec;
        typename Map<Spec>::Code code;
        BlockPlan blocks;
        typename Map<Spec>::Data data;
    };

    // A checked model becomes this predictor's.
    Status adopt(const Model& model, std::uint64_t most_operations) noexcept
    {
        Status status = Status::unsupported_map;
        static_cast<void>((open_as<Maps>(model, most_operations, status) || ...));
        if (status == Status::ok)
            model_ = model;
        return status;
    }
    // Whether the model is of this map.
    template <class Entry>
    [[gnu::cold]] bool open_as(const Model& model, std::uint64_t most_operations, Status& status) noexcept
    {
        State<Entry> state;
        if (!model.get<arithmetic>(state.spec, state.data))
            return false;
        if constexpr (detail::HasRowKinds<detail::SpecOf<Entry>> &&
                      std::has_single_bit(detail::Opened<Entry>::kinds.rows))
            status = prepare_one_kind<Entry>(model, most_operations, state);
        else
            status = prepare_any<Entry>(model, most_operations, state);
        if (status == Status::ok)
            ::new (state_) State<Entry>(state);
        return true;
    }
    // Works out what follows from a spec. Where a program opens one kind of rows everything is inlined and the code of
    // that kind alone is left; else maps share what they can.
    template <class Entry>
    [[gnu::always_inline]] Status prepare(const Model& model, std::uint64_t most_operations,
                                          const detail::SpecOf<Entry>& spec, State<Entry>& state) noexcept
    {
        state.code = Map<detail::SpecOf<Entry>>::template code<detail::Opened<Entry>::kinds>(spec);
        if (!state.code.complete())
            return Status::unsupported_map;
        if (detail::prediction_operations(model, spec, state.data) > most_operations)
            return Status::too_many_operations;
        state.blocks = block_plan(spec);
        bytes_ = fold_bytes(state.blocks, model.scales_inputs() ? spec.inputs : 0);
        return Status::ok;
    }
    template <class Entry>
    [[gnu::cold]] Status prepare_any(const Model& model, std::uint64_t most_operations, State<Entry>& state) noexcept
    {
        detail::SpecOf<Entry> spec = state.spec;
        detail::know_numbers<arithmetic>(spec);
        return prepare<Entry>(model, most_operations, spec, state);
    }
    template <class Entry>
    [[gnu::cold, gnu::flatten]] Status prepare_one_kind(const Model& model, std::uint64_t most_operations,
                                                        State<Entry>& state) noexcept
    {
        constexpr auto rows = static_cast<Rows>(std::countr_zero(detail::Opened<Entry>::kinds.rows));
        detail::SpecOf<Entry> spec = state.spec;
        if (spec.rows != rows)
            return Status::unsupported_map;
        spec.rows = rows;
        detail::know_numbers<arithmetic>(spec);
        return prepare<Entry>(model, most_operations, spec, state);
    }
    // Calls call(map) with the map that is open.
    template <class Call>
    Status with_map(Call call) const noexcept
    {
        Status status = Status::not_open;
        static_cast<void>((... || call_as<Maps>(call, status)));
        return status;
    }
    template <class Entry, class Call>
    bool call_as(Call call, Status& status) const noexcept
    {
        using Spec = detail::SpecOf<Entry>;
        if (!model_.is_open() || model_.map() != Map<Spec>::id)
            return false;
        const State<Entry>& state = *std::launder(reinterpret_cast<const State<Entry>*>(state_));
        status = call(OpenMap<Spec, typename Map<Spec>::Data>{state.spec, state.code, state.blocks, state.data});
        return true;
    }

    Model model_;
    std::size_t bytes_ = 0;
    alignas(8) std::byte state_[detail::largest_of<State<Maps>...>()];
};

} // namespace samara
