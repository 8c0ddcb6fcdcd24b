// The convolutional NTK of many pairs at a time, against the core's of one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ports/host/training/exact_cntk.hpp"
#include "samara/simd.hpp"
#include "tests/host/refusal.hpp"
#include "tests/simd/support.hpp"

namespace {

using namespace samara;
using namespace samara::desk;
using samara::desk::test::refusal;
using samara::test::RandomNumbers;

MatrixF random_images(const CntkShape& shape, std::size_t count, std::uint64_t seed)
{
    RandomNumbers numbers(seed);
    MatrixF images(count, cntk_inputs(shape));
    for (float& value : images.values) {
        value = numbers.symmetric() + numbers.symmetric();
    }
    return images;
}

double core_kernel(const CntkShape& shape, const float* y, const float* z)
{
    std::vector<double> work(cntk_workspace_bytes(shape) / sizeof(double) + 1);
    double value = 0.0;
    REQUIRE(cntk_kernel(shape, {y, cntk_inputs(shape)}, {z, cntk_inputs(shape)}, value,
                        std::as_writable_bytes(std::span(work))) == Status::ok);
    return value;
}

// The largest error of an entry over sqrt(k(x, x) k(y, y)).
double largest_error(const CntkShape& shape, const MatrixF& x, const MatrixF& y, const MatrixD& found)
{
    REQUIRE(found.rows == x.rows);
    REQUIRE(found.cols == y.rows);
    double largest = 0.0;
    for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t j = 0; j < y.rows; ++j) {
            const double size =
                std::sqrt(core_kernel(shape, x.row(i), x.row(i)) * core_kernel(shape, y.row(j), y.row(j)));
            const double error = std::abs(found.row(i)[j] - core_kernel(shape, x.row(i), y.row(j)));
            largest = std::max(largest, size > 0.0 ? error / size : error);
        }
    }
    return largest;
}

const CntkShape shapes[] = {
    {.height = 8, .width = 7, .channels = 3},
    {.height = 8, .width = 7, .channels = 1, .depth = 2},
    {.height = 5, .width = 6, .channels = 2, .depth = 4},
    {.height = 6, .width = 6, .channels = 3, .patch = 5},
    {.height = 3, .width = 4, .patch = 1, .depth = 4},
    {.height = 3, .width = 4, .channels = 4, .patch = 9},
    {.height = 2, .width = 3, .patch = 255, .depth = 32},
    {.height = 1, .width = 1, .channels = 5},
    {.height = 1, .width = 17, .channels = 2},
    {.height = 12, .width = 1, .channels = 2, .depth = 32},
    {.height = 7, .width = 5, .channels = 3, .cells_high = 2, .cells_wide = 3},
    {.height = 6, .width = 5, .patch = 5, .cells_high = 6, .cells_wide = 5},
    {.height = 6, .width = 5, .channels = 3, .trained_ends = true},
    {.height = 6, .width = 5, .channels = 3, .depth = 2, .cells_high = 6, .cells_wide = 5, .trained_ends = true},
    {.height = 6, .width = 5, .channels = 3, .patch = 7, .cells_high = 1, .cells_wide = 5, .trained_ends = true},
};

} // namespace

TEST_CASE("exact CNTK: eight pairs at a time are the core's kernel on every back end")
{
    const Simd before = active_simd();
    for (const Simd simd : samara::test::back_ends()) {
        REQUIRE(use_simd(simd) == Status::ok);
        double largest = 0.0;
        for (const CntkShape& shape : shapes) {
            CAPTURE(shape.height);
            CAPTURE(shape.width);
            CAPTURE(shape.patch);
            CAPTURE(shape.depth);
            CAPTURE(shape.trained_ends);
            const MatrixF x = random_images(shape, 3, 1), y = random_images(shape, 9, 2);
            const double error = largest_error(shape, x, y, cntk_matrix(shape, x, y, 1));
            CHECK(error < 1e-10);
            largest = std::max(largest, error);
        }
        MESSAGE(std::string(name(simd)) << ": largest error " << largest);
    }
    REQUIRE(use_simd(before) == Status::ok);
}

TEST_CASE("exact CNTK: a matrix with itself is symmetric, and has the bits of two matrices")
{
    const CntkShape shape{.height = 6, .width = 5, .channels = 3};
    const MatrixF x = random_images(shape, 21, 3), copy = x;
    const MatrixD one = cntk_matrix(shape, x, x, 1), two = cntk_matrix(shape, x, copy, 2);
    const MatrixD threads = cntk_matrix(shape, x, x, 2);
    CHECK(one.values == threads.values);
    CHECK(largest_error(shape, x, x, one) < 1e-10);
    for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t j = 0; j < x.rows; ++j) {
            CHECK(one.row(i)[j] == one.row(j)[i]);
            if (j >= i) {
                CHECK(one.row(i)[j] == two.row(i)[j]);
            }
        }
    }
}

TEST_CASE("exact CNTK: more images than one tile has, few images against many, and none")
{
    const CntkShape shape{.height = 1, .width = 3, .patch = 3, .depth = 2, .cells_wide = 3};
    const MatrixF many = random_images(shape, 700, 4), few = random_images(shape, 2, 5);
    const MatrixD all = cntk_matrix(shape, many, many, 2);
    CHECK(largest_error(shape, many, few, cntk_matrix(shape, many, few, 2)) < 1e-10);
    CHECK(largest_error(shape, few, many, cntk_matrix(shape, few, many, 2)) < 1e-10);
    for (std::size_t i = 0; i < many.rows; i += 37) {
        for (std::size_t j = 0; j < many.rows; j += 41) {
            CHECK(std::abs(all.row(i)[j] - core_kernel(shape, many.row(i), many.row(j))) < 1e-10);
            CHECK(all.row(i)[j] == all.row(j)[i]);
        }
    }
    const MatrixF none(0, cntk_inputs(shape));
    CHECK(cntk_matrix(shape, none, many, 1).values.empty());
    CHECK(cntk_matrix(shape, none, none, 2).values.empty());
}

TEST_CASE("exact CNTK: images with empty parts, equal parts, and of any size")
{
    const CntkShape shape{.height = 8, .width = 8, .channels = 2};
    MatrixF x = random_images(shape, 6, 6);
    std::fill_n(x.row(0), x.cols / 2, 0.0f);
    std::fill_n(x.row(1) + 40, x.cols - 40, 0.0f);
    std::fill_n(x.row(2), x.cols, 0.0f);
    std::fill_n(x.row(3), x.cols, 0.5f);
    std::copy_n(x.row(4), x.cols / 2, x.row(5));
    // Sizes that differ this much leave most of the errors to the larger image, if any small number were ever lost.
    for (std::size_t i = 0; i < x.cols; ++i) {
        x.row(1)[i] *= 0x1p37f;
        x.row(4)[i] *= i < x.cols / 2 ? 1.0f : 0x1p-90f;
    }
    const MatrixD k = cntk_matrix(shape, x, x, 1);
    CHECK(largest_error(shape, x, x, k) < 1e-9);
    for (std::size_t i = 0; i < x.rows; ++i) {
        CHECK(k.row(2)[i] == 0.0);
    }
}

TEST_CASE("exact CNTK: refusals name what was found")
{
    CntkShape shape{.height = 3, .width = 3};
    MatrixF x = random_images(shape, 2, 7);
    const auto told = [&] { return refusal([&] { cntk_matrix(shape, x, x, 1); }); };
    CHECK(told() == "accepted");
    shape.depth = 1;
    CHECK(told() == "kernel: found a wrong depth, expected 2 to 32: the kernel of fewer layers is zero");
    shape.depth = 3;
    shape.width = 4;
    CHECK(told() == "kernel: found images of 9 numbers, expected 12");
    shape.width = 3;
    x.row(1)[2] = std::numeric_limits<float>::infinity();
    CHECK(told() == "kernel: found a number in image 2 that is not finite or beyond 2^40 in magnitude, expected none");
}
