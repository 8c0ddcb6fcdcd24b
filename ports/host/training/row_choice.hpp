// Whether rows are chosen at all, and of how many transforms: by rows that did not choose.
#pragma once

#include <cstddef>
#include <optional>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/judge.hpp"

namespace samara::desk {

struct RowChoice {
    MapSpec plain;      // of the features that are kept, without choosing: the simplest way
    MapSpec candidates; // of which as many rows are chosen
    Scaling scaling;
    unsigned threads = 1;
    // Of how many transforms the chosen rows may be; 0: any; none: as few as predict as well.
    std::optional<std::size_t> blocks = {};
    std::optional<double> ridge = {}; // chosen with it, whether that pays or not
    bool alike = false;               // of local features those of like size alone
    bool talk = true;
};

// Rows of a map, whether a number of transforms is enough for so many of them, and how many there are.
struct Transforms {
    std::size_t rows_each = 0; // 0: rows are made one by one
    std::size_t least = 0, all = 0;
};
Transforms transforms_of(const MapSpec& candidates, std::size_t keep);

// Whether there are so few of them, with copies, that most of what tells them apart does so by chance.
bool are_few(const RowSet& rows);
// What chooses among local features of these rows.
double local_ridge_of(const RowSet& rows);

// The stage of the kept rows. Choosing among more transforms, and choosing at all, must pay on rows that took no part
// in it: fewer transforms are fewer instructions, and of few data a choice is worse than chance.
FeatureStage stage_of_choice(const RowChoice& choice, const RowSet& rows, const Judge& judge);

} // namespace samara::desk
