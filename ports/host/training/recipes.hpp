// Ways of training that are worth trying, and what their models cost on a board before any of them is trained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/board_cost.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {

// What a model may cost.
struct Budget {
    std::optional<std::uint64_t> flash, ram; // bytes
    std::optional<std::uint64_t> instructions;
    std::size_t core = 0; // of board_cores()

    bool any() const { return flash || ram || instructions; }
    // The largest share of it that a cost takes; 0 where there is none.
    double share(const BoardCost& cost) const;
    bool allows(const BoardCost& cost) const { return share(cost) <= 1.0; }
};

// What training leaves to be tried. What is given is taken as it is.
struct SweepRequest {
    TrainSettings settings; // any_map: several maps; else its own
    std::optional<ReadoutType> readout;
    std::vector<std::uint32_t> sizes; // numbers of features to try; empty: the usual ones
    bool candidates_given = false;    // as the settings say; else none and several multiples of the features
};

struct Recipe {
    TrainSettings settings; // map, scaling and sizes are decided; its readout is the model's
    BoardCost cost;         // of a model of that shape

    ReadoutType readout() const { return settings.readout; }
};

struct Recipes {
    std::vector<std::vector<Recipe>> ways; // the cheaper ones of a way first; none of them above the budget
    std::optional<BoardCost> too_dear;     // of those that are, the nearest to it
};

// One for each way and number of features. Maps and scalings, where they are open, are chosen by left-out rows. Ways
// whose cost is not known have none.
Recipes recipes(const RowSet& rows, const RowSet* valid, const SweepRequest& request, const Budget& budget);

// "arccos in whole numbers, 128 features of 256, int4"
std::string text_of(const Recipe& recipe);

} // namespace samara::desk
