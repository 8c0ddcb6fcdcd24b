// Predicts in whole numbers with a sealed model that arrives at run time: what WholePredictor<ArcCos> is to
// Predictor<ArcCos>. No floating point is linked.
#pragma once

#include <new>
#include <type_traits>

#include "samara/model.hpp"
#include "samara/model/local_predictor.hpp"
#include "samara/model/whole_predictor.hpp"

namespace samara {

namespace detail {

// A model's scaling to whole numbers; of none, where inputs are whole numbers already.
inline WholeScaling whole_scaling_of(const std::byte* p, const ModelLayout& m) noexcept
{
    if (m.scaling_steps == 0)
        return {};
    return {p + m.scaling.offset + 8, m.scaling_length, whole_run(m.scaling_steps, m.inputs, m.scaling_length)};
}
constexpr bool scales_to_whole(const ModelLayout& m) noexcept
{
    return m.scaling_steps == 0 || scales_whole(m.scaling_steps);
}
// add_one: of maps that need it.
inline WholeReadout whole_readout_of(const std::byte* p, const ModelLayout& m, AddWhole add,
                                     AddOneWhole add_one = nullptr) noexcept
{
    return {m.outputs,
            static_cast<std::uint32_t>(readout_row_bytes(m.type, m.features)),
            whole_shift(m.type, m.features),
            p + m.bias_at,
            p + m.scale_at,
            p + m.weights_at,
            add,
            add_one};
}

// Maps that can compute with whole numbers; those of powers of the inner product.
template <class Spec>
concept WholeSpec = RowSpec<Spec> && MayBeWhole<Spec>;
template <class Spec>
concept PowersSpec = WholeSpec<Spec> && requires(const Spec& s)
{
    Map<Spec>::integer_powers(s);
};

// Whether a map's rows are local filters, and what predicts with those of a map.
template <class Spec>
inline constexpr bool is_local = std::is_same_v<decltype(Map<Spec>::integer_rows(Spec{})), LocalRows>;
template <class Spec>
using WholeModelOf =
    std::conditional_t<is_local<Spec>, LocalModel, std::conditional_t<PowersSpec<Spec>, WholePowers, WholeModel>>;

// Of a model that computes in whole numbers throughout.
template <WholeSpec Spec>
[[gnu::cold]] constexpr WholeModelOf<Spec> whole_model_of(const Spec& spec, const WholeKept& kept,
                                                          const WholeScaling& scaling, const std::byte* p,
                                                          const ModelLayout& m) noexcept
{
    [[maybe_unused]] constexpr bool others = Map<Spec>::negative_features;
    if constexpr (is_local<Spec>)
        return {Map<Spec>::integer_rows(spec), kept, scaling,
                whole_readout_of(p, m, add_whole_of<false>(m.type), add_one_of(m.type))};
    else if constexpr (PowersSpec<Spec>)
        return whole_powers(Map<Spec>::integer_rows(spec), Map<Spec>::integer_powers(spec), kept, scaling,
                            whole_readout_of(p, m, add_whole_of<others>(m.type)));
    else
        return whole_model<others>(Map<Spec>::integer_rows(spec), kept, scaling,
                                   whole_readout_of(p, m, add_whole_of<others>(m.type)));
}

} // namespace detail

template <detail::WholeSpec... Maps>
class WholePredictor {
public:
    static_assert(sizeof...(Maps) > 0);

    // Returns what Model::open() does; unsupported_map where the map is not among Maps, or map, scaling or readout
    // compute with floats; too_many_operations as a Predictor does. The bytes must outlive this. An earlier model stays
    // open where the status is not ok.
    Status open(std::span<const std::byte> bytes, const OpenRules& rules = {}) noexcept
    {
        Model model;
        Status status = model.open_by(rules, bytes, checks_of<Arithmetic::any, Maps...>);
        if (status != Status::ok)
            return status;
        status = Status::unsupported_map;
        static_cast<void>((open_as<Maps>(model, rules.most_operations, status) || ...));
        return status;
    }

    const Model& model() const noexcept { return model_; }
    // The workspace of scores() and predict(), which starts at a multiple of 4 bytes.
    std::size_t workspace_bytes() const noexcept
    {
        std::size_t bytes = 0;
        static_cast<void>(with_model([&](const auto& model) {
            bytes = whole_bytes(model);
            return Status::ok;
        }));
        return bytes;
    }

    // x: model().inputs() numbers as the sensor gives them, uint8, int8 or int16; scores: model().outputs().
    template <class Number>
    Status scores(std::span<const Number> x, std::span<std::int32_t> scores, std::span<std::byte> work) const noexcept
    {
        return with_model([&](const auto& model) { return whole_scores(model, x, scores, work); });
    }
    // The scores, and in `output` the class: the one with the largest score.
    template <class Number>
    Status predict(std::span<const Number> x, std::uint32_t& output, std::span<std::int32_t> scores,
                   std::span<std::byte> work) const noexcept
    {
        const Status status = this->scores(x, scores, work);
        if (status == Status::ok)
            output = best_of(scores);
        return status;
    }

private:
    template <class Spec>
    [[gnu::cold]] bool open_as(const Model& model, std::uint64_t most_operations, Status& status) noexcept
    {
        Spec spec;
        ChosenRows kept;
        const ModelLayout& m = model.layout();
        if (!model.get(spec, kept))
            return false;
        if (!Map<Spec>::is_whole(spec) || !is_whole(m.type) || !detail::scales_to_whole(m))
            return true;
        if (operations(spec, kept) + std::uint64_t{2} * m.outputs * m.features > most_operations) {
            status = Status::too_many_operations;
            return true;
        }
        const std::byte* const p = model.bytes();
        ::new (state_)
            detail::WholeModelOf<Spec>(detail::whole_model_of(spec, kept, detail::whole_scaling_of(p, m), p, m));
        model_ = model;
        status = Status::ok;
        return true;
    }

    template <class Call>
    Status with_model(Call call) const noexcept
    {
        Status status = Status::not_open;
        static_cast<void>((... || call_as<Maps>(call, status)));
        return status;
    }
    template <class Spec, class Call>
    bool call_as(Call call, Status& status) const noexcept
    {
        if (!model_.is_open() || model_.map() != Map<Spec>::id)
            return false;
        status = call(*std::launder(reinterpret_cast<const detail::WholeModelOf<Spec>*>(state_)));
        return true;
    }

    Model model_;
    alignas(8) std::byte state_[detail::largest_of<detail::WholeModelOf<Maps>...>()];
};

} // namespace samara
