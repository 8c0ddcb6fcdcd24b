#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/data/augment.hpp"
#include "ports/host/data/row_set.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/feature_stage.hpp"
#include "ports/host/training/ridge.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

std::vector<float> copied(const AugmentSettings& settings, const RowGrid& grid, const std::vector<float>& row,
                          std::uint32_t copy, std::size_t number = 3, std::uint64_t seed = 7)
{
    std::vector<float> out(row.size());
    Augmentation(settings, grid, seed).copy(row.data(), number, copy, out.data());
    return out;
}

std::vector<float> counted(std::size_t count)
{
    std::vector<float> row(count);
    std::iota(row.begin(), row.end(), 1.0f);
    return row;
}

// Rows with a class each, of inputs that their number says.
struct Table {
    std::unique_ptr<TableSource> x;
    Target y;

    explicit Table(std::size_t count)
    {
        MatrixF inputs(count, 6);
        std::iota(inputs.values.begin(), inputs.values.end(), 0.0f);
        x = table_of(std::move(inputs), "rows");
        y.task = Task::classify;
        y.labels = {"a", "b"};
        for (std::size_t i = 0; i < count; ++i) {
            y.classes.push_back(static_cast<std::uint32_t>(i % 2));
        }
    }
    RowSet augmented(std::uint32_t copies) const
    {
        const AugmentSettings settings{.copies = copies, .shift = 1, .noise = 0.1};
        return RowSet(*x, y).with_copies(std::make_shared<const Augmentation>(settings, RowGrid{1, 6, 1, true}, 5));
    }
};

} // namespace

TEST_CASE("a moved series repeats its edges, and all its channels move alike")
{
    const RowGrid grid{1, 5, 2, true};
    const std::vector<float> row = counted(10);
    std::set<int> seen;
    for (std::uint32_t copy = 1; copy < 60; ++copy) {
        const std::vector<float> moved = copied({.copies = 1, .shift = 2}, grid, row, copy);
        // Of the middle place all moves are told.
        const int by = static_cast<int>(row[2] - moved[2]);
        seen.insert(by);
        for (int channel = 0; channel < 2; ++channel) {
            for (int at = 0; at < 5; ++at) {
                const int from = std::min(std::max(at - by, 0), 4);
                CHECK(moved[static_cast<std::size_t>(channel * 5 + at)] ==
                      row[static_cast<std::size_t>(channel * 5 + from)]);
            }
        }
    }
    CHECK(seen == std::set<int>{-2, -1, 0, 1, 2});
}

TEST_CASE("a moved image repeats its edges in both directions, a pixel's channels staying together")
{
    const RowGrid grid{3, 4, 2, false};
    const std::vector<float> row = counted(24);
    std::set<std::pair<int, int>> seen;
    for (std::uint32_t copy = 1; copy < 200; ++copy) {
        const std::vector<float> moved = copied({.copies = 1, .shift = 1}, grid, row, copy);
        const auto at = [&](const std::vector<float>& x, int y, int column, int channel) {
            return x[static_cast<std::size_t>((y * 4 + column) * 2 + channel)];
        };
        bool found = false;
        for (int down = -1; down <= 1; ++down) {
            for (int right = -1; right <= 1; ++right) {
                bool same = true;
                for (int i = 0; i < 24; ++i) {
                    const int channel = i % 2, column = i / 2 % 4, y = i / 8;
                    same =
                        same && at(moved, y, column, channel) == at(row, std::min(std::max(y - down, 0), 2),
                                                                    std::min(std::max(column - right, 0), 3), channel);
                }
                if (same) {
                    seen.insert({down, right});
                    found = true;
                }
            }
        }
        CHECK(found);
    }
    CHECK(seen.size() == 9);
}

TEST_CASE("noise has the deviation of its channel, and a scale one factor for all")
{
    constexpr std::size_t length = 4000;
    std::vector<float> row(2 * length);
    for (std::size_t i = 0; i < length; ++i) {
        row[i] = i % 2 == 0 ? 101.0f : 99.0f;          // deviation 1
        row[length + i] = i % 2 == 0 ? 50.0f : -50.0f; // deviation 50
    }
    const std::vector<float> noisy = copied({.copies = 1, .noise = 0.2}, {1, length, 2, true}, row, 1);
    for (std::size_t channel = 0; channel < 2; ++channel) {
        double squares = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < length; ++i) {
            const double off = static_cast<double>(noisy[channel * length + i] - row[channel * length + i]);
            sum += off;
            squares += off * off;
        }
        const double wanted = channel == 0 ? 0.2 : 10.0;
        CHECK(std::sqrt(squares / length) == doctest::Approx(wanted).epsilon(0.05));
        CHECK(std::fabs(sum / length) < 0.06 * wanted);
    }
    double least = 2.0, most = 0.0;
    for (std::uint32_t copy = 1; copy < 200; ++copy) {
        const std::vector<float> louder = copied({.copies = 1, .scale = 0.3}, {1, length, 2, true}, row, copy);
        const double factor = static_cast<double>(louder[0]) / 101.0;
        CHECK(static_cast<double>(louder[length]) == doctest::Approx(50.0 * factor));
        least = std::min(least, factor);
        most = std::max(most, factor);
    }
    CHECK(least >= 0.7);
    CHECK(least < 0.72);
    CHECK(most <= 1.3);
    CHECK(most > 1.28);
}

TEST_CASE("a copy is a function of seed, row and number")
{
    const AugmentSettings settings{.copies = 4, .shift = 2, .noise = 0.5, .scale = 0.1};
    const RowGrid grid{1, 9, 1, true};
    const std::vector<float> row = counted(9), one = copied(settings, grid, row, 1);
    CHECK(one == copied(settings, grid, row, 1));
    CHECK(one != copied(settings, grid, row, 2));
    CHECK(one != copied(settings, grid, row, 1, 4));
    CHECK(one != copied(settings, grid, row, 1, 3, 8));
}

TEST_CASE("rows that judge have no copies, rows that teach have theirs and no others'")
{
    const Table rows(20);
    const RowSet all = rows.augmented(3);
    CHECK(all.count() == 80);
    CHECK(all.originals().count() == 20);
    const std::vector<std::size_t> numbers = all.numbers();
    CHECK(numbers[0] == 0);
    CHECK(numbers[3] == 0);
    CHECK(numbers[4] == 1);
    const std::vector<RowSet> parts = all.folds(4, 1);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const RowSet learned = parts[part].without(part);
        CHECK(parts[part].count() == 5);
        CHECK(parts[part].with_its_copies().count() == 20);
        CHECK(learned.count() == 60);
        const std::vector<std::size_t> judged = parts[part].numbers();
        for (const std::size_t number : learned.numbers()) {
            CHECK(std::find(judged.begin(), judged.end(), number) == judged.end());
        }
        // The judged inputs are those of the source.
        const MatrixF x = parts[part].inputs();
        for (std::size_t i = 0; i < judged.size(); ++i) {
            CHECK(x.row(i)[0] == static_cast<float>(6 * judged[i]));
        }
    }
}

TEST_CASE("blocks of any size have the same copies")
{
    const Table rows(130); // more than are read at a time
    const RowSet all = rows.augmented(2);
    const MatrixF whole = all.inputs();
    for (const std::size_t most : {1, 7, 64, 500}) {
        std::size_t done = 0;
        all.in_blocks(most, [&](const MatrixF& x, const std::vector<std::size_t>& numbers) {
            CHECK(numbers.size() <= most);
            for (std::size_t i = 0; i < numbers.size(); ++i, ++done) {
                CHECK(numbers[i] == done / 3);
                CHECK(std::equal(x.row(i), x.row(i) + x.cols, whole.row(done)));
            }
        });
        CHECK(done == 390);
    }
}

TEST_CASE("a sample has as many copies as there is room for")
{
    const Table rows(20);
    const RowSet all = rows.augmented(3);
    CHECK(all.sample(80).count() == 80);
    CHECK(all.sample(79).count() == 60);
    CHECK(all.sample(25).count() == 20);
    CHECK(all.sample(7).count() == 7);
    CHECK(all.sample(60).folds(4, 1).front().without(0).count() == 45);
}

TEST_CASE("no row with copies is left out alone")
{
    const Table rows(20);
    const RidgeRequest request{.method = RidgeMethod::automatic, .loss = ReadoutLoss::squared};
    CHECK(resolved_method(request, rows.augmented(3), 8) == RidgeMethod::cv);
    CHECK(resolved_method(request, rows.augmented(3).originals(), 8) == RidgeMethod::loo);
}

TEST_CASE("a ridge of squared loss is judged on rows without copies")
{
    constexpr std::size_t count = 60;
    Table rows(0);
    MatrixF inputs(count, 6);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            inputs.row(i)[j] = (i % 2 == 0 ? 1.0f : -1.0f) * (j < 3 ? 1.0f : -1.0f);
        }
        rows.y.classes.push_back(static_cast<std::uint32_t>(i % 2));
    }
    rows.x = table_of(std::move(inputs), "rows");
    const AugmentSettings settings{.copies = 2, .noise = 2.0};
    const RowSet all =
        RowSet(*rows.x, rows.y).with_copies(std::make_shared<const Augmentation>(settings, RowGrid{1, 6, 1, true}, 5));
    const FeatureStage stage(fit_map(parse_map("arccos:features=32"), all.originals().inputs(), "rows"), {}, {}, 1);
    const RidgeRequest request{.method = RidgeMethod::cv, .loss = ReadoutLoss::squared};
    const auto readout = fit_readout(stage, all, nullptr, request);
    // The same rows and copies as a table, where copies are judged as well.
    Table table(0);
    table.x = table_of(all.inputs(), "table");
    for (const std::size_t number : all.numbers()) {
        table.y.classes.push_back(rows.y.classes[number]);
        table.y.groups.push_back(static_cast<std::uint32_t>(number));
    }
    const auto of_table = fit_readout(stage, RowSet(*table.x, table.y), nullptr, request);
    CHECK(readout.searched);
    CHECK(readout.error < 0.8 * of_table.error);
}
