// A spec of any map in the bytes of a sealed model: how many there are, reading and writing. SPEC.md, section 20.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "samara/map/bytes.hpp"
#include "samara/map/map.hpp"

namespace samara {

namespace detail {

// Which bytes of a spec in a model its fields take.
template <FeatureMapSpec Spec>
constexpr FieldExtent extent_of() noexcept
{
    FieldExtent extent;
    const Spec spec{};
    Map<Spec>::fields(extent, spec);
    return extent;
}

} // namespace detail

inline constexpr std::uint32_t least_spec_bytes = 32;

template <FeatureMapSpec Spec>
inline constexpr std::uint32_t spec_bytes = (detail::extent_of<Spec>().end + 3) / 4 * 4 < least_spec_bytes
                                                ? least_spec_bytes
                                                : (detail::extent_of<Spec>().end + 3) / 4 * 4;

// Reads a spec from spec_bytes<Spec> bytes. damaged_model if they are not what write_spec() makes of a resolved spec.
template <FeatureMapSpec Spec, class Byte>
[[gnu::cold]] constexpr Status read_spec(const Byte* p, Spec& out) noexcept
{
    constexpr auto taken = detail::extent_of<Spec>().taken;
    for (std::uint32_t i = 0; i < spec_bytes<Spec>; ++i)
        if (!taken[i] && read_u8(p + i) != 0)
            return Status::damaged_model;
    Spec s{};
    detail::FieldReader<Byte> reader{p};
    Map<Spec>::fields(reader, s);
    if (read_u16(p) != static_cast<std::uint16_t>(Map<Spec>::id) || read_u16(p + 2) != spec_version || reader.strange ||
        !(std::is_constant_evaluated() ? resolved(s) : detail::is_resolved(s)))
        return Status::damaged_model;
    out = s;
    return Status::ok;
}

template <FeatureMapSpec Spec>
constexpr void write_spec(const Spec& s, std::byte* p) noexcept
{
    for (std::uint32_t i = 0; i < spec_bytes<Spec>; ++i)
        p[i] = std::byte{0};
    write_u16(p, static_cast<std::uint16_t>(Map<Spec>::id));
    write_u16(p + 2, spec_version);
    detail::FieldWriter writer{p};
    Map<Spec>::fields(writer, s);
}

} // namespace samara
