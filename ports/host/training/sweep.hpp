// Ways of training side by side: what each costs on a board, and how good it is on rows that it did not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/judge.hpp"
#include "ports/host/training/recipes.hpp"

namespace samara::desk {

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

// "accuracy 98.21 %, standard error 0.4 %", or of values "R2 0.91"
std::string quality_text(const Tried& tried, Task task);

} // namespace samara::desk
