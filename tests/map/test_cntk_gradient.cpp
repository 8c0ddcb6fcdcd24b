// What is tested of this map alone: its expectation, sizes, refusals, bytes, and known answers. And the shapes that
// all maps of images share.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>

#include "contracts.hpp"
#include "measure.hpp"

namespace {

using namespace samara;
using Spec = CntkGradientSpec;

double exact(const Spec& s, std::span<const float> x, std::span<const float> y)
{
    const CntkShape shape = cntk_shape(s);
    std::vector<std::uint32_t> work(cntk_workspace_bytes(shape) / 4);
    double value = 0.0;
    REQUIRE(cntk_kernel(shape, x, y, value, std::as_writable_bytes(std::span(work))) == Status::ok);
    return value;
}

// The means over seeds of <z(x), z(y)> and <z(x), z(x)> lie within 4.5 standard errors of the exact kernel, and what
// is known of the bias: `bias` / filters of the length.
void check_expectation(Spec request, double bias)
{
    constexpr unsigned seeds = measure::quick ? 480 : 6000;
    std::vector<float> x(request.inputs), y(request.inputs);
    fill_normals(stream_key(1, Domain::user, 1), x);
    fill_normals(stream_key(1, Domain::user, 2), y);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = 0.5f * y[i] + 0.7f * x[i];
    const double xy = exact(request, x, y), xx = exact(request, x, x), yy = exact(request, y, y);
    const double length = std::sqrt(xx * yy);
    for (const std::uint32_t filters : {3u, 24u}) {
        request.filters = filters;
        request.features = static_cast<std::uint32_t>(Map<Spec>::features_of_filters(request, filters));
        Spec spec = resolve(request);
        REQUIRE(resolved(spec));
        const unsigned count = filters > 10 ? seeds / 6 : seeds;
        std::vector<float> zx(spec.features), zy(spec.features);
        std::vector<std::byte> work(workspace_bytes(spec));
        double sums[2] = {}, squares[2] = {};
        for (unsigned k = 0; k < count; ++k) {
            spec.seed = 100 + k;
            REQUIRE(features(spec, x, zx, work) == Status::ok);
            REQUIRE(features(spec, y, zy, work) == Status::ok);
            double found[2] = {};
            for (std::size_t i = 0; i < zx.size(); ++i) {
                found[0] += static_cast<double>(zx[i]) * static_cast<double>(zy[i]);
                found[1] += static_cast<double>(zx[i]) * static_cast<double>(zx[i]);
            }
            for (int i = 0; i < 2; ++i) {
                sums[i] += found[i];
                squares[i] += found[i] * found[i];
            }
        }
        for (int i = 0; i < 2; ++i) {
            const double mean = sums[i] / count, truth = i == 0 ? xy : xx, scale = i == 0 ? length : xx;
            const double error = std::sqrt(std::max(squares[i] / count - mean * mean, 0.0) / (count - 1));
            CAPTURE(filters);
            CAPTURE(truth / scale);
            CAPTURE(mean / scale);
            CAPTURE(error / scale);
            CHECK(std::abs(mean - truth) <= 4.5 * error + bias / filters * scale);
        }
    }
}

std::string refused_field(const Spec& spec) { return check(spec).field; }

} // namespace

TEST_CASE("cntk-gradient: tends to the exact kernel as filters are added")
{
    check_expectation({.inputs = 16, .height = 4, .depth = 2}, 0.5);
    check_expectation({.inputs = 24, .height = 3, .width = 4}, 0.7);
    check_expectation({.inputs = 15, .height = 5, .pool = ImagePool::none}, 0.5);
    check_expectation({.inputs = 14, .height = 1, .channels = 2, .depth = 4}, 1.5);
    check_expectation({.inputs = 12, .height = 4, .patch = 5, .pool = ImagePool::grid}, 0.7);
    check_expectation({.inputs = 18, .width = 6, .channels = 3, .depth = 2, .pool = ImagePool::grid, .grid = 3}, 0.5);
    check_expectation({.inputs = 3, .height = 1, .width = 1, .patch = 1}, 0.8);
    check_expectation({.inputs = 9, .height = 3, .patch = 1, .depth = 2}, 0.5);
}

TEST_CASE("cntk-gradient: contracts")
{
    for (const std::uint32_t depth : {2u, 3u, 5u})
        measure::check_contracts(Spec{.inputs = 12, .features = 300, .height = 3, .depth = depth});
    measure::check_contracts(Spec{.inputs = 12, .features = 400, .height = 3, .channels = 2, .pool = ImagePool::grid});
    measure::check_contracts(Spec{.inputs = 6, .features = 400, .height = 2, .depth = 2, .pool = ImagePool::none});
    measure::same_as_fixed<Spec{.inputs = 12, .features = 90, .height = 3, .depth = 2}>();
}

TEST_CASE("images: sizes that are automatic")
{
    const auto size = [](const Spec& spec) {
        const Spec made = resolve(spec);
        CHECK(resolved(made));
        CHECK(cntk_shape(made) == cntk_shape(spec));
        return std::array{made.height, made.width, made.channels};
    };
    using Size = std::array<std::uint32_t, 3>;
    CHECK(size({.inputs = 60, .height = 5}) == Size{5, 12, 1});
    CHECK(size({.inputs = 60, .width = 5}) == Size{12, 5, 1});
    CHECK(size({.inputs = 60, .height = 5, .width = 4}) == Size{5, 4, 3});
    CHECK(size({.inputs = 60, .height = 5, .channels = 2}) == Size{5, 6, 2});
    CHECK(size({.inputs = 60, .width = 5, .channels = 2}) == Size{6, 5, 2});
    CHECK(size({.inputs = 60, .height = 1, .width = 60, .channels = 1}) == Size{1, 60, 1});
    CHECK(resolve(Spec{.inputs = 60, .height = 5, .pool = ImagePool::grid}).grid == 2);
    CHECK(resolve(Spec{.inputs = 60, .height = 1, .width = 1, .pool = ImagePool::grid}).grid == 1);
    CHECK(resolve(Spec{.inputs = 60, .height = 5}).grid == 0);

    const auto cells = [](const Spec& spec) {
        const CntkShape shape = cntk_shape(spec);
        return std::array{shape.cells_high, shape.cells_wide};
    };
    using Cells = std::array<std::uint32_t, 2>;
    CHECK(cells({.inputs = 60, .height = 5}) == Cells{1, 1});
    CHECK(cells({.inputs = 60, .height = 5, .pool = ImagePool::none}) == Cells{5, 12});
    CHECK(cells({.inputs = 60, .height = 5, .pool = ImagePool::grid}) == Cells{2, 2});
    CHECK(cells({.inputs = 60, .height = 5, .pool = ImagePool::grid, .grid = 7}) == Cells{5, 7});
    CHECK(cells({.inputs = 60, .height = 1, .pool = ImagePool::grid, .grid = 3}) == Cells{1, 3});
}

TEST_CASE("images: what is refused")
{
    const auto refused = [](const Spec& spec, const char* field, std::uint64_t nearest) {
        const SpecReport report = check(spec);
        CHECK(report.status == Status::bad_spec);
        CHECK(std::string(report.field) == field);
        CHECK(report.nearest == nearest);
        CHECK(!resolved(resolve(spec)));
        return std::string(report.expected);
    };
    CHECK(refused({.inputs = 60}, "height", 0).find("NPY of four dimensions") != std::string::npos);
    refused({.inputs = 60, .channels = 3}, "height", 0);
    refused({.inputs = 61, .height = 5, .width = 4}, "inputs", 60);
    refused({.inputs = 61, .height = 5, .width = 4, .channels = 3}, "inputs", 60);
    refused({.inputs = 61, .height = 5}, "inputs", 60);
    refused({.inputs = 4, .height = 5}, "inputs", 0);
    refused({.inputs = 60, .height = most_inputs, .width = most_inputs, .channels = most_inputs}, "inputs",
            std::uint64_t{1} << 60);
    refused({.inputs = 60, .height = 5, .patch = 14}, "patch", 15);
    refused({.inputs = 60, .height = 5, .patch = 17}, "patch", 15);
    CHECK(refused({.inputs = 60, .height = 5, .depth = 1}, "depth", 2).find("depth 1 is zero") != std::string::npos);
    refused({.inputs = 60, .height = 5, .depth = 17}, "depth", 16);
    refused({.inputs = 60, .height = 5, .grid = 2}, "grid", 0);
    refused({.inputs = 60, .height = 5, .pool = ImagePool::grid, .grid = 13}, "grid", 12);
}

TEST_CASE("cntk-gradient: sizes that are chosen, and what is refused")
{
    CHECK(resolve(Spec{.inputs = 64, .features = 1024, .height = 8}).filters == 7);
    CHECK(resolve(Spec{.inputs = 64, .features = 4096, .height = 8, .patch = 1, .depth = 2}).filters == 64);
    CHECK(resolve(Spec{.inputs = 64, .features = 4096, .height = 8, .pool = ImagePool::grid}).filters == 7);
    CHECK(resolve(Spec{.inputs = 1, .features = most_features, .height = 1, .patch = 1, .depth = 2}).filters == 4096);
    // One filter is there whatever the image; more only within the workspace.
    for (const std::uint32_t height : {1u, 1024u, most_inputs}) {
        Spec wide{.inputs = most_inputs, .features = most_features, .height = height, .patch = 15, .depth = 16};
        CHECK(resolved(resolve(wide)));
        CHECK(workspace_bytes(resolve(wide)) <= std::size_t{1} << 30);
        wide.width = 1;
        CHECK(resolved(resolve(wide)));
    }
    const Spec few{.inputs = 64, .features = 200, .height = 8, .filters = 4};
    CHECK(std::string(check(few).expected) == "at least cells x (depth - 1) x patch^2 x filters^2");
    CHECK(check(few).nearest == 288);
    CHECK(check(Spec{.inputs = 64, .features = 288, .height = 8, .filters = 4}));
    CHECK(refused_field({.inputs = 64, .features = 17, .height = 8}) == "features");
    CHECK(refused_field({.inputs = 64, .height = 8, .filters = 4097}) == "filters");
    const SpecReport large =
        check(Spec{.inputs = most_inputs, .features = most_features, .height = 1024, .filters = 100});
    CHECK(std::string(large.field) == "filters");
    CHECK(large.nearest > 10);
    CHECK(large.nearest < 100);
    CHECK(check(Spec{.inputs = most_inputs,
                     .features = most_features,
                     .height = 1024,
                     .filters = static_cast<std::uint32_t>(large.nearest)}));
}

TEST_CASE("cntk-gradient: bytes")
{
    const Spec spec{.inputs = 30,
                    .features = 0x1234,
                    .height = 5,
                    .width = 2,
                    .channels = 3,
                    .patch = 3,
                    .depth = 4,
                    .pool = ImagePool::grid,
                    .grid = 3,
                    .filters = 2,
                    .seed = 0x8877665544332211};
    constexpr unsigned char expected[] = {12, 0, 1, 0, 30, 0, 0, 0, 0x34, 0x12, 0,    0,    2,    0,    0,    0,
                                          5,  0, 0, 0, 2,  0, 0, 0, 3,    0,    0,    0,    3,    0,    0,    0,
                                          4,  0, 0, 0, 3,  0, 0, 0, 2,    0,    0,    0,    0,    0,    0,    0,
                                          0,  0, 0, 0, 0,  0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    static_assert(spec_bytes<Spec> == sizeof expected);
    std::array<std::byte, spec_bytes<Spec>> bytes;
    write_spec(spec, bytes.data());
    CHECK(std::memcmp(bytes.data(), expected, sizeof expected) == 0);
    const auto refused = [&](std::size_t at, unsigned value) {
        auto bad = bytes;
        bad[at] = static_cast<std::byte>(value);
        Spec found;
        return read_spec(bad.data(), found) == Status::damaged_model;
    };
    for (const std::size_t zero : {13u, 14u, 15u, 44u, 55u})
        CHECK(refused(zero, 1));
    CHECK(refused(12, 0)); // a grid without its pool
    CHECK(refused(12, 3));
    CHECK(refused(16, 0)); // sizes that resolve() would choose
    CHECK(refused(20, 3));
    CHECK(refused(36, 0));
    CHECK(refused(40, 0));
}

TEST_CASE("cntk-gradient: what a pixel at the border sees")
{
    // Of one pixel that is not 0, with windows of one pixel, only features of that pixel's cell are not 0.
    const Spec spec = resolve(Spec{
        .inputs = 12, .features = 512, .height = 3, .patch = 1, .depth = 2, .pool = ImagePool::none, .filters = 6});
    std::vector<float> x(12), z(spec.features);
    std::vector<std::byte> work(workspace_bytes(spec));
    for (std::size_t pixel = 0; pixel < 12; ++pixel) {
        x.assign(12, 0.0f);
        x[pixel] = 2.0f;
        REQUIRE(features(spec, x, z, work) == Status::ok);
        for (std::size_t i = 0; i < z.size(); ++i)
            CHECK((z[i] == 0.0f || i / 36 == pixel));
    }
}
