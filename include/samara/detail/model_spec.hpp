// Specs of maps in the bytes of a sealed model. SPEC.md section 11. Not for direct use.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "samara/map.hpp"
#include "samara/map_arccos.hpp"
#include "samara/map_ntk.hpp"
#include "samara/map_ntk_gradient.hpp"
#include "samara/map_ntk_poly.hpp"
#include "samara/map_ntk_sketch.hpp"
#include "samara/map_polynomial.hpp"

namespace samara {

// The numbers of maps in models.
enum class MapId : std::uint16_t {
    rff = 1,
    arccos = 2,
    polynomial = 3,
    dot = 4,
    nngp = 5,
    ntk = 6,
    ntk_sketch = 7,
    ntk_poly = 8,
    ntk_gradient = 9,
};

namespace detail {

// Whether a map's spec may have so many bytes: of maps that this version does not know, within limits.
constexpr bool spec_bytes_ok(MapId map, std::uint32_t bytes) noexcept
{
    switch (map) {
    case MapId::rff:
    case MapId::arccos:
    case MapId::polynomial:
    case MapId::nngp:
    case MapId::ntk_gradient:
        return bytes == 32;
    case MapId::ntk:
        return bytes == 48;
    case MapId::ntk_sketch:
        return bytes == 56;
    case MapId::dot:
    case MapId::ntk_poly:
        return bytes == 32 + 4 * (most_map_degree + 1);
    }
    return bytes >= 32 && bytes <= 1024 && bytes % 4 == 0;
}

// Little-endian numbers in any bytes, also while compiling.
template <class Byte>
constexpr std::uint32_t read_u8(const Byte* p) noexcept
{
    return static_cast<std::uint8_t>(*p);
}
template <class Byte>
constexpr std::uint32_t read_u16(const Byte* p) noexcept
{
    return read_u8(p) | read_u8(p + 1) << 8;
}
template <class Byte>
constexpr std::uint32_t read_u32(const Byte* p) noexcept
{
    return read_u16(p) | read_u16(p + 2) << 16;
}
template <class Byte>
constexpr std::uint64_t read_u64(const Byte* p) noexcept
{
    return read_u32(p) | std::uint64_t{read_u32(p + 4)} << 32;
}

// Specs in their bytes. Whatever the bytes are, the result is a spec that resolved() can judge.
template <class Byte>
constexpr Status read_spec(const Byte* p, RffSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.kernel = static_cast<Kernel>(read_u8(p + 12));
    s.form = static_cast<Form>(read_u8(p + 13));
    s.rows = static_cast<Rows>(read_u8(p + 14));
    s.orders = static_cast<Orders>(read_u8(p + 15));
    s.bandwidth = std::bit_cast<float>(read_u32(p + 16));
    s.seed = read_u64(p + 24);
    return read_u32(p + 20) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}
template <class Byte>
constexpr Status read_spec(const Byte* p, ArcCosSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.order = read_u8(p + 12);
    s.rows = static_cast<Rows>(read_u8(p + 14));
    s.orders = static_cast<Orders>(read_u8(p + 15));
    s.sweeps = read_u32(p + 16);
    s.pairs = read_u32(p + 20);
    s.seed = read_u64(p + 24);
    return read_u8(p + 13) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}

template <class Byte>
constexpr Status read_spec(const Byte* p, PolynomialSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.degree = read_u8(p + 12);
    s.sketch = static_cast<PowerSketch>(read_u8(p + 13));
    s.orders = static_cast<Orders>(read_u8(p + 14));
    s.scale = std::bit_cast<float>(read_u32(p + 16));
    s.offset = std::bit_cast<float>(read_u32(p + 20));
    s.seed = read_u64(p + 24);
    return read_u8(p + 15) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}
template <class Byte>
constexpr Status read_spec(const Byte* p, DotSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.sketch = static_cast<PowerSketch>(read_u8(p + 12));
    s.orders = static_cast<Orders>(read_u8(p + 13));
    s.coefficients.count = read_u8(p + 14);
    s.seed = read_u64(p + 24);
    for (std::uint32_t j = 0; j <= most_map_degree; ++j)
        s.coefficients.c[j] = std::bit_cast<float>(read_u32(p + 32 + 4 * j));
    return read_u8(p + 15) == 0 && read_u64(p + 16) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}
template <class Byte>
constexpr Status read_spec(const Byte* p, NngpSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.rows = static_cast<Rows>(read_u8(p + 12));
    s.orders = static_cast<Orders>(read_u8(p + 13));
    s.depth = read_u32(p + 16);
    s.sweeps = read_u32(p + 20);
    s.seed = read_u64(p + 24);
    return read_u16(p + 14) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}
template <class Byte>
constexpr Status read_spec(const Byte* p, NtkSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.sketch = static_cast<NtkTensor>(read_u8(p + 12));
    s.rows = static_cast<Rows>(read_u8(p + 13));
    s.orders = static_cast<Orders>(read_u8(p + 14));
    s.depth = read_u32(p + 16);
    s.step = read_u32(p + 20);
    s.relu = read_u32(p + 24);
    s.tensor = read_u32(p + 28);
    s.sweeps = read_u32(p + 32);
    s.seed = read_u64(p + 40);
    return read_u8(p + 15) == 0 && read_u32(p + 36) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}
template <class Byte>
constexpr Status read_spec(const Byte* p, NtkSketchSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.base = static_cast<PolyBase>(read_u8(p + 12));
    s.fix_diagonal = read_u8(p + 13) != 0;
    s.rows = static_cast<Rows>(read_u8(p + 14));
    s.orders = static_cast<Orders>(read_u8(p + 15));
    s.depth = read_u32(p + 16);
    s.relu_degree = read_u32(p + 20);
    s.step_degree = read_u32(p + 24);
    s.relu = read_u32(p + 28);
    s.tensor = read_u32(p + 32);
    s.relu_powers = read_u32(p + 36);
    s.step_powers = read_u32(p + 40);
    s.seed = read_u64(p + 48);
    return read_u8(p + 13) <= 1 && read_u32(p + 44) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}
template <class Byte>
constexpr Status read_spec(const Byte* p, NtkPolySpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.rows = static_cast<Rows>(read_u8(p + 12));
    s.orders = static_cast<Orders>(read_u8(p + 13));
    s.depth = read_u32(p + 16);
    s.degree = read_u32(p + 20);
    s.seed = read_u64(p + 24);
    for (std::uint32_t j = 0; j <= most_map_degree; ++j)
        s.coefficients.c[j] = std::bit_cast<float>(read_u32(p + 32 + 4 * j));
    s.coefficients.count = read_u8(p + 14);
    s.remainder = static_cast<Remainder>(read_u8(p + 15));
    return resolved(s) ? Status::ok : Status::damaged_model;
}
template <class Byte>
constexpr Status read_spec(const Byte* p, NtkGradientSpec& s) noexcept
{
    s = {};
    s.inputs = read_u32(p + 4);
    s.features = read_u32(p + 8);
    s.depth = read_u32(p + 16);
    s.width = read_u32(p + 20);
    s.seed = read_u64(p + 24);
    return read_u32(p + 12) == 0 && resolved(s) ? Status::ok : Status::damaged_model;
}

constexpr MapId map_id(const RffSpec&) noexcept { return MapId::rff; }
constexpr MapId map_id(const ArcCosSpec&) noexcept { return MapId::arccos; }
constexpr MapId map_id(const PolynomialSpec&) noexcept { return MapId::polynomial; }
constexpr MapId map_id(const DotSpec&) noexcept { return MapId::dot; }
constexpr MapId map_id(const NngpSpec&) noexcept { return MapId::nngp; }
constexpr MapId map_id(const NtkSpec&) noexcept { return MapId::ntk; }
constexpr MapId map_id(const NtkSketchSpec&) noexcept { return MapId::ntk_sketch; }
constexpr MapId map_id(const NtkPolySpec&) noexcept { return MapId::ntk_poly; }
constexpr MapId map_id(const NtkGradientSpec&) noexcept { return MapId::ntk_gradient; }

} // namespace detail

} // namespace samara
