// Maps of dot-product kernels.
#include <doctest/doctest.h>

#include <algorithm>

#include "contracts.hpp"
#include "samara/map/polynomial.hpp"

namespace {

using namespace samara;

constexpr unsigned seeds = measure::quick ? 100 : 1500;

measure::Points some_points(std::uint32_t inputs)
{
    measure::Points p{5, inputs, std::vector<float>(std::size_t{5} * inputs)};
    fill_normals(stream_key(1, Domain::user, inputs), p.values);
    for (float& v : p.values)
        v /= std::sqrt(static_cast<float>(inputs));
    for (std::uint32_t i = 0; i < inputs; ++i) {
        p.values[inputs + i] = 0.5f * p.values[i];
        p.values[2 * inputs + i] = -p.values[i];
        p.values[4 * inputs + i] = i == 0 ? 1.0f : 0.0f;
    }
    return p;
}

template <class Spec>
void check_mean(Spec spec)
{
    spec = resolve(spec);
    REQUIRE(resolved(spec));
    const measure::Points p = some_points(spec.inputs);
    const std::vector<double> truth = measure::exact(spec, p);
    std::vector<double> sum(truth.size()), squares(truth.size());
    for (unsigned s = 0; s < seeds; ++s) {
        spec.seed = s;
        const std::vector<double> g = measure::gram(spec, p);
        for (std::size_t i = 0; i < g.size(); ++i) {
            sum[i] += g[i] / seeds;
            squares[i] += g[i] * g[i] / seeds;
        }
    }
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const double error = std::sqrt(std::max(squares[i] - sum[i] * sum[i], 0.0) / (seeds - 1));
        CAPTURE(spec.inputs);
        CAPTURE(spec.features);
        CAPTURE(i);
        CHECK(std::abs(sum[i] - truth[i]) <= 5 * error + 1e-5 * std::abs(truth[i]) + 1e-6);
    }
}

DotSpec dot_spec(std::initializer_list<float> c, std::uint32_t inputs, std::uint32_t features, PowerSketch sketch,
                 Orders orders)
{
    DotSpec s{.inputs = inputs, .features = features, .sketch = sketch, .orders = orders};
    for (const float v : c)
        s.coefficients.c[s.coefficients.count++] = v;
    return s;
}

} // namespace

TEST_CASE("polynomial and dot are unbiased")
{
    for (const PowerSketch sketch : {PowerSketch::srht, PowerSketch::count}) {
        for (const Orders orders : {Orders::none, Orders::one, Orders::automatic}) {
            for (const std::uint32_t degree : {1u, 2u, 3u, 5u})
                check_mean(PolynomialSpec{.inputs = 5,
                                          .features = 70,
                                          .degree = degree,
                                          .sketch = sketch,
                                          .orders = orders,
                                          .scale = 0.7f,
                                          .offset = 0.4f});
            check_mean(dot_spec({0.3f, 0.0f, 0.5f, 0.0f, 0.25f}, 5, 61, sketch, orders));
            check_mean(dot_spec({0.0f, 0.5f, 0.0f, 0.3f}, 3, 40, sketch, orders));
        }
        check_mean(PolynomialSpec{.inputs = 3, .features = 40, .degree = 3, .sketch = sketch, .offset = 0});
        check_mean(dot_spec({0.5f}, 3, 7, sketch, Orders::automatic));
    }
}

TEST_CASE("exact orders: degree 1 is exact, and degree 2 errs less")
{
    const measure::Points points = measure::read_points(SAMARA_TEST_DATA "/unit_200x64.csv");
    REQUIRE(points.count == 200);
    const auto error = [&](auto spec, Orders orders) {
        spec.orders = orders;
        return measure::errors_over_seeds(spec, points, measure::quick ? 4 : 12).mean;
    };
    CHECK(error(PolynomialSpec{.inputs = 64, .features = 65, .degree = 1}, Orders::one) < 1e-6);
    for (const PowerSketch sketch : {PowerSketch::srht, PowerSketch::count}) {
        const PolynomialSpec spec{.inputs = 64, .features = 1024, .degree = 2, .sketch = sketch};
        const double none = error(spec, Orders::none), one = error(spec, Orders::one);
        MESSAGE("degree 2 of 1,024: orders none ", none, ", orders 1 ", one);
        CHECK(one < 0.5 * none);
    }
}

TEST_CASE("polynomial and dot: batches, workspaces, and what is refused")
{
    for (const PowerSketch sketch : {PowerSketch::srht, PowerSketch::count}) {
        for (const Orders orders : {Orders::none, Orders::one}) {
            measure::check_calls(
                PolynomialSpec{.inputs = 17, .features = 101, .degree = 3, .sketch = sketch, .orders = orders});
            measure::check_calls(
                PolynomialSpec{.inputs = 17, .features = 101, .degree = 1, .sketch = sketch, .orders = orders});
            measure::check_calls(dot_spec({1.0f, 2.0f, 0.0f, 3.0f, 4.0f}, 17, 101, sketch, orders));
        }
    }
    CHECK(std::string(check(PolynomialSpec{.inputs = 3, .degree = 33}).field) == "degree");
    CHECK(std::string(check(PolynomialSpec{.inputs = 3, .offset = -1}).field) == "offset");
    CHECK(std::string(check(PolynomialSpec{.inputs = 3, .scale = 0}).field) == "scale");
    // Coefficients within floats: 8^32 and 9^32 are, (2^30)^32 is not, 2^30 and 2^30 are for low degrees.
    CHECK(check(PolynomialSpec{.inputs = 3, .degree = 32, .scale = 8}));
    CHECK(check(PolynomialSpec{.inputs = 3, .degree = 32, .offset = 9}));
    CHECK(check(PolynomialSpec{.inputs = 3, .degree = 3, .scale = 0x1p30f, .offset = 0x1p30f}));
    CHECK(check(PolynomialSpec{.inputs = 3, .degree = 32, .scale = 0x1p-30f, .offset = 0x1p-30f}));
    for (Orders orders : {Orders::none, Orders::automatic}) {
        CHECK(std::string(check(PolynomialSpec{.inputs = 3, .degree = 32, .orders = orders, .scale = 0x1p30f}).field) ==
              "scale");
        CHECK(
            std::string(check(PolynomialSpec{.inputs = 3, .degree = 32, .orders = orders, .offset = 0x1p30f}).field) ==
            "offset");
    }
    CHECK(std::string(check(PolynomialSpec{.inputs = 3, .degree = 32, .scale = 0x1p30f, .offset = 0}).field) ==
          "scale");
    CHECK(check(PolynomialSpec{.inputs = 3, .degree = 3, .scale = 0x1p30f, .offset = 0}));
    CHECK(std::string(check(PolynomialSpec{.inputs = 3, .orders = Orders::one, .offset = 0}).field) == "orders");
    const SpecReport few = check(PolynomialSpec{.inputs = 3, .features = 4, .degree = 3, .orders = Orders::one});
    CHECK(std::string(few.field) == "features");
    CHECK(few.nearest == 6);
    CHECK(std::string(check(dot_spec({1.0f, -1.0f}, 3, 10, PowerSketch::srht, Orders::none)).field) == "coefficients");
    CHECK(std::string(check(dot_spec({1.0f, 0.0f}, 3, 10, PowerSketch::srht, Orders::none)).field) == "coefficients");
    CHECK(resolve(PolynomialSpec{.inputs = 1000, .features = 1024}).orders == Orders::none);
    CHECK(resolve(PolynomialSpec{.inputs = 100, .features = 1024}).orders == Orders::one);
    CHECK(resolve(PolynomialSpec{.inputs = 100, .features = 1024, .offset = 0}).orders == Orders::none);

    const PolynomialSpec high = resolve(PolynomialSpec{.inputs = 3, .features = 64, .degree = 9});
    std::vector<float> huge(3, 0x1p39f), z(64, 1.0f);
    std::vector<std::byte> work(workspace_bytes(high));
    CHECK(features(high, huge, z, work) == Status::overflow);
    CHECK(z == std::vector<float>(64));
}

TEST_CASE("what a sketch takes inside a map beyond 2^40 overflows; beyond it at the caller's it is out of range")
{
    for (const PowerSketch sketch : {PowerSketch::srht, PowerSketch::count}) {
        const PolynomialSpec spec = resolve(PolynomialSpec{
            .inputs = 3, .features = 12, .degree = 1, .sketch = sketch, .orders = Orders::none, .scale = 4.0f});
        std::vector<float> z(36, 1.0f);
        std::vector<std::byte> work(workspace_bytes(spec));
        // x sqrt(scale) is 2^40, and then the next float.
        CHECK(features(spec, std::vector<float>(3, 0x1p39f), std::span(z).first(12), work) == Status::ok);
        const float above = 0x1.000002p39f;
        std::vector<float> samples(9, 1.0f);
        samples[4] = above;
        CHECK(features(spec, samples, z, 3, work) == Status::overflow);
        CHECK(z == std::vector<float>(36));

        std::fill(z.begin(), z.end(), 1.0f);
        samples[4] = 0x1.000002p40f;
        CHECK(features(spec, samples, z, 3, work) == Status::out_of_range);
        CHECK(z == std::vector<float>(36, 1.0f));
    }
}
