// How good predictions are, counted by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ports/host/training/score.hpp"

using namespace samara::desk;

namespace {

Score score_of_values(std::size_t targets, const std::vector<float>& wanted, const std::vector<float>& found)
{
    Target target;
    target.values = MatrixF(wanted.size() / targets, targets, wanted);
    Score score(Task::regress, targets);
    for (std::size_t i = 0; i < target.values.rows; ++i) {
        score.add(target, i, found.data() + i * targets);
    }
    return score;
}

} // namespace

TEST_CASE("score: errors of values")
{
    const Score score = score_of_values(1, {1, 2, 3, 6}, {1, 4, 3, 5});
    CHECK(score.mean_squared_error() == doctest::Approx(5.0 / 4));
    CHECK(score.root_mean_squared_error() == doctest::Approx(std::sqrt(5.0 / 4)));
    CHECK(score.root_mean_squared_error_of(0) == doctest::Approx(std::sqrt(5.0 / 4)));
    CHECK(score.mean_absolute_error() == doctest::Approx(3.0 / 4));
    CHECK(score.r_squared() == doctest::Approx(1.0 - 5.0 / 14));
    CHECK(score.text() == "R2 0.6429, RMSE 1.118, MAE 0.75");
    CHECK(score.constant_targets() == 0);
}

TEST_CASE("score: R2 of a target that does not vary is not defined, in words")
{
    for (const float value : {0.0f, 2.5f, 1e30f, 0.1f}) {
        CAPTURE(value);
        const Score one = score_of_values(1, {value, value, value}, {value, value, 0.0f});
        CHECK(std::isnan(one.r_squared()));
        CHECK(one.constant_targets() == 1);
        CHECK(one.r_squared_text() == "not defined: the target has one value only");
        CHECK(one.text().find("nan") == std::string::npos);
    }
    const Score two = score_of_values(2, {1, 7, 2, 7}, {1, 7, 2, 8});
    CHECK(two.r_squared() == doctest::Approx(1.0));
    CHECK(two.r_squared_text() == "1 (the mean over 1 of 2 targets: of one value only it is not defined)");
    CHECK(two.r_squared_text_of(0) == "1");
    CHECK(two.r_squared_text_of(1) == "not defined");
    CHECK(score_of_values(2, {1, 7, 1, 7}, {1, 7, 2, 8}).r_squared_text() ==
          "not defined: the targets have one value only");
}

TEST_CASE("score: accuracy, and its mean over the classes that there are rows of")
{
    Target target;
    target.task = Task::classify;
    target.labels = {"a", "b", "c"};
    target.classes = {0, 0, 0, 0, 0, 0, 1, 1};
    Score score(Task::classify, 3);
    const std::vector<float> a = {1, 0, 0}, b = {0, 1, 0}, c = {0, 0, 1};
    const std::vector<std::vector<float>> outputs = {a, a, a, a, a, c, b, a};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        score.add(target, i, outputs[i].data());
    }
    CHECK(score.accuracy() == doctest::Approx(6.0 / 8));
    CHECK(score.balanced_accuracy() == doctest::Approx((5.0 / 6 + 1.0 / 2) / 2));
    CHECK(score.text() == "accuracy 75 %");
    CHECK(per_cent(0.98664) == "98.66 %");
}
