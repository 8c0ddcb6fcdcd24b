// Readouts in whole numbers: int8 or 4-bit weights times features from -127 to 127, summed in int32, without a float
// and without a division. SPEC.md, section 29.4.
//
//   sum_o   = sum over j of q_oj z_j
//   score_o = floor(sum_o / 2^p) m_o + b_o      with one multiplier m_o, 1 to 4,095, and one bias an output
//
// p is the least shift with which |sum_o / 2^p| <= 2^18 whatever the features are, and |b_o| <= 2^30: so |score_o| is
// below 2^31. A score times `unit` is a number in the targets' units.
//
// A row of weights takes whole words of 4 bytes; what is behind the last weight is 0. whole8: a byte each, q + 128 from
// 1 to 255. whole4: q + 8, from 1 to 15; weights 8 g + i and 8 g + 4 + i, i < 4, are the lower and the upper half of
// byte 4 g + i, because processors that multiply two numbers of 16 bits at once find them side by side then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/readout.hpp"

namespace samara {

inline constexpr std::uint32_t most_whole_features = 1u << 16;
inline constexpr std::uint32_t most_multiplier = 4095;
inline constexpr std::int32_t most_whole_bias = 1 << 30;

// How many features are folded at a time.
inline constexpr std::uint32_t whole_chunk = 64;

// p, for features of up to 127 and weights of up to 128, or 8.
constexpr std::uint32_t whole_shift(ReadoutType type, std::uint32_t features) noexcept
{
    const std::uint64_t largest = std::uint64_t{type == ReadoutType::whole8 ? 128u : 8u} * 127 * features;
    std::uint32_t shift = 0;
    while ((largest >> shift) > (1u << 18))
        ++shift;
    return shift;
}

struct WholeReadout;

namespace detail {

// Adds the weights of features first ... first + count - 1 times the features to the sums. `first` is a multiple of 64,
// and `count` at most 64. Their bytes are at the beginning of a room of 2 * 64 bytes, which is overwritten.
using AddWhole = void (*)(const WholeReadout&, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                          std::int32_t* sums) noexcept;
void add_whole8(const WholeReadout&, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                std::int32_t* sums) noexcept;
void add_whole4(const WholeReadout&, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                std::int32_t* sums) noexcept;
// The same of features that may be negative: their bytes are int8. Processors read the others in less time.
void add_signed8(const WholeReadout&, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                 std::int32_t* sums) noexcept;
void add_signed4(const WholeReadout&, std::uint32_t first, std::uint32_t count, std::uint32_t* room,
                 std::int32_t* sums) noexcept;

// Adds the weights of one feature times it, whatever its sign.
using AddOneWhole = void (*)(const WholeReadout&, std::uint32_t feature, std::int32_t z, std::int32_t* sums) noexcept;
void add_one8(const WholeReadout&, std::uint32_t feature, std::int32_t z, std::int32_t* sums) noexcept;
void add_one4(const WholeReadout&, std::uint32_t feature, std::int32_t z, std::int32_t* sums) noexcept;

} // namespace detail

constexpr detail::AddOneWhole add_one_of(ReadoutType type) noexcept
{
    return type == ReadoutType::whole8 ? detail::add_one8 : detail::add_one4;
}

// What folds weights of a type.
template <bool negative_features = false>
constexpr detail::AddWhole add_whole_of(ReadoutType type) noexcept
{
    if constexpr (negative_features)
        return type == ReadoutType::whole8 ? detail::add_signed8 : detail::add_signed4;
    else
        return type == ReadoutType::whole8 ? detail::add_whole8 : detail::add_whole4;
}

// A view of numbers in a model, at multiples of 4 bytes.
struct WholeReadout {
    std::uint32_t outputs = 0;
    std::uint32_t stride = 0;               // bytes from one output's weights to the next one's
    std::uint32_t shift = 0;                // p
    const std::byte* biases = nullptr;      // int32
    const std::byte* multipliers = nullptr; // uint16
    const std::byte* weights = nullptr;
    detail::AddWhole add = nullptr;
    detail::AddOneWhole add_one = nullptr; // of maps that need it

    std::int32_t score(std::uint32_t output, std::int32_t sum) const noexcept;
    // The scores of the sums, in their place.
    void finish(std::int32_t* sums) const noexcept;
};

// A view of whole numbers behind the face of a readout in floats.
constexpr Readout with_whole_face(Readout r, float unit) noexcept
{
    r.multiply = r.type == ReadoutType::whole8 ? detail::add_whole8_to_bits : detail::add_whole4_to_bits;
    r.whole = &detail::whole_face;
    r.unit = unit;
    return r;
}

// The index of the largest score, the first of equal ones; 0 where there is none.
std::uint32_t best_of(std::span<const std::int32_t> scores) noexcept;

} // namespace samara
