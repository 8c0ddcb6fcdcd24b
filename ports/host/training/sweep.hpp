// Ways of training side by side: what each costs on a board, and how good it is on rows that it did not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/board_cost.hpp"
#include "ports/host/training/budget.hpp"
#include "ports/host/training/judge.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {

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
    std::optional<BoardCost> too_dear;     // of those that are, the one with the least flash
};

// One for each way and number of features. Maps and scalings, where they are open, are chosen by left-out rows. Ways
// whose cost is not known have none.
Recipes recipes(const RowSet& rows, const RowSet* valid, const SweepRequest& request, const Budget& budget);

// How good sealed models of a recipe are.
struct Tried {
    Recipe recipe;  // its cost: the largest of the models that were judged
    Losses losses;  // as Judge has them
    double quality; // accuracy, or the share of the values' variance that is predicted
    double standard_error;
};

// Rows that judge recipes: parts of some rows in turn, or validation rows.
class SweepJudge {
public:
    SweepJudge(const RowSet& rows, const RowSet* valid, std::uint64_t seed, std::uint32_t features);

    bool possible() const { return !splits_.empty(); }
    std::size_t rows() const { return rows_; }
    // `best`: nothing is returned where the first part shows that the recipe is far behind it.
    std::optional<Tried> ask(const Recipe& recipe, const Tried* best, std::size_t core) const;

private:
    struct Split {
        RowSet learned, judged;
    };
    std::vector<Split> splits_;
    std::size_t rows_ = 0;
};

// Ways to the best model within the budget: first the cheapest of those that are as good as the best one but for half
// a standard error, then the others. BadInput where nothing fits, with what would.
std::vector<Tried> within_budget(const RowSet& rows, const RowSet* valid, const SweepRequest& request,
                                 const Budget& budget);

// "arccos in whole numbers, 128 features of 256, int4"
std::string text_of(const Recipe& recipe);
// "98.21 % +- 0.4 %", or of values "R2 0.91"
std::string quality_text(const Tried& tried, Task task);

} // namespace samara::desk
