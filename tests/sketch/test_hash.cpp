// CountSketch and OSNAP.
#include <doctest/doctest.h>

#include <algorithm>

#include "common.hpp"

namespace {

using namespace sketch_test;

constexpr unsigned seeds = quick ? 500 : 20000;

// 2-wise independent places and 4-wise independent signs would have exactly this variance for a part of size m:
// sum over i != j of (x_i^2 y_j^2 + x_i y_i x_j y_j) / m.
double hashing_variance(std::span<const float> x, std::span<const float> y, double size)
{
    double off_diagonal = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double xy = static_cast<double>(x[i]) * static_cast<double>(y[i]);
        off_diagonal += 2 * xy * xy;
    }
    return (dot(x, x) * dot(y, y) + dot(x, y) * dot(x, y) - off_diagonal) / size;
}

// For parts of unequal sizes the mean of 1/size counts.
double part_size(std::uint32_t size, std::uint32_t parts)
{
    double inverse = 0.0;
    for (std::uint32_t k = 0; k < parts; ++k) {
        const std::uint64_t begin = std::uint64_t{k} * size / parts, end = (std::uint64_t{k} + 1) * size / parts;
        inverse += 1.0 / static_cast<double>(end - begin);
    }
    return static_cast<double>(parts) * static_cast<double>(parts) / inverse;
}

template <class Spec>
void check_moments(Spec spec, std::uint32_t parts)
{
    for (const std::size_t n : {3u, 7u, 40u}) {
        for (const Pair& p : pairs(n)) {
            const Moments m = moments(n < 40 ? seeds : seeds / 4, [&](unsigned s) {
                spec.seed = s;
                return dot(sketched(spec, spec.size, std::span<const float>(p.x)),
                           sketched(spec, spec.size, std::span<const float>(p.y)));
            });
            const double expected = hashing_variance(p.x, p.y, part_size(spec.size, parts));
            CAPTURE(n);
            CAPTURE(spec.size);
            CAPTURE(parts);
            INFO(std::string(p.name));
            CHECK(std::abs(m.mean - dot(p.x, p.y)) <= 4.5 * m.error + 1e-5);
            const double spread = 5 * variance_error(m, n < 40 ? seeds : seeds / 4) + 1e-9;
            CHECK(std::abs(m.variance - expected) <= spread);
            // The header's bound, in which unequal parts count as their mean.
            CHECK(m.variance <= 2 * dot(p.x, p.x) * dot(p.y, p.y) / part_size(spec.size, parts) + spread);
        }
    }
}

} // namespace

TEST_CASE("CountSketch is unbiased with the variance of independent hashing")
{
    for (const std::uint32_t size : {1u, 4u, 5u, 16u})
        check_moments(CountSketchSpec{.size = size}, 1);
}

TEST_CASE("OSNAP is unbiased with the variance of independent hashing")
{
    check_moments(OsnapSpec{.size = 4, .nonzeros = 2}, 2);
    check_moments(OsnapSpec{.size = 8, .nonzeros = 4}, 4);
    check_moments(OsnapSpec{.size = 11, .nonzeros = 3}, 3);
}

TEST_CASE("places and signs of two indices are independent, whatever the indices have in common")
{
    constexpr std::uint32_t size = 4, cells = 4 * size * size;
    constexpr unsigned draws = quick ? 20000 : 200000;
    for (const std::uint32_t difference : {1u, 2u, 64u, 1u << 16, 1u << 31}) {
        std::vector<double> counts(cells);
        for (unsigned s = 0; s < draws; ++s) {
            const CountSketch c(CountSketchSpec{.size = size, .seed = s});
            const EntryHash::Place a = c.hash()(5), b = c.hash()(5 + difference);
            counts[((a.at * size + b.at) * 2 + (a.sign >> 31)) * 2 + (b.sign >> 31)] += 1;
        }
        double score = 0.0;
        const double expected = static_cast<double>(draws) / cells;
        for (const double c : counts)
            score += (c - expected) * (c - expected) / expected;
        CAPTURE(difference);
        CHECK(std::abs(score - (cells - 1)) <= 5 * std::sqrt(2.0 * cells));
    }
}

TEST_CASE("signs of four indices in a row look independent")
{
    constexpr unsigned draws = quick ? 20000 : 200000;
    for (const std::uint32_t step : {1u, 3u, 256u}) {
        double sum = 0.0;
        for (unsigned s = 0; s < draws; ++s) {
            const CountSketch c(CountSketchSpec{.size = 4, .seed = s});
            std::uint32_t sign = 0;
            for (std::uint32_t i = 0; i < 4; ++i)
                sign ^= c.hash()(i * step).sign;
            sum += sign != 0 ? -1 : 1;
        }
        CHECK(std::abs(sum) <= 5 * std::sqrt(static_cast<double>(draws)));
    }
}

TEST_CASE("a stream of entries gives the dense form's bits")
{
    const auto try_spec = [](auto spec, auto stream) {
        for (const std::size_t n : {1u, 17u, 1000u}) {
            const std::vector<float> whole = integers(n, n), real = normals(n, n);
            std::vector<Entry> entries, reals;
            for (std::uint32_t i = 0; i < n; ++i) {
                entries.push_back({i, whole[i]});
                reals.push_back({i, real[i]});
            }
            std::vector<float> streamed(spec.size);
            // in order: any values; in any order: integers
            CHECK(sketch(spec, reals, streamed) == Status::ok);
            CHECK(streamed == sketched(spec, spec.size, std::span<const float>(real)));
            const std::vector<float> dense = sketched(spec, spec.size, std::span<const float>(whole));
            Xoshiro words(stream_key(5, Domain::user, n));
            for (int round = 0; round < 5; ++round) {
                for (std::size_t i = n; i > 1; --i)
                    std::swap(entries[i - 1], entries[words.below(static_cast<std::uint32_t>(i))]);
                std::fill(streamed.begin(), streamed.end(), 0.0f);
                for (const Entry& e : entries)
                    CHECK(stream.add(e.index, e.value, streamed) == Status::ok);
                CHECK(streamed == dense);
            }
            // halves add up, and what was added can be taken away
            std::vector<float> low(n), high(whole);
            for (std::size_t i = 0; i < n / 2; ++i)
                std::swap(low[i], high[i]);
            std::vector<float> merged = sketched(spec, spec.size, std::span<const float>(low));
            const std::vector<float> other = sketched(spec, spec.size, std::span<const float>(high));
            const std::vector<float> first = merged;
            CHECK(add_sketch(merged, other) == Status::ok);
            CHECK(merged == dense);
            CHECK(subtract_sketch(merged, other) == Status::ok);
            CHECK(merged == first);
        }
    };
    const CountSketchSpec count{.size = 61, .seed = 3};
    try_spec(count, CountSketch(count));
    const OsnapSpec osnap{.size = 61, .nonzeros = 4, .seed = 3};
    try_spec(osnap, Osnap(osnap));
}

TEST_CASE("OSNAP puts its non-zeros in different places")
{
    const OsnapSpec spec{.size = 23, .nonzeros = 5, .seed = 1};
    for (std::size_t i = 0; i < 50; ++i) {
        const std::vector<float> z = sketched(spec, spec.size, std::span<const float>(basis(50, i)));
        CHECK(std::count(z.begin(), z.end(), 0.0f) == 18);
        CHECK(dot(z, z) == doctest::Approx(1.0));
    }
}

TEST_CASE("indices up to 2^32 - 1, and what is refused")
{
    const CountSketch c(CountSketchSpec{.size = 10, .seed = 1});
    std::vector<float> z(10);
    CHECK(c.add(0xffffffffu, 1.0f, z) == Status::ok);
    CHECK(dot(z, z) == 1.0);
    const std::vector<float> before = z;
    CHECK(c.add(0, std::nanf(""), z) == Status::not_finite);
    CHECK(c.add(0, 0x1p41f, z) == Status::out_of_range);
    CHECK(c.add(0, 1.0f, std::span(z).first(9)) == Status::wrong_length);
    CHECK(CountSketch(CountSketchSpec{.size = 0}).add(0, 1.0f, z) == Status::bad_spec);
    CHECK(Osnap(OsnapSpec{.size = 3, .nonzeros = 4}).add(0, 1.0f, z) == Status::bad_spec);
    CHECK(sketch(CountSketchSpec{.size = 10}, std::vector<float>{1.0f, INFINITY}, z) == Status::not_finite);
    CHECK(add_sketch(z, std::vector<float>(9)) == Status::wrong_length);
    CHECK(z == before);
    CHECK(std::string(check(OsnapSpec{.size = 3, .nonzeros = 4}).field) == "size");
    CHECK(std::string(check(OsnapSpec{.size = 3, .nonzeros = 0}).field) == "nonzeros");
    CHECK(check(CountSketchSpec{.size = 0}).nearest == 1);
    // -0 never enters a sketch that started at +0
    std::vector<float> zeros(10);
    CHECK(sketch(CountSketchSpec{.size = 10}, std::vector<float>{-0.0f, 0.0f, -0.0f}, zeros) == Status::ok);
    CHECK(std::none_of(zeros.begin(), zeros.end(), [](float v) { return std::signbit(v); }));
}
