// Scaling of inputs to whole numbers: one byte for a factor and two for a shift. SPEC.md, section 29.3.
//
//   v = floor(x F + C / 8), then clamped to -127 ... 127      F = (8 + m) 2^(e - 19)
//
// C is an int16; a factor's byte has m in its lower three bits and e in its upper five. Of floats the sum is one fma,
// rounded once. Of whole numbers from -32,768 to 65,535 the same v comes from shifts and additions alone: where v is
// not clamped, the sum has at most 24 bits, so that the float's is exact. Floats that no map takes, NaN and magnitudes
// above 2^40, stay as they are, so that the map refuses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/memory.hpp"

namespace samara {

inline constexpr std::uint32_t least_whole_exponent = 2;

constexpr std::uint8_t whole_factor(std::uint32_t eighths, std::uint32_t exponent) noexcept
{
    return static_cast<std::uint8_t>(exponent << 3 | eighths);
}
constexpr bool good_whole_factor(std::uint32_t code) noexcept { return code >> 3 >= least_whole_exponent; }

// A view of a model's bytes: `length` shifts of two bytes, then as many factors. Input i takes number i mod length; or,
// of series whose channels lie one after the other, number i / run.
struct WholeScaling {
    const std::byte* shifts = nullptr; // null: inputs are whole numbers already, which are clamped and no more
    std::uint32_t length = 0;
    std::uint32_t run = 0; // 0: i mod length

    std::int32_t shift(std::uint32_t i) const noexcept
    {
        return static_cast<std::int16_t>(read_u16(shifts + 2 * std::size_t{i}));
    }
    std::uint8_t factor(std::uint32_t i) const noexcept
    {
        return static_cast<std::uint8_t>(read_u8(shifts + 2 * std::size_t{length} + i));
    }
    // The numbers of n inputs, in their order.
    void apply(std::span<const std::uint8_t> x, std::int16_t* out) const noexcept;
    void apply(std::span<const std::int8_t> x, std::int16_t* out) const noexcept;
    void apply(std::span<const std::int16_t> x, std::int16_t* out) const noexcept;
    // The same; number i is at out[i * stride].
    void apply(std::span<const std::uint8_t> x, std::int16_t* out, std::uint32_t stride) const noexcept;
    void apply(std::span<const std::int8_t> x, std::int16_t* out, std::uint32_t stride) const noexcept;
    void apply(std::span<const std::int16_t> x, std::int16_t* out, std::uint32_t stride) const noexcept;
    // The same of floats, as floats; out may be x.
    void apply(std::uint32_t n, const float* x, float* out) const noexcept;
};

} // namespace samara
