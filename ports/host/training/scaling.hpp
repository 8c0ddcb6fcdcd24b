#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// channel: standardise, with one mean and one deviation for all columns of a channel; global: of all columns.
// automatic: what automatic_scaling() finds.
enum class ScalingKind { none, centre, standardise, minmax, unit, channel, global, automatic };

// How columns differ in scale, of some of the rows.
struct ColumnSpreads {
    double least = 0.0, most = 0.0; // standard deviations, of columns that vary
    // A few columns have nearly all of the variance: whatever depends on distances or angles sees these alone.
    bool wild = false;
};
ColumnSpreads column_spreads(const RowSet& rows);

struct LearnedScaling {
    Scaling scaling;
    std::vector<std::size_t>
        constant; // columns, or channels, that have one value only: they are shifted and not scaled
};

// From these rows alone. Reads them once, and refuses by name, row and column what a map cannot take: a NaN (unless
// `fill_missing`: then the column's mean takes its place, or the channel's), an infinity, a magnitude over 2^40. A row
// has the channels as `channels` says, which only the kind `channel` needs to know; with one number for each channel of
// a series `scaling.runs` is true, and only a scaling to whole numbers can keep it so.
LearnedScaling learn_scaling(const RowSet& rows, ScalingKind kind, bool fill_missing, Channels channels = {});

// In place, on `count` rows of `cols` values, with the bits that a device computes.
void apply_scaling(const Scaling& scaling, float* x, std::size_t count, std::size_t cols);

// Refuses, as learn_scaling does, what is left after a NaN was filled. `numbers`: which rows of the source they are.
void require_usable(const Scaling& scaling, const MatrixF& x, const std::vector<std::size_t>& numbers,
                    const std::string& name);

} // namespace samara::desk
