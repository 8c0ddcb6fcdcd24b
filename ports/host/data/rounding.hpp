// Data that float32, in which everything is computed, rounds to a few steps: times in seconds since 1970, for one.
#pragma once

#include <optional>
#include <string>

#include "ports/host/data/table_source.hpp"
#include "ports/host/data/target.hpp"

namespace samara::desk {

// A sentence on the first column of which float32 has fewer than 256 steps between the least and the largest number, as
// far as some thousand rows tell that lie evenly in the whole table.
std::optional<std::string> note_on_rounded_inputs(TableSource& x);

// The same of a target's numbers, all of them.
std::optional<std::string> note_on_rounded_target(const RawTarget& raw);

} // namespace samara::desk
