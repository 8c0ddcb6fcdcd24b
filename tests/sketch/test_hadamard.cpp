// SRHT and TensorSRHT.
#include <doctest/doctest.h>

#include <algorithm>

#include "common.hpp"

namespace {

using namespace sketch_test;

constexpr unsigned seeds = quick ? 400 : 8000;

SrhtSpec srht(std::size_t n, std::uint32_t m, Sampling sampling)
{
    return {.inputs = static_cast<std::uint32_t>(n), .features = m, .sampling = sampling};
}
TensorSrhtSpec tensor(std::size_t a, std::size_t b, std::uint32_t m, Sampling sampling = Sampling::without)
{
    return {.left = static_cast<std::uint32_t>(a),
            .right = static_cast<std::uint32_t>(b),
            .features = m,
            .sampling = sampling};
}

std::vector<float> apply(const SrhtSpec& s, const std::vector<float>& x)
{
    return sketched(s, s.features, std::span<const float>(x));
}
std::vector<float> apply(const TensorSrhtSpec& s, const std::vector<float>& x, const std::vector<float>& y)
{
    return sketched(s, s.features, std::span<const float>(x), std::span<const float>(y));
}

Moments srht_moments(SrhtSpec s, const Pair& p)
{
    return moments(seeds, [&](unsigned seed) {
        s.seed = seed;
        return dot(apply(s, p.x), apply(s, p.y));
    });
}

// Of the products (H S x)_i (H S y)_i over rows: sum over a != b of (x_a y_b)^2 + x_a y_a x_b y_b.
double row_variance(std::span<const float> x, std::span<const float> y)
{
    double fourth = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        fourth += 2 * std::pow(static_cast<double>(x[i]) * static_cast<double>(y[i]), 2);
    return dot(x, x) * dot(y, y) + dot(x, y) * dot(x, y) - fourth;
}

} // namespace

TEST_CASE("SRHT is unbiased with the variance of its sampling")
{
    for (const std::size_t n : {3u, 5u, 16u}) {
        const std::uint32_t d = std::uint32_t{1} << detail::padded_log2(static_cast<std::uint32_t>(n));
        for (const std::uint32_t m : {1u, 4u, 7u}) {
            for (const Sampling sampling : {Sampling::without, Sampling::with}) {
                if (sampling == Sampling::without && m >= d)
                    continue; // exact, see below
                for (const Pair& p : pairs(n)) {
                    const Moments e = srht_moments(srht(n, m, sampling), p);
                    // rows of one transform add up to the exact product: hence the factor without replacement
                    const double factor = sampling == Sampling::with ? 1.0 : double(d - m) / double(d - 1);
                    const double expected = row_variance(p.x, p.y) * factor / m;
                    CAPTURE(n);
                    CAPTURE(m);
                    INFO(std::string(p.name));
                    CHECK(std::abs(e.mean - dot(p.x, p.y)) <= 4.5 * e.error + 1e-5);
                    CHECK(std::abs(e.variance - expected) <= 5 * variance_error(e, seeds) + 1e-9);
                }
            }
        }
    }
}

TEST_CASE("SRHT of at least the padded length keeps inner products exactly")
{
    for (const std::size_t n : {1u, 3u, 16u, 100u}) {
        const std::vector<float> x = integers(n, 1), y = integers(n, 2);
        for (const std::uint32_t m : {128u, 200u, 512u}) {
            const SrhtSpec s = srht(n, m, Sampling::without);
            CHECK(dot(apply(s, x), apply(s, y)) == doctest::Approx(dot(x, y)).epsilon(1e-6));
        }
    }
}

TEST_CASE("rows without replacement are different")
{
    for (const std::size_t n : {3u, 16u, 700u}) {
        const std::uint32_t d = std::uint32_t{1} << detail::padded_log2(static_cast<std::uint32_t>(n));
        // the sketch of each unit vector is a column of signs; different rows of H are orthogonal or equal
        const SrhtSpec s = srht(d, d - 1, Sampling::without);
        std::vector<std::vector<float>> columns;
        for (std::size_t i = 0; i < d; i = i * 2 + 1)
            columns.push_back(apply(s, basis(d, i)));
        double trace = 0.0;
        for (const auto& c : columns)
            trace += dot(c, c);
        CHECK(trace == doctest::Approx(static_cast<double>(columns.size())).epsilon(1e-5));
        if (d <= 16) {
            std::vector<std::vector<float>> rows(d - 1, std::vector<float>(d));
            for (std::size_t i = 0; i < d; ++i) {
                const std::vector<float> c = apply(s, basis(d, i));
                for (std::size_t k = 0; k + 1 < d; ++k)
                    rows[k][i] = c[k];
            }
            for (std::size_t a = 0; a + 1 < d; ++a)
                for (std::size_t b = 0; b < a; ++b)
                    CHECK(std::abs(dot(rows[a], rows[b])) < 1e-5);
        }
    }
}

TEST_CASE("TensorSRHT is unbiased, and its balanced pairs vary less than independent ones")
{
    const auto estimate = [](TensorSrhtSpec s, const Pair& p, const Pair& q) {
        return moments(seeds, [&](unsigned seed) {
            s.seed = seed;
            return dot(apply(s, p.x, q.x), apply(s, p.y, q.y));
        });
    };
    for (const auto& sizes : {std::pair{3u, 3u}, std::pair{3u, 7u}, std::pair{16u, 5u}}) {
        const unsigned a = sizes.first, b = sizes.second;
        const std::vector<Pair> left = pairs(a), right = pairs(b);
        for (const std::uint32_t m : {4u, 7u, 16u, 24u}) {
            for (std::size_t i = 0; i < left.size(); ++i) {
                const Pair &p = left[i], &q = right[(i + 1) % 5];
                const double truth = dot(p.x, p.y) * dot(q.x, q.y);
                const Moments without = estimate(tensor(a, b, m), p, q),
                              with = estimate(tensor(a, b, m, Sampling::with), p, q);
                CAPTURE(a);
                CAPTURE(b);
                CAPTURE(m);
                INFO((std::string(p.name) + " and " + q.name));
                CHECK(std::abs(without.mean - truth) <= 4.5 * without.error + 1e-4);
                CHECK(std::abs(with.mean - truth) <= 4.5 * with.error + 1e-4);
                // The law of independent pairs: products of two rows' sums, each with its own variance.
                const double u = row_variance(p.x, p.y), v = row_variance(q.x, q.y);
                const double t = dot(p.x, p.y), w = dot(q.x, q.y);
                const double expected = (t * t * v + w * w * u + u * v) / m;
                CHECK(std::abs(with.variance - expected) <= 5 * variance_error(with, seeds) + 1e-7);
                CHECK(without.variance <= with.variance + 5 * variance_error(with, seeds) + 1e-7);
            }
        }
    }
}

TEST_CASE("balanced pairs: half of the variance where every row comes once, none where every pair does")
{
    const std::size_t n = 32;
    const std::vector<float> x = normals(n, 8), y = normals(n, 9);
    const auto variance = [&](std::uint32_t m, Sampling sampling) {
        return moments(seeds / 2,
                       [&](unsigned seed) {
                           TensorSrhtSpec s = tensor(n, n, m, sampling);
                           s.seed = seed;
                           const std::vector<float> z = apply(s, x, y);
                           return dot(z, z);
                       })
            .variance;
    };
    const double ratio = variance(32, Sampling::without) / variance(32, Sampling::with);
    MESSAGE("variance without over with replacement, m = D: ", ratio);
    CHECK(ratio < 0.65);
    const double truth = dot(x, x) * dot(y, y);
    CHECK(std::sqrt(variance(32 * 32, Sampling::without)) < 1e-5 * truth);
    for (const auto& [a, b] : {std::pair{3u, 7u}, std::pair{7u, 3u}, std::pair{1u, 4u}, std::pair{5u, 5u}}) {
        const std::uint32_t m = (1u << detail::padded_log2(a)) << detail::padded_log2(b);
        const std::vector<float> p = normals(a, 1), q = normals(a, 2), r = normals(b, 3), s = normals(b, 4);
        CHECK(dot(apply(tensor(a, b, m), p, r), apply(tensor(a, b, m), q, s)) ==
              doctest::Approx(dot(p, q) * dot(r, s)).epsilon(1e-5));
    }
}

// At one place the map of e_i (x) e_0 is s_i H_ai s'_0 and that of e_0 (x) e_i s_0 s'_i H_bi, up to scale: where s = s'
// their products over i are a row of H. No mean and hardly a variance shows it.
TEST_CASE("the sides of TensorSRHT have signs of their own")
{
    constexpr std::uint32_t n = 16;
    for (const Sampling sampling : {Sampling::without, Sampling::with}) {
        unsigned same = 0;
        for (unsigned seed = 0; seed < 40; ++seed) {
            TensorSrhtSpec s = tensor(n, n, n, sampling);
            s.seed = seed;
            const auto at = [&](std::size_t i, std::size_t j) { return apply(s, basis(n, i), basis(n, j))[0]; };
            std::vector<float> products(n);
            for (std::size_t i = 0; i < n; ++i)
                products[i] = at(i, 0) * at(0, i) > 0.0f ? 1.0f : -1.0f;
            REQUIRE(hadamard(products) == Status::ok);
            same += std::any_of(products.begin(), products.end(), [](float v) { return std::abs(v) == float(n); });
        }
        CHECK(same <= 1); // by chance once in 2,048
    }
}

TEST_CASE("sketches are linear to the last bit in integers")
{
    for (const std::size_t n : {3u, 100u, 784u}) {
        const std::vector<float> x = integers(n, 1), y = integers(n, 2), w = integers(20, 3);
        for (const Sampling sampling : {Sampling::without, Sampling::with}) {
            const SrhtSpec s = srht(n, 64, sampling);
            CHECK(apply(s, sum(x, y)) == sum(apply(s, x), apply(s, y)));
            const TensorSrhtSpec t = tensor(n, 20, 256, sampling);
            if (n < 784) { // the products stay below 2^24
                CHECK(apply(t, sum(x, y), w) == sum(apply(t, x, w), apply(t, y, w)));
            }
        }
    }
}

TEST_CASE("sketches by Hadamard transforms: the same bits on every back end, and what is refused")
{
    const Simd before = active_simd();
    for (const std::size_t n : {1u, 2u, 3u, 17u, 130u, 600u}) {
        for (const std::uint32_t m : {1u, 33u, 256u, 300u, 1000u}) {
            for (const Sampling sampling : {Sampling::without, Sampling::with}) {
                const std::vector<float> x = normals(n, 1), y = normals(50, 2);
                std::vector<float> first, second;
                for (const Simd simd : {Simd::scalar, Simd::sse2, Simd::avx2, Simd::avx512, Simd::neon64}) {
                    if (use_simd(simd) != Status::ok)
                        continue;
                    const std::vector<float> a = apply(srht(n, m, sampling), x),
                                             b = apply(tensor(n, 50, m, sampling), x, y);
                    if (first.empty()) {
                        first = a;
                        second = b;
                    }
                    CHECK(a == first);
                    CHECK(b == second);
                }
            }
        }
    }
    CHECK(use_simd(before) == Status::ok);

    const SrhtSpec s = srht(5, 4, Sampling::without);
    std::vector<float> x(5), z(4, 3.0f);
    alignas(4) std::byte work[2000];
    CHECK(sketch(s, std::span(x).first(4), z, work) == Status::wrong_length);
    CHECK(sketch(s, x, std::span(z).first(3), work) == Status::wrong_length);
    CHECK(sketch(s, x, z, std::span(work).first(workspace_bytes(s) - 4)) == Status::small_workspace);
    CHECK(sketch(s, x, z, std::span(work).subspan(1)) == Status::misaligned);
    CHECK(sketch(srht(0, 4, Sampling::without), x, z, work) == Status::bad_spec);
    x[2] = std::nanf("");
    CHECK(sketch(s, x, z, work) == Status::not_finite);
    CHECK(sketch(tensor(4, 5, 4), std::span(x).first(4), x, z, work) == Status::not_finite);
    x[2] = 0x1.1p40f;
    CHECK(sketch(s, x, z, work) == Status::out_of_range);
    CHECK(z == std::vector<float>(4, 3.0f));
    CHECK(std::string(check(tensor(4, 0, 4)).field) == "right");
    CHECK(std::string(check(srht(4, 0, Sampling::without)).field) == "features");
}
