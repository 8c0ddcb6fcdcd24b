// The first bytes of a learner's state. SPEC.md section 12.
#pragma once

#include <cstdint>

#include "samara/learn.hpp"

namespace samara::detail {

inline constexpr std::uint32_t state_magic = 0x4c4d5353; // "SSML"
enum StateKind : std::uint32_t { sgd_state = 1, rls_state = 2, gram_state = 3 };

struct StateHeader {
    std::uint32_t magic, kind, features, outputs, features_id, samples_low, samples_high, unused;
};
static_assert(sizeof(StateHeader) == state_header_bytes);

void row_scores(const float* weights, std::uint32_t features, std::uint32_t outputs, const float* z,
                float* out) noexcept;
bool label_fits(std::uint32_t label, std::uint32_t outputs) noexcept;

} // namespace samara::detail
