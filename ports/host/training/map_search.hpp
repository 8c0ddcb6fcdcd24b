#pragma once

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {

// The map, and the scaling where that is open, for rows of which nothing is known: a few of each are tried on some of
// the rows, and the first whose error on left-out rows no later one undercuts by more than chance is taken.
// With `only` the ways of the map of that name alone; false where these rows allow none of them.
bool choose_map(const RowSet& rows, const RowSet* valid, TrainSettings& settings, const char* only = nullptr);

} // namespace samara::desk
