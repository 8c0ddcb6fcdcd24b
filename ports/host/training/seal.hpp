#pragma once

#include <cstdint>
#include <string>

#include "ports/host/training/trained.hpp"
#include "samara/model.hpp"

namespace samara::desk {

// The bytes of a model in the format of SPEC.md section 11. Weights that are no finite numbers in the readout's type
// are BadInput; a model that contradicts itself is std::logic_error.
std::string seal_model(const TrainedModel& trained, ReadoutType type);

// The vectors of a scaling as the core reads them, and the steps that they are for.
std::string scaling_vectors(const Scaling& scaling);
std::uint32_t scaling_steps(const Scaling& scaling);

// Round to nearest, ties to even; beyond 65,504 infinite.
std::uint16_t half_of(float value);

} // namespace samara::desk
