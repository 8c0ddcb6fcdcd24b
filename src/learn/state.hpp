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
StateHeader new_header(const SgdSpec& spec) noexcept;
StateHeader new_header(const RlsSpec& spec) noexcept;
StateHeader new_header(const GramSpec& spec) noexcept;

// Scores with the readout's own arithmetic; 0 and overflow where one is not finite. There are out.size() rows, each of
// z.size() weights and a bias.
Status row_scores(const float* weights, std::span<const float> z, std::span<float> out) noexcept;
bool label_fits(std::uint32_t label, std::uint32_t outputs) noexcept;

// How the states stay finite. What changes a number by less than 2^100 cannot take it out of the range of floats, if
// only by rounding: near the range's end that is less than half a unit in the last place.
inline constexpr float least_refused_change = 0x1p100f;
// A number that is set, not changed, stays below this.
inline constexpr float least_refused_number = 0x1p120f;

inline float magnitude(float x) noexcept { return x < 0.0f ? -x : x; }
// The largest magnitude; infinity or NaN where there is one.
float largest(const float* x, std::size_t n) noexcept;

// The spec of the state that is in memory: `larger` with the outputs of that state. wrong_length where a state with
// these outputs cannot grow to it; then nothing may be in the memory that is a state at all.
template <class Spec>
Status spec_before_growing(const Spec& larger, std::span<const std::byte> memory, Spec& out) noexcept
{
    if ((reinterpret_cast<std::uintptr_t>(memory.data()) & 3u) != 0)
        return Status::misaligned;
    if (memory.size() < state_header_bytes)
        return Status::small_workspace;
    out = larger;
    out.outputs = reinterpret_cast<const StateHeader*>(memory.data())->outputs;
    if (!check(larger))
        return Status::bad_spec;
    if (out.outputs < 2 || out.outputs > larger.outputs)
        return Status::wrong_length;
    return memory.size() < state_bytes(larger) ? Status::small_workspace : Status::ok;
}

} // namespace samara::detail
