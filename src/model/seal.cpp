#include "samara/model/seal.hpp"

#include <cstring>

#include "model/seal_readout.hpp"

namespace samara {

namespace {

bool finite(std::span<const float> values) noexcept
{
    for (const float v : values)
        if (!samara::finite(v))
            return false;
    return true;
}

std::uint32_t scaling_steps(const ModelParts& parts) noexcept
{
    if (!parts.whole.empty())
        return scaling_whole | (parts.whole_runs ? scaling_runs : 0u);
    return (parts.fill.empty() ? 0u : std::uint32_t{scaling_fill}) |
           (parts.shift.empty() ? 0u : std::uint32_t{scaling_affine}) | (parts.unit ? std::uint32_t{scaling_unit} : 0u);
}

// Of each vector: what stands in the model.
std::size_t scaling_length(const ModelParts& parts) noexcept
{
    return !parts.whole.empty() ? parts.whole.size() / 3 : parts.fill.empty() ? parts.shift.size() : parts.fill.size();
}

struct SectionSizes {
    std::uint64_t bytes[most_model_sections], total;

    std::uint32_t count() const noexcept { return bytes[model_sections] == 0 ? model_sections : most_model_sections; }
};

bool says_something(const Application& a) noexcept
{
    return a.version != 0 || a.input_layout != 0 || a.confidence_spread != 0.0f || !a.data.empty();
}

SectionSizes sizes_of(const detail::RawParts& raw, const ModelParts& parts) noexcept
{
    const std::uint64_t vectors =
        4 * (parts.fill.size() + parts.shift.size() + parts.factor.size()) + parts.whole.size();
    SectionSizes s{{raw.spec.size(), raw.data_kind == 0 ? 0 : 8 + raw.data.size(),
                    scaling_steps(parts) == 0 ? 0 : 8 + vectors, sealed_readout_bytes(parts), parts.labels.size(),
                    says_something(parts.application) ? application_header_bytes + parts.application.data.size() : 0},
                   model_header_bytes};
    for (const std::uint64_t bytes : s.bytes)
        s.total += (bytes + 15) / 16 * 16;
    s.total += 4;
    return s;
}

// Whether the scaling to whole numbers stands alone, and its factors are some.
bool good_whole(const ModelParts& parts) noexcept
{
    const std::size_t n = parts.whole.size() / 3;
    if (parts.whole.size() != 3 * n || (parts.whole_runs && n < 2) ||
        (n != 0 && (parts.unit || !parts.fill.empty() || !parts.shift.empty() || !parts.factor.empty())))
        return false;
    for (std::size_t i = 0; i < n; ++i)
        if (!good_whole_factor(read_u8(&parts.whole[2 * n + i])))
            return false;
    return true;
}

bool lengths_fit(const detail::RawParts& raw, const ModelParts& parts) noexcept
{
    const std::size_t length = scaling_length(parts);
    const auto good = [&](std::span<const float> vector) { return vector.empty() || vector.size() == length; };
    std::uint32_t ends = 0;
    for (const char c : parts.labels)
        ends += c == '\0' ? 1 : 0;
    return (length == 0 || (length <= raw.inputs && raw.inputs % length == 0)) && good(parts.shift) &&
           (!parts.whole_runs || length < raw.inputs) && parts.shift.size() == parts.factor.size() &&
           good_whole(parts) &&
           (parts.labels.empty() || (ends == parts.readout.outputs && parts.labels.back() == '\0')) &&
           parts.application.data.size() <= most_application_bytes && parts.readout.outputs >= 1 &&
           parts.readout.outputs <= most_outputs && parts.readout.features >= 1;
}

} // namespace

namespace detail {

std::size_t sealed_bytes(const RawParts& raw, const ModelParts& parts) noexcept
{
    return static_cast<std::size_t>(sizes_of(raw, parts).total);
}

Status seal(const RawParts& raw, const ModelParts& parts, std::span<std::byte> out, std::size_t& written) noexcept
{
    const SectionSizes sizes = sizes_of(raw, parts);
    if ((reinterpret_cast<std::uintptr_t>(out.data()) & 3u) != 0)
        return Status::misaligned;
    if (!lengths_fit(raw, parts) || sizes.total > 0xfffffff0u)
        return Status::wrong_length;
    if (out.size() < sizes.total)
        return Status::small_workspace;
    const Application& application = parts.application;
    if (!finite(parts.fill) || !finite(parts.shift) || !finite(parts.factor) ||
        !good_confidence(std::bit_cast<std::uint32_t>(application.confidence_mean),
                         std::bit_cast<std::uint32_t>(application.confidence_spread)) ||
        !good_probability_scale(std::bit_cast<std::uint32_t>(parts.probability_scale), parts.task,
                                parts.readout.outputs))
        return Status::not_finite;
    if (const Status status = check_readout(parts); status != Status::ok)
        return status;

    std::byte* const p = out.data();
    const auto total = static_cast<std::uint32_t>(sizes.total);
    std::memset(p, 0, total);
    std::memcpy(p, model_magic, sizeof model_magic - 1);
    write_u16(p + 8, model_version);
    write_u16(p + 10, static_cast<std::uint16_t>(sizes.count()));
    write_u32(p + 12, total);
    std::memcpy(p + 16, generator_name, sizeof generator_name - 1);
    std::uint32_t at[most_model_sections] = {}, offset = model_header_bytes;
    for (std::uint32_t i = 0; i < sizes.count(); ++i) {
        at[i] = offset;
        write_u32(p + 32 + 8 * i, offset);
        write_u32(p + 36 + 8 * i, static_cast<std::uint32_t>(sizes.bytes[i]));
        offset = round_to_section(offset + sizes.bytes[i]);
    }
    std::memcpy(p + at[0], raw.spec.data(), raw.spec.size());
    if (raw.data_kind != 0) {
        write_u32(p + at[1], raw.data_kind);
        write_u32(p + at[1] + 4, raw.data_count);
        std::memcpy(p + at[1] + 8, raw.data.data(), raw.data.size());
    }
    if (const std::uint32_t steps = scaling_steps(parts); steps != 0) {
        std::byte* vector = p + at[2] + 8;
        write_u32(p + at[2], steps);
        const std::size_t length = scaling_length(parts);
        write_u32(p + at[2] + 4, length == 0 ? raw.inputs : static_cast<std::uint32_t>(length));
        for (const std::span<const float> values : {parts.fill, parts.shift, parts.factor})
            for (const float v : values) {
                write_u32(vector, std::bit_cast<std::uint32_t>(v));
                vector += 4;
            }
        if (!parts.whole.empty())
            std::memcpy(vector, parts.whole.data(), parts.whole.size());
    }
    write_readout(parts, p + at[3]);
    if (!parts.labels.empty())
        std::memcpy(p + at[4], parts.labels.data(), parts.labels.size());
    if (sizes.count() == most_model_sections) {
        write_u32(p + at[5], application.version);
        write_u32(p + at[5] + 4, application.input_layout);
        write_u32(p + at[5] + 8, std::bit_cast<std::uint32_t>(application.confidence_mean));
        write_u32(p + at[5] + 12, std::bit_cast<std::uint32_t>(application.confidence_spread));
        if (!application.data.empty())
            std::memcpy(p + at[5] + application_header_bytes, application.data.data(), application.data.size());
    }
    write_u32(p + total - 4, crc32(out.first(total - 4)));
    written = total;
    return Status::ok;
}

} // namespace detail

namespace {

// The parts of a model except its readout. The scaling's vectors can be used where they lie: they are floats at
// multiples of 4 bytes.
detail::RawParts raw_of(const Model& model, ModelParts& parts) noexcept
{
    const ModelLayout& m = model.layout();
    const std::byte* const p = model.bytes();
    detail::RawParts raw;
    raw.spec = {p + m.spec.offset, m.spec.bytes};
    raw.inputs = m.inputs;
    raw.data_kind = m.data_kind;
    if (m.data_kind != 0) {
        raw.data_count = read_u32(p + m.map_data.offset + 4);
        raw.data = {p + m.map_data.offset + 8, m.map_data.bytes - 8};
    }
    const auto* vector = reinterpret_cast<const float*>(p + m.scaling.offset + 8);
    const auto take = [&](std::uint32_t step) {
        if (scales_whole(m.scaling_steps) || (m.scaling_steps & step) == 0)
            return std::span<const float>();
        const std::span<const float> values(vector, m.scaling_length);
        vector += m.scaling_length;
        return values;
    };
    parts.fill = take(scaling_fill);
    parts.shift = take(scaling_affine);
    parts.factor = take(scaling_affine);
    parts.unit = (m.scaling_steps & scaling_unit) != 0;
    parts.whole_runs = (m.scaling_steps & scaling_runs) != 0;
    if (scales_whole(m.scaling_steps))
        parts.whole = {p + m.scaling.offset + 8, m.scaling.bytes - 8};
    parts.labels = {reinterpret_cast<const char*>(p + m.labels.offset), m.labels.bytes};
    parts.task = m.task;
    parts.application = model.application();
    return raw;
}

} // namespace

Status reseal(const Model& model, const Readout& readout, ReadoutType type, std::span<std::byte> out,
              std::size_t& written) noexcept
{
    if (!model.is_open())
        return Status::not_open;
    if (readout.features != model.features() || readout.outputs != model.outputs())
        return Status::wrong_length;
    ModelParts parts{.readout = readout, .type = type};
    const detail::RawParts raw = raw_of(model, parts);
    if (readout.weights == model.readout().weights)
        parts.probability_scale = model.probability_scale();
    return detail::seal(raw, parts, out, written);
}

std::size_t resealed_bytes(const Model& model, ReadoutType type) noexcept
{
    if (!model.is_open())
        return 0;
    ModelParts parts{.readout = model.readout(), .type = type};
    const detail::RawParts raw = raw_of(model, parts);
    return detail::sealed_bytes(raw, parts);
}

} // namespace samara
