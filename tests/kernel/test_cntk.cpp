// The kernel of convolutional networks: golden values, the definition in long double, shapes at the edges of what is
// taken, and refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "samara/kernel.hpp"

#include "../simd/support.hpp"
#include "cntk_definition.hpp"

namespace {

using namespace samara;
using namespace samara::test;
using Image = std::vector<float>;

double kernel_of(const CntkShape& shape, const Image& y, const Image& z)
{
    std::vector<double> work(cntk_workspace_bytes(shape) / sizeof(double) + 1);
    double out = 0.0;
    REQUIRE(cntk_kernel(shape, y, z, out, std::as_writable_bytes(std::span(work))) == Status::ok);
    return out;
}

// Errors grow with the layers, and are absolute ones of the kernel's own size.
void compare(const CntkShape& shape, const Image& y, const Image& z, double most_error = 1e-14)
{
    const double found = kernel_of(shape, y, z);
    const double exact = static_cast<double>(cntk_by_definition(shape, y, z));
    const double size = std::sqrt(static_cast<double>(cntk_by_definition(shape, y, y)) *
                                  static_cast<double>(cntk_by_definition(shape, z, z)));
    CAPTURE(shape.height);
    CAPTURE(shape.width);
    CAPTURE(shape.patch);
    CAPTURE(shape.depth);
    CAPTURE(shape.cells_high);
    CAPTURE(shape.cells_wide);
    CAPTURE(shape.trained_ends);
    CHECK(std::abs(found - exact) <= most_error * shape.depth * size);
}

// Computed in double by an independent implementation, whose images had the same decimal numbers.
struct Golden {
    CntkShape shape;
    std::vector<Image> images;
    std::vector<std::vector<double>> kernel;
};
// clang-format off
const Golden golden[] = {
    {{.height = 3, .width = 3, .channels = 1, .patch = 3, .depth = 2, .cells_high = 1, .cells_wide = 1, .trained_ends = false},
     {{0.50f, 0.06f, 0.40f, -2.02f, -0.23f, -2.32f, -0.46f, -0.05f, 0.34f},
      {0.51f, 0.75f, 0.94f, -0.46f, 1.05f, 1.12f, 1.04f, 1.06f, -1.32f},
      {-0.47f, 0.14f, -0.44f, -0.90f, 0.20f, -0.81f, -0.64f, -1.11f, 1.12f}},
     {{0.1023067956202568, 0.0339214289254924, 0.05277119548087983}, {0.0339214289254924, 0.08797071766900295, 0.021692865539070808}, {0.05277119548087983, 0.021692865539070808, 0.043378392404814746}}},
    {{.height = 3, .width = 4, .channels = 2, .patch = 3, .depth = 2, .cells_high = 1, .cells_wide = 1, .trained_ends = false},
     {{-0.01f, 0.61f, -0.84f, 0.00f, -0.15f, 1.51f, -0.84f, -0.64f, -0.75f, 1.46f, -0.20f, -0.42f, 1.26f, -1.50f, 0.86f, -0.52f, -0.77f, -1.46f, -1.41f, 0.88f, -0.83f, 1.18f, -1.20f, 0.16f},
      {-1.02f, 0.79f, 1.64f, -1.17f, 1.52f, 0.94f, -0.02f, 1.10f, 0.13f, -0.44f, 0.31f, 0.39f, -0.23f, -0.81f, 2.32f, 0.09f, -1.91f, -2.30f, 1.82f, 0.42f, -0.18f, 0.30f, 1.47f, 0.70f},
      {-0.95f, -0.93f, -0.06f, -1.84f, -0.44f, -3.01f, -0.75f, -0.39f, 0.94f, 1.25f, -0.63f, -1.15f, -1.10f, -0.48f, -0.50f, 1.40f, -0.78f, 0.45f, -1.56f, 1.10f, 0.79f, -0.20f, -1.21f, -0.36f}},
     {{0.1558017699839573, 0.11069715066535853, 0.1316326854602017}, {0.11069715066535853, 0.2155210844505241, 0.11299872451039746}, {0.1316326854602017, 0.11299872451039746, 0.24729004627988285}}},
    {{.height = 3, .width = 3, .channels = 2, .patch = 3, .depth = 4, .cells_high = 1, .cells_wide = 1, .trained_ends = false},
     {{0.86f, 0.00f, -1.29f, -1.88f, 0.48f, 1.57f, -2.07f, 0.22f, 0.86f, -0.04f, -0.67f, -0.37f, 1.38f, -0.84f, 0.37f, -1.35f, 1.74f, -1.06f},
      {1.35f, -0.90f, -1.61f, 0.47f, -1.57f, 0.39f, 0.15f, 0.41f, -0.21f, -0.96f, -0.96f, -0.37f, -1.06f, 0.76f, -1.99f, -0.91f, 0.67f, -0.39f},
      {1.48f, -0.44f, 0.25f, 1.29f, -0.22f, -0.20f, -1.48f, 1.14f, 1.61f, -0.29f, -3.68f, -2.78f, -1.58f, -0.39f, -1.60f, -0.37f, 0.29f, 1.77f}},
     {{0.2290718125103243, 0.11799000108418085, 0.18103415044557195}, {0.11799000108418085, 0.18251266477016673, 0.1806155493624179}, {0.18103415044557195, 0.1806155493624179, 0.4344483538793285}}},
    {{.height = 3, .width = 3, .channels = 2, .patch = 3, .depth = 2, .cells_high = 3, .cells_wide = 3, .trained_ends = true},
     {{0.95f, -0.72f, 1.66f, 0.78f, -0.45f, -1.50f, -0.69f, 0.93f, -0.12f, -0.83f, 0.79f, -1.04f, -1.55f, 0.58f, 0.67f, 0.54f, 0.56f, 0.16f},
      {0.63f, 0.33f, 0.22f, 0.68f, 0.85f, 0.75f, 0.24f, 0.06f, 1.43f, 1.43f, 0.52f, 0.20f, 0.17f, 0.33f, 0.11f, 0.71f, 0.45f, 1.91f}},
     {{16.983007407407406, 3.207972372734479}, {3.207972372734479, 14.58634074074074}}},
};
// clang-format on

TEST_CASE("the convolutional NTK has its golden values")
{
    for (const Golden& g : golden)
        for (std::size_t i = 0; i < g.images.size(); ++i)
            for (std::size_t j = 0; j < g.images.size(); ++j)
                CHECK(std::abs(kernel_of(g.shape, g.images[i], g.images[j]) - g.kernel[i][j]) <= 1e-6 * g.kernel[i][j]);
}

TEST_CASE("the convolutional NTK is its definition")
{
    RandomNumbers numbers(7);
    const CntkShape shapes[] = {
        {.height = 1, .width = 1},
        {.height = 1, .width = 1, .channels = 3, .depth = 4, .trained_ends = true},
        {.height = 3, .width = 3},
        {.height = 3, .width = 3, .channels = 2, .patch = 5},
        {.height = 4, .width = 5, .channels = 3},
        {.height = 4, .width = 5, .channels = 3, .depth = 2},
        {.height = 6, .width = 5, .channels = 1, .patch = 5, .depth = 4},
        {.height = 3, .width = 4, .patch = 1},
        {.height = 3, .width = 2, .patch = 9},
        {.height = 2, .width = 3, .channels = 2, .patch = 255, .depth = 5},
        {.height = 1, .width = 11, .channels = 2},
        {.height = 9, .width = 1, .patch = 7, .depth = 32},
        {.height = 5, .width = 7, .channels = 1, .cells_high = 2, .cells_wide = 3},
        {.height = 1, .width = 10, .channels = 2, .cells_wide = 4},
        {.height = 4, .width = 5, .cells_high = 4, .cells_wide = 5},
        {.height = 4, .width = 5, .cells_high = 4, .cells_wide = 1, .trained_ends = true},
        {.height = 4, .width = 3, .channels = 2, .depth = 2, .trained_ends = true},
        {.height = 4, .width = 5, .cells_high = 4, .cells_wide = 5, .trained_ends = true},
    };
    for (const CntkShape& shape : shapes) {
        REQUIRE(check(shape));
        const Image y = random_image(shape, numbers), z = random_image(shape, numbers);
        compare(shape, y, z);
        compare(shape, z, y);
        compare(shape, y, y);
    }
}

TEST_CASE("windows without a number are 0")
{
    const CntkShape base{.height = 7, .width = 6, .channels = 2};
    RandomNumbers numbers(8);
    for (const bool trained : {false, true}) {
        CntkShape shape = base;
        shape.trained_ends = trained;
        Image y = random_image(shape, numbers), z = y;
        std::fill(y.begin() + 12, y.end(), 0.0f);
        compare(shape, y, random_image(shape, numbers));
        const Image nothing(y.size());
        CHECK(kernel_of(shape, y, nothing) == 0.0);
        CHECK(kernel_of(shape, nothing, nothing) == 0.0);
        // Opposite images: the cosine is -1.
        for (float& value : z)
            value = -value;
        compare(shape, y, z);
    }
}

TEST_CASE("the size of an image is a factor of the kernel, however small or large")
{
    const CntkShape shape{.height = 3, .width = 4, .channels = 2, .cells_wide = 2};
    RandomNumbers numbers(9);
    Image y = random_image(shape, numbers), z = random_image(shape, numbers);
    const double before = kernel_of(shape, y, z);
    for (const float factor : {0x1p-100f, 0x1p38f}) {
        Image scaled = y;
        for (float& value : scaled)
            value *= factor;
        CHECK(std::abs(kernel_of(shape, scaled, z) / (before * static_cast<double>(factor)) - 1.0) < 1e-13);
    }
    // A dark corner beside a bright one keeps its own share.
    for (std::size_t i = 0; i < 8; ++i)
        y[i] *= 0x1p38f;
    Image dark = z;
    std::fill(dark.begin(), dark.begin() + 8, 0.0f);
    compare(shape, y, dark);
}

TEST_CASE("cells are images of their own where windows are one pixel")
{
    // With windows of one pixel nothing passes from a cell to the next: the kernel is the sum of those of the cells.
    CntkShape shape{.height = 1, .width = 7, .channels = 2, .patch = 1, .depth = 3, .cells_wide = 3};
    RandomNumbers numbers(10);
    const Image y = random_image(shape, numbers), z = random_image(shape, numbers);
    const std::uint32_t first[] = {0, 2, 4, 7};
    double sum = 0.0;
    for (std::uint32_t cell = 0; cell < 3; ++cell) {
        CHECK(cntk_cell_first(cell, 3, 7) == first[cell]);
        const CntkShape one{.height = 1, .width = first[cell + 1] - first[cell], .channels = 2, .patch = 1, .depth = 3};
        const auto part = [&](const Image& x) {
            return Image(x.begin() + 2 * first[cell], x.begin() + 2 * first[cell + 1]);
        };
        sum += kernel_of(one, part(y), part(z));
    }
    CHECK(std::abs(kernel_of(shape, y, z) - sum) < 1e-14 * sum);
    CHECK(cntk_cell_of(3, 3, 7) == 1);
    CHECK(cntk_cell_of(4, 3, 7) == 2);
}

TEST_CASE("equal images have an exact step at every layer")
{
    // One pixel: all cosines are 1, and G and P are those of q^2 = 9 by hand; P(3) = (G(1)/9 + G(2))/9.
    const CntkShape shape{.height = 1, .width = 1, .channels = 3};
    const Image y{0.1f, 0.7f, -0.3f};
    double squares = 0.0;
    for (const float value : y)
        squares += static_cast<double>(value) * static_cast<double>(value);
    CHECK(std::abs(kernel_of(shape, y, y) / (squares * 2.0 / 729.0) - 1.0) < 1e-14);
}

TEST_CASE("what cannot be computed is refused and leaves the result")
{
    CntkShape shape{.height = 3, .width = 4, .channels = 2};
    const Image y(24, 1.0f);
    std::vector<double> words(cntk_workspace_bytes(shape) / sizeof(double) + 2);
    const auto work = std::as_writable_bytes(std::span(words));
    double out = 7.0;
    const auto run = [&](const CntkShape& s, const Image& a, const Image& b, std::span<std::byte> bytes) {
        return cntk_kernel(s, a, b, out, bytes);
    };
    CHECK(run(shape, Image(23), y, work) == Status::wrong_length);
    CHECK(run(shape, y, Image(25), work) == Status::wrong_length);
    Image bad = y;
    bad[5] = std::numeric_limits<float>::quiet_NaN();
    CHECK(run(shape, y, bad, work) == Status::not_finite);
    CHECK(run(shape, bad, y, work) == Status::not_finite);
    bad[5] = 0x1.000002p40f;
    CHECK(run(shape, y, bad, work) == Status::out_of_range);
    CHECK(run(shape, y, y, work.subspan(1)) == Status::misaligned);
    CHECK(run(shape, y, y, work.first(cntk_workspace_bytes(shape) - 1)) == Status::small_workspace);

    const auto refused = [&](auto change, const char* field, std::uint64_t nearest) {
        CntkShape s = shape;
        change(s);
        const SpecReport report = check(s);
        CHECK(report.status == Status::bad_spec);
        CHECK(std::string_view(report.field) == field);
        CHECK(report.nearest == nearest);
        CHECK(run(s, y, y, work) == Status::bad_spec);
    };
    refused([](CntkShape& s) { s.height = 0; }, "height", 1);
    refused([](CntkShape& s) { s.height = most_inputs + 1; }, "height", most_inputs);
    refused([](CntkShape& s) { s.width = 0; }, "width", 0);
    refused([](CntkShape& s) { s.width = most_inputs / 3 + 1; }, "width", 0);
    refused([](CntkShape& s) { s.channels = 0; }, "channels", 0);
    refused([](CntkShape& s) { s.channels = most_inputs / 12 + 1; }, "channels", 0);
    refused([](CntkShape& s) { s.patch = 0; }, "patch", 1);
    refused([](CntkShape& s) { s.patch = 4; }, "patch", 0);
    refused([](CntkShape& s) { s.patch = 257; }, "patch", 255);
    refused([](CntkShape& s) { s.depth = 1; }, "depth", 2);
    refused([](CntkShape& s) { s.depth = 33; }, "depth", 32);
    refused([](CntkShape& s) { s.cells_high = 0; }, "cells_high", 1);
    refused([](CntkShape& s) { s.cells_high = 4; }, "cells_high", 3);
    refused([](CntkShape& s) { s.cells_wide = 0; }, "cells_wide", 1);
    refused([](CntkShape& s) { s.cells_wide = 5; }, "cells_wide", 4);
    shape.depth = 1;
    CHECK(std::string_view(check(shape).expected).find("zero") != std::string_view::npos);
    CHECK(out == 7.0);
}

TEST_CASE("a workspace may start at any multiple of 4 bytes, and is not left")
{
    const CntkShape shape{.height = 3, .width = 4, .channels = 2};
    RandomNumbers numbers(11);
    const Image y = random_image(shape, numbers), z = random_image(shape, numbers);
    const double expected = kernel_of(shape, y, z);
    const std::size_t bytes = cntk_workspace_bytes(shape);
    for (const std::size_t start : {0u, 4u}) {
        alignas(8) static std::byte room[4096];
        REQUIRE(start + bytes + 8 <= sizeof room);
        std::fill(std::begin(room), std::end(room), std::byte{0x55});
        double out = 0.0;
        CHECK(cntk_kernel(shape, y, z, out, std::span(room).subspan(start, bytes)) == Status::ok);
        CHECK(out == expected);
        const auto kept = [](std::byte b) { return b == std::byte{0x55}; };
        CHECK(std::all_of(room, room + start, kept));
        CHECK(std::all_of(room + start + bytes, std::end(room), kept));
    }
}

} // namespace
