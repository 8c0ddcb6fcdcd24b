// What a model may cost on a board, and what is tried to stay below that: --flash, --ram, --instructions and --for.
#pragma once

#include <vector>

#include "ports/host/commands/args.hpp"
#include "ports/host/training/recipes.hpp"

namespace samara::desk {

// A command's own options, and behind them these.
std::vector<Option> with_budget_options(std::vector<Option> own);

Budget read_budget(const Arguments& arguments);
// Refuses what a budget does not go with, and says what is left to be tried: of `settings` what was given stays.
SweepRequest sweep_request(const Arguments& arguments, const TrainSettings& settings);

} // namespace samara::desk
