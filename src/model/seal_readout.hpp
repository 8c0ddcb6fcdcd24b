// The readout's section of a model that is sealed.
#pragma once

#include "samara/model/seal.hpp"

namespace samara {

inline bool finite(float v) noexcept { return (std::bit_cast<std::uint32_t>(v) & 0x7f800000u) != 0x7f800000u; }

std::uint64_t sealed_readout_bytes(const ModelParts& parts) noexcept;

// not_finite for a weight or a bias that is none, overflow for a number that the type cannot hold.
Status check_readout(const ModelParts& parts) noexcept;

// Writes a readout that passed the check to sealed_readout_bytes() zeros.
void write_readout(const ModelParts& parts, std::byte* p) noexcept;

} // namespace samara
