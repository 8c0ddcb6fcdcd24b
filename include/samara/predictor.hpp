// From a sealed model to outputs, one sample at a time: block by block the features are made, multiplied with the
// readout and forgotten, so the memory does not grow with their number (with the maps whose features are one block
// it does: map_whole.hpp), and the readout stays where it is.
//
//   Predictor<Rff, ArcCos>   a model that arrives at run time; the maps that it may have are those that are linked
//                            (Rff, ArcCos, Polynomial, Dot, Nngp, Ntk, NtkSketch, NtkPoly, NtkGradient)
//   FixedPredictor<bytes>    a model that is known when compiling (samara export --c-header): static memory, and only
//                            the code that it needs
//
// All calls give Status::ok or leave the outputs untouched.
#pragma once

#include <new>
#include <type_traits>

#include "samara/detail/fixed_map.hpp"
#include "samara/model.hpp"

namespace samara {

using Rff = RffSpec;
using ArcCos = ArcCosSpec;
using Polynomial = PolynomialSpec;
using Dot = DotSpec;
using Nngp = NngpSpec;
using Ntk = NtkSpec;
using NtkSketch = NtkSketchSpec;
using NtkPoly = NtkPolySpec;
using NtkGradient = NtkGradientSpec;

namespace detail {

// A map's blocks, without its type.
struct BlockSource {
    const void* spec;
    Status (*block)(const void* spec, const ChosenRows&, std::uint32_t k, std::span<const float> x, std::span<float> z,
                    std::span<std::byte> work) noexcept;
    BlockRange (*range)(const void* spec, const ChosenRows&, std::uint32_t k) noexcept;
    AddReadout add;
    std::uint32_t blocks, block_floats;
    std::size_t map_bytes;
};

template <class Spec>
constexpr BlockSource block_source(const Spec& spec, ReadoutType type) noexcept
{
    return {
        &spec,
        [](const void* s, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x, std::span<float> z,
           std::span<std::byte> work) noexcept { return block(*static_cast<const Spec*>(s), chosen, k, x, z, work); },
        [](const void* s, const ChosenRows& chosen, std::uint32_t k) noexcept {
            return block_range(*static_cast<const Spec*>(s), chosen, k);
        },
        add_of(type),
        block_count(spec),
        largest_block(spec),
        block_workspace_bytes(spec)};
}

// The same with the code of a map of rows chosen while compiling.
template <auto spec, bool chosen_rows>
constexpr BlockSource fixed_block_source(ReadoutType type) noexcept
{
    BlockSource source = block_source(spec, type);
    source.block = [](const void*, [[maybe_unused]] const ChosenRows& chosen, std::uint32_t k, std::span<const float> x,
                      std::span<float> z, std::span<std::byte> work) noexcept {
        if constexpr (chosen_rows) {
            constexpr MapCode code = code_of(spec);
            return run_chosen_block(spec, code, chosen, k, x, z, work);
        } else {
            return run_fixed_block<spec>(k, x, z, work);
        }
    };
    return source;
}

template <MapId id>
constexpr auto spec_of_map() noexcept
{
    if constexpr (id == MapId::rff)
        return RffSpec{};
    else if constexpr (id == MapId::arccos)
        return ArcCosSpec{};
    else if constexpr (id == MapId::polynomial)
        return PolynomialSpec{};
    else if constexpr (id == MapId::dot)
        return DotSpec{};
    else if constexpr (id == MapId::nngp)
        return NngpSpec{};
    else if constexpr (id == MapId::ntk)
        return NtkSpec{};
    else if constexpr (id == MapId::ntk_sketch)
        return NtkSketchSpec{};
    else if constexpr (id == MapId::ntk_poly)
        return NtkPolySpec{};
    else if constexpr (id == MapId::ntk_gradient)
        return NtkGradientSpec{};
}

// A copy of the scaled inputs, one block of features, the map's workspace.
constexpr std::size_t predictor_bytes(const ModelLayout& m, std::uint32_t block_floats, std::size_t map_bytes) noexcept
{
    return sizeof(float) * ((m.scaling_steps != 0 ? m.inputs : 0) + std::size_t{block_floats}) + map_bytes;
}

// All features of one sample, in order: z of layout.features floats.
Status predict_features(const std::byte* model, const ModelLayout& layout, const BlockSource& source,
                        std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept;
Status predict_scores(const std::byte* model, const ModelLayout& layout, const BlockSource& source,
                      std::span<const float> x, std::span<float> scores, std::span<std::byte> work) noexcept;

} // namespace detail

template <class... Maps>
class Predictor {
public:
    static_assert(sizeof...(Maps) > 0);

    // What Model::open() says, or unsupported_map for a map that is not among Maps, good or not. The bytes must outlive
    // this.
    Status open(std::span<const std::byte> bytes) noexcept
    {
        Model model;
        if (const Status status = model.open(bytes, detail::any_spec_fits<Maps...>); status != Status::ok)
            return status;
        if (!(open_as<Maps>(model) || ...))
            return Status::unsupported_map;
        model_ = model;
        return Status::ok;
    }

    const Model& model() const noexcept { return model_; }
    // For scores() and predict(); starts at a multiple of 4 bytes.
    std::size_t workspace_bytes() const noexcept { return bytes_; }

    // x: model().inputs() floats as the training saw them, unscaled; scores: model().outputs().
    Status scores(std::span<const float> x, std::span<float> scores, std::span<std::byte> work) const noexcept
    {
        return with_source([&](const detail::BlockSource& source) {
            return detail::predict_scores(model_.bytes(), model_.layout(), source, x, scores, work);
        });
    }
    // What the readout sees of x, for a learner: z of model().features() floats.
    Status features(std::span<const float> x, std::span<float> z, std::span<std::byte> work) const noexcept
    {
        return with_source([&](const detail::BlockSource& source) {
            return detail::predict_features(model_.bytes(), model_.layout(), source, x, z, work);
        });
    }
    // The class as well.
    Status predict(std::span<const float> x, std::uint32_t& output, std::span<float> scores,
                   std::span<std::byte> work) const noexcept
    {
        const Status status = this->scores(x, scores, work);
        if (status == Status::ok)
            output = best_of(scores);
        return status;
    }

private:
    template <class Spec>
    bool open_as(const Model& model) noexcept
    {
        Spec spec;
        if (model.map() != detail::map_id(spec) ||
            detail::read_spec(model.bytes() + model.layout().spec.offset, spec) != Status::ok)
            return false;
        ::new (spec_) Spec(spec);
        bytes_ = detail::predictor_bytes(model.layout(), largest_block(spec), block_workspace_bytes(spec));
        return true;
    }
    template <class Call>
    Status with_source(Call call) const noexcept
    {
        Status status = Status::not_open;
        (void)(... || source_as<Maps>(call, status));
        return status;
    }
    template <class Spec, class Call>
    bool source_as(Call call, Status& status) const noexcept
    {
        if (!model_.is_open() || model_.map() != detail::map_id(Spec{}))
            return false;
        status = call(detail::block_source(*std::launder(reinterpret_cast<const Spec*>(spec_)), model_.readout_type()));
        return true;
    }

    template <class First, class... Rest>
    static constexpr std::size_t largest_of() noexcept
    {
        std::size_t size = sizeof(First);
        ((size = sizeof(Rest) > size ? sizeof(Rest) : size), ...);
        return size;
    }

    Model model_;
    std::size_t bytes_ = 0;
    alignas(8) std::byte spec_[largest_of<Maps...>()];
};

// `bytes`: an array with static storage, constexpr, as the exported header defines it.
template <const auto& bytes>
class FixedPredictor {
    using Byte = std::remove_cvref_t<decltype(bytes[0])>;
    static constexpr detail::ModelLayout layout = [] {
        detail::ModelLayout found;
        (void)detail::read_layout(std::span<const Byte>(bytes), found);
        return found;
    }();
    static_assert(layout.total != 0, "these bytes are not a sealed model that this version can open");
    static constexpr auto requested = [] {
        auto found = detail::spec_of_map<layout.map>();
        (void)detail::read_spec(bytes + layout.spec.offset, found);
        return found;
    }();

public:
    static constexpr auto spec = requested;
    static_assert(resolved(spec), "the model's spec is damaged");
    static constexpr std::uint32_t inputs = layout.inputs;
    static constexpr std::uint32_t outputs = layout.outputs;
    static constexpr std::uint32_t feature_count = layout.features;

    // The bytes cannot change after compiling, but flash can: this is Model::open(), with its CRC, to call once.
    Status check() const noexcept
    {
        Model model;
        return model.open(model_bytes(), detail::spec_fits<std::remove_cv_t<decltype(requested)>>);
    }

    Status scores(std::span<const float, inputs> x, std::span<float, outputs> scores) noexcept
    {
        static constexpr detail::BlockSource source =
            detail::fixed_block_source<requested, layout.kept_rows != 0>(layout.type);
        return detail::predict_scores(model_bytes().data(), layout, source, x, scores, memory_);
    }
    // What the readout sees of x, for a learner.
    Status features(std::span<const float, inputs> x, std::span<float, layout.features> z) noexcept
    {
        static constexpr detail::BlockSource source =
            detail::fixed_block_source<requested, layout.kept_rows != 0>(layout.type);
        return detail::predict_features(model_bytes().data(), layout, source, x, z, memory_);
    }
    Status predict(std::span<const float, inputs> x, std::uint32_t& output) noexcept
    {
        const Status status = scores(x, scores_);
        if (status == Status::ok)
            output = best_of(scores_);
        return status;
    }
    // What a learner starts from: learner.start(predictor). Only the code of this readout's type is linked.
    static Readout readout() noexcept
    {
        constexpr detail::AddReadout multiply = detail::add_of(layout.type);
        return detail::readout_of(model_bytes().data(), layout, multiply);
    }
    static std::uint32_t features_id() noexcept { return detail::features_id(model_bytes().data(), layout); }
    // Of the last predict() that was ok.
    std::span<const float, outputs> last_scores() const noexcept { return scores_; }

    static std::span<const std::byte> model_bytes() noexcept { return std::as_bytes(std::span(bytes)); }

private:
    static constexpr std::size_t work_bytes =
        detail::predictor_bytes(layout, largest_block(requested), block_workspace_bytes(requested));

    alignas(16) std::byte memory_[work_bytes];
    float scores_[outputs];
};

} // namespace samara
