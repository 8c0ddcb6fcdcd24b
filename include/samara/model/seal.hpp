// Sealing: a spec, its data, a scaling, a readout and labels to the bytes of a model, in the caller's memory. A board
// can seal what it has learned, and the desk seals by the same functions. SPEC.md, section 20.
//
//   alignas(16) static std::byte bytes[sealed_bytes(parts)];
//   samara::seal(spec, data, parts, bytes);                   // a model from its parts
//   samara::reseal(model, learner.readout(), type, bytes, n); // a model with another readout
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/model.hpp"

namespace samara {

// What a model has beside its spec and data. The memory is the caller's and is only read.
struct ModelParts {
    ModelTask task = ModelTask::regress;
    // The readout's numbers, in any type, and the type that they are sealed in.
    Readout readout;
    ReadoutType type = ReadoutType::float32;
    // Probabilities are softmax(probability_scale * scores): finite and positive, of a model of two classes or more. 0:
    // the model does not say.
    float probability_scale = 0;
    // How an input is scaled, in this order: a NaN becomes fill; (x - shift) * factor; then length 1 if `unit`. Each
    // vector has one number for each input, or is empty; shift and factor come together. All may be shorter, of one
    // length that divides the inputs: then input i takes number i mod length, that of its channel.
    std::span<const float> fill = {}, shift = {}, factor = {};
    bool unit = false;
    // Or, alone, the scaling to whole numbers: shifts, then factors, as in a model (model/whole_scaling.hpp).
    std::span<const std::byte> whole = {};
    // Each number is for as many inputs one after the other as have the same.
    bool whole_runs = false;
    // A text for each output, each ended by a zero byte; or none.
    std::span<const char> labels = {};
    Application application = {};
};

namespace detail {

// Spec and data as bytes, so that sealing need not know the map.
struct RawParts {
    std::span<const std::byte> spec;
    std::uint32_t data_kind = 0, data_count = 0;
    std::span<const std::byte> data;
    std::uint32_t inputs = 0;
};
std::size_t sealed_bytes(const RawParts& raw, const ModelParts& parts) noexcept;
Status seal(const RawParts& raw, const ModelParts& parts, std::span<std::byte> out, std::size_t& written) noexcept;

template <FeatureMapSpec Spec>
RawParts raw_parts(const Spec& spec, const typename Map<Spec>::Data& data, std::span<std::byte> spec_room) noexcept
{
    write_spec(spec, spec_room.data());
    return {spec_room.first(spec_bytes<Spec>), data.bytes().empty() ? 0 : data.section_kind(), data.count(),
            data.bytes(), spec.inputs};
}

} // namespace detail

// The bytes that the model takes. The readout's own type and place do not matter.
template <FeatureMapSpec Spec>
std::size_t sealed_bytes(const Spec& spec, const typename Map<Spec>::Data& data, const ModelParts& parts) noexcept
{
    std::byte room[spec_bytes<Spec>];
    return detail::sealed_bytes(detail::raw_parts(spec, data, room), parts);
}

// Writes a model and says how long it is. `out` starts at a multiple of 4 bytes (misaligned else) and has room
// (small_workspace else). bad_spec for a spec that is not resolved, data that do not fit it, or a
// readout in whole numbers for a map that has none; wrong_length where
// readout, vectors or labels do not fit each other or the spec, or the application's data are too long; not_finite for
// a confidence or a probability scale that is none, for a weight, a bias or a number of the scaling that is none;
// overflow for a weight that the type cannot hold. `out` is untouched unless the status is ok. int8: each output's
// weights are multiples of its largest magnitude over 127 (of 1 where all are 0), rounded to nearest, ties to even.
// float16: rounded to nearest, ties to even. whole8, whole4: the output with the largest weights has the largest
// multiplier, each weight is rounded to the nearest of its output; overflow too where there are more than
// most_whole_features. A readout that has the wanted type already keeps its bytes.
template <FeatureMapSpec Spec>
Status seal(const Spec& spec, const typename Map<Spec>::Data& data, const ModelParts& parts, std::span<std::byte> out,
            std::size_t& written) noexcept
{
    if (!detail::is_resolved(spec) || !data_fit(spec, data))
        return Status::bad_spec;
    if (parts.readout.features != feature_count(spec, data))
        return Status::wrong_length;
    if (!takes_readout(spec, parts.type))
        return Status::bad_spec;
    std::byte room[spec_bytes<Spec>];
    return detail::seal(detail::raw_parts(spec, data, room), parts, out, written);
}

// The same model with another readout of as many features and outputs (wrong_length else): map, data, scaling, task,
// labels and what it says to the application are those of `model`, which must not lie in `out`. not_open where no model
// is open. What makes probabilities is kept where the readout is the model's own, in another type perhaps: nobody has
// measured another one's scores.
Status reseal(const Model& model, const Readout& readout, ReadoutType type, std::span<std::byte> out,
              std::size_t& written) noexcept;
std::size_t resealed_bytes(const Model& model, ReadoutType type) noexcept;

// The bits of a float as float16, rounded to nearest, ties to even; infinite beyond 65,504.
std::uint16_t half_of(float value) noexcept;

} // namespace samara
