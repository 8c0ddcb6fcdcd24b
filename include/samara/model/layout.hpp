// The structure of a sealed model's bytes: offsets and counts, checked as if they had been forged. SPEC.md,
// section 20.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/learn/drift.hpp"
#include "samara/map/map.hpp"
#include "samara/map/sealed_spec.hpp"
#include "samara/model/whole_scaling.hpp"
#include "samara/readout.hpp"
#include "samara/readout/whole.hpp"

namespace samara {

inline constexpr std::uint32_t model_version = 1;

enum class ModelTask : std::uint8_t { regress = 0, classify = 1 };

// The steps in which an input is scaled, in this order, as bits; scaling_whole is a form of its own and stands alone,
// or beside scaling_runs: then each number is for as many inputs one after the other as have the same.
inline constexpr std::uint32_t scaling_fill = 1, scaling_affine = 2, scaling_unit = 4, scaling_whole = 8,
                               scaling_runs = 16;
// Of WholeScaling.
constexpr std::uint32_t whole_run(std::uint32_t steps, std::uint32_t inputs, std::uint32_t length) noexcept
{
    return (steps & scaling_runs) != 0 ? inputs / length : 0;
}
constexpr bool scales_whole(std::uint32_t steps) noexcept { return (steps & ~scaling_runs) == scaling_whole; }

// The application's section is the sixth. Only a model that has one counts it.
inline constexpr std::uint32_t model_sections = 5, most_model_sections = 6;
inline constexpr std::uint32_t model_header_bytes = 80;
inline constexpr std::uint32_t most_foreign_spec_bytes = 1024; // of maps that this version does not know
inline constexpr std::uint32_t application_header_bytes = 16, most_application_bytes = 256;

// What a model says to the application that uses it; the library hands it on. A model may say nothing: then all of it
// is 0 and empty.
struct Application {
    std::uint32_t version = 0;      // of the model, as its makers count
    std::uint32_t input_layout = 0; // which inputs it expects, in which order and units: a number that its makers chose
    // How sure its predictions were on rows that training had left out: mean and standard deviation of confidence()
    // (learn/drift.hpp). Finite; a spread of 0: it does not say, and then the mean is 0.
    float confidence_mean = 0, confidence_spread = 0;
    std::span<const std::byte> data = {}; // up to most_application_bytes
};

struct ModelSection {
    std::uint32_t offset = 0, bytes = 0;
};

// Where everything is, as offsets from the model's first byte.
struct ModelLayout {
    ModelSection spec, map_data, scaling, readout, labels, application;
    std::uint32_t total = 0;
    MapId map{};
    std::uint32_t data_kind = 0;                         // of the map data, 0 where there are none
    std::uint32_t inputs = 0, features = 0, outputs = 0; // features: of the readout
    ReadoutType type{};
    ModelTask task{};
    std::uint32_t scaling_steps = 0, scaling_length = 0; // the length: of each vector
    std::uint32_t bias_at = 0, scale_at = 0, weights_at = 0;
    std::uint32_t floats_end = 0; // of biases and scales that are floats; they begin at bias_at
    std::uint32_t unit_at = 0;    // of readouts in whole numbers only
};

constexpr std::uint32_t round_to_section(std::uint64_t n) noexcept
{
    return static_cast<std::uint32_t>((n + 15) & ~std::uint64_t{15});
}

// A model's first eight bytes, and the generator that its seed is for.
inline constexpr char model_magic[] = "samara\x1a\n";
inline constexpr char generator_name[] = "xoshiro128++/1\0\0"; // 16 characters

// Whether there are the characters of `text` at p, its closing zero left out.
template <class Byte>
[[gnu::cold, gnu::noinline]] constexpr bool has_text(const Byte* p, std::span<const char> text) noexcept
{
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
        if (read_u8(p + i) != static_cast<std::uint8_t>(text[i]))
            return false;
    return true;
}

// By the bits of mean and spread: both finite, the spread positive or both +0.
constexpr bool good_confidence(std::uint32_t mean, std::uint32_t spread) noexcept
{
    return spread == 0 ? mean == 0 : spread < 0x7f800000u && (mean & 0x7fffffffu) < 0x7f800000u;
}

constexpr std::uint32_t round_to_word(std::uint32_t n) noexcept { return (n + 3) & ~std::uint32_t{3}; }

// What keeps scores in whole numbers within int32, and a model in one form: multipliers, biases and unit in their
// ranges, no weight of -128 or -8, zeros where there is no number. By bits: a unit is from 2^-126 to 2^64.
template <class Byte>
[[gnu::cold]] constexpr bool good_whole_readout(const Byte* p, const ModelLayout& m) noexcept
{
    const std::uint32_t unit = read_u32(p + m.unit_at),
                        row = static_cast<std::uint32_t>(readout_row_bytes(m.type, m.features));
    bool good = m.features <= most_whole_features && unit >= 0x00800000u && unit <= 0x5f800000u;
    for (std::uint32_t o = 0; o < m.outputs && good; ++o) {
        const auto bias = static_cast<std::int32_t>(read_u32(p + m.bias_at + 4 * o));
        const std::uint32_t multiplier = read_u16(p + m.scale_at + 2 * o);
        good = bias >= -most_whole_bias && bias <= most_whole_bias && multiplier >= 1 && multiplier <= most_multiplier;
        const Byte* const weights = p + m.weights_at + std::uint64_t{o} * row;
        for (std::uint32_t i = 0; i < (m.type == ReadoutType::whole8 ? row : 2 * row) && good; ++i) {
            const std::uint32_t byte = read_u8(weights + (m.type == ReadoutType::whole8 ? i : i / 8 * 4 + i % 4));
            const std::uint32_t q = m.type == ReadoutType::whole8 ? byte : i % 8 < 4 ? byte & 15u : byte >> 4;
            good = (q != 0) == (i < m.features);
        }
    }
    return good && (m.outputs % 2 == 0 || read_u16(p + m.scale_at + 2 * m.outputs) == 0);
}

// By the bits of a probability scale: +0, or finite and positive where there are classes to choose among.
constexpr bool good_probability_scale(std::uint32_t scale, ModelTask task, std::uint32_t outputs) noexcept
{
    return scale == 0 || (scale < 0x7f800000u && task == ModelTask::classify && outputs >= 2);
}

// Reads and checks every offset and count. The CRC, the spec's fields and the weights are not checked here. Where only
// floats are of interest, models in whole numbers are unsupported_map.
template <Arithmetic arithmetic = Arithmetic::any, class Byte>
[[gnu::cold]] constexpr Status read_layout(std::span<const Byte> bytes, ModelLayout& out) noexcept
{
    const Byte* p = bytes.data();
    if (bytes.size() < 16 || !has_text(p, model_magic))
        return Status::not_a_model;
    if (read_u16(p + 8) != model_version)
        return Status::unsupported_version;
    ModelLayout m;
    m.total = read_u32(p + 12);
    if (m.total < model_header_bytes + 4 || m.total % 4 != 0 || bytes.size() < m.total)
        return Status::damaged_model;
    const std::uint32_t count = read_u16(p + 10);
    if (count < model_sections || count > most_model_sections || !has_text(p + 16, generator_name))
        return Status::unsupported_version;
    if (count == model_sections && read_u64(p + 72) != 0)
        return Status::damaged_model;
    ModelSection* const sections[] = {&m.spec, &m.map_data, &m.scaling, &m.readout, &m.labels, &m.application};
    std::uint32_t end = model_header_bytes;
    for (unsigned i = 0; i < count; ++i) {
        *sections[i] = {read_u32(p + 32 + 8 * i), read_u32(p + 36 + 8 * i)};
        // In order and without holes, so that a model has one form only.
        if (sections[i]->offset != end || sections[i]->bytes > m.total - 4 - end)
            return Status::damaged_model;
        end = round_to_section(std::uint64_t{end} + sections[i]->bytes);
        if (end > m.total - 4)
            return Status::damaged_model;
    }
    if (end != m.total - 4 || m.spec.bytes < least_spec_bytes || m.readout.bytes < 16)
        return Status::damaged_model;

    const Byte* spec = p + m.spec.offset;
    m.map = static_cast<MapId>(read_u16(spec));
    if (read_u16(spec + 2) != spec_version)
        return Status::unsupported_version;
    m.inputs = read_u32(spec + inputs_offset);
    if (m.spec.bytes > most_foreign_spec_bytes || m.spec.bytes % 4 != 0 || m.inputs < 1 || m.inputs > most_inputs)
        return Status::damaged_model;

    if (m.map_data.bytes != 0) {
        if (m.map_data.bytes < 8)
            return Status::damaged_model;
        m.data_kind = read_u32(p + m.map_data.offset);
        if (m.data_kind == 0)
            return Status::damaged_model;
    }

    if (m.scaling.bytes != 0) {
        const Byte* scaling = p + m.scaling.offset;
        if (m.scaling.bytes < 8)
            return Status::damaged_model;
        m.scaling_steps = read_u32(scaling);
        const std::uint32_t vectors =
            ((m.scaling_steps & scaling_fill) != 0 ? 1 : 0) + ((m.scaling_steps & scaling_affine) != 0 ? 2 : 0);
        m.scaling_length = read_u32(scaling + 4);
        // Programs of floats alone say of the usual form that they do not open it, and take the other one for damage.
        if (arithmetic == Arithmetic::floats ? m.scaling_steps == scaling_whole : scales_whole(m.scaling_steps)) {
            if constexpr (arithmetic == Arithmetic::floats)
                return Status::unsupported_map;
            if (m.scaling_length == 0 || m.inputs % m.scaling_length != 0 ||
                m.scaling.bytes != 8 + 3 * std::uint64_t{m.scaling_length} ||
                ((m.scaling_steps & scaling_runs) != 0 && (m.scaling_length == 1 || m.scaling_length == m.inputs)))
                return Status::damaged_model;
            for (std::uint32_t i = 0; i < m.scaling_length; ++i)
                if (!good_whole_factor(read_u8(scaling + 8 + 2 * m.scaling_length + i)))
                    return Status::damaged_model;
        } else if (m.scaling_steps == 0 || m.scaling_steps > 7 || m.scaling_length == 0 ||
                   m.inputs % m.scaling_length != 0 || (vectors == 0 && m.scaling_length != m.inputs) ||
                   m.scaling.bytes != 8 + 4 * std::uint64_t{vectors} * m.scaling_length)
            return Status::damaged_model;
    }

    const Byte* readout = p + m.readout.offset;
    if (read_u8(readout) > 4 || read_u8(readout + 1) > 1 || read_u16(readout + 2) != 0)
        return Status::damaged_model;
    m.type = static_cast<ReadoutType>(read_u8(readout));
    if (arithmetic == Arithmetic::floats && is_whole(m.type))
        return Status::unsupported_map;
    m.task = static_cast<ModelTask>(read_u8(readout + 1));
    m.outputs = read_u32(readout + 4);
    m.features = read_u32(readout + 8);
    const std::uint32_t scale = read_u32(readout + 12);
    if (m.outputs < 1 || m.outputs > most_outputs || m.features < 1 || m.features > most_features ||
        !good_probability_scale(scale, m.task, m.outputs))
        return Status::damaged_model;
    const bool scaled = m.type == ReadoutType::int8, whole = arithmetic == Arithmetic::any && is_whole(m.type);
    const std::uint32_t scales = scaled ? 4 * m.outputs : whole ? round_to_word(2 * m.outputs) : 0;
    const std::uint64_t row = arithmetic == Arithmetic::any ? readout_row_bytes(m.type, m.features)
                                                            : std::uint64_t{m.features} * weight_bytes(m.type);
    if (m.readout.bytes != 16 + (whole ? 4 : 0) + 4 * std::uint64_t{m.outputs} + scales + row * m.outputs)
        return Status::damaged_model;
    m.unit_at = whole ? m.readout.offset + 16 : 0;
    m.bias_at = m.readout.offset + 16 + (whole ? 4 : 0);
    m.scale_at = m.bias_at + 4 * m.outputs; // of int8 and of whole numbers only
    m.weights_at = m.scale_at + scales;
    m.floats_end = whole ? m.bias_at : m.weights_at;
    if (whole && !good_whole_readout(p, m))
        return Status::damaged_model;

    if (m.labels.bytes != 0) {
        std::uint32_t ends = 0;
        for (std::uint32_t i = 0; i < m.labels.bytes; ++i)
            ends += read_u8(p + m.labels.offset + i) == 0 ? 1 : 0;
        if (ends != m.outputs || read_u8(p + m.labels.offset + m.labels.bytes - 1) != 0)
            return Status::damaged_model;
    }
    if (count == most_model_sections) {
        const Byte* words = p + m.application.offset;
        const std::uint32_t more = m.application.bytes - application_header_bytes;
        if (more > most_application_bytes) // or the section is shorter than its header
            return Status::damaged_model;
        const std::uint32_t mean = read_u32(words + 8), spread = read_u32(words + 12);
        // One that says nothing is left out, so that a model has one form only.
        if (!good_confidence(mean, spread) ||
            (more == 0 && spread == 0 && read_u32(words) == 0 && read_u32(words + 4) == 0))
            return Status::damaged_model;
    }
    out = m;
    return Status::ok;
}

// A map's data in a model's bytes; false where the section holds something else.
template <FeatureMapSpec Spec, Arithmetic arithmetic = Arithmetic::any>
bool data_of(const std::byte* p, const ModelLayout& m, typename Map<Spec>::Data& out) noexcept
{
    using Data = typename Map<Spec>::Data;
    if (m.data_kind == 0) {
        out = Data();
        return true;
    }
    const std::span<const std::byte> bytes{p + m.map_data.offset + 4, m.map_data.bytes - 4};
    if constexpr (arithmetic == Arithmetic::floats && std::is_same_v<Data, ChosenRows>)
        return m.data_kind == ChosenRows::kind && ChosenRows::read_listed(bytes, out);
    else
        return Data::reads(m.data_kind) && Data::read(m.data_kind, bytes, out);
}

// The readout of a model's bytes; `multiply` is that of its type, named by the caller so that no other need be linked.
constexpr Readout readout_of(const std::byte* p, const ModelLayout& m, detail::AddReadout multiply) noexcept
{
    Readout r{m.type,         m.outputs,        m.features, p + m.bias_at,
              p + m.scale_at, p + m.weights_at, 4,          std::size_t{m.features} * weight_bytes(m.type),
              multiply};
    return r;
}

// The same of a readout in whole numbers. A function of its own: images with other readouts link nothing of it.
constexpr Readout whole_readout_of(const std::byte* p, const ModelLayout& m, detail::AddReadout multiply) noexcept
{
    Readout r = readout_of(p, m, multiply);
    r.weight_stride = static_cast<std::size_t>(readout_row_bytes(m.type, m.features));
    return with_whole_face(r, std::bit_cast<float>(read_u32(p + m.unit_at)));
}

// What makes probabilities of scores; 0: the model does not say.
template <class Byte>
constexpr float probability_scale_of(const Byte* p, const ModelLayout& m) noexcept
{
    return std::bit_cast<float>(read_u32(p + m.readout.offset + 12));
}

constexpr Application application_of(const std::byte* p, const ModelLayout& m) noexcept
{
    if (m.application.bytes == 0)
        return {};
    p += m.application.offset;
    return {read_u32(p),
            read_u32(p + 4),
            std::bit_cast<float>(read_u32(p + 8)),
            std::bit_cast<float>(read_u32(p + 12)),
            {p + application_header_bytes, m.application.bytes - application_header_bytes}};
}

constexpr DriftSpec drift_of(const Application& a, float window) noexcept
{
    return {a.confidence_mean, a.confidence_spread, window};
}

// What training did to its inputs, as a view of a model's bytes.
struct InputScaling {
    const std::byte* section = nullptr; // its steps and length; fill, shift and factor. Null: nothing was done
    // What takes the place of these steps where the scaling is to whole numbers.
    void (*whole)(const InputScaling&, std::uint32_t n, const float* x, float* out) noexcept = nullptr;

    bool any() const noexcept { return section != nullptr; }
    std::uint32_t steps() const noexcept { return read_u32(section); }
    // Numbers of each vector. They divide the inputs: input i has number i mod length, so that those of an image's
    // channels are there once.
    std::uint32_t length() const noexcept { return read_u32(section + 4); }
    // The vectors, as far as the steps need them.
    const std::byte* vectors() const noexcept { return section + 8; }

    // x and out have n floats; out may be x. There is something to do.
    void apply(std::uint32_t n, const float* x, float* out) const noexcept;
};
void scale_to_whole(const InputScaling& scaling, std::uint32_t n, const float* x, float* out) noexcept;
template <Arithmetic arithmetic = Arithmetic::any>
constexpr InputScaling scaling_of(const std::byte* p, const ModelLayout& m) noexcept
{
    InputScaling scaling{m.scaling_steps != 0 ? p + m.scaling.offset : nullptr};
    if (arithmetic == Arithmetic::any && scales_whole(m.scaling_steps))
        scaling.whole = scale_to_whole;
    return scaling;
}

// A number that is the same for models that have the same features: the CRC-32 of spec, map data and scaling.
inline std::uint32_t features_id(const std::byte* p, const ModelLayout& m) noexcept
{
    return crc32({p + m.spec.offset, m.readout.offset - m.spec.offset});
}

// A readout in whole numbers needs features that are whole.
template <FeatureMapSpec Spec>
constexpr bool takes_readout(const Spec& spec, ReadoutType type) noexcept
{
    if constexpr (requires { Map<Spec>::is_whole(spec); })
        return !is_whole(type) || Map<Spec>::is_whole(spec);
    else
        return !is_whole(type);
}

// Whether a model's spec and data are good and have as many features as the readout: ok, damaged_model or
// unsupported_map.
template <FeatureMapSpec Spec, Arithmetic arithmetic = Arithmetic::any>
[[gnu::cold]] Status spec_fits(const std::byte* p, const ModelLayout& m) noexcept
{
    Spec spec;
    if (m.map != Map<Spec>::id)
        return Status::unsupported_map;
    if (m.spec.bytes != spec_bytes<Spec>)
        return Status::damaged_model;
    if (const Status status = read_spec<arithmetic>(p + m.spec.offset, spec); status != Status::ok)
        return status;
    typename Map<Spec>::Data data;
    const bool fits = (arithmetic == Arithmetic::floats || takes_readout(spec, m.type)) &&
                      data_of<Spec, arithmetic>(p, m, data) && data_fit(spec, data) &&
                      feature_count(spec, data) == m.features;
    return fits ? Status::ok : Status::damaged_model;
}
// The same if the map is one of those given. Specs of other maps are not checked.
template <Arithmetic arithmetic, class... Specs>
Status any_spec_fits(const std::byte* p, const ModelLayout& m) noexcept
{
    Status status = Status::ok;
    static_cast<void>(((m.map == Map<Specs>::id && (status = spec_fits<Specs, arithmetic>(p, m), true)) || ...));
    return status;
}

// What checks a model while it is opened: its layout, then spec and data. A program's own, so that it links the checks
// of its own maps alone.
struct ModelChecks {
    Status (*layout)(std::span<const std::byte> bytes, ModelLayout& out) noexcept;
    Status (*fits)(const std::byte* p, const ModelLayout& m) noexcept;
};
template <Arithmetic arithmetic, class... Specs>
inline constexpr ModelChecks checks_of{read_layout<arithmetic, std::byte>, any_spec_fits<arithmetic, Specs...>};
// One map needs no choice: any other one is unsupported_map at once.
template <Arithmetic arithmetic, class Spec>
inline constexpr ModelChecks checks_of<arithmetic, Spec>{read_layout<arithmetic, std::byte>,
                                                         spec_fits<Spec, arithmetic>};

} // namespace samara
