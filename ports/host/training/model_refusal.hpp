// Why a sealed model did not open, in the words of its layout.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "samara/status.hpp"

namespace samara::desk {

// "found ..., expected ...": what in these bytes, which open() refused with `status`, is to blame.
std::string model_refusal(std::span<const std::byte> bytes, Status status);

} // namespace samara::desk
