// The best model that a board has room and time for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/recipes.hpp"
#include "ports/host/training/sweep.hpp"

namespace samara::desk {

// Ways to the best model within the budget: first the cheapest of those that are as good as the best one but for half
// a standard error, then the others. BadInput where nothing fits, with what would.
std::vector<Tried> within_budget(const RowSet& rows, const RowSet* valid, const SweepRequest& request,
                                 const Budget& budget);

// "8,192 bytes of flash, 2,048 bytes of RAM and 50,000 instructions on a cortex-m0plus"
std::string text_of(const Budget& budget);
std::string text_of(const BoardCost& cost, std::size_t core);

} // namespace samara::desk
