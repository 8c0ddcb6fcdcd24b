#include "ports/host/data/row_set.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "samara/stream.hpp"

namespace samara::desk {
namespace {

// Of those that copies are made of, at a time.
constexpr std::size_t rows_read = 64;

} // namespace

RowSet::RowSet(TableSource& x, const Target& y) : x_(&x), y_(&y), count_(x.rows()) {}

std::pair<std::vector<std::uint8_t>, std::size_t> RowSet::dealt_rows(std::size_t folds, std::uint64_t seed) const
{
    std::vector<std::uint8_t> parts(x_->rows(), outside);
    std::vector<std::uint8_t> deal(folds);
    std::size_t dealt = 0;
    std::uint64_t state = seed + 1;
    for (std::size_t row = 0; row < parts.size(); ++row) {
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
        parts[row] = deal[dealt++ % folds];
    }
    return {std::move(parts), folds};
}

std::pair<std::vector<std::uint8_t>, std::size_t> RowSet::dealt_groups(std::size_t folds, std::uint64_t seed) const
{
    std::map<std::uint32_t, std::size_t> sizes;
    for (std::size_t row = 0; row < x_->rows(); ++row) {
        if (has(row)) {
            ++sizes[y_->groups[row]];
        }
    }
    if (sizes.size() < 2) {
        return dealt_rows(folds, seed);
    }
    folds = std::min(folds, sizes.size());
    // The largest first, each to the part that is least so far; equal ones, and the parts' numbers, at random.
    std::vector<std::pair<std::uint32_t, std::size_t>> groups(sizes.begin(), sizes.end());
    std::vector<std::uint8_t> numbers(folds);
    std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
    std::uint64_t state = seed + 1;
    const auto shuffle = [&](auto& values) {
        for (std::size_t i = values.size(); i > 1; --i) {
            std::swap(values[i - 1], values[mix64(state) % i]);
            state += splitmix_increment;
        }
    };
    shuffle(groups);
    shuffle(numbers);
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::size_t> filled(folds);
    std::map<std::uint32_t, std::uint8_t> part_of;
    for (const auto& [group, size] : groups) {
        const auto least = std::min_element(filled.begin(), filled.end());
        *least += size;
        part_of[group] = numbers[static_cast<std::size_t>(least - filled.begin())];
    }
    std::vector<std::uint8_t> parts(x_->rows(), outside);
    for (std::size_t row = 0; row < parts.size(); ++row) {
        parts[row] = has(row) ? part_of.at(y_->groups[row]) : outside;
    }
    return {std::move(parts), folds};
}

std::vector<RowSet> RowSet::folds(std::size_t wanted, std::uint64_t seed) const
{
    auto [parts, folds] = y_->groups.empty() ? dealt_rows(wanted, seed) : dealt_groups(wanted, seed);
    const auto shared = std::make_shared<const std::vector<std::uint8_t>>(std::move(parts));
    std::vector<RowSet> sets(folds, originals());
    for (std::size_t fold = 0; fold < sets.size(); ++fold) {
        sets[fold].copies_learned_ = copies_;
        sets[fold].parts_ = shared;
        sets[fold].wanted_.reset();
        sets[fold].wanted_.set(fold);
        sets[fold].all_.reset();
        for (std::size_t part = 0; part < sets.size(); ++part) {
            sets[fold].all_.set(part);
        }
        sets[fold].count_ = static_cast<std::size_t>(std::count(shared->begin(), shared->end(), fold));
    }
    return sets;
}

RowSet RowSet::without(std::size_t fold) const
{
    RowSet rest = with_its_copies();
    rest.wanted_ = all_;
    rest.wanted_.reset(fold);
    rest.count_ = static_cast<std::size_t>(
        std::count_if(parts_->begin(), parts_->end(), [&](std::uint8_t part) { return rest.wanted_[part]; }));
    return rest;
}

RowSet RowSet::with_copies(std::shared_ptr<const Augmentation> augmentation) const
{
    RowSet more = *this;
    more.copies_ = more.copies_learned_ = augmentation->settings().copies;
    more.augmentation_ = std::move(augmentation);
    return more;
}

RowSet RowSet::originals() const
{
    RowSet alone = *this;
    alone.copies_ = alone.copies_learned_ = 0;
    return alone;
}

RowSet RowSet::with_its_copies() const
{
    RowSet learned = *this;
    learned.copies_ = copies_learned_;
    return learned;
}

RowSet RowSet::sample(std::size_t most) const
{
    if (count_ <= most) {
        RowSet all = *this;
        const std::size_t room = most / std::max<std::size_t>(count_, 1) - 1;
        all.copies_ = std::min(copies_, room);
        all.copies_learned_ = std::min(copies_learned_, room);
        return all;
    }
    std::vector<std::uint8_t> parts(x_->rows(), outside);
    std::size_t seen = 0;
    std::size_t taken = 0;
    for (std::size_t row = 0; row < parts.size(); ++row) {
        if (has(row)) {
            // One out of each of `most` equal stretches, at a random place.
            const std::size_t first = taken * count_ / most;
            const std::size_t end = (taken + 1) * count_ / most;
            if (taken < most && seen == first + mix64(taken + 1) % (end - first)) {
                parts[row] = 0;
                ++taken;
            }
            ++seen;
        }
    }
    RowSet few = originals();
    few.parts_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(parts));
    few.wanted_.reset();
    few.wanted_.set(0);
    few.all_ = few.wanted_;
    few.count_ = taken;
    return few;
}

void RowSet::in_blocks(std::size_t most,
                       const std::function<void(MatrixF&, const std::vector<std::size_t>&)>& body) const
{
    if (copies_ != 0) {
        in_blocks_of_copies(most, body);
        return;
    }
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

void RowSet::in_blocks_of_copies(std::size_t most,
                                 const std::function<void(MatrixF&, const std::vector<std::size_t>&)>& body) const
{
    MatrixF block(most, x_->cols());
    std::vector<std::size_t> numbers;
    const auto flush_at = [&](std::size_t count) {
        if (numbers.size() >= count) {
            body(block, numbers);
            numbers.clear();
        }
    };
    originals().in_blocks(rows_read, [&](const MatrixF& x, const std::vector<std::size_t>& rows) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::uint32_t copy = 0; copy < each(); ++copy) {
                float* const place = block.row(numbers.size());
                if (copy == 0) {
                    std::copy_n(x.row(i), x.cols, place);
                } else {
                    augmentation_->copy(x.row(i), rows[i], copy, place);
                }
                numbers.push_back(rows[i]);
                flush_at(most);
            }
        }
    });
    flush_at(1);
}

MatrixF RowSet::inputs() const
{
    MatrixF all(count(), x_->cols());
    all.row_shape = x_->row_shape();
    std::size_t done = 0;
    in_blocks(std::max<std::size_t>(1, std::min<std::size_t>(count(), 4096)),
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
            rows.insert(rows.end(), each(), row);
        }
    }
    return rows;
}

} // namespace samara::desk
