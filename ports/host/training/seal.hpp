#pragma once

#include <cstdint>
#include <string>

#include "ports/host/training/trained.hpp"
#include "samara/model/seal.hpp"

namespace samara::desk {

// A model says its own length in 32 bits.
inline constexpr std::uint64_t most_model_bytes = 0xfffffff0u;

// The bytes of a model, sealed by the core. Weights that the readout's type cannot hold are BadInput; a model that
// contradicts itself is std::logic_error.
std::string seal_model(const TrainedModel& trained, ReadoutType type);

} // namespace samara::desk
