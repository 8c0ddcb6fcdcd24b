// Which rows of a data set take part: all of them, or some of the folds that they were dealt to.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ports/host/data/augment.hpp"
#include "ports/host/data/matrix.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/data/target.hpp"

namespace samara::desk {

inline constexpr std::size_t most_folds = 200;

class RowSet {
public:
    RowSet(TableSource& x, const Target& y);

    TableSource& x() const { return *x_; }
    const Target& y() const { return *y_; }
    // With copies.
    std::size_t count() const { return count_ * each(); }

    // The same rows, each followed by its copies.
    RowSet with_copies(std::shared_ptr<const Augmentation> augmentation) const;
    // Without copies: what rows are judged by, and what counts where independent rows do.
    RowSet originals() const;
    const Augmentation* augmentation() const { return augmentation_.get(); }
    std::size_t copies() const { return copies_; }

    // Deals the rows to `folds` parts of equal size (but for one), at random by `seed`. Rows that follow each other go
    // to different parts, so that each part has its share of any stretch of the data. Rows of one group of the target
    // stay together: then parts are about equal, and no more than there are groups (all of one group are dealt as
    // rows). The parts have no copies, because they are there to be judged by.
    std::vector<RowSet> folds(std::size_t folds, std::uint64_t seed) const;
    // The union of all but one of the parts that folds() gave, with the copies of these rows.
    RowSet without(std::size_t fold) const;
    // A part that folds() gave, with the copies of its rows.
    RowSet with_its_copies() const;

    // At most `most` of the rows, evenly from the whole set, with as many copies as there is room for.
    RowSet sample(std::size_t most) const;

    // Calls `body` with rows in order, at most `most` at a time, and with their numbers in the source, which copies
    // share. The matrix has always `most` rows; the first ones count. The inputs are as the source has them; the matrix
    // is the callee's to change.
    void in_blocks(std::size_t most,
                   const std::function<void(MatrixF& x, const std::vector<std::size_t>& rows)>& body) const;

    // All of them, which must fit memory.
    MatrixF inputs() const;
    std::vector<std::size_t> numbers() const;

private:
    // Of each row of the source its part, or `outside`; and how many parts there are.
    std::pair<std::vector<std::uint8_t>, std::size_t> dealt_rows(std::size_t folds, std::uint64_t seed) const;
    std::pair<std::vector<std::uint8_t>, std::size_t> dealt_groups(std::size_t folds, std::uint64_t seed) const;

    void in_blocks_of_copies(std::size_t most,
                             const std::function<void(MatrixF& x, const std::vector<std::size_t>& rows)>& body) const;

    std::size_t each() const { return 1 + copies_; }
    bool has(std::size_t row) const { return !parts_ || wanted_[(*parts_)[row]]; }

    static constexpr std::uint8_t outside = 255;

    TableSource* x_;
    const Target* y_;
    std::shared_ptr<const std::vector<std::uint8_t>> parts_; // of each row of the source; none: all rows
    std::bitset<256> wanted_;
    std::bitset<256> all_; // the parts of the set that was dealt
    std::size_t count_;    // without copies
    std::shared_ptr<const Augmentation> augmentation_;
    std::size_t copies_ = 0, copies_learned_ = 0; // of each row; and of the set that was dealt
};

} // namespace samara::desk
