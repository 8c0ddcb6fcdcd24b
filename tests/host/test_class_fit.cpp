#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/text/error.hpp"
#include "ports/host/training/calibration.hpp"
#include "ports/host/training/class_fit.hpp"

using namespace samara::desk;

namespace {

struct Problem {
    MatrixF z;
    ClassTask task;
};

// Classes around means that overlap: no readout tells all of them apart.
Problem overlapping(std::size_t rows, std::size_t features, std::size_t classes, float distance, unsigned seed = 5)
{
    std::mt19937 engine(seed);
    const auto uniform = [&] { return static_cast<float>(engine() >> 8u) / 16777216.0f - 0.5f; };
    MatrixF means(classes, features);
    for (float& value : means.values) {
        value = distance * uniform();
    }
    Problem problem;
    problem.z = MatrixF(rows, features);
    problem.task.outputs = classes;
    for (std::size_t i = 0; i < rows; ++i) {
        const auto k = static_cast<std::uint32_t>(engine() % classes);
        problem.task.classes.push_back(k);
        for (std::size_t j = 0; j < features; ++j) {
            problem.z.row(i)[j] = 3.0f + means.row(k)[j] + uniform() + uniform();
        }
    }
    return problem;
}

ClassRequest with_ridge(double ridge, ClassLoss loss = ClassLoss::logistic)
{
    ClassRequest request;
    request.loss = loss;
    request.ridges = {ridge};
    return request;
}

double score_of(const LinearReadout& readout, const MatrixF& z, std::size_t row, std::size_t k)
{
    double sum = readout.bias[k];
    for (std::size_t j = 0; j < z.cols; ++j) {
        sum += readout.weights.row(k)[j] * static_cast<double>(z.row(row)[j]);
    }
    return sum;
}

// The objective as its definition says it, in double.
double objective(const Problem& problem, const LinearReadout& readout, ClassLoss loss, double ridge)
{
    double sum = 0.0, total = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < problem.z.rows; ++i) {
        const double weight = problem.task.weights.empty() ? 1.0 : static_cast<double>(problem.task.weights[i]);
        std::vector<double> f;
        for (std::size_t k = 0; k < problem.task.outputs; ++k) {
            f.push_back(score_of(readout, problem.z, i, k));
        }
        double one = 0.0;
        if (loss == ClassLoss::logistic) {
            for (const double value : f) {
                one += std::exp(value - f[problem.task.classes[i]]);
            }
            one = std::log(one);
        } else {
            for (std::size_t k = 0; k < f.size(); ++k) {
                const double margin = k == problem.task.classes[i] ? f[k] : -f[k];
                one += std::pow(std::max(0.0, 1.0 - margin), 2.0);
            }
        }
        sum += weight * one;
        total += weight;
    }
    for (const double w : readout.weights.values) {
        squares += w * w;
    }
    return sum / total + ridge * squares;
}

// How much a small step along each of some directions, and back, changes the objective at most: at the least of a
// smooth function the change is of the second order.
double worst_slope(const Problem& problem, const LinearReadout& readout, ClassLoss loss, double ridge)
{
    std::mt19937 engine(3);
    double worst = 0.0;
    for (int direction = 0; direction < 8; ++direction) {
        LinearReadout more = readout, less = readout;
        double length = 0.0;
        const auto step = [&](double& up, double& down) {
            const double by = 1e-4 * (static_cast<double>(engine() % 1000u) / 500.0 - 1.0);
            up += by;
            down -= by;
            length += by * by;
        };
        for (std::size_t i = 0; i < more.weights.values.size(); ++i) {
            step(more.weights.values[i], less.weights.values[i]);
        }
        for (std::size_t k = 0; k < more.bias.size(); ++k) {
            step(more.bias[k], less.bias[k]);
        }
        const double change = objective(problem, more, loss, ridge) - objective(problem, less, loss, ridge);
        worst = std::max(worst, std::fabs(change) / (2.0 * std::sqrt(length)));
    }
    return worst;
}

double accuracy(const Problem& problem, const LinearReadout& readout)
{
    std::size_t right = 0;
    for (std::size_t i = 0; i < problem.z.rows; ++i) {
        std::size_t best = 0;
        for (std::size_t k = 1; k < problem.task.outputs; ++k) {
            best = score_of(readout, problem.z, i, k) > score_of(readout, problem.z, i, best) ? k : best;
        }
        right += best == problem.task.classes[i] ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(problem.z.rows);
}

} // namespace

TEST_CASE("a readout of classes is where its objective is least")
{
    for (const ClassLoss loss : {ClassLoss::logistic, ClassLoss::hinge}) {
        for (const std::size_t classes : {std::size_t{2}, std::size_t{3}, std::size_t{13}}) {
            for (const double ridge : {1e-1, 1e-3}) {
                const Problem problem = overlapping(400, 19, classes, 1.0f);
                const ClassFit fit = fit_classes(problem.z, problem.task, with_ridge(ridge, loss));
                CAPTURE(classes);
                CAPTURE(ridge);
                CHECK(fit.readout.weights.rows == classes);
                CHECK(fit.readout.weights.cols == 19);
                // The slope at the start is about 1; scores are sums in float.
                CHECK(worst_slope(problem, fit.readout, loss, ridge) < 2e-2);
                const LinearReadout none{MatrixD(classes, 19), std::vector<double>(classes)};
                CHECK(objective(problem, fit.readout, loss, ridge) < objective(problem, none, loss, ridge));
            }
        }
    }
}

TEST_CASE("fewer rows than features give the readout that as many features give")
{
    // The same problem twice: features that are there n times, each times 1/sqrt(n), have the same products.
    const Problem problem = overlapping(60, 20, 3, 1.0f);
    Problem wide;
    wide.task = problem.task;
    wide.z = MatrixF(60, 80);
    for (std::size_t i = 0; i < 60; ++i) {
        for (std::size_t j = 0; j < 80; ++j) {
            wide.z.row(i)[j] = 0.5f * problem.z.row(i)[j % 20];
        }
    }
    const ClassFit narrow_fit = fit_classes(problem.z, problem.task, with_ridge(1e-2));
    const ClassFit wide_fit = fit_classes(wide.z, wide.task, with_ridge(1e-2));
    for (std::size_t i = 0; i < 60; i += 7) {
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(score_of(wide_fit.readout, wide.z, i, k) ==
                  doctest::Approx(score_of(narrow_fit.readout, problem.z, i, k)).epsilon(0.02).scale(1.0));
        }
    }
    CHECK(worst_slope(wide, wide_fit.readout, ClassLoss::logistic, 1e-2) < 2e-2);
}

TEST_CASE("a row's weight is how often it counts, and rows of weight 0 are as if they were not there")
{
    const Problem problem = overlapping(200, 8, 3, 1.0f);
    Problem weighted = problem, repeated;
    weighted.task.weights.resize(200);
    repeated.task.outputs = 3;
    repeated.z.cols = 8;
    for (std::size_t i = 0; i < 200; ++i) {
        weighted.task.weights[i] = static_cast<float>(i % 3);
        for (std::size_t copy = 0; copy < i % 3; ++copy) {
            repeated.z.values.insert(repeated.z.values.end(), problem.z.row(i), problem.z.row(i) + 8);
            repeated.task.classes.push_back(problem.task.classes[i]);
            ++repeated.z.rows;
        }
    }
    const ClassFit by_weight = fit_classes(weighted.z, weighted.task, with_ridge(1e-2));
    const ClassFit by_copies = fit_classes(repeated.z, repeated.task, with_ridge(1e-2));
    CHECK(objective(repeated, by_weight.readout, ClassLoss::logistic, 1e-2) ==
          doctest::Approx(objective(repeated, by_copies.readout, ClassLoss::logistic, 1e-2)).epsilon(1e-4));
    CHECK(worst_slope(weighted, by_weight.readout, ClassLoss::logistic, 1e-2) < 2e-2);
    for (std::size_t i = 0; i < 200; i += 13) {
        CHECK(score_of(by_weight.readout, problem.z, i, 0) ==
              doctest::Approx(score_of(by_copies.readout, problem.z, i, 0)).epsilon(0.02).scale(1.0));
    }
}

TEST_CASE("the bits do not depend on the number of threads")
{
    // Enough products for threads to be worth it.
    Problem problem = overlapping(3000, 120, 4, 1.0f);
    problem.task.parts = parts_of_rows(3000, 5, 1);
    ClassRequest request;
    const ClassFit one = fit_classes(problem.z, problem.task, request);
    request.threads = 3;
    const ClassFit three = fit_classes(problem.z, problem.task, request);
    CHECK(one.readout.weights.values == three.readout.weights.values);
    CHECK(one.readout.bias == three.readout.bias);
    CHECK(one.ridge == doctest::Approx(three.ridge).epsilon(1e-12));
}

TEST_CASE("left-out rows choose a ridge that predicts other rows well")
{
    // Many features of noise beside the few that tell: a small ridge would learn the noise.
    const Problem all = overlapping(2400, 60, 3, 0.35f);
    Problem train, test;
    for (Problem* const part : {&train, &test}) {
        part->task.outputs = 3;
        part->z = MatrixF(part == &train ? 240 : 2160, 60);
    }
    for (std::size_t i = 0; i < 2400; ++i) {
        Problem& part = i < 240 ? train : test;
        std::copy_n(all.z.row(i), 60, part.z.row(part.task.classes.size()));
        part.task.classes.push_back(all.task.classes[i]);
    }
    train.task.parts = parts_of_rows(240, 5, 1);
    double best = 0.0;
    for (const double ridge : {1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
        best = std::max(best, accuracy(test, fit_classes(train.z, train.task, with_ridge(ridge)).readout));
    }
    for (const ClassJudge judge : {ClassJudge::log_loss, ClassJudge::errors}) {
        ClassRequest request;
        request.judge = judge;
        const ClassFit fit = fit_classes(train.z, train.task, request);
        CHECK(accuracy(test, fit.readout) > best - 0.02);
        // What is said of left-out rows is what other rows show, within chance.
        CHECK(fit.error == doctest::Approx(1.0 - accuracy(test, fit.readout)).epsilon(0.1).scale(1.0));
        CHECK(fit.scale > 0.3);
        CHECK(fit.scale < 3.0);
        CHECK(fit.log_loss < std::log(3.0));
    }
}

TEST_CASE("rows that are only judged choose the ridge and are not learned from")
{
    Problem problem = overlapping(400, 12, 3, 0.8f);
    problem.task.parts.assign(400, ClassTask::in_no_part);
    std::fill(problem.task.parts.begin() + 300, problem.task.parts.end(), ClassTask::only_judged);
    const ClassFit fit = fit_classes(problem.z, problem.task, {});
    Problem first;
    first.task.outputs = 3;
    first.task.classes.assign(problem.task.classes.begin(), problem.task.classes.begin() + 300);
    first.z = MatrixF(300, 12, {problem.z.values.begin(), problem.z.values.begin() + 300 * 12});
    const ClassFit alone = fit_classes(first.z, first.task, with_ridge(fit.ridge));
    CHECK(objective(first, fit.readout, ClassLoss::logistic, fit.ridge) ==
          doctest::Approx(objective(first, alone.readout, ClassLoss::logistic, fit.ridge)).epsilon(1e-3));
    CHECK(std::isfinite(fit.error));
    CHECK(std::isnan(alone.error));
    CHECK(alone.scale == 0.0);
}

TEST_CASE("classes that can be told apart exactly end in finite weights")
{
    // Their optimum without a ridge is at infinity.
    for (const std::size_t classes : {std::size_t{2}, std::size_t{4}}) {
        Problem problem = overlapping(120, 10, classes, 12.0f);
        problem.task.parts = parts_of_rows(120, 5, 0);
        const ClassFit fit = fit_classes(problem.z, problem.task, {});
        CHECK(accuracy(problem, fit.readout) == 1.0);
        CHECK(fit.error < 0.02);
        CHECK(std::isfinite(fit.scale));
        CHECK(fit.scale > 0.0);
        for (const double ridge : {1e-9, 1e-14}) {
            const ClassFit small = fit_classes(problem.z, problem.task, with_ridge(ridge));
            CHECK(accuracy(problem, small.readout) == 1.0);
            CHECK(std::all_of(small.readout.weights.values.begin(), small.readout.weights.values.end(),
                              [](double w) { return std::isfinite(w); }));
        }
    }
}

TEST_CASE("a class that a part has none of, or that no row has, is taken for improbable")
{
    Problem problem = overlapping(100, 6, 2, 1.0f);
    problem.task.outputs = 4; // of 3 there is no row, of 2 there is one
    problem.task.classes[17] = 2;
    problem.task.parts = parts_of_rows(100, 5, 0);
    const ClassFit fit = fit_classes(problem.z, problem.task, {});
    CHECK(std::isfinite(fit.log_loss));
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(score_of(fit.readout, problem.z, i, 3) < score_of(fit.readout, problem.z, i, 0));
        CHECK(std::isfinite(score_of(fit.readout, problem.z, i, 3)));
    }
}

TEST_CASE("two rows, and features that do not vary")
{
    Problem two;
    two.z = MatrixF(2, 3, {1.0f, 2.0f, 3.0f, 1.0f, 2.0f, 4.0f});
    two.task.classes = {0, 1};
    two.task.parts = {0, 1};
    const ClassFit fit = fit_classes(two.z, two.task, {});
    CHECK(accuracy(two, fit.readout) == 1.0);
    // In either of the two parts, the other row's class is unknown.
    CHECK(fit.error == 1.0);

    Problem constant = overlapping(90, 5, 3, 0.0f);
    std::fill(constant.z.values.begin(), constant.z.values.end(), 2.0f);
    constant.task.parts = parts_of_rows(90, 5, 0);
    const ClassFit same = fit_classes(constant.z, constant.task, {});
    const auto largest =
        std::max_element(same.readout.bias.begin(), same.readout.bias.end()) - same.readout.bias.begin();
    std::size_t counts[3] = {};
    for (const std::uint32_t k : constant.task.classes) {
        ++counts[k];
    }
    CHECK(counts[largest] == *std::max_element(counts, counts + 3));
    CHECK(std::isfinite(same.log_loss));

    Problem wide = constant;
    wide.z = MatrixF(90, 200);
    CHECK(std::isfinite(fit_classes(wide.z, wide.task, {}).readout.bias[0]));
}

TEST_CASE("features beyond the range of what can be added up are refused")
{
    Problem problem = overlapping(50, 4, 2, 1.0f);
    problem.z.row(3)[1] = 1e30f;
    problem.z.row(4)[1] = -1e30f;
    CHECK_THROWS_AS(fit_classes(problem.z, problem.task, with_ridge(1e-3)), BadInput);
}

TEST_CASE("the scale of probabilities is that of least log-loss")
{
    // Scores that are three times too sure.
    std::mt19937 engine(11);
    const auto uniform = [&] { return static_cast<float>(engine() >> 8u) / 16777216.0f; };
    JudgedScores judged;
    judged.scores.cols = 3;
    for (int i = 0; i < 20000; ++i) {
        const float logits[3] = {2.0f * uniform(), uniform(), 3.0f * uniform()};
        double sum = 0.0, part = 0.0;
        for (const float value : logits) {
            sum += std::exp(static_cast<double>(value));
        }
        const double at = static_cast<double>(uniform()) * sum;
        std::uint32_t k = 0;
        for (part = std::exp(static_cast<double>(logits[0])); part < at && k < 2;) {
            part += std::exp(static_cast<double>(logits[++k]));
        }
        const float scores[3] = {3.0f * logits[0], 3.0f * logits[1], 3.0f * logits[2]};
        judged.add(scores, k, 1.0f);
    }
    const double scale = probability_scale(judged);
    CHECK(scale == doctest::Approx(1.0 / 3.0).epsilon(0.05));
    CHECK(log_loss(judged, scale) < log_loss(judged, 0.9 * scale));
    CHECK(log_loss(judged, scale) < log_loss(judged, 1.1 * scale));

    JudgedScores sure;
    sure.scores.cols = 2;
    const float right[2] = {1.0f, -1.0f};
    for (int i = 0; i < 10; ++i) {
        sure.add(right, 0, 1.0f);
    }
    // Ten rows that are all right: about 1 in 22 of the next may be wrong.
    const double p = 1.0 / (1.0 + std::exp(-2.0 * probability_scale(sure)));
    CHECK(p == doctest::Approx(1.0 - 0.5 / 11.0).epsilon(0.01));

    JudgedScores nothing;
    nothing.scores.cols = 2;
    const float same[2] = {0.5f, 0.5f};
    nothing.add(same, 0, 1.0f);
    CHECK(probability_scale(nothing) == 1.0);
}
