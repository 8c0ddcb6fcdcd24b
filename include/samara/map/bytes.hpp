// Specs in the bytes of a sealed model: offsets are those of the map's field list. SPEC.md, section 20.3.
#pragma once

#include <array>
#include <span>

#include "samara/map/fields.hpp"
#include "samara/memory.hpp"

namespace samara {

inline constexpr std::uint32_t most_spec_bytes = 256;
inline constexpr std::uint32_t spec_version = 1;

namespace detail {

// Which bytes a spec's fields take; the map's number and the spec's version are the first four.
struct FieldExtent {
    std::array<bool, most_spec_bytes> taken = {true, true, true, true};
    std::uint32_t end = 4;

    constexpr void take(std::uint32_t at, std::uint32_t bytes) noexcept
    {
        for (std::uint32_t i = at; i < at + bytes; ++i)
            taken[i] = true;
        end = at + bytes > end ? at + bytes : end;
    }
    constexpr void inputs(std::uint32_t, std::uint32_t) noexcept { take(inputs_offset, 4); }
    constexpr void features(std::uint32_t, std::uint32_t) noexcept { take(features_offset, 4); }
    constexpr void whole(std::uint32_t at, const char*, std::uint32_t, Range, const char*) noexcept { take(at, 4); }
    constexpr void size(std::uint32_t at, const char*, std::uint32_t, Range, const char*) noexcept { take(at, 4); }
    constexpr void made(std::uint32_t at, const char*, std::uint32_t, Range, const char*) noexcept { take(at, 4); }
    constexpr void small(std::uint32_t at, const char*, std::uint32_t, Range, const char*) noexcept { take(at, 1); }
    template <class T>
    constexpr void choice(std::uint32_t at, const char*, T, std::type_identity_t<Among<T>>, const char*) noexcept
    {
        take(at, 1);
    }
    constexpr void real(std::uint32_t at, const char*, float, const Reals&, const char*) noexcept { take(at, 4); }
    constexpr void bandwidth(std::uint32_t at, const char*, float, const char*) noexcept { take(at, 4); }
    constexpr void coefficients(std::uint32_t count_at, std::uint32_t at, const Coefficients&,
                                CoefficientsFrom) noexcept
    {
        take(count_at, 1);
        take(at, sizeof Coefficients::c);
    }
    constexpr void seed(std::uint32_t at, std::uint64_t) noexcept { take(at, 8); }
};

template <class Byte>
struct FieldReader {
    const Byte* p;

    constexpr void inputs(std::uint32_t& v, std::uint32_t) noexcept { v = read_u32(p + inputs_offset); }
    constexpr void features(std::uint32_t& v, std::uint32_t) noexcept { v = read_u32(p + features_offset); }
    constexpr void whole(std::uint32_t at, const char*, std::uint32_t& v, Range, const char*) noexcept
    {
        v = read_u32(p + at);
    }
    constexpr void size(std::uint32_t at, const char*, std::uint32_t& v, Range, const char*) noexcept
    {
        v = read_u32(p + at);
    }
    constexpr void made(std::uint32_t at, const char*, std::uint32_t& v, Range, const char*) noexcept
    {
        v = read_u32(p + at);
    }
    constexpr void small(std::uint32_t at, const char*, std::uint32_t& v, Range, const char*) noexcept
    {
        v = read_u8(p + at);
    }
    template <class T>
    constexpr void choice(std::uint32_t at, const char*, T& v, std::type_identity_t<Among<T>>, const char*) noexcept
    {
        v = static_cast<T>(read_u8(p + at));
    }
    // A byte above 1 is read as a value that no choice holds.
    constexpr void choice(std::uint32_t at, const char*, bool& v, Among<bool>, const char*) noexcept
    {
        v = read_u8(p + at) == 1;
        strange = strange || read_u8(p + at) > 1;
    }
    constexpr void real(std::uint32_t at, const char*, float& v, const Reals&, const char*) noexcept
    {
        v = std::bit_cast<float>(read_u32(p + at));
    }
    constexpr void bandwidth(std::uint32_t at, const char*, float& v, const char*) noexcept
    {
        v = std::bit_cast<float>(read_u32(p + at));
    }
    constexpr void coefficients(std::uint32_t count_at, std::uint32_t at, Coefficients& k, CoefficientsFrom) noexcept
    {
        k.count = read_u8(p + count_at);
        for (std::uint32_t j = 0; j <= most_map_degree; ++j)
            k.c[j] = std::bit_cast<float>(read_u32(p + at + 4 * j));
    }
    constexpr void seed(std::uint32_t at, std::uint64_t& v) noexcept { v = read_u64(p + at); }

    bool strange = false;
};

struct FieldWriter {
    std::byte* p;

    constexpr void inputs(std::uint32_t v, std::uint32_t) noexcept { write_u32(p + inputs_offset, v); }
    constexpr void features(std::uint32_t v, std::uint32_t) noexcept { write_u32(p + features_offset, v); }
    constexpr void whole(std::uint32_t at, const char*, std::uint32_t v, Range, const char*) noexcept
    {
        write_u32(p + at, v);
    }
    constexpr void size(std::uint32_t at, const char*, std::uint32_t v, Range, const char*) noexcept
    {
        write_u32(p + at, v);
    }
    constexpr void made(std::uint32_t at, const char*, std::uint32_t v, Range, const char*) noexcept
    {
        write_u32(p + at, v);
    }
    constexpr void small(std::uint32_t at, const char*, std::uint32_t v, Range, const char*) noexcept
    {
        p[at] = static_cast<std::byte>(v);
    }
    template <class T>
    constexpr void choice(std::uint32_t at, const char*, T v, std::type_identity_t<Among<T>>, const char*) noexcept
    {
        p[at] = static_cast<std::byte>(v);
    }
    constexpr void real(std::uint32_t at, const char*, float v, const Reals&, const char*) noexcept
    {
        write_u32(p + at, std::bit_cast<std::uint32_t>(v));
    }
    constexpr void bandwidth(std::uint32_t at, const char*, float v, const char*) noexcept
    {
        write_u32(p + at, std::bit_cast<std::uint32_t>(v));
    }
    constexpr void coefficients(std::uint32_t count_at, std::uint32_t at, const Coefficients& k,
                                CoefficientsFrom) noexcept
    {
        p[count_at] = static_cast<std::byte>(k.count);
        for (std::uint32_t j = 0; j <= most_map_degree; ++j)
            write_u32(p + at + 4 * j, std::bit_cast<std::uint32_t>(k.c[j]));
    }
    constexpr void seed(std::uint32_t at, std::uint64_t v) noexcept { write_u64(p + at, v); }
};

} // namespace detail

} // namespace samara
