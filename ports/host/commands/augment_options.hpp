// --augment: copies of the training rows.
#pragma once

#include <optional>

#include "ports/host/commands/args.hpp"
#include "ports/host/data/augment.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::desk {

struct AugmentOptions {
    AugmentSettings settings;
    // Sizes of a row that the option names; 0: not named.
    std::uint32_t height = 0, width = 0, channels = 0, length = 0;

    bool names_sizes() const { return height != 0 || width != 0 || channels != 0 || length != 0; }
};

Option augment_option();
std::optional<AugmentOptions> read_augment_options(const Arguments& arguments, const RidgeRequest& ridge);

// How the rows of these inputs lie: as the map says, or the option, or the data. No map: any may yet be taken.
// BadInput where nothing says it, where two differ, and where a shift is too large.
RowGrid grid_of(const AugmentOptions& options, const MapRequest* map, const TableSource& x);

} // namespace samara::desk
