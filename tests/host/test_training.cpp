#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/data/row_set.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/choose_rows.hpp"
#include "ports/host/training/ridge.hpp"
#include "ports/host/training/scaling.hpp"
#include "ports/host/training/train.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

struct Problem {
    std::unique_ptr<TableSource> x;
    Target y;

    RowSet rows() const { return {*x, y}; }
};

// y = sin of a direction and a linear part, two targets far from zero.
Problem problem_of(std::size_t rows, std::size_t cols)
{
    std::mt19937 engine(7);
    const auto uniform = [&] { return static_cast<float>(engine() >> 8u) / 16777216.0f - 0.5f; };
    MatrixF x(rows, cols);
    Problem problem;
    problem.y.values = MatrixF(rows, 2);
    for (std::size_t i = 0; i < rows; ++i) {
        float sum = 0.0f;
        for (std::size_t j = 0; j < cols; ++j) {
            x.row(i)[j] = uniform();
            sum += x.row(i)[j];
        }
        problem.y.values.row(i)[0] = 100.0f + std::sin(3.0f * sum) + 0.1f * uniform();
        problem.y.values.row(i)[1] = -5.0f + x.row(i)[0] + 0.1f * uniform();
    }
    problem.x = table_of(std::move(x), "x");
    return problem;
}

FeatureStage stage_of(std::uint32_t inputs, std::uint32_t features)
{
    return {resolve(RffSpec{.inputs = inputs, .features = features, .bandwidth = 1, .seed = 3}), {}, {}, 2};
}

RidgeRequest given_ridge(double value)
{
    RidgeRequest request;
    request.method = RidgeMethod::value;
    request.value = value;
    return request;
}

double output(const desk::Readout& readout, const MatrixF& z, std::size_t row, std::size_t k)
{
    double sum = readout.bias[k];
    for (std::size_t j = 0; j < z.cols; ++j) {
        sum += readout.weights.row(k)[j] * static_cast<double>(z.row(row)[j]);
    }
    return sum;
}

} // namespace

TEST_CASE("the primal and the dual form predict the same")
{
    const Problem problem = problem_of(120, 20);
    const FeatureStage stage = stage_of(20, 256);
    const RowSet rows = problem.rows();
    for (const double ridge : {1e-1, 1e-3, 1e-5}) {
        const desk::Readout primal = fit_primal(stage, rows, nullptr, given_ridge(ridge));
        const desk::Readout dual = fit_dual(stage, rows, nullptr, given_ridge(ridge));
        const MatrixF z = stage.all(rows);
        double worst = 0.0;
        for (std::size_t i = 0; i < z.rows; ++i) {
            for (std::size_t k = 0; k < 2; ++k) {
                worst = std::max(worst, std::fabs(output(primal, z, i, k) - output(dual, z, i, k)));
            }
        }
        CAPTURE(ridge);
        CHECK(worst < 1e-4);
    }
}

TEST_CASE("leave-one-out is what leaving one out gives, in both forms")
{
    constexpr std::size_t count = 40;
    const Problem problem = problem_of(count, 4);
    const RowSet rows = problem.rows();
    const std::vector<RowSet> each = rows.folds(count, 1);
    for (const std::uint32_t features : {16u, 64u}) {
        const FeatureStage stage = stage_of(4, features);
        RidgeRequest request;
        request.method = RidgeMethod::loo;
        const desk::Readout chosen =
            features < count ? fit_primal(stage, rows, nullptr, request) : fit_dual(stage, rows, nullptr, request);
        // Leaving a row out leaves the penalty n * ridge as it is.
        const double ridge = chosen.ridge * static_cast<double>(count) / static_cast<double>(count - 1);
        std::vector<double> errors(2), variances(2), means(2);
        for (std::size_t fold = 0; fold < count; ++fold) {
            const desk::Readout rest = fit_primal(stage, each[fold].without(fold), nullptr, given_ridge(ridge));
            const MatrixF z = stage.all(each[fold]);
            const float* const y = problem.y.values.row(each[fold].numbers().front());
            for (std::size_t k = 0; k < 2; ++k) {
                const double error = static_cast<double>(y[k]) - output(rest, z, 0, k);
                errors[k] += error * error;
                means[k] += static_cast<double>(y[k]) / static_cast<double>(count);
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t k = 0; k < 2; ++k) {
                const double distance = static_cast<double>(problem.y.values.row(i)[k]) - means[k];
                variances[k] += distance * distance / static_cast<double>(count);
            }
        }
        CAPTURE(features);
        CHECK(chosen.error ==
              doctest::Approx(mean_error(errors, variances, Task::regress, static_cast<double>(count))).epsilon(1e-3));
    }
}

TEST_CASE("every method of choosing a ridge finds a usable one")
{
    const Problem problem = problem_of(200, 5);
    const RowSet rows = problem.rows();
    const FeatureStage stage = stage_of(5, 64);
    for (const RidgeMethod method : {RidgeMethod::automatic, RidgeMethod::cv, RidgeMethod::loo, RidgeMethod::holdout}) {
        RidgeRequest request;
        request.method = method;
        for (const bool dual : {false, true}) {
            const desk::Readout readout =
                dual ? fit_dual(stage, rows, nullptr, request) : fit_primal(stage, rows, nullptr, request);
            CAPTURE(name_of(method));
            CHECK(readout.searched);
            CHECK(readout.error < 0.2);
        }
    }
    RidgeRequest request;
    request.method = RidgeMethod::rule;
    CHECK(fit_primal(stage, rows, nullptr, request).ridge == doctest::Approx(1.0 / std::sqrt(200.0 * 64.0)));
}

TEST_CASE("a ridge from leave-one-out is raised until the rounded equations can be solved")
{
    // Without noise and scaling the smallest ridge is best, and too small for sums of such large features.
    constexpr std::size_t count = 400;
    MatrixF x(count, 3);
    Problem problem;
    problem.y.values = MatrixF(count, 1);
    for (std::size_t i = 0; i < count; ++i) {
        const auto time = static_cast<float>(60 * i);
        x.row(i)[0] = time;
        x.row(i)[1] = std::cos(7.1f * static_cast<float>(i));
        x.row(i)[2] = static_cast<float>(60 * (i % 7));
        problem.y.values.row(i)[0] = 2.0f * time + 3.5f * x.row(i)[1];
    }
    problem.x = table_of(std::move(x), "x");
    const FeatureStage stage{resolve(PolynomialSpec{.inputs = 3, .features = 64, .seed = 0}), {}, {}, 2};
    RidgeRequest request;
    request.method = RidgeMethod::loo;
    const desk::Readout readout = fit_primal(stage, problem.rows(), nullptr, request);
    CHECK(readout.weights.rows == 1);
    CHECK_THROWS_AS(static_cast<void>(fit_primal(stage, problem.rows(), nullptr, given_ridge(readout.ridge / 4096))),
                    BadInput);
}

TEST_CASE("sums do not depend on how the rows are dealt")
{
    const Problem problem = problem_of(500, 20);
    const RowSet rows = problem.rows();
    const FeatureStage stage = stage_of(20, 64);
    const Origin origin = origin_of(stage, rows);
    const Moments whole = accumulate(stage, rows, origin, "");
    const std::vector<RowSet> folds = rows.folds(3, 9);
    Moments sum = accumulate(stage, folds[0], origin, "");
    add(sum, accumulate(stage, folds[0].without(0), origin, ""));
    CHECK(sum.count == whole.count);
    double worst = 0.0;
    for (std::size_t i = 0; i < whole.gram.values.size(); ++i) {
        worst = std::max(worst, std::fabs(whole.gram.values[i] - sum.gram.values[i]));
    }
    CHECK(worst < 1e-3);
}

TEST_CASE("folds share out all rows, evenly")
{
    const Problem problem = problem_of(103, 2);
    const RowSet rows = problem.rows();
    std::vector<int> seen(103);
    for (const RowSet& fold : rows.folds(4, 2)) {
        CHECK(fold.count() >= 25);
        CHECK(fold.count() <= 26);
        CHECK(fold.numbers().size() == fold.count());
        for (const std::size_t row : fold.numbers()) {
            ++seen[row];
        }
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
    CHECK(rows.sample(10).numbers().size() == 10);
    CHECK(rows.sample(1000).count() == 103);
}

TEST_CASE("scaling is learned from the rows at hand, and no column is divided by zero")
{
    const float missing = std::nanf("");
    const auto x = table_of(MatrixF(4, 3, {1, 5, 2, 3, 5, missing, 5, 5, 4, 7, 5, 6}), "x");
    Target y;
    y.values = MatrixF(4, 1);
    const RowSet rows(*x, y);
    CHECK_THROWS_WITH_AS(learn_scaling(rows, ScalingKind::none, false), doctest::Contains("row 2, column 3"), BadInput);
    const LearnedScaling learned = learn_scaling(rows, ScalingKind::standardise, true);
    CHECK(learned.constant == std::vector<std::size_t>{1});
    CHECK(learned.scaling.fill[2] == 4.0f);
    CHECK(learned.scaling.shift[0] == 4.0f);
    CHECK(learned.scaling.factor[0] == doctest::Approx(1.0 / std::sqrt(5.0)));
    CHECK(learned.scaling.factor[1] == 1.0f);
    MatrixF values = rows.inputs();
    apply_scaling(learned.scaling, values.values.data(), values.rows, values.cols);
    CHECK(values.row(1)[2] == 0.0f);
    CHECK(values.row(3)[1] == 0.0f);
    const LearnedScaling range = learn_scaling(rows, ScalingKind::minmax, true);
    CHECK(range.scaling.shift[0] == 1.0f);
    CHECK(range.scaling.factor[0] == doctest::Approx(1.0 / 6.0));
}

TEST_CASE("scaling of channels has one mean and one deviation for all pixels")
{
    const float missing = std::nanf("");
    // Two pixels of two channels: 1, 3, 5, 7 with mean 4, and 5 alone.
    const auto x = table_of(MatrixF(3, 4, {1, 5, 3, 5, missing, 5, 5, 5, 7, 5, 4, missing}), "x");
    Target y;
    y.values = MatrixF(3, 1);
    const RowSet rows(*x, y);
    CHECK_THROWS_WITH_AS(learn_scaling(rows, ScalingKind::channel, false, Channels{2}),
                         doctest::Contains("row 2, column 1"), BadInput);
    const LearnedScaling learned = learn_scaling(rows, ScalingKind::channel, true, Channels{2});
    CHECK(learned.constant == std::vector<std::size_t>{1});
    CHECK(learned.scaling.fill == std::vector<float>{4.0f, 5.0f});
    CHECK(learned.scaling.shift == std::vector<float>{4.0f, 5.0f});
    // Five numbers and a filled one, which adds nothing.
    CHECK(learned.scaling.factor[0] == doctest::Approx(1.0 / std::sqrt(20.0 / 6.0)));
    CHECK(learned.scaling.factor[1] == 1.0f);
    MatrixF values = rows.inputs();
    apply_scaling(learned.scaling, values.values.data(), values.rows, values.cols);
    CHECK(values.row(1)[0] == 0.0f);
    CHECK(values.row(0)[2] == -learned.scaling.factor[0]);
    CHECK(values.row(2)[1] == 0.0f);
}

TEST_CASE("a row's columns are where the map puts them")
{
    // 20 inputs and 64 rows a block: 64 cosines, 64 sines, and again.
    const MapSpec pairs = resolve(RffSpec{.inputs = 20, .features = 200, .orders = Orders::none});
    const auto columns = columns_of_rows(pairs);
    CHECK(columns.size() == 100);
    CHECK(columns[3] == std::vector<std::uint32_t>{3, 67});
    CHECK(columns[65] == std::vector<std::uint32_t>{129, 165});
    const MapSpec exact = resolve(ArcCosSpec{.inputs = 20, .features = 100, .orders = Orders::one});
    CHECK(columns_of_rows(exact)[0] == std::vector<std::uint32_t>{21});
    const MapSpec two = resolve(ArcCosSpec{.inputs = 20, .features = 300, .orders = Orders::two});
    CHECK(columns_of_rows(two).size() == 69);
    CHECK(columns_of_rows(two)[0] == std::vector<std::uint32_t>{231});
}

TEST_CASE("chosen rows predict better than the first ones, and as their map does")
{
    const Problem problem = problem_of(800, 3);
    // The first rows of some seeds happen to be good, so that what choosing gains is its mean over several.
    double worse = 0.0, better = 0.0;
    for (const char* map : {"rff:form=phase,rows=dense,seed=4", "rff:form=phase,rows=dense,seed=5",
                            "rff:form=phase,rows=dense,seed=6", "rff:form=phase,rows=dense,seed=7"}) {
        TrainSettings settings;
        settings.map = parse_map(map);
        settings.features = 16;
        settings.talk = false;
        const Trained first = train_model(problem.rows(), nullptr, settings);
        settings.candidates = 256;
        const Trained chosen = train_model(problem.rows(), nullptr, settings);
        CHECK(chosen.model.kept_rows.size() == 16);
        CHECK(chosen.model.weights.cols == 16);
        CHECK(features_of(chosen.model.spec) == 256);
        worse += score_of(first.model, problem.rows(), 2).mean_squared_error();
        better += score_of(chosen.model, problem.rows(), 2).mean_squared_error();
    }
    CHECK(better < 0.8 * worse);
}

TEST_CASE("the exact machine and many features agree")
{
    const Problem problem = problem_of(150, 6);
    TrainSettings settings;
    settings.map = parse_map("rff:bandwidth=2,rows=dense");
    settings.features = 8192;
    settings.talk = false;
    settings.ridge = given_ridge(1e-4);
    const double exact = ExactMachine(problem.rows(), settings).score(problem.rows()).mean_squared_error();
    const Trained trained = train_model(problem.rows(), nullptr, settings);
    CHECK(score_of(trained.model, problem.rows(), 2).mean_squared_error() == doctest::Approx(exact).epsilon(0.05));
}
