// arccos with orders=2: what its parts estimate, the spec, sizes, layout, and the same bits by every way.
#include <doctest/doctest.h>

#include <cstring>
#include <string_view>

#include "expectation.hpp"

namespace {

using namespace samara;

ArcCosSpec two(std::uint32_t inputs, std::uint32_t random, std::uint32_t pairs, Rows rows)
{
    return resolve(ArcCosSpec{.inputs = inputs,
                              .features = inputs + 1 + pairs + random,
                              .rows = rows,
                              .orders = Orders::two,
                              .pairs = pairs,
                              .seed = 9});
}
std::uint32_t all_of(std::uint32_t inputs) { return static_cast<std::uint32_t>(samara::engine::all_pairs(inputs)); }

std::vector<float> some_inputs(std::size_t n, std::uint64_t seed = 5)
{
    std::vector<float> x(n);
    fill_normals(stream_key(seed, Domain::user, n), x);
    return x;
}

double dot(const float* x, const float* y, std::size_t n)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
}

bool same(const float* a, const float* b, std::size_t n) { return std::memcmp(a, b, n * sizeof(float)) == 0; }

// Both forms, and every kind of rows that has them.
template <class Try>
void each_form(std::uint32_t d, std::uint32_t random, Try attempt)
{
    for (Rows rows : {Rows::dense, Rows::hadamard, Rows::unit}) {
        attempt(two(d, random, all_of(d), rows));
        if (d > 1)
            attempt(two(d, random, (all_of(d) + 1) / 2, rows));
    }
}

} // namespace

TEST_CASE("orders 2 is unbiased in both forms and in every isotropic row kind")
{
    for (std::uint32_t d : {1u, 2u, 3u, 5u, 16u, 50u})
        each_form(d, 150, [](const ArcCosSpec& s) {
            // A fifth of what Hadamard rows are allowed with orders 1: less of the kernel is theirs.
            measure::check_mean(s.pairs == all_of(s.inputs) ? "all pairs" : "sketched", s,
                                s.rows == Rows::hadamard ? 8e-4 : 0.0);
        });
}

TEST_CASE("the exact part is that of the kernel's expansion")
{
    const double pi = 3.14159265358979323846;
    for (std::uint32_t d : {1u, 2u, 3u, 5u, 16u, 17u, 60u}) {
        for (Rows rows : {Rows::dense, Rows::hadamard, Rows::unit}) {
            const bool unit = rows == Rows::unit;
            const double k = d;
            const double mu =
                unit ? std::sqrt(k / pi) * std::exp(std::lgamma(k / 2) - std::lgamma((k + 1) / 2)) : std::sqrt(2 / pi);
            const double a = unit ? mu * (k + 2) / (2 * (k + 1)) : mu / 2;
            const double constant = mu * mu / 2 - (unit ? a * a / (k + 2) : 0),
                         square = unit ? a * a * k / (k + 2) : a * a;
            const ArcCosSpec s = two(d, 10, all_of(d), rows);
            measure::Points p{2, d, some_inputs(2 * d)};
            const std::vector<float> z = measure::features_of(s, p);
            const float *x = p.values.data(), *y = x + d, *of_x = z.data(), *of_y = of_x + s.features;
            const double lengths = std::sqrt(dot(x, x, d) * dot(y, y, d)), product = dot(x, y, d);
            CAPTURE(d);
            CAPTURE(unit);
            CHECK(static_cast<double>(of_x[0]) * static_cast<double>(of_y[0]) ==
                  doctest::Approx(constant * lengths).epsilon(1e-6));
            CHECK(std::abs(dot(of_x + 1, of_y + 1, d) - product / 2) < 1e-6 * lengths);
            CHECK(std::abs(dot(of_x + 1 + d, of_y + 1 + d, s.pairs) - square * product * product / lengths) <
                  1e-6 * lengths);
            // Row by row of the triangle.
            const double slope = std::sqrt(square / dot(x, x, d));
            std::size_t at = 1 + std::size_t{d};
            for (std::uint32_t i = 0; i < d; ++i)
                for (std::uint32_t j = i; j < d; ++j)
                    CHECK(static_cast<double>(of_x[at++]) ==
                          doctest::Approx(static_cast<double>(x[i]) * static_cast<double>(x[j]) * slope *
                                          (i == j ? 1 : std::sqrt(2.0)))
                              .epsilon(1e-6));
        }
    }
}

TEST_CASE("all products leave less than a third of the error of orders 1")
{
    measure::Points p{200, 9, some_inputs(200 * 9)};
    for (std::size_t i = 0; i < p.count; ++i) {
        float* x = p.values.data() + 9 * i;
        const float length = static_cast<float>(std::sqrt(dot(x, x, 9)));
        for (std::size_t j = 0; j < 9; ++j)
            x[j] /= length;
    }
    for (Rows rows : {Rows::dense, Rows::hadamard, Rows::unit}) {
        ArcCosSpec s{.inputs = 9, .features = 128, .rows = rows, .orders = Orders::one};
        const double one = measure::errors_over_seeds(s, p, 10).mean;
        s.orders = Orders::two;
        const double with = measure::errors_over_seeds(s, p, 10).mean;
        MESSAGE("orders 1 ", one, ", orders 2 ", with);
        CHECK(with < one / 3);
    }
}

TEST_CASE("of unit rows in one dimension nothing is left to the random features")
{
    const ArcCosSpec s = two(1, 5, 1, Rows::unit);
    measure::Points p{2, 1, {3.0f, -0.5f}};
    const std::vector<float> z = measure::features_of(s, p);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(std::abs(z[3 + i]) < 1e-6f);
        CHECK(std::abs(z[s.features + 3 + i]) < 1e-6f);
    }
}

TEST_CASE("check and resolve of orders 2 and its pairs")
{
    const auto field = [](const ArcCosSpec& s) { return std::string_view(check(s).field); };
    ArcCosSpec s{.inputs = 9, .features = 128, .orders = Orders::two};
    CHECK(check(s));
    CHECK(resolve(s).pairs == 45);
    CHECK(exact_features(resolve(s)) == 55);
    CHECK(row_count(resolve(s)) == 73);
    CHECK_FALSE(resolved(ArcCosSpec{.inputs = 9, .features = 128, .rows = Rows::dense, .orders = Orders::two}));
    // all products where 1/16 of the features is left beside them, else 5/6 of what constant and x leave
    const auto pairs_of = [](std::uint32_t d, std::uint32_t m) {
        return resolve(ArcCosSpec{.inputs = d, .features = m, .orders = Orders::two}).pairs;
    };
    CHECK(pairs_of(9, 58) == 45);
    CHECK(pairs_of(9, 57) == 39);
    CHECK(pairs_of(64, 2287) == 2080);
    CHECK(pairs_of(64, 2286) == 1850);
    CHECK(pairs_of(64, 67) == 1);
    CHECK(pairs_of(1, 4) == 1);
    for (std::uint32_t d = 1; d < 30; ++d)
        for (std::uint32_t m = d + 3; m < 600; ++m) {
            const ArcCosSpec r = resolve(ArcCosSpec{.inputs = d, .features = m, .orders = Orders::two});
            REQUIRE(resolved(r));
            REQUIRE((row_count(r) > 0 && r.pairs <= all_of(d)));
            REQUIRE(resolve(r) == r);
        }

    s.pairs = 46;
    CHECK(field(s) == "pairs");
    CHECK(check(s).nearest == 45);
    s.pairs = 45;
    s.features = 55;
    CHECK(field(s) == "features");
    CHECK(check(s).nearest == 56);
    s.pairs = 0;
    s.features = 11;
    CHECK(field(s) == "features");
    CHECK(check(s).nearest == 12);
    CHECK(field({.inputs = 9, .orders = Orders::one, .pairs = 3}) == "pairs");
    CHECK(field({.inputs = 9, .pairs = 3}) == "pairs");
    CHECK(field({.inputs = 9, .order = 0, .orders = Orders::two}) == "orders");
    CHECK(field({.inputs = 9, .rows = Rows::gibbs, .orders = Orders::two}) == "orders");
    CHECK(field({.inputs = 9, .orders = static_cast<Orders>(5)}) == "orders");
    for (std::uint32_t m : {56u, 1024u, 65536u})
        CHECK(resolve(ArcCosSpec{.inputs = 9, .features = m}).orders == Orders::one);
    // the other maps
    CHECK_FALSE(check(RffSpec{.inputs = 9, .orders = Orders::two}));
    CHECK_FALSE(check(PolynomialSpec{.inputs = 9, .orders = Orders::two}));
    CHECK_FALSE(check(DotSpec{.inputs = 9, .orders = Orders::two, .coefficients = {.c = {1, 1}, .count = 2}}));
    CHECK_FALSE(check(NtkSketchSpec{.inputs = 9, .orders = Orders::two}));
}

TEST_CASE("orders 2: zero, tiny and huge vectors")
{
    each_form(20, 100, [](const ArcCosSpec& s) {
        measure::Points p{4, 20, std::vector<float>(80, -0.0f)};
        const std::vector<float> x = some_inputs(20);
        for (std::size_t i = 0; i < 20; ++i) {
            p.values[20 + i] = x[i];
            p.values[40 + i] = x[i] * 0x1p-90f; // exact
            p.values[60 + i] = x[i] * 0x1p37f;
        }
        const std::vector<float> z = measure::features_of(s, p);
        for (std::size_t i = 0; i < s.features; ++i) {
            CHECK(std::bit_cast<std::uint32_t>(z[i]) == 0);
            CHECK(z[2 * s.features + i] == z[s.features + i] * 0x1p-90f);
            CHECK(z[3 * s.features + i] == z[s.features + i] * 0x1p37f);
        }
    });
}

TEST_CASE("orders 2: no byte behind the workspace, and the same bits by sample, in a batch and by blocks")
{
    for (std::uint32_t d : {1u, 5u, 17u, 64u, 300u}) {
        each_form(d, 130, [](const ArcCosSpec& s) {
            const std::size_t bytes = workspace_bytes(s), of_block = block_workspace_bytes(s), m = s.features;
            const std::size_t samples = 3;
            CHECK(of_block <= bytes);
            std::vector<std::byte> work(bytes + 64, std::byte{0xa5});
            std::vector<float> x = some_inputs(samples * s.inputs), z(samples * m + 16, 77.0f), one(m),
                               part(largest_block(s));
            const std::span<float> all = std::span(z).first(samples * m);
            const auto run = [&](std::size_t room) {
                return features(s, x, all, samples, std::span(work).first(room));
            };
            if (bytes > 0)
                CHECK(run(bytes - 4) == Status::small_workspace);
            CHECK(z.front() == 77.0f);
            for (const float factor : {1.0f, 0x1p-60f}) { // shared rows, and rows for each sample
                for (std::size_t i = 0; i < s.inputs; ++i)
                    x[i] *= factor;
                CHECK(run(bytes) == Status::ok);
                for (std::size_t k = 0; k < samples; ++k) {
                    const std::span<const float> sample = std::span(x).subspan(k * s.inputs, s.inputs);
                    CHECK(features(s, sample, one, std::span(work).first(bytes)) == Status::ok);
                    CHECK(same(one.data(), z.data() + k * m, m));
                }
                std::uint32_t next = 0;
                for (std::uint32_t k = 0; k < block_count(s); ++k) {
                    const BlockRange r = block_range(s, k);
                    const std::span<const float> sample = std::span(x).first(s.inputs);
                    CHECK(r.first == next);
                    CHECK(r.count <= part.size());
                    next += r.count;
                    CHECK(block(s, k, sample, std::span(part).first(r.count), std::span(work).first(of_block)) ==
                          Status::ok);
                    CHECK(same(part.data(), z.data() + r.first, r.count));
                    if (of_block > 0)
                        CHECK(block(s, k, sample, std::span(part).first(r.count),
                                    std::span(work).first(of_block - 4)) == Status::small_workspace);
                }
                CHECK(next == m);
            }
            for (std::size_t i = bytes; i < work.size(); ++i)
                CHECK(work[i] == std::byte{0xa5});
            for (std::size_t i = samples * m; i < z.size(); ++i)
                CHECK(z[i] == 77.0f);
        });
    }
}

TEST_CASE("orders 2: kept rows stand behind the exact features, which stay")
{
    each_form(20, 200, [](const ArcCosSpec& s) {
        const std::uint8_t indices[] = {3, 0, 63, 0, 64, 0, 199, 0};
        const ChosenRows chosen(std::as_bytes(std::span(indices)));
        const std::size_t exact = exact_features(s), count = feature_count(s, chosen);
        REQUIRE(count == exact + 4);
        measure::Points p{2, 20, some_inputs(40)};
        const std::vector<float> all = measure::features_of(s, p);
        std::vector<float> some(2 * count);
        std::vector<std::byte> work(workspace_bytes(s, chosen) + 64, std::byte{0xa5});
        CHECK(features(s, chosen, p.values, some, 2, std::span(work).first(work.size() - 64)) == Status::ok);
        for (std::size_t i = work.size() - 64; i < work.size(); ++i)
            CHECK(work[i] == std::byte{0xa5});
        for (std::size_t k = 0; k < 2; ++k) {
            CHECK(same(some.data() + k * count, all.data() + k * s.features, exact));
            const std::size_t rows[] = {3, 63, 64, 199};
            for (std::size_t i = 0; i < 4; ++i)
                CHECK(static_cast<double>(some[k * count + exact + i]) ==
                      doctest::Approx(static_cast<double>(all[k * s.features + exact + rows[i]]) * std::sqrt(200.0 / 4))
                          .epsilon(1e-5));
        }
    });
}

namespace {

template <ArcCosSpec request>
void same_as_fixed()
{
    static Fixed<request> fixed;
    constexpr std::uint32_t d = request.inputs, m = request.features;
    static_assert(fixed.spec.orders == Orders::two && sizeof(fixed) == (workspace_bytes(fixed.spec) + 15) / 16 * 16);
    measure::Points p{2, d, some_inputs(2 * d)};
    const std::vector<float> z = measure::features_of(fixed.spec, p);
    const std::span<const float, d> x(p.values.data(), d);
    std::vector<float> batch(2 * m), out(m), part(fixed.block_features);
    CHECK(fixed.features(x, std::span<float, m>(out)) == Status::ok);
    CHECK(same(out.data(), z.data(), m));
    CHECK(fixed.features(p.values, batch, 2) == Status::ok);
    CHECK(same(batch.data(), z.data(), 2 * m));
    for (std::uint32_t k = 0; k < fixed.blocks; ++k) {
        const BlockRange r = block_range(fixed.spec, k);
        CHECK(fixed.block(k, x, part) == Status::ok);
        CHECK(same(part.data(), z.data() + r.first, r.count));
    }
}

} // namespace

TEST_CASE("orders 2: Fixed gives the same features as the functions")
{
    same_as_fixed<ArcCosSpec{.inputs = 9, .features = 128, .orders = Orders::two, .seed = 3}>();
    same_as_fixed<ArcCosSpec{.inputs = 9, .features = 128, .rows = Rows::unit, .orders = Orders::two, .seed = 3}>();
    same_as_fixed<ArcCosSpec{.inputs = 30, .features = 128, .orders = Orders::two, .seed = 3}>();
    same_as_fixed<ArcCosSpec{.inputs = 30, .features = 128, .rows = Rows::unit, .orders = Orders::two, .seed = 3}>();
}
