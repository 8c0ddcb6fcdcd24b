// Predicts in whole numbers with a sealed model that arrives at run time: what WholePredictor<ArcCos> is to
// Predictor<ArcCos>. No floating point is linked.
#pragma once

#include "samara/model.hpp"
#include "samara/model/whole_predictor.hpp"

namespace samara {

namespace detail {

// A model's scaling to whole numbers; of none, where inputs are whole numbers already.
inline WholeScaling whole_scaling_of(const std::byte* p, const ModelLayout& m) noexcept
{
    return m.scaling_steps == 0 ? WholeScaling{} : WholeScaling{p + m.scaling.offset + 8, m.scaling_length};
}
constexpr bool scales_to_whole(const ModelLayout& m) noexcept
{
    return m.scaling_steps == 0 || m.scaling_steps == scaling_whole;
}
inline WholeReadout whole_readout_of(const std::byte* p, const ModelLayout& m, AddWhole add) noexcept
{
    return {m.outputs,
            static_cast<std::uint32_t>(readout_row_bytes(m.type, m.features)),
            whole_shift(m.type, m.features),
            p + m.bias_at,
            p + m.scale_at,
            p + m.weights_at,
            add};
}

// Maps that can compute with whole numbers; those of powers of the inner product.
template <class Spec>
concept WholeSpec = RowSpec<Spec> && MayBeWhole<Spec>;
template <class Spec>
concept PowersSpec = WholeSpec<Spec> && requires(const Spec& s)
{
    Map<Spec>::integer_powers(s);
};

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
        if constexpr (powers)
            if (whole_.add != nullptr)
                return integer_power_bytes(whole_.rows, whole_.powers);
        return whole_bytes(whole_.rows.inputs);
    }

    // x: model().inputs() numbers as the sensor gives them, uint8, int8 or int16; scores: model().outputs().
    template <class Number>
    Status scores(std::span<const Number> x, std::span<std::int32_t> scores, std::span<std::byte> work) const noexcept
    {
        if (!model_.is_open())
            return Status::not_open;
        if constexpr (powers)
            if (whole_.add != nullptr)
                return whole_scores(whole_, x, scores, work);
        return whole_scores(static_cast<const WholeModel&>(whole_), x, scores, work);
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
    static constexpr bool powers = (detail::PowersSpec<Maps> || ...);

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
        constexpr bool others = Map<Spec>::negative_features;
        const WholeScaling scaling = detail::whole_scaling_of(p, m);
        const WholeReadout readout = detail::whole_readout_of(p, m, add_whole_of<others>(m.type));
        const IntegerRows rows = Map<Spec>::integer_rows(spec);
        if constexpr (detail::PowersSpec<Spec>)
            whole_ = whole_powers(rows, Map<Spec>::integer_powers(spec), kept, scaling, readout);
        else if constexpr (powers)
            whole_ = {whole_model<others>(rows, kept, scaling, readout), {}, nullptr};
        else
            whole_ = whole_model<others>(rows, kept, scaling, readout);
        model_ = model;
        status = Status::ok;
        return true;
    }

    Model model_;
    std::conditional_t<powers, WholePowers, WholeModel> whole_;
};

} // namespace samara
