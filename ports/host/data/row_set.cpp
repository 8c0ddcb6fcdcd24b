#include "ports/host/data/row_set.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "samara/stream.hpp"

namespace samara::desk {

RowSet::RowSet(TableSource& x, const Target& y) : x_(&x), y_(&y), count_(x.rows()) {}

std::vector<RowSet> RowSet::folds(std::size_t folds, std::uint64_t seed) const
{
    std::vector<std::uint8_t> groups(x_->rows(), outside);
    std::vector<std::uint8_t> deal(folds);
    std::vector<std::size_t> counts(folds);
    std::size_t dealt = 0;
    std::uint64_t state = seed + 1;
    for (std::size_t row = 0; row < groups.size(); ++row) {
        if (!has(row)) {
            continue;
        }
        if (dealt % folds == 0) {
            std::iota(deal.begin(), deal.end(), std::uint8_t{0});
            for (std::size_t i = folds; i > 1; --i) {
                std::swap(deal[i - 1], deal[mix64(state) % i]);
                state += 0x9E3779B97F4A7C15u;
            }
        }
        groups[row] = deal[dealt++ % folds];
        ++counts[groups[row]];
    }
    const auto shared = std::make_shared<const std::vector<std::uint8_t>>(std::move(groups));
    std::vector<RowSet> sets(folds, *this);
    for (std::size_t fold = 0; fold < folds; ++fold) {
        sets[fold].groups_ = shared;
        sets[fold].wanted_.reset();
        sets[fold].wanted_.set(fold);
        sets[fold].all_.reset();
        for (std::size_t group = 0; group < folds; ++group) {
            sets[fold].all_.set(group);
        }
        sets[fold].count_ = counts[fold];
    }
    return sets;
}

RowSet RowSet::without(std::size_t fold) const
{
    RowSet rest = *this;
    rest.wanted_ = all_;
    rest.wanted_.reset(fold);
    rest.count_ = static_cast<std::size_t>(
        std::count_if(groups_->begin(), groups_->end(), [&](std::uint8_t group) { return rest.wanted_[group]; }));
    return rest;
}

RowSet RowSet::sample(std::size_t most) const
{
    if (count_ <= most) {
        return *this;
    }
    std::vector<std::uint8_t> groups(x_->rows(), outside);
    std::size_t seen = 0;
    std::size_t taken = 0;
    for (std::size_t row = 0; row < groups.size(); ++row) {
        if (has(row)) {
            // One out of each of `most` equal stretches, at a random place.
            const std::size_t first = taken * count_ / most;
            const std::size_t end = (taken + 1) * count_ / most;
            if (taken < most && seen == first + mix64(taken + 1) % (end - first)) {
                groups[row] = 0;
                ++taken;
            }
            ++seen;
        }
    }
    RowSet few = *this;
    few.groups_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(groups));
    few.wanted_.reset();
    few.wanted_.set(0);
    few.all_ = few.wanted_;
    few.count_ = taken;
    return few;
}

void RowSet::in_blocks(std::size_t most,
                       const std::function<void(MatrixF&, const std::vector<std::size_t>&)>& body) const
{
    MatrixF block(most, x_->cols());
    std::vector<std::size_t> numbers;
    const auto flush = [&] {
        if (!numbers.empty()) {
            body(block, numbers);
            numbers.clear();
        }
    };
    for (std::size_t row = 0; row < x_->rows();) {
        if (!has(row)) {
            ++row;
            continue;
        }
        std::size_t end = row + 1;
        while (end < x_->rows() && end - row < most - numbers.size() && has(end)) {
            ++end;
        }
        x_->read(row, end - row, block.row(numbers.size()));
        for (; row < end; ++row) {
            numbers.push_back(row);
        }
        if (numbers.size() == most) {
            flush();
        }
    }
    flush();
}

MatrixF RowSet::inputs() const
{
    MatrixF all(count_, x_->cols());
    all.row_shape = x_->row_shape();
    std::size_t done = 0;
    in_blocks(std::max<std::size_t>(1, std::min<std::size_t>(count_, 4096)),
              [&](const MatrixF& x, const std::vector<std::size_t>& rows) {
                  std::copy_n(x.values.begin(), rows.size() * x.cols,
                              all.values.begin() + static_cast<std::ptrdiff_t>(done * x.cols));
                  done += rows.size();
              });
    return all;
}

std::vector<std::size_t> RowSet::numbers() const
{
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < x_->rows(); ++row) {
        if (has(row)) {
            rows.push_back(row);
        }
    }
    return rows;
}

} // namespace samara::desk
