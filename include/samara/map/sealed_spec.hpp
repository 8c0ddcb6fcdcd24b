// A spec of any map in the bytes of a sealed model: how many there are, reading and writing. SPEC.md, section 20.3.
#pragma once

#include <array>
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

namespace detail {

// The bytes of a spec that no field takes, which are 0: a bit each.
template <FeatureMapSpec Spec>
inline constexpr auto free_bytes = [] {
    std::array<std::uint32_t, (spec_bytes<Spec> + 31) / 32> words{};
    const FieldExtent extent = extent_of<Spec>();
    for (std::uint32_t i = 0; i < spec_bytes<Spec>; ++i)
        words[i / 32] |= extent.taken[i] ? 0u : 1u << i % 32;
    return words;
}();

} // namespace detail

// Reads a spec from spec_bytes<Spec> bytes. damaged_model if they are not what write_spec() makes of a resolved spec.
// Where only floats are of interest, a spec of whole numbers is unsupported_map.
template <Arithmetic arithmetic = Arithmetic::any, FeatureMapSpec Spec, class Byte>
[[gnu::cold]] constexpr Status read_spec(const Byte* p, Spec& out) noexcept
{
    for (std::uint32_t i = 0; i < spec_bytes<Spec>; ++i)
        if ((detail::free_bytes<Spec>[i / 32] >> i % 32 & 1u) != 0 && read_u8(p + i) != 0)
            return Status::damaged_model;
    Spec s{};
    detail::FieldReader<Byte> reader{p};
    Map<Spec>::fields(reader, s);
    if constexpr (arithmetic == Arithmetic::floats && detail::MayBeWhole<Spec>)
        if (Map<Spec>::is_whole(s))
            return Status::unsupported_map;
    if (read_u16(p) != static_cast<std::uint16_t>(Map<Spec>::id) || read_u16(p + 2) != spec_version || reader.strange ||
        !(std::is_constant_evaluated() ? resolved(s) : detail::is_resolved<arithmetic>(s)))
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
