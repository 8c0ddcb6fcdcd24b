#include "ports/host/training/model_refusal.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ports/host/text/map_text.hpp"
#include "ports/host/text/visible.hpp"
#include "samara/model.hpp"

namespace samara::desk {
namespace {

std::string_view text_at(std::span<const std::byte> bytes, std::size_t offset, std::size_t size)
{
    const std::size_t first = std::min(offset, bytes.size());
    return {reinterpret_cast<const char*>(bytes.data()) + first, std::min(size, bytes.size() - first)};
}

// The map's name where this version knows it, else its number.
std::string map_of(std::uint32_t id)
{
    std::string name = "map number " + std::to_string(id);
    static_cast<void>(AllMaps::any([&](auto spec) {
        using Spec = decltype(spec);
        if (static_cast<std::uint32_t>(Map<Spec>::id) != id) {
            return false;
        }
        name = std::string("map ") + Map<Spec>::name;
        return true;
    }));
    return name;
}

std::string no_model(std::span<const std::byte> bytes)
{
    constexpr std::string_view magic = model_magic;
    constexpr std::pair<std::string_view, const char*> others[] = {
        {"\x93NUMPY", "an NPY file"},
        {"\x1f\x8b", "a gzip file"},
        {"PK\x03\x04", "a zip file"},
        {"/* A sealed model of samara", "a model that was exported as C"},
        {"/* Predictions by a sealed model of samara", "a model that was exported as C"},
        {"\x7f"
         "ELF",
         "a program or an object file"}};
    const std::string_view text = text_at(bytes, 0, bytes.size());
    std::string found;
    for (const auto& [start, name] : others) {
        if (text.starts_with(start)) {
            found = name;
        }
    }
    if (text.starts_with(magic) || (!text.empty() && magic.starts_with(text))) {
        found = "the first " + std::to_string(bytes.size()) + " bytes of a sealed model, and no more";
    } else if (text.starts_with("samara")) {
        found = "a sealed model whose first bytes were changed, as by copying it as text";
    } else if (found.empty()) {
        found = text.empty() ? "an empty file" : "a file that begins with " + quoted_text(text.substr(0, 16));
    }
    return "found " + found + ", expected a sealed model";
}

std::string other_version(std::span<const std::byte> bytes)
{
    const std::byte* const p = bytes.data();
    const auto sentence = [](const std::string& what, std::uint32_t found, std::uint32_t expected) {
        return "found " + what + " " + std::to_string(found) + ", expected " + std::to_string(expected) +
               ": the model was made by another version of samara";
    };
    if (read_u16(p + 8) != model_version) {
        return sentence("a sealed model of format version", read_u16(p + 8), model_version);
    }
    // From here on the layout has made sure that there are so many bytes.
    if (const unsigned sections = read_u16(p + 10); sections < model_sections || sections > most_model_sections) {
        return "found a sealed model of " + std::to_string(sections) + " sections, expected " +
               std::to_string(model_sections) + " or " + std::to_string(most_model_sections) +
               ": the model was made by another version of samara";
    }
    if (!has_text(p + 16, generator_name)) {
        std::string_view name = text_at(bytes, 16, 16);
        name = name.substr(0, name.find('\0'));
        return "found a sealed model of the random generator " + quoted_text(name) + ", expected '" + generator_name +
               "': the model was made by another version of samara";
    }
    const std::byte* const spec = p + read_u32(p + 32);
    return sentence("a spec of the " + map_of(read_u16(spec)) + " of spec version", read_u16(spec + 2), spec_version);
}

bool finite_numbers(const std::byte* p, const ModelLayout& m)
{
    const auto finite_floats = [p](std::uint32_t first, std::uint32_t end) {
        for (; first < end; first += 4) {
            if ((read_u32(p + first) & 0x7f800000u) == 0x7f800000u) {
                return false;
            }
        }
        return true;
    };
    const std::uint32_t end = m.readout.offset + m.readout.bytes;
    bool finite = finite_floats(m.bias_at, m.type == ReadoutType::float32 ? end : m.weights_at) &&
                  (m.scaling.bytes == 0 || finite_floats(m.scaling.offset + 8, m.scaling.offset + m.scaling.bytes));
    for (std::uint32_t at = m.weights_at; m.type == ReadoutType::float16 && at < end; at += 2) {
        finite = finite && (read_u16(p + at) & 0x7c00u) != 0x7c00u;
    }
    return finite;
}

std::string damage(std::span<const std::byte> bytes)
{
    const std::byte* const p = bytes.data();
    const std::uint32_t total = read_u32(p + 12);
    if (total > bytes.size()) {
        return "found the first " + std::to_string(bytes.size()) + " bytes of a model, expected a sealed model's " +
               std::to_string(total) + ": the file was cut off";
    }
    ModelLayout layout;
    if (read_layout(bytes, layout) != Status::ok) {
        return "found a damaged model, whose sizes contradict each other, expected one as it was sealed";
    }
    const std::uint32_t stored = read_u32(p + layout.total - 4), computed = crc32(bytes.first(layout.total - 4));
    if (stored != computed) {
        return "found a damaged model: its bytes do not have the CRC-32 that is sealed with them, expected one as it "
               "was sealed";
    }
    // The CRC is right: this was no accident on the way.
    const std::string expected = ", expected one as `samara train` seals it";
    if (!finite_numbers(p, layout)) {
        return "found a model with a weight or a scale of the inputs that is not finite" + expected;
    }
    return "found a model whose spec or data are not those of a " + map_of(static_cast<std::uint32_t>(layout.map)) +
           " with " + std::to_string(layout.inputs) + " inputs and " + std::to_string(layout.features) +
           " features in the readout" + expected;
}

} // namespace

std::string model_refusal(std::span<const std::byte> bytes, Status status)
{
    switch (status) {
    case Status::not_a_model:
        return no_model(bytes);
    case Status::unsupported_version:
        return other_version(bytes);
    case Status::damaged_model:
        return damage(bytes);
    case Status::unsupported_map: {
        ModelLayout layout;
        const bool read = read_layout(bytes, layout) == Status::ok;
        return "found a model of the " +
               (read ? map_of(static_cast<std::uint32_t>(layout.map)) : std::string("map of another program")) +
               ", expected one of those that `samara maps` lists";
    }
    default:
        return std::string("found a model of which ") + text(status) + ", expected one that opens";
    }
}

} // namespace samara::desk
