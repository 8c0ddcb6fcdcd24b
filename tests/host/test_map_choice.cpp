#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <random>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/data/row_set.hpp"
#include "ports/host/training/map_plan.hpp"
#include "ports/host/training/map_search.hpp"
#include "ports/host/training/scale_fit.hpp"
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

// `answer` of a row of normal inputs, which lie around `centre`.
template <class Answer>
Problem problem_of(std::size_t rows, std::size_t cols, float centre, const Answer& answer)
{
    std::mt19937 engine(3);
    std::normal_distribution<float> normal;
    MatrixF x(rows, cols);
    Problem problem;
    problem.y.values = MatrixF(rows, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) {
            x.row(i)[j] = centre + normal(engine);
        }
        problem.y.values.row(i)[0] = answer(x.row(i)) + 0.05f * normal(engine);
    }
    problem.x = table_of(std::move(x), "x");
    return problem;
}

TrainSettings settings_of(const char* map, std::uint32_t features)
{
    TrainSettings settings;
    settings.map = parse_map(map);
    settings.features = features;
    set_features(settings.map.spec, features);
    settings.talk = false;
    return settings;
}

float wave_of_two(const float* x) { return std::sin(2.0f * x[0]) + std::fabs(x[1]); }

double error_of(const Trained& trained, const Problem& judged)
{
    return score_of(trained.model, judged.rows(), 1).mean_squared_error();
}

// Of the first two inputs alone.
Problem useful_of(const Problem& problem)
{
    const MatrixF x = problem.rows().inputs();
    Problem two;
    two.y = problem.y;
    MatrixF some(x.rows, 2);
    for (std::size_t i = 0; i < x.rows; ++i) {
        std::copy_n(x.row(i), 2, some.row(i));
    }
    two.x = table_of(std::move(some), "x");
    return two;
}

// The rows behind the first ones: those that training did not see.
Problem other_rows(std::size_t skipped, std::size_t rows, std::size_t cols, float centre)
{
    const Problem all = problem_of(skipped + rows, cols, centre, wave_of_two);
    const MatrixF x = all.rows().inputs();
    Problem other;
    other.y.values = MatrixF(rows, 1);
    MatrixF some(rows, cols);
    std::copy_n(x.row(skipped), rows * cols, some.values.begin());
    std::copy_n(all.y.values.row(skipped), rows, other.y.values.values.begin());
    other.x = table_of(std::move(some), "x");
    return other;
}

} // namespace

TEST_CASE("factors of inputs that matter become large, those of others small")
{
    const Problem problem = problem_of(600, 10, 0.0f, wave_of_two);
    for (const char* map :
         {"rff:bandwidth=3", "rff:bandwidth=3,form=phase", "arccos", "arccos:numbers=int8,orders=none"}) {
        CAPTURE(map);
        const MapSpec spec = MapPlan(problem.rows(), settings_of(map, 128)).spec();
        REQUIRE(can_fit_scales(spec));
        const std::vector<float> factors = fit_scales(spec, {}, problem.rows(), 1);
        REQUIRE(factors.size() == 10);
        const float useless = *std::max_element(factors.begin() + 2, factors.end());
        CHECK(factors[0] > 1.5f * useless);
        CHECK(factors[1] > 1.5f * useless);
        CHECK(fit_scales(spec, {}, problem.rows(), 1) == factors);
        CHECK(std::all_of(factors.begin(), factors.end(), [](float f) { return std::isfinite(f) && f > 0.0f; }));
    }
    CHECK(!can_fit_scales(parse_map("rff:kernel=cauchy").spec));
    CHECK(!can_fit_scales(parse_map("arccos:order=0").spec));
    CHECK(!can_fit_scales(parse_map("rff:numbers=int8,bandwidth=100").spec));
    CHECK(!can_fit_scales(parse_map("ntk").spec));
}

TEST_CASE("a constant input and a constant answer leave factors usable")
{
    Problem problem = problem_of(100, 3, 0.0f, wave_of_two);
    MatrixF x = problem.rows().inputs();
    for (std::size_t i = 0; i < x.rows; ++i) {
        x.row(i)[2] = 4.0f;
        problem.y.values.row(i)[0] = 1.0f;
    }
    problem.x = table_of(std::move(x), "x");
    const MapSpec spec = MapPlan(problem.rows(), settings_of("rff:bandwidth=1", 64)).spec();
    for (const float factor : fit_scales(spec, {}, problem.rows(), 1)) {
        CHECK(std::isfinite(factor));
        CHECK(factor > 0.0f);
    }
}

TEST_CASE("factors join a scaling, channels included")
{
    Scaling scaling{{1.0f}, {2.0f, 3.0f}, {0.5f, 0.25f}};
    scaling.fill = {7.0f, 8.0f};
    const Scaling joined = with_factors(scaling, {1.0f, 2.0f, 4.0f, 8.0f});
    CHECK(joined.shift == std::vector<float>{2, 3, 2, 3});
    CHECK(joined.factor == std::vector<float>{0.5f, 0.5f, 2.0f, 2.0f});
    CHECK(joined.fill == std::vector<float>{7, 8, 7, 8});
    const Scaling alone = with_factors({}, {3.0f, 5.0f});
    CHECK(alone.shift == std::vector<float>{0, 0});
    CHECK(alone.factor == std::vector<float>{3, 5});
    CHECK(alone.fill.empty());
}

TEST_CASE("factors join a scaling to whole numbers, and inputs keep their size together")
{
    const Problem problem = problem_of(500, 6, 3.0f, wave_of_two);
    const std::vector<float> factors{2.0f, 1.0f, 1.0f, 0.5f, 0.5f, 0.25f};
    const float all = std::sqrt(6.0f / (4.0f + 1.0f + 1.0f + 0.25f + 0.25f + 0.0625f));
    for (const ScalingKind kind : {ScalingKind::standardise, ScalingKind::global}) {
        TrainSettings settings = settings_of("arccos:numbers=int8", 64);
        settings.scaling = kind;
        const Scaling before = MapPlan(problem.rows(), settings).scaling(), joined = with_factors(before, factors);
        CHECK(before.whole.size() == (kind == ScalingKind::global ? 3 : 18));
        REQUIRE(joined.whole.size() == 18);
        MatrixF x = problem.rows().inputs(), y = x;
        apply_scaling(before, x.values.data(), x.rows, x.cols);
        apply_scaling(joined, y.values.data(), y.rows, y.cols);
        for (std::size_t i = 0; i < x.rows; ++i) {
            for (std::size_t j = 0; j < x.cols; ++j) {
                // The largest may count one and a half times as much. Bytes of factors are within a sixteenth.
                const float by = factors[j] * std::min(all, 0.75f), wanted = by * x.row(i)[j];
                if (std::fabs(wanted) < 115.0f && std::fabs(x.row(i)[j]) < 127.0f) {
                    CHECK(std::fabs(y.row(i)[j] - wanted) <= 1.5f + 0.07f * std::fabs(wanted));
                }
            }
        }
    }
    // A shift that two bytes do not hold stays, with its factor.
    Scaling far;
    for (const int byte : {0xff, 0x7f, 0, 0, 16 << 3, 16 << 3}) {
        far.whole.push_back(static_cast<std::byte>(byte));
    }
    const Scaling joined = with_factors(far, {4.0f, 1.0f});
    CHECK(std::equal(far.whole.begin(), far.whole.begin() + 2, joined.whole.begin()));
    CHECK(joined.whole[4] == far.whole[4]);
}

TEST_CASE("factors are taken where they help on rows that they were not learned from, and nowhere else")
{
    const Problem problem = problem_of(800, 12, 0.0f, wave_of_two), judged = other_rows(800, 400, 12, 0.0f);
    for (const char* map : {"rff:bandwidth=auto", "arccos"}) {
        CAPTURE(map);
        TrainSettings settings = settings_of(map, 128);
        const double plain = error_of(train_model(problem.rows(), nullptr, settings), judged);
        settings.fit_scales = true;
        const Trained trained = train_model(problem.rows(), nullptr, settings);
        CHECK(trained.model.scaling.factor.size() == 12);
        // What would be gained if training were told which inputs matter: relus without a bias cannot make all of it.
        settings.fit_scales = false;
        const double told = error_of(train_model(useful_of(problem).rows(), nullptr, settings), useful_of(judged));
        CHECK(told < 0.8 * plain);
        CHECK(error_of(trained, judged) < told + 0.3 * (plain - told));
    }
    {
        TrainSettings settings = settings_of("arccos:numbers=int8,orders=none", 128);
        settings.scaling = ScalingKind::standardise;
        const double plain = error_of(train_model(problem.rows(), nullptr, settings), judged);
        settings.fit_scales = true;
        const Trained trained = train_model(problem.rows(), nullptr, settings);
        CHECK(trained.model.scaling.whole.size() == 36);
        CHECK(error_of(trained, judged) < 0.9 * plain);
    }
    // All inputs matter as much.
    const Problem even = problem_of(200, 12, 0.0f, [](const float* x) {
        float sum = 0.0f;
        for (int j = 0; j < 12; ++j) {
            sum += x[j] * x[j];
        }
        return sum;
    });
    TrainSettings settings = settings_of("arccos", 128);
    settings.fit_scales = true;
    CHECK(train_model(even.rows(), nullptr, settings).model.scaling.factor.empty());
    const Problem few = problem_of(40, 12, 0.0f, wave_of_two);
    CHECK(train_model(few.rows(), nullptr, settings).model.scaling.factor.empty());
}

TEST_CASE("exact low orders of rff come with the mean of the rows, and only where they help")
{
    // Far from 0, and linear in so many inputs that random waves carry it badly.
    constexpr std::size_t cols = 20;
    const auto flat = [](const float* x) { return std::accumulate(x, x + cols, 0.0f) / std::sqrt(20.0f); };
    const Problem problem = problem_of(600, cols, 30.0f, flat);
    TrainSettings settings = settings_of("rff:bandwidth=4,rows=dense", 100);
    const Trained trained = train_model(problem.rows(), nullptr, settings);
    const auto& spec = std::get<RffSpec>(trained.model.spec);
    CHECK(spec.orders == Orders::one);
    REQUIRE(trained.model.scaling.shift.size() == cols);
    CHECK(trained.model.scaling.shift[0] == doctest::Approx(30.0).epsilon(0.01));
    CHECK(trained.model.scaling.factor[0] == 1.0f);
    settings = settings_of("rff:bandwidth=4,rows=dense,orders=none", 100);
    const Trained none = train_model(problem.rows(), nullptr, settings);
    CHECK(std::get<RffSpec>(none.model.spec).orders == Orders::none);
    CHECK(none.model.scaling.shift.empty());
    CHECK(error_of(trained, problem) < error_of(none, problem));
    // The 21 linear ones may not be more than a quarter of the features.
    settings = settings_of("rff:bandwidth=4,rows=dense", 82);
    CHECK(std::get<RffSpec>(train_model(problem.rows(), nullptr, settings).model.spec).orders == Orders::none);
}

TEST_CASE("inputs on wild scales are noticed")
{
    const auto spreads = [](std::vector<float> scales) {
        Problem problem = problem_of(100, scales.size(), 1.0f, wave_of_two);
        MatrixF x = problem.rows().inputs();
        for (std::size_t i = 0; i < x.rows; ++i) {
            for (std::size_t j = 0; j < x.cols; ++j) {
                x.row(i)[j] *= scales[j];
            }
        }
        problem.x = table_of(std::move(x), "x");
        return column_spreads(problem.rows());
    };
    CHECK(spreads({1, 1000, 1}).wild);
    CHECK(spreads({1, 1000, 1}).most > 100.0 * spreads({1, 1000, 1}).least);
    CHECK(!spreads({1, 2, 1.5f}).wild);
    CHECK(!spreads({1000, 1000}).wild);
    CHECK(!spreads({0, 5, 0}).wild);
    // Some pixels hardly vary, but many do.
    std::vector<float> pixels(64, 5.0f);
    std::fill_n(pixels.begin(), 16, 0.01f);
    CHECK(!spreads(pixels).wild);

    Problem problem = problem_of(200, 3, 0.0f, wave_of_two);
    MatrixF x = problem.rows().inputs();
    for (std::size_t i = 0; i < x.rows; ++i) {
        x.row(i)[2] *= 1e4f;
    }
    problem.x = table_of(std::move(x), "x");
    TrainSettings settings = settings_of("arccos", 64);
    settings.scaling = ScalingKind::automatic;
    CHECK(train_model(problem.rows(), nullptr, settings).model.scaling.factor.size() == 3);
    settings = settings_of("rff:bandwidth=2", 64); // of the inputs as they are
    settings.scaling = ScalingKind::automatic;
    CHECK(train_model(problem.rows(), nullptr, settings).model.scaling.factor.empty());
    CHECK(!takes_any_scale(parse_map("cntk").spec));
    CHECK(!takes_any_scale(parse_map("skeleton").spec));
    CHECK(takes_any_scale(parse_map("ntk-poly").spec));
}

TEST_CASE("without a map one is found that is near the best of those that are tried")
{
    // So many rows that waves can be told from chance by each of the right maps, without factors too.
    const Problem waves =
        problem_of(800, 3, 0.0f, [](const float* x) { return std::sin(3.0f * x[0]) * std::cos(2.0f * x[1]); });
    const Problem line = problem_of(300, 5, 0.0f, [](const float* x) { return x[0] - 2.0f * x[1] + x[3]; });
    for (const Problem* const problem : {&waves, &line}) {
        for (const std::uint32_t features : {64u, 63u}) {
            TrainSettings settings = settings_of("rff", features);
            settings.any_map = true;
            settings.scaling = ScalingKind::automatic;
            settings.candidates = 4 * features;
            settings.fit_scales = true;
            const Trained trained = train_model(problem->rows(), nullptr, settings);
            CHECK(trained.model.weights.cols <= features);
            const double found = score_of(trained.model, problem->rows(), 1).r_squared();
            CAPTURE(features);
            CHECK(found > (problem == &waves ? 0.9 : 0.99));
        }
    }
    // Of so few rows nothing is found out, and a model is made.
    const Problem few = problem_of(5, 3, 0.0f, wave_of_two);
    TrainSettings settings = settings_of("rff", 16);
    settings.any_map = true;
    settings.candidates = 64;
    CHECK(train_model(few.rows(), nullptr, settings).model.weights.cols == 16);
}
