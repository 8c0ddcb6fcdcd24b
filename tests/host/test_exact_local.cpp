// The kernel of patches averaged over windows, against what is worked out by hand and against features.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ports/host/training/exact_local.hpp"
#include "samara/kernel.hpp"
#include "tests/host/refusal.hpp"
#include "tests/simd/support.hpp"

namespace {

using namespace samara;
using namespace samara::desk;
using samara::desk::test::refusal;
using samara::test::RandomNumbers;

const LocalArcCosSpec shapes[] = {
    {.inputs = 30, .height = 5, .width = 6},
    {.inputs = 56, .height = 4, .width = 7, .channels = 2},
    {.inputs = 63, .height = 7, .width = 3, .channels = 3, .largest = 3},
    {.inputs = 6, .height = 2, .width = 3},
    {.inputs = 12, .length = 12, .reach = 7},
    {.inputs = 27, .channels = 3, .length = 9, .largest = 5},
    {.inputs = 3, .length = 3},
};

// Two samples that have something in common, with an offset that balanced filters do not see.
MatrixF two_samples(std::uint32_t inputs, std::uint64_t seed)
{
    RandomNumbers numbers(seed);
    MatrixF x(2, inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        x.row(0)[i] = 0.4f + numbers.symmetric();
        x.row(1)[i] = 0.5f * x.row(0)[i] + numbers.symmetric();
    }
    return x;
}

// <z(x), z(x)> and <z(x), z(y)> of a map, in this order.
std::vector<double> estimates(LocalArcCosSpec spec, const MatrixF& x, std::uint32_t features, std::uint64_t seed)
{
    spec.features = features;
    spec.seed = seed;
    spec = resolve(spec);
    std::vector<float> z(2 * std::size_t{features}), work(workspace_bytes(spec) / sizeof(float));
    REQUIRE(samara::features(spec, std::span<const float>(x.values), z, 2, std::as_writable_bytes(std::span(work))) ==
            Status::ok);
    std::vector<double> found(2);
    for (std::size_t i = 0; i < features; ++i) {
        const auto of_x = static_cast<double>(z[i]), of_y = static_cast<double>(z[features + i]);
        found[0] += of_x * of_x;
        found[1] += of_x * of_y;
    }
    return found;
}

struct Moments {
    double mean = 0.0, deviation = 0.0;
};

Moments moments(const LocalArcCosSpec& spec, const MatrixF& x, std::size_t which, std::uint32_t features,
                std::uint32_t seeds)
{
    double sum = 0.0, squares = 0.0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const double value = estimates(spec, x, features, 100 + seed)[which];
        sum += value;
        squares += value * value;
    }
    const double mean = sum / seeds;
    return {mean, std::sqrt((squares / seeds - mean * mean) * seeds / (seeds - 1.0))};
}

double patch_kernel(std::vector<float> x, std::vector<float> y, bool balanced)
{
    double freedom = static_cast<double>(x.size());
    if (balanced) {
        freedom -= 1.0;
        for (std::vector<float>* const v : {&x, &y}) {
            float sum = 0.0f;
            for (const float value : *v) {
                sum += value;
            }
            for (float& value : *v) {
                value -= sum / static_cast<float>(v->size());
            }
        }
    }
    return arccos1_kernel(x, y) / freedom;
}

} // namespace

TEST_CASE("exact local kernel: worked out by hand")
{
    // Images of 2 x 2 have one patch and one window.
    const MatrixF x = two_samples(4, 1);
    const MatrixD k = local_matrix({.inputs = 4, .height = 2}, x, x, 1);
    const auto row = [](const MatrixF& m, std::size_t i) { return std::vector<float>(m.row(i), m.row(i) + m.cols); };
    CHECK(k.row(0)[0] == doctest::Approx(patch_kernel(row(x, 0), row(x, 0), true)).epsilon(1e-6));
    CHECK(k.row(0)[1] == doctest::Approx(patch_kernel(row(x, 0), row(x, 1), true)).epsilon(1e-6));
    // Series of three numbers, patches of two that lie side by side: at two places, in windows of one or both.
    const MatrixF y = two_samples(3, 2);
    double expected = 0.0;
    for (const bool balanced : {false, true}) {
        double found[2][2];
        for (std::size_t p = 0; p < 2; ++p) {
            for (std::size_t q = 0; q < 2; ++q) {
                found[p][q] = patch_kernel({y.row(0)[p], y.row(0)[p + 1]}, {y.row(1)[q], y.row(1)[q + 1]}, balanced);
            }
        }
        const double both = (found[0][0] + found[0][1] + found[1][0] + found[1][1]) / 4.0;
        const double one = (found[0][0] + found[1][1]) / 2.0;
        expected += 0.5 * (0.5 * both + 0.5 * (0.5 * one + 0.5 * both));
    }
    const MatrixD of_series = local_matrix({.inputs = 3, .length = 3, .reach = 2}, y, y, 1);
    CHECK(of_series.row(0)[1] == doctest::Approx(expected).epsilon(1e-6));
    CHECK(of_series.row(1)[0] == of_series.row(0)[1]);
}

TEST_CASE("exact local kernel: what features tend to")
{
    constexpr std::uint32_t features = 2048, seeds = 100;
    for (const LocalArcCosSpec& shape : shapes) {
        CAPTURE(shape.inputs);
        const MatrixF x = two_samples(shape.inputs, shape.inputs);
        const MatrixD k = local_matrix(shape, x, x, 2);
        for (std::size_t which = 0; which < 2; ++which) {
            const Moments found = moments(shape, x, which, features, seeds);
            const double error = found.deviation / std::sqrt(double{seeds});
            CAPTURE(which);
            CAPTURE(found.mean);
            CAPTURE(error);
            CHECK(std::abs(found.mean - k.row(0)[which]) < 4.5 * error);
            // A constant that is wrong by 5 % would be seen.
            CHECK(error < 0.011 * k.row(0)[which]);
        }
    }
}

TEST_CASE("exact local kernel: the variance of its features falls like their number")
{
    const LocalArcCosSpec& shape = shapes[0];
    const MatrixF x = two_samples(shape.inputs, 5);
    const double few = moments(shape, x, 1, 64, 600).deviation, many = moments(shape, x, 1, 1024, 600).deviation;
    CHECK(few / many == doctest::Approx(4.0).epsilon(0.15));
}

TEST_CASE("exact local kernel: offsets, lengths, and other matrices")
{
    const LocalArcCosSpec image = shapes[1];
    MatrixF x = two_samples(image.inputs, 7);
    const MatrixD k = local_matrix(image, x, x, 1);
    MatrixF moved = x;
    for (float& value : moved.values) {
        value = 3.0f * (value + 2.0f); // one for each channel would be seen
    }
    const MatrixD other = local_matrix(image, x, moved, 3);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
            CHECK(other.row(i)[j] == doctest::Approx(3.0 * k.row(i)[j]).epsilon(1e-4));
        }
    }
    MatrixF zero(1, image.inputs);
    CHECK(local_matrix(image, x, zero, 1).row(0)[0] == 0.0);
    x.row(1)[4] = std::numeric_limits<float>::quiet_NaN();
    CHECK(refusal([&] { local_matrix(image, x, x, 1); }).find("row 2 that is not finite") != std::string::npos);
    CHECK(refusal([&] { local_matrix(shapes[0], x, x, 1); }).find("expected 30") != std::string::npos);
}
