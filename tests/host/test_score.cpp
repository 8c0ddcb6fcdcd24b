// Scores of predictions by their definitions, on numbers small enough to compute by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ports/host/data/gzip.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/normal_equations.hpp"
#include "ports/host/training/score.hpp"

using namespace samara::desk;

TEST_CASE("scores of regression: R2, squared and relative errors")
{
    Target target;
    target.task = Task::regress;
    target.values = MatrixF(3, 2);
    target.values.values = {1, 10, 2, 10, 3, 40};
    const float outputs[3][2] = {{1, 12}, {2, 8}, {4, 40}};
    Score score(Task::regress, 2);
    for (std::size_t row = 0; row < 3; ++row)
        score.add(target, row, outputs[row]);
    CHECK(score.rows() == 3);
    // Squared errors 1 and 8 of squared distances from the mean 2 and 600.
    CHECK(score.r_squared() == doctest::Approx(((1.0 - 1.0 / 2.0) + (1.0 - 8.0 / 600.0)) / 2.0).epsilon(1e-12));
    CHECK(score.mean_squared_error() == doctest::Approx(9.0 / 6.0).epsilon(1e-12));
    CHECK(score.relative_error() == doctest::Approx(std::sqrt(9.0 / (14.0 + 1800.0))).epsilon(1e-12));
}

TEST_CASE("scores of classes: accuracy and who was taken for whom")
{
    Target target;
    target.task = Task::classify;
    target.labels = {"a", "b", "c"};
    target.classes = {0, 1, 2, 2};
    const float outputs[4][3] = {{1, 0, 0}, {2, 1, 0}, {0, 0, 1}, {0, 3, 1}};
    Score score(Task::classify, 3);
    for (std::size_t row = 0; row < 4; ++row)
        score.add(target, row, outputs[row]);
    CHECK(score.accuracy() == doctest::Approx(0.5));
    CHECK(score.confusion() == std::vector<std::vector<std::size_t>>{{1, 0, 0}, {1, 0, 0}, {0, 1, 1}});
    const float equal[3] = {1, 2, 2};
    CHECK(largest(equal, 3) == 1);
}

TEST_CASE("moments that are added and taken away again")
{
    const auto moments = [](double first) {
        Moments m;
        m.count = first;
        m.z_sum = {first + 1, first + 2};
        m.y_sum = {first + 3};
        m.y_squares = {first + 4};
        m.gram = MatrixD(2, 2);
        m.gram.values = {first + 5, first + 6, first + 6, first + 7};
        m.cross = MatrixD(1, 2);
        m.cross.values = {first + 8, first + 9};
        return m;
    };
    const auto numbers = [](const Moments& m) {
        std::vector<double> all = {m.count};
        for (const auto* part : {&m.z_sum, &m.y_sum, &m.y_squares, &m.gram.values, &m.cross.values})
            all.insert(all.end(), part->begin(), part->end());
        return all;
    };
    Moments sum = moments(32);
    add(sum, moments(4));
    CHECK(numbers(sum) == std::vector<double>{36, 38, 40, 42, 44, 46, 48, 48, 50, 52, 54});
    subtract(sum, moments(4));
    CHECK(numbers(sum) == numbers(moments(32)));
}

TEST_CASE("zeros alone are no gzip file")
{
    for (const std::size_t count : {1u, 20u, 40000u}) {
        GzipReader reader(std::make_unique<std::istringstream>(std::string(count, '\0')), "zeros.gz");
        char byte = 0;
        CHECK_THROWS_WITH_AS((void)reader.read(&byte, 1), doctest::Contains("zeros.gz: found no gzip signature"),
                             BadInput);
    }
}
