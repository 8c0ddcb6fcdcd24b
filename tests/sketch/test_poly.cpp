// TensorSketch and PolySketch.
#include <doctest/doctest.h>

#include <algorithm>

#include "common.hpp"

namespace {

using namespace sketch_test;

constexpr unsigned seeds = quick ? 300 : 4000;

PolySketchSpec poly(std::size_t n, std::uint32_t p, std::uint32_t m, PolyBase base = PolyBase::srht)
{
    return {.inputs = static_cast<std::uint32_t>(n), .degree = p, .features = m, .base = base};
}
TensorSketchSpec tensor(std::uint32_t p, std::uint32_t m) { return {.size = m, .degree = p}; }

std::uint32_t size_of(const PolySketchSpec& s) { return s.features; }
std::uint32_t size_of(const TensorSketchSpec& s) { return s.size; }

using Factors = std::vector<std::vector<float>>;

template <class Spec>
std::vector<float> product_of(const Spec& s, const Factors& factors)
{
    const std::vector<std::span<const float>> spans(factors.begin(), factors.end());
    return sketched(s, size_of(s), std::span<const std::span<const float>>(spans));
}
template <class Spec>
std::vector<float> power_of(const Spec& s, const std::vector<float>& x)
{
    return sketched(s, size_of(s), std::span<const float>(x));
}
template <class Spec>
std::vector<float> prefixes_of(const Spec& s, const std::vector<float>& x)
{
    std::vector<float> z(std::size_t{s.degree} * size_of(s));
    std::vector<std::byte> work(workspace_bytes(s) + 16, std::byte{0xa5});
    REQUIRE(prefixes(s, x, z, std::span(work).first(workspace_bytes(s))) == Status::ok);
    REQUIRE(std::all_of(work.end() - 16, work.end(), [](std::byte b) { return b == std::byte{0xa5}; }));
    return z;
}
std::vector<float> row(const std::vector<float>& z, std::size_t j, std::size_t m)
{
    return {z.begin() + static_cast<std::ptrdiff_t>(j * m), z.begin() + static_cast<std::ptrdiff_t>((j + 1) * m)};
}
std::vector<float> unit(std::vector<float> x)
{
    const double length = std::sqrt(dot(x, x));
    for (float& v : x)
        v = static_cast<float>(static_cast<double>(v) / length);
    return x;
}

// Every prefix, and the product of different factors, lies within 4.5 standard errors of what it estimates.
template <class Spec>
void check_unbiased(Spec s, std::size_t n)
{
    const std::vector<float> x = unit(normals(n, 1)), same = x, y = unit(sum(x, normals(n, 2)));
    const std::vector<float> orthogonal = basis(n, 0), other = basis(n, n - 1);
    const auto check_pair = [&](const std::vector<float>& a, const std::vector<float>& b) {
        std::vector<std::vector<double>> estimates(s.degree);
        for (unsigned seed = 0; seed < seeds; ++seed) {
            s.seed = seed;
            const std::vector<float> u = prefixes_of(s, a), v = prefixes_of(s, b);
            for (std::size_t j = 0; j < s.degree; ++j)
                estimates[j].push_back(dot(row(u, j, size_of(s)), row(v, j, size_of(s))));
        }
        for (std::size_t j = 0; j < s.degree; ++j) {
            const Moments m = moments(seeds, [&](unsigned seed) { return estimates[j][seed]; });
            CAPTURE(n);
            CAPTURE(s.degree);
            CAPTURE(size_of(s));
            CAPTURE(j + 1);
            CHECK(std::abs(m.mean - std::pow(dot(a, b), double(j + 1))) <= 5 * m.error + 1e-5);
        }
    };
    check_pair(x, y);
    check_pair(x, same);
    check_pair(orthogonal, other);

    Factors left, right;
    double truth = 1.0;
    for (std::uint32_t i = 0; i < s.degree; ++i) {
        left.push_back(unit(normals(n, 10 + i)));
        right.push_back(unit(sum(left.back(), normals(n, 50 + i))));
        truth *= dot(left.back(), right.back());
    }
    const Moments m = moments(seeds, [&](unsigned seed) {
        s.seed = seed;
        return dot(product_of(s, left), product_of(s, right));
    });
    CHECK(std::abs(m.mean - truth) <= 5 * m.error + 1e-5);
    const std::vector<float> zero = prefixes_of(s, std::vector<float>(n));
    CHECK(std::all_of(zero.begin(), zero.end(), [](float v) { return v == 0.0f; }));
}

} // namespace

TEST_CASE("TensorSketch is unbiased in all prefixes and of different factors, within its variance bound")
{
    for (const std::uint32_t m : {4u, 10u, 16u})
        for (const std::uint32_t p : {1u, 2u, 3u, 5u})
            check_unbiased(tensor(p, m), 3);
    for (const std::uint32_t p : {2u, 3u}) {
        const std::vector<float> x = unit(normals(7, 1));
        const Moments m = moments(seeds, [&](unsigned seed) {
            TensorSketchSpec s = tensor(p, 16);
            s.seed = seed;
            const std::vector<float> z = power_of(s, x);
            return dot(z, z);
        });
        CHECK(m.variance <= (2 + std::pow(3.0, p)) / 16 + 5 * variance_error(m, seeds));
    }
}

TEST_CASE("PolySketch is unbiased in all prefixes and of different factors")
{
    for (const std::uint32_t p : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u})
        check_unbiased(poly(3, p, 4), 3);
    check_unbiased(poly(5, 5, 16), 5);
    check_unbiased(poly(17, 3, 12), 17);
    check_unbiased(poly(3, 6, 7), 3);
    check_unbiased(poly(17, 4, 514), 17); // rows of factors in groups
    for (const std::uint32_t p : {1u, 3u, 8u})
        check_unbiased(poly(5, p, 12, PolyBase::osnap), 5);
}

// A node's two transforms are sums of signed numbers, whose fourth moments are at most 3, and its m products are hardly
// correlated: E |T(u (x) v)|^4 <= (1 + (3 * 3 - 1) / m) |u|^4 |v|^4, once for each of the p - 1 nodes.
TEST_CASE("the variance of PolySketch is within the bound of its nodes")
{
    for (const PolyBase base : {PolyBase::srht, PolyBase::osnap})
        for (const std::uint32_t n : {3u, 17u})
            for (const std::uint32_t m : {8u, 16u, 64u})
                for (const std::uint32_t p : {2u, 3u, 4u, 8u}) {
                    const std::vector<float> x = unit(normals(n, 1));
                    const Moments v = moments(seeds, [&](unsigned seed) {
                        PolySketchSpec s = poly(n, p, m, base);
                        s.seed = seed;
                        const std::vector<float> z = power_of(s, x);
                        return dot(z, z);
                    });
                    // Each leaf of base osnap is a sketch more, of variance 2 / m.
                    const double leaves = base == PolyBase::osnap ? std::pow(1 + 2.0 / m, p) : 1.0;
                    CAPTURE(n);
                    CAPTURE(m);
                    CAPTURE(p);
                    CHECK(v.variance <= leaves * std::pow(1 + 8.0 / m, p - 1) - 1 + 5 * variance_error(v, seeds));
                }
}

TEST_CASE("a factor e_1 that passes its sibling through is more accurate than one that is sketched")
{
    constexpr std::uint32_t n = 16, m = 64;
    const std::vector<float> x = unit(normals(n, 1));
    for (const std::uint32_t p : {3u, 5u, 6u}) {
        const std::uint32_t padded = p == 3 ? 4 : 8;
        Factors factors(padded, basis(n, 0));
        std::fill(factors.begin(), factors.begin() + p, x);
        const auto variance = [&](auto estimate, std::uint32_t degree) {
            return moments(seeds,
                           [&](unsigned seed) {
                               PolySketchSpec s = poly(n, degree, m);
                               s.seed = seed;
                               const std::vector<float> z = estimate(s);
                               return dot(z, z);
                           })
                .variance;
        };
        const double through = variance([&](const PolySketchSpec&s) { return power_of(s, x); }, p),
                     sketched_again = variance([&](const PolySketchSpec&s) { return product_of(s, factors); }, padded);
        MESSAGE("degree ", p, ": variance ", through, ", with e_1 sketched ", sketched_again);
        CHECK(through < 0.95 * sketched_again);
    }
}

TEST_CASE("row j of the prefixes is the sketch of degree j, and the power that of equal factors")
{
    const std::vector<float> x = normals(21, 3);
    for (const PolyBase base : {PolyBase::srht, PolyBase::osnap}) {
        for (const std::uint32_t m : {8u, 20u, 64u, 100u, 520u}) {
            const std::vector<float> all = prefixes_of(poly(21, 13, m, base), x);
            for (std::uint32_t j = 1; j <= 13; ++j) {
                const PolySketchSpec s = poly(21, j, m, base);
                CAPTURE(m);
                CAPTURE(j);
                CHECK(row(all, j - 1, m) == power_of(s, x));
                CHECK(row(all, j - 1, m) == product_of(s, Factors(j, x)));
            }
        }
    }
    for (const std::uint32_t m : {8u, 20u, 64u, 100u}) {
        const std::vector<float> all = prefixes_of(tensor(6, m), x);
        for (std::uint32_t j = 1; j <= 6; ++j) {
            CHECK(row(all, j - 1, m) == power_of(tensor(j, m), x));
            CHECK(row(all, j - 1, m) == product_of(tensor(j, m), Factors(j, x)));
        }
    }
}

TEST_CASE("PolySketch of degree 2 is linear to the last bit in each integer factor")
{
    const std::vector<float> x = integers(9, 1), y = integers(9, 2), w = integers(9, 3);
    for (const PolyBase base : {PolyBase::srht, PolyBase::osnap}) {
        const PolySketchSpec s = poly(9, 2, 64, base);
        CHECK(product_of(s, {sum(x, y), w}) == sum(product_of(s, {x, w}), product_of(s, {y, w})));
        CHECK(product_of(s, {w, sum(x, y)}) == sum(product_of(s, {w, x}), product_of(s, {w, y})));
    }
}

TEST_CASE("prefixes have the same bits on every back end")
{
    const Simd before = active_simd();
    for (const std::size_t n : {2u, 17u, 100u, 1000u}) {
        for (const std::uint32_t m : {6u, 64u, 250u, 512u, 777u, 1024u}) {
            const std::vector<float> x = normals(n, 1);
            std::vector<float> first;
            for (const Simd simd : {Simd::scalar, Simd::sse2, Simd::avx2, Simd::avx512, Simd::neon64}) {
                if (use_simd(simd) != Status::ok)
                    continue;
                const std::vector<float> z = prefixes_of(poly(n, 7, m), x);
                if (first.empty())
                    first = z;
                CHECK(z == first);
            }
        }
    }
    CHECK(use_simd(before) == Status::ok);
}

TEST_CASE("what tensor sketches refuse")
{
    CHECK(check(tensor(2, 14)).nearest == 16);
    CHECK(check(tensor(2, 77)).nearest == 80);
    CHECK(std::string(check(tensor(2, 77)).field) == "size");
    CHECK(std::string(check(tensor(0, 16)).field) == "degree");
    CHECK(std::string(check(poly(3, 65, 16)).field) == "degree");
    CHECK(std::string(check(poly(3, 2, 3, PolyBase::osnap)).field) == "features");
    CHECK(std::string(check(poly(0, 2, 3)).field) == "inputs");

    const std::vector<float> huge(5, 0x1p30f), bad(5, std::nanf(""));
    std::vector<float> z(16, 3.0f);
    std::vector<std::byte> work(100000);
    CHECK(sketch(poly(5, 2, 16), bad, z, work) == Status::not_finite);
    CHECK(sketch(tensor(2, 16), bad, z, work) == Status::not_finite);
    CHECK(sketch(poly(4, 2, 16), huge, z, work) == Status::wrong_length);
    CHECK(sketch(poly(5, 2, 16), huge, z, std::span(work).first(workspace_bytes(poly(5, 2, 16)) - 1)) ==
          Status::small_workspace);
    CHECK(sketch(tensor(2, 16), huge, z, std::span(work).first(workspace_bytes(tensor(2, 16)) - 1)) ==
          Status::small_workspace);
    CHECK(sketch(tensor(2, 16), huge, z, std::span(work).subspan(2)) == Status::misaligned);
    CHECK(z == std::vector<float>(16, 3.0f));
    CHECK(sketch(poly(5, 16, 16), huge, z, work) == Status::overflow);
    CHECK(z == std::vector<float>(16));
    CHECK(sketch(tensor(16, 16), huge, z, work) == Status::overflow);
    CHECK(z == std::vector<float>(16));
}

TEST_CASE("as many factors as the degree says, no fewer and no more")
{
    const std::vector<float> x(5, 0.5f);
    std::vector<float> z(16, 3.0f);
    std::vector<std::byte> work(100000);
    for (const std::size_t count : {1u, 2u, 3u, 4u}) {
        const std::vector<std::span<const float>> factors(count, x);
        const Status expected = count == 3 ? Status::ok : Status::wrong_length;
        CHECK(sketch(tensor(3, 16), factors, z, work) == expected);
        CHECK(sketch(poly(5, 3, 16), factors, z, work) == expected);
        CHECK((z == std::vector<float>(16, 3.0f)) == (count != 3));
        z.assign(16, 3.0f);
    }
}

TEST_CASE("powers of any magnitude are finite, or refused")
{
    std::vector<float> z(16);
    std::vector<std::byte> work(100000);
    for (const std::uint32_t degree : {2u, 3u, 5u, 8u}) {
        bool refused = false;
        for (int exponent = 0; exponent <= 40; ++exponent) {
            const std::vector<float> x(5, std::ldexp(1.0f, exponent));
            for (const PolyBase base : {PolyBase::srht, PolyBase::osnap}) {
                const Status status = sketch(poly(5, degree, 16, base), x, z, work);
                CHECK(std::all_of(z.begin(), z.end(), [](float v) { return std::isfinite(v); }));
                // The power itself has more than 2^130.
                if (static_cast<int>(degree) * exponent > 130)
                    CHECK(status == Status::overflow);
                refused = refused || status != Status::ok;
            }
        }
        CHECK(refused == (degree > 3));
    }
}

TEST_CASE("specs of sketches: the field that is wrong is named, with the nearest that is right")
{
    const auto is = [](const SpecReport& report, const char* field, std::uint64_t nearest) {
        CHECK(report.status == Status::bad_spec);
        CHECK(std::string(report.field) == field);
        CHECK(report.nearest == nearest);
    };
    is(check(CountSketchSpec{.size = 0}), "size", 1);
    is(check(CountSketchSpec{.size = most_features + 1}), "size", most_features);
    is(check(OsnapSpec{.size = 8, .nonzeros = 0}), "nonzeros", 1);
    is(check(OsnapSpec{.size = 8, .nonzeros = 17}), "nonzeros", 16);
    is(check(OsnapSpec{.size = 3, .nonzeros = 4}), "size", 4);
    is(check(SrhtSpec{.inputs = 0, .features = 4}), "inputs", 1);
    is(check(SrhtSpec{.inputs = 4, .features = 0}), "features", 1);
    CHECK(std::string(check(SrhtSpec{.inputs = 4, .features = 4, .sampling = static_cast<Sampling>(7)}).field) ==
          "sampling");
    is(check(TensorSrhtSpec{.left = 0, .right = 4, .features = 4}), "left", 1);
    is(check(TensorSrhtSpec{.left = 4, .right = 0, .features = 4}), "right", 1);
    CHECK(std::string(check(PolySketchSpec{.inputs = 4, .degree = 2, .features = 0}).field) == "features");
    CHECK(std::string(check(PolySketchSpec{.inputs = 4, .degree = 0, .features = 4}).field) == "degree");
    CHECK(std::string(
              check(PolySketchSpec{.inputs = 4, .degree = 2, .features = 4, .base = static_cast<PolyBase>(7)}).field) ==
          "base");

    std::vector<float> z(4, 3.0f);
    const std::vector<float> x(4, 1.0f);
    std::vector<std::byte> work(4096);
    TensorSketch closed;
    CHECK(closed.sketch(x, z, work) == Status::bad_spec);
    CHECK(Osnap(OsnapSpec{.size = 4, .nonzeros = 9}).add(1, 1.0f, z) == Status::bad_spec);
    CHECK(Osnap(OsnapSpec{.size = 4, .nonzeros = 2}).add(1, std::nanf(""), z) == Status::not_finite);
    CHECK(CountSketch(CountSketchSpec{.size = 5}).add(1, 1.0f, z) == Status::wrong_length);
    CHECK(z == std::vector<float>(4, 3.0f));
}
