#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/data/row_set.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/choose_rows.hpp"
#include "ports/host/training/judge.hpp"
#include "ports/host/training/row_choice.hpp"
#include "ports/host/training/row_selection.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

// Products of random columns, some of them nearly the same, and of two outputs with them.
SelectionProblem random_problem(std::size_t rows, std::size_t width, std::size_t always, std::uint32_t per_block)
{
    std::mt19937 engine(11);
    std::normal_distribution<double> normal;
    const std::size_t columns = always + rows * width, samples = 60;
    std::vector<std::vector<double>> z(columns, std::vector<double>(samples)), y(2, std::vector<double>(samples));
    for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < samples; ++i) {
            z[j][i] = normal(engine) + (j > 2 ? 0.9 * z[j - 3][i] : 0.0);
        }
    }
    for (std::size_t i = 0; i < samples; ++i) {
        y[0][i] = z[columns - 1][i] - 2.0 * z[always + 1][i] + 0.3 * normal(engine);
        y[1][i] = z[columns / 2][i] + normal(engine);
    }
    const auto product = [&](const auto& a, const auto& b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < samples; ++i) {
            sum += a[i] * b[i] / static_cast<double>(samples);
        }
        return sum;
    };
    SelectionProblem problem;
    problem.gram = MatrixD(columns, columns);
    problem.cross = MatrixD(2, columns);
    for (std::size_t a = 0; a < columns; ++a) {
        for (std::size_t b = 0; b < columns; ++b) {
            problem.gram.row(a)[b] = product(z[a], z[b]);
        }
        problem.cross.row(0)[a] = product(y[0], z[a]);
        problem.cross.row(1)[a] = product(y[1], z[a]);
    }
    for (std::uint32_t column = 0; column < always; ++column) {
        problem.always.push_back(column);
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
        problem.rows.emplace_back();
        for (std::size_t part = 0; part < width; ++part) {
            problem.rows.back().push_back(static_cast<std::uint32_t>(always + row * width + part));
        }
        problem.blocks.push_back(row / per_block);
    }
    return problem;
}

// What these rows take off the objective, by elimination.
double gain_of(const SelectionProblem& problem, double ridge, const std::vector<std::uint32_t>& rows)
{
    std::vector<std::uint32_t> columns = problem.always;
    for (const std::uint32_t row : rows) {
        columns.insert(columns.end(), problem.rows[row].begin(), problem.rows[row].end());
    }
    const std::size_t n = columns.size();
    double gain = 0.0;
    for (std::size_t output = 0; output < problem.cross.rows; ++output) {
        std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                a[i][j] = problem.gram.row(columns[i])[columns[j]] + (i == j ? ridge : 0.0);
            }
            a[i][n] = problem.cross.row(output)[columns[i]];
        }
        for (std::size_t k = 0; k < n; ++k) {
            gain += a[k][n] * a[k][n] / a[k][k];
            for (std::size_t i = k + 1; i < n; ++i) {
                const double factor = a[i][k] / a[k][k];
                for (std::size_t j = k; j <= n; ++j) {
                    a[i][j] -= factor * a[k][j];
                }
            }
        }
    }
    return gain;
}

// The same steps without updates: each asks the objective of every choice anew.
std::vector<std::uint32_t> selected_slowly(const SelectionProblem& problem, double ridge, std::size_t keep,
                                           const std::vector<bool>& allowed)
{
    std::vector<std::uint32_t> taken, open;
    for (std::uint32_t row = 0; row < problem.rows.size(); ++row) {
        if (allowed.empty() || allowed[problem.blocks[row]]) {
            open.push_back(row);
        }
    }
    const auto best = [&](const std::vector<std::uint32_t>& rows, const auto& choice_with) {
        return *std::max_element(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
            return gain_of(problem, ridge, choice_with(a)) < gain_of(problem, ridge, choice_with(b));
        });
    };
    const std::size_t wanted = std::min(open.size(), 2 * keep);
    while (taken.size() < wanted) {
        const std::uint32_t row = best(open, [&](std::uint32_t more) {
            std::vector<std::uint32_t> rows = taken;
            rows.push_back(more);
            return rows;
        });
        taken.push_back(row);
        open.erase(std::find(open.begin(), open.end(), row));
    }
    while (taken.size() > keep) {
        const std::uint32_t row = best(taken, [&](std::uint32_t less) {
            std::vector<std::uint32_t> rows = taken;
            rows.erase(std::find(rows.begin(), rows.end(), less));
            return rows;
        });
        taken.erase(std::find(taken.begin(), taken.end(), row));
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

struct Problem {
    std::unique_ptr<TableSource> x;
    Target y;

    RowSet rows() const { return {*x, y}; }
};

// Of 20 inputs the answer depends on two directions, and on noise as much as is said.
Problem table(std::size_t rows, double noise)
{
    std::mt19937 engine(5);
    std::normal_distribution<float> normal;
    MatrixF x(rows, 20);
    Problem problem;
    problem.y.values = MatrixF(rows, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < x.cols; ++j) {
            x.row(i)[j] = normal(engine);
        }
        const float* const v = x.row(i);
        problem.y.values.row(i)[0] =
            std::fabs(v[0] + v[1]) + std::fabs(v[2] - v[3]) + static_cast<float>(noise) * normal(engine);
    }
    problem.x = table_of(std::move(x), "x");
    return problem;
}

RowChoice choice_of(std::uint32_t keep, std::uint32_t candidates)
{
    RowChoice choice;
    choice.plain = resolve(ArcCosSpec{.inputs = 20, .features = keep, .orders = Orders::none});
    choice.candidates = resolve(ArcCosSpec{.inputs = 20, .features = candidates, .orders = Orders::none});
    choice.talk = false;
    return choice;
}

std::size_t transforms_in(const std::vector<std::uint16_t>& kept)
{
    std::vector<bool> touched(1024);
    for (const std::uint16_t row : kept) {
        touched[row / 64] = true;
    }
    return static_cast<std::size_t>(std::count(touched.begin(), touched.end(), true));
}

} // namespace

TEST_CASE("rows are selected as by trying every one, in each step")
{
    for (const std::size_t width : {1u, 2u}) {
        for (const std::size_t always : {0u, 3u}) {
            const SelectionProblem problem = random_problem(14, width, always, 5);
            for (const double ridge : {1e-3, 0.3}) {
                for (const std::vector<bool>& allowed : {std::vector<bool>{}, {true, false, true}}) {
                    CAPTURE(width);
                    CAPTURE(always);
                    CAPTURE(ridge);
                    CHECK(select_rows(problem, ridge, 4, allowed) == selected_slowly(problem, ridge, 4, allowed));
                }
            }
            CHECK(select_rows(problem, 0.1, 14, {}).size() == 14);
        }
    }
}

TEST_CASE("columns that are copies of each other, or nothing at all, do not upset a selection")
{
    SelectionProblem problem = random_problem(8, 1, 0, 8);
    for (std::size_t j = 0; j < 8; ++j) {
        problem.gram.row(3)[j] = problem.gram.row(5)[j];
        problem.gram.row(7)[j] = 0.0;
    }
    for (std::size_t j = 0; j < 8; ++j) {
        problem.gram.row(j)[3] = problem.gram.row(j)[5];
        problem.gram.row(j)[7] = 0.0;
    }
    for (std::size_t output = 0; output < 2; ++output) {
        problem.cross.row(output)[3] = problem.cross.row(output)[5];
        problem.cross.row(output)[7] = 0.0;
    }
    const std::vector<std::uint32_t> rows = select_rows(problem, 1e-3, 4, {});
    CHECK(rows.size() == 4);
    CHECK(std::count(rows.begin(), rows.end(), 7u) == 0);
    CHECK(std::count(rows.begin(), rows.end(), 3u) + std::count(rows.begin(), rows.end(), 5u) <= 1);
}

TEST_CASE("the blocks that are selected are those with the useful rows")
{
    // The answer is the sum of two rows of the third block.
    SelectionProblem problem;
    problem.gram = MatrixD(12, 12);
    problem.cross = MatrixD(1, 12);
    for (std::uint32_t row = 0; row < 12; ++row) {
        problem.gram.row(row)[row] = 1.0;
        problem.rows.push_back({row});
        problem.blocks.push_back(row / 4);
    }
    problem.cross.row(0)[9] = problem.cross.row(0)[10] = 1.0;
    problem.cross.row(0)[1] = 0.5;
    CHECK(select_blocks(problem, 0.1, 3, 1) == std::vector<bool>{false, false, true});
    CHECK(select_blocks(problem, 0.1, 3, 2) == std::vector<bool>{true, false, true});
    CHECK(select_blocks(problem, 0.1, 3, 7) == std::vector<bool>{true, true, true});
    CHECK(choose_rows(problem, 3, {0.1, 1}).front() >= 8);
}

TEST_CASE("a problem of selection is in standardised features, and values count alike in any unit")
{
    NormalEquations equations;
    equations.count = 50.0;
    equations.gram = MatrixD(3, 3, {200.0, 50.0, 0.0, 50.0, 50.0, 0.0, 0.0, 0.0, 0.0});
    equations.cross = MatrixD(2, 3, {100.0, 10.0, 0.0, 1000.0, 100.0, 0.0});
    equations.y_energy = {100.0, 10000.0};
    const MapSpec spec = resolve(ArcCosSpec{.inputs = 3, .features = 3, .orders = Orders::none});
    const SelectionProblem problem = selection_problem(spec, equations, Task::regress);
    CHECK(problem.gram.row(0)[0] == doctest::Approx(1.0));
    CHECK(problem.gram.row(0)[1] == doctest::Approx(0.5));
    CHECK(problem.gram.row(2)[2] == 0.0);
    CHECK(problem.cross.row(0)[0] == doctest::Approx(problem.cross.row(1)[0]));
    CHECK(problem.cross.row(0)[0] == doctest::Approx(100.0 / 50.0 / 2.0 / std::sqrt(2.0)));
    CHECK(problem.energy == doctest::Approx(2.0));
    CHECK(selection_problem(spec, equations, Task::classify).energy == doctest::Approx(202.0));
    CHECK(selection_problem(spec, equations, Task::classify).cross.row(1)[0] == doctest::Approx(10.0));
}

TEST_CASE(
    "of few rows a candidate that stands for many others is worth more than a lonely one that tells more by chance")
{
    // Six candidates that are nearly one, and three that are like no other; the last one has most to say.
    SelectionProblem problem;
    problem.gram = MatrixD(9, 9);
    problem.cross = MatrixD(1, 9);
    problem.energy = 1.0;
    for (std::uint32_t i = 0; i < 9; ++i) {
        for (std::uint32_t j = 0; j < 9; ++j) {
            problem.gram.row(i)[j] = i == j ? 1.0 : i < 6 && j < 6 ? 0.9 : 0.0;
        }
        problem.rows.push_back({i});
        problem.blocks.push_back(i);
        problem.cross.row(0)[i] = i < 6 ? 0.5 : i == 8 ? 0.6 : 0.0;
    }
    CHECK(select_rows(problem, 0.1, 1, {}) == std::vector<std::uint32_t>{8});
    SelectionProblem represented = problem;
    represent_candidates(represented, 1.0, 3);
    CHECK(select_rows(represented, 0.1, 1, {}).front() < 6);
    // A little of it changes nothing here.
    represented = problem;
    represent_candidates(represented, 1e-3, 3);
    CHECK(select_rows(represented, 0.1, 1, {}) == std::vector<std::uint32_t>{8});
    // All candidates together count as `share` of the outputs: where none is like another, each an equal part of it.
    for (std::uint32_t i = 0; i < 9; ++i) {
        for (std::uint32_t j = 0; j < 9; ++j) {
            problem.gram.row(i)[j] = i == j ? 1.0 : 0.0;
        }
    }
    represent_candidates(problem, 0.5, 3);
    for (std::size_t j = 0; j < 9; ++j) {
        double squares = 0.0;
        for (std::size_t output = 1; output < problem.cross.rows; ++output) {
            squares += problem.cross.row(output)[j] * problem.cross.row(output)[j];
        }
        CHECK(squares == doctest::Approx(0.5 / 9.0));
    }
    // Candidates that do not vary represent nothing.
    SelectionProblem none = problem;
    none.gram = MatrixD(9, 9);
    represent_candidates(none, 1.0, 3);
    CHECK(none.cross.rows == problem.cross.rows);
}

TEST_CASE("a tie goes to the simpler way, and so does a gain that chance can explain")
{
    const Losses zeros(100, 0.0), ones(100, 1.0);
    CHECK(!takes_over(zeros, zeros));
    CHECK(takes_over(ones, zeros));
    CHECK(!takes_over(zeros, ones));
    CHECK(falls_behind(zeros, ones));
    CHECK(!falls_behind(ones, zeros));
    // One row of a hundred is one standard error, and not more; nine are.
    Losses fewer = ones;
    fewer[7] = 0.0;
    CHECK(!takes_over(ones, fewer));
    std::fill_n(fewer.begin(), 9, 0.0);
    CHECK(takes_over(ones, fewer));
    CHECK(!falls_behind(fewer, ones));
    CHECK(mean_of(fewer) == doctest::Approx(0.91));
}

TEST_CASE("a judge needs rows, and judges each of them")
{
    const Problem small = table(23, 0.0), few = table(60, 0.0), many = table(1200, 0.0);
    CHECK(!Judge(small.rows(), nullptr, 8, {}).possible());
    const FeatureStage stage(choice_of(64, 64).plain, {}, {}, 2);
    for (const Problem* const problem : {&few, &many}) {
        const Judge judge(problem->rows(), nullptr, 64, {});
        CHECK(judge.rows() == problem->rows().count());
        const Losses losses = judge.losses(stage), once = judge.once().losses(stage);
        CHECK(losses.size() == judge.rows());
        CHECK(std::all_of(losses.begin(), losses.end(), [](double loss) { return loss > 0.0 && loss < 100.0; }));
        CHECK(mean_of(once) == doctest::Approx(mean_of(losses)).epsilon(0.3));
    }
    // By validation rows.
    const RowSet valid = few.rows();
    const Judge judge(many.rows(), &valid, 64, {});
    CHECK(judge.rows() == 60);
    // With features enough for the many rows to teach what the few ones alone do not.
    const FeatureStage large(choice_of(512, 512).plain, {}, {}, 2);
    CHECK(mean_of(judge.losses(large)) < 0.5);
    CHECK(mean_of(Judge(few.rows(), nullptr, 64, {}).losses(large)) > 0.9);
}

TEST_CASE("rows are chosen where that pays, of few transforms, and not where there is nothing to learn")
{
    const Problem good = table(1500, 0.2);
    const RowChoice choice = choice_of(48, 1024);
    const Judge judge(good.rows(), nullptr, 48, {});
    const FeatureStage chosen = stage_of_choice(choice, good.rows(), judge);
    REQUIRE(chosen.kept_rows().size() == 48);
    CHECK(features_of(chosen.spec()) == 1024);
    CHECK(transforms_in(chosen.kept_rows()) < 16);
    const FeatureStage plain(choice.plain, {}, {}, 1);
    CHECK(mean_of(judge.losses(chosen)) < 0.9 * mean_of(judge.losses(plain)));

    RowChoice narrow = choice;
    narrow.blocks = 2;
    CHECK(transforms_in(stage_of_choice(narrow, good.rows(), judge).kept_rows()) <= 2);

    const Problem noise = table(150, 50.0);
    const FeatureStage kept = stage_of_choice(choice, noise.rows(), Judge(noise.rows(), nullptr, 48, {}));
    CHECK(kept.kept_rows().empty());
    CHECK(kept.spec() == choice.plain);

    const Problem tiny = table(20, 0.0);
    CHECK(stage_of_choice(choice, tiny.rows(), Judge(tiny.rows(), nullptr, 48, {})).kept_rows().empty());
}

TEST_CASE("a number of transforms that cannot be had is refused")
{
    const Problem problem = table(200, 0.2);
    const Judge judge(problem.rows(), nullptr, 100, {});
    RowChoice choice = choice_of(100, 512);
    choice.blocks = 1;
    CHECK_THROWS_WITH_AS(static_cast<void>(stage_of_choice(choice, problem.rows(), judge)),
                         doctest::Contains("expected at least the 2 transforms that 100 rows fill"), BadInput);
    choice.plain = resolve(ArcCosSpec{.inputs = 20, .features = 100, .rows = Rows::dense, .orders = Orders::none});
    choice.candidates = resolve(ArcCosSpec{.inputs = 20, .features = 512, .rows = Rows::dense, .orders = Orders::none});
    CHECK_THROWS_WITH_AS(static_cast<void>(stage_of_choice(choice, problem.rows(), judge)),
                         doctest::Contains("expected hadamard or fastfood rows"), BadInput);
}
