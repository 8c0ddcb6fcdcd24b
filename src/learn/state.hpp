// The first bytes of a learner's state. SPEC.md, section 22.
#pragma once

#include <bit>
#include <cstdint>

#include "samara/learn.hpp"
#include "samara/memory.hpp"

namespace samara::detail {

inline constexpr std::uint32_t state_magic = 0x4c4d5353; // "SSML"
enum StateKind : std::uint32_t { sgd_state = 1, rls_state = 2, gram_state = 3 };

struct StateHeader {
    std::uint32_t magic, kind, features, outputs, features_id, samples_low, samples_high;
    std::uint32_t spec; // its digest; 0 in states that were made before there was one
};
static_assert(sizeof(StateHeader) == state_header_bytes);

// A bit in a Gram's `spec`: solve() has consumed the sums. If samples are counted, the state holds what it learned.
inline constexpr std::uint32_t consumed_bit = 1u << 31;

inline StateHeader* header_of(std::byte* state) noexcept { return reinterpret_cast<StateHeader*>(state); }

// The header of a state without samples. `fields` are the spec's features, outputs and other fields that give the state
// its meaning. Their digest is the CRC-32 of them as little-endian words without its highest bit, or 1 where that is 0.
template <std::size_t count>
StateHeader new_header(StateKind kind, const std::uint32_t (&fields)[count]) noexcept
{
    static_assert(std::endian::native == std::endian::little);
    const std::uint32_t digest = crc32(std::as_bytes(std::span(fields))) & ~consumed_bit;
    return {state_magic, kind, fields[0], fields[1], 0, 0, 0, digest == 0 ? 1 : digest};
}

// Scores with the readout's own arithmetic. There are out.size() rows, each of z.size() weights and a bias.
void row_scores(const float* weights, std::span<const float> z, std::span<float> out) noexcept;
bool label_fits(std::uint32_t label, std::uint32_t outputs) noexcept;

} // namespace samara::detail
