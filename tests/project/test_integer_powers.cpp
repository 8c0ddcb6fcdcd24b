// Powers of the inner product in whole numbers: against the definition, at the ends of their ranges, and in the mean
// over seeds against their kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "integer_definition.hpp"
#include "samara/project/integer_powers.hpp"
#include "samara/samara.hpp"

namespace {

using namespace samara;

PolynomialSpec powers(std::uint32_t inputs, std::uint32_t features, std::uint32_t degree, float offset,
                      PowerSketch sketch = PowerSketch::srht)
{
    return resolve(PolynomialSpec{.inputs = inputs,
                                  .features = features,
                                  .degree = degree,
                                  .sketch = sketch,
                                  .offset = offset,
                                  .numbers = Numbers::int8,
                                  .seed = 11});
}

std::vector<std::int64_t> rounded(std::span<const float> x, std::size_t size)
{
    std::vector<std::int64_t> y(size, 0);
    for (std::size_t i = 0; i < x.size(); ++i) // ties to even
        y[i] = static_cast<std::int64_t>(std::nearbyint(std::clamp(static_cast<double>(x[i]), -127.0, 127.0)));
    return y;
}

// SPEC.md, section 29.2, in real numbers where it says roots and quotients.
struct Powers {
    std::int64_t constant;
    int shift;
};

Powers powers_by_definition(const PolynomialSpec& s)
{
    const unsigned k = block_log2(s.inputs), first = k < 10 ? 7 : 6, halved = k > first ? k - first : 0;
    const bool counted = s.sketch == PowerSketch::count;
    const double r = counted ? 1.0 : 1.0 + k % 2,
                 quarter = counted ? 1.0 : std::ldexp(1.0, -2 * static_cast<int>(halved));
    const double constant = std::floor(std::sqrt(static_cast<double>(s.offset) * r * quarter) + 0.5);
    double square = std::floor(1024.0 * s.inputs * r * quarter) + constant * constant;
    if (counted)
        square = 1024.0 * std::ceil(static_cast<double>(s.inputs) / s.features);
    int shift = 0;
    while (s.degree == 2 ? std::ldexp(127.0, shift) < 4.0 * square
                         : std::ldexp(127.0 * 127.0, 2 * shift) < 7.0 * square)
        ++shift;
    return {static_cast<std::int64_t>(constant), shift};
}

float feature_by_definition(std::int64_t v, int shift)
{
    return static_cast<float>(
        std::clamp(std::floor(std::ldexp(static_cast<double>(v), -shift) + (shift == 0 ? 0.0 : 0.5)), -127.0, 127.0));
}

std::vector<std::int64_t> products(const PolynomialSpec& s, const std::vector<std::int64_t>& x, std::uint32_t block)
{
    auto made = test::by_definition(x, block_log2(s.inputs), test::signs_of(s.seed, s.inputs, block)).numbers;
    std::reverse(made.begin(), made.end()); // the last rows come first
    return made;
}

std::vector<float> features_by_definition(const PolynomialSpec& s, std::span<const float> sample)
{
    const Powers p = powers_by_definition(s);
    std::vector<float> z(s.features);
    if (s.sketch == PowerSketch::count) {
        std::vector<std::int64_t> sums(s.features, 0), x = rounded(sample, s.inputs);
        x.push_back(p.constant);
        Xoshiro words(stream_key(s.seed, Domain::count_hash, 1));
        for (const std::int64_t v : x) {
            const std::uint32_t word = words.word();
            const auto place = static_cast<std::size_t>(std::floor(std::ldexp(double(word / 2), -31) * s.features));
            sums[place] += word % 2 == 1 ? -v : v;
        }
        for (std::uint32_t j = 0; j < s.features; ++j)
            z[j] = feature_by_definition(sums[j], p.shift);
        return z;
    }
    const std::uint32_t size = 1u << block_log2(s.inputs);
    const std::vector<std::int64_t> x = rounded(sample, size), t = products(s, x, 0), u = products(s, x, 1);
    const std::uint64_t odd = stream_prefix(s.seed, static_cast<std::uint64_t>(Domain::hadamard_signs)) | 1u;
    for (std::uint32_t j = 0; j < s.features; ++j) {
        const std::uint64_t turned = j + (j / size) * (odd % size);
        const std::int64_t first = t[j % size] + p.constant, second = u[turned % size] + p.constant;
        z[j] = feature_by_definition(s.degree == 2 ? first * second : first, p.shift);
    }
    return z;
}

} // namespace

TEST_CASE("powers in whole numbers: single, batch and definition agree")
{
    std::uint32_t compared = 0;
    const auto compare = [&](const PolynomialSpec& spec) {
        CAPTURE(spec.inputs);
        CAPTURE(spec.features);
        CAPTURE(spec.degree);
        REQUIRE(resolved(spec));
        constexpr std::size_t samples = 5;
        std::vector<float> x(samples * spec.inputs), z(samples * spec.features), one(spec.features);
        fill_normals(stream_key(3, Domain::user, spec.inputs), x);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = i % 17 == 0 ? 0.5f * static_cast<float>(i % 7) : 40.0f * x[i]; // halves, and beyond 127
        std::vector<std::byte> work(workspace_bytes(spec));
        REQUIRE(features(spec, x, z, samples, work) == Status::ok);
        for (std::size_t s = 0; s < samples; ++s) {
            const auto sample = std::span(x).subspan(s * spec.inputs, spec.inputs);
            REQUIRE(features(spec, sample, one, work) == Status::ok);
            CHECK(std::equal(one.begin(), one.end(), z.begin() + static_cast<std::ptrdiff_t>(s * spec.features)));
            CHECK(one == features_by_definition(spec, sample));
        }
        ++compared;
    };
    for (const std::uint32_t inputs : {1u, 5u, 64u, 65u, 200u, 300u, 784u, 1500u, 3000u}) {
        for (const float offset : {0.0f, 0.25f, 1.0f, 1000.0f, 99999.5f, 0x1p25f}) {
            compare(powers(inputs, std::min(inputs, 50u), 1, offset));
            compare(powers(inputs, 64, 1, offset));
            compare(powers(inputs, 1, 2, offset));
            compare(powers(inputs, 301, 2, offset));
            compare(powers(inputs, 4096, 2, offset)); // where D is 64 all pairs
        }
        for (const float offset : {0.0f, 1.0f, 5000.0f, 16129.0f})
            for (const std::uint32_t features : {1u, 2u, 64u, 512u})
                compare(powers(inputs, features, 1, offset, PowerSketch::count));
    }
    CHECK(compared == 9 * (30 + 16));
}

// Each once, and those of the first block in the same places.
TEST_CASE("turned pairs are all pairs")
{
    for (const std::uint64_t seed : {0u, 1u, 2u, 77u}) {
        for (const std::uint32_t inputs : {64u, 128u}) {
            const IntegerPairs pairs(IntegerRows{stream_prefix(seed, 2), inputs, inputs * inputs});
            std::vector<int> seen(inputs * inputs, 0);
            for (std::uint32_t feature = 0; feature < inputs * inputs; ++feature) {
                REQUIRE(pairs.in_t(feature) == inputs - 1 - feature % inputs);
                REQUIRE(pairs.in_u(feature) < inputs);
                CHECK((feature >= inputs || pairs.in_u(feature) == pairs.in_t(feature)));
                ++seen[pairs.in_t(feature) * inputs + pairs.in_u(feature)];
            }
            CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
        }
    }
}

// The farthest inputs that there are, with the largest constant, in 64 bits.
TEST_CASE("products and constants of powers stay in their range")
{
    std::int64_t largest_product = 0, largest_factor = 0, largest_square = 0;
    for (unsigned k = 6; k <= 14; ++k) {
        const std::uint32_t inputs = 1u << k;
        const IntegerPowers square = integer_powers_of_rows(inputs, 2, most_integer_offset);
        for (std::uint64_t seed = 0; seed < (k < 10 ? 6 : 2); ++seed) {
            for (const std::uint32_t block : {0u, 1u}) {
                const std::vector<std::uint32_t> signs = test::signs_of(seed, inputs, block);
                for (const std::size_t place : {std::size_t{0}, std::size_t{9}, std::size_t{inputs - 1}}) {
                    const auto x = test::steepest(k, signs, place, 2);
                    for (const std::int64_t y : test::by_definition(x, k, signs).numbers)
                        largest_product = std::max(largest_product, std::abs(y));
                }
            }
        }
        largest_factor = std::max(largest_factor, std::int64_t{square.constant});
        largest_square = std::max(largest_square, std::int64_t{square.added});
    }
    CHECK(largest_product < 23086);
    CHECK(largest_product > 15000); // these inputs do come near it
    CHECK(largest_factor == 8192);
    CHECK(23086 + largest_factor < 32768);
    CHECK((23086 + largest_factor) * (23086 + largest_factor) < std::int64_t{1} << 30);
    CHECK(largest_square < std::int64_t{1} << 30);
}

TEST_CASE("sums of a CountSketch at the end of their range")
{
    const PolynomialSpec spec = powers(most_integer_inputs, 1, 1, 16129.0f, PowerSketch::count);
    std::vector<float> x(spec.inputs), z(1);
    Xoshiro words(stream_key(spec.seed, Domain::count_hash, 1));
    for (float& v : x)
        v = words.word() % 2 == 1 ? -127.0f : 127.0f; // all of one sign in the sum
    std::vector<std::byte> work(workspace_bytes(spec));
    REQUIRE(features(spec, x, z, work) == Status::ok);
    const std::int64_t last = words.word() % 2 == 1 ? -127 : 127;
    CHECK(z[0] == feature_by_definition(127 * std::int64_t{spec.inputs} + last, powers_by_definition(spec).shift));
}

TEST_CASE("limits and rounding of a feature")
{
    for (const std::uint32_t shift : {0u, 1u, 5u, 12u, 22u}) {
        IntegerPowers p;
        p.set_shift(shift);
        const std::int64_t one = std::int64_t{1} << shift, largest = std::min(300 * one, std::int64_t{1} << 30);
        for (const std::int64_t v : {-largest, -128 * one, -127 * one, -127 * one - 1, -one, -one / 2 - 1, -one / 2,
                                     std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, one / 2, one / 2 - 1, one,
                                     126 * one + one / 2, 127 * one - 1, 127 * one, 128 * one, largest})
            CHECK(static_cast<std::int8_t>(p.feature(static_cast<std::int32_t>(v))) ==
                  feature_by_definition(v, static_cast<int>(shift)));
    }
}

namespace {

// The mean over seeds of the estimate of a kernel value, what it should be, and the standard error of the mean.
struct Estimate {
    double mean, exact, error;
};

Estimate estimated(PolynomialSpec spec, std::span<const float> x, std::span<const float> y, unsigned seeds)
{
    std::vector<float> both(x.begin(), x.end()), z(2 * std::size_t{spec.features});
    both.insert(both.end(), y.begin(), y.end());
    std::vector<std::byte> work(workspace_bytes(spec));
    double sum = 0.0, squares = 0.0;
    for (spec.seed = 0; spec.seed < seeds; ++spec.seed) {
        REQUIRE(features(spec, both, z, 2, work) == Status::ok);
        double product = 0.0;
        for (std::uint32_t j = 0; j < spec.features; ++j)
            product += static_cast<double>(z[j]) * static_cast<double>(z[spec.features + j]);
        sum += product;
        squares += product * product;
    }
    const double mean = sum / seeds;
    return {mean, kernel(spec, x, y), std::sqrt(std::max(0.0, squares / seeds - mean * mean) / seeds)};
}

} // namespace

// Inputs whose root mean square is 25, so that hardly a feature is limited. A wrong power of two, a sqrt(2) where D is
// an odd power, or an offset that is forgotten, is a quarter of the kernel at the least; rounding, were the rows of
// 2,048 taken from the first on, 5 % of a kernel with an offset.
TEST_CASE("powers in whole numbers estimate their kernel")
{
    double worst = 0.0;
    for (const std::uint32_t inputs : {40u, 64u, 100u, 200u, 300u, 700u, 1500u}) {
        std::vector<float> x(2 * inputs);
        fill_normals(stream_key(5, Domain::user, inputs), x);
        for (std::uint32_t i = 0; i < inputs; ++i) { // two vectors at an angle of about a radian
            x[i] = std::nearbyint(25.0f * x[i]);
            x[inputs + i] = std::nearbyint(0.5f * x[i] + 20.0f * x[inputs + i]);
        }
        const auto first = std::span<const float>(x).first(inputs), second = std::span<const float>(x).last(inputs);
        const auto both = [&](const PolynomialSpec& spec, double most) {
            CAPTURE(inputs);
            CAPTURE(spec.degree);
            CAPTURE(spec.offset);
            CAPTURE(static_cast<int>(spec.sketch));
            const double scale = std::sqrt(kernel(spec, first, first) * kernel(spec, second, second));
            for (const auto& [a, b] : {std::pair(first, first), std::pair(first, second)}) {
                const Estimate e = estimated(spec, a, b, 60);
                const double off = std::fabs(e.mean - e.exact);
                CHECK(e.error < 0.04 * scale); // or the test could not tell
                CHECK(off < most * scale + 4.0 * e.error);
                worst = std::max(worst, (off - 4.0 * e.error) / scale);
            }
        };
        const auto length = static_cast<float>(625u * inputs);
        for (const float offset : {0.0f, 0.5f * length, length}) {
            both(powers(inputs, 64, 1, offset), 0.01);
            both(powers(inputs, 1024, 2, offset), 0.02);
        }
        for (const float offset : {0.0f, 16129.0f})
            both(powers(inputs, 64, 1, offset, PowerSketch::count), 0.01);
    }
    MESSAGE("beyond 4 standard errors: ", worst);
}

// The whole of D or D^2 features: no error but that of rounding.
TEST_CASE("all features of powers in whole numbers are exact up to rounding")
{
    constexpr std::uint32_t inputs = 60;
    std::vector<float> x(8 * inputs);
    fill_normals(stream_key(6, Domain::user, inputs), x);
    for (float& v : x)
        v = std::nearbyint(28.0f * v);
    for (const PolynomialSpec& spec : {powers(inputs, 64, 1, 0.0f), powers(inputs, 4096, 2, 0.0f)}) {
        const double scale = kernel(spec, std::span(x).first(inputs), std::span(x).first(inputs));
        for (std::size_t k = 0; k < 8; ++k) {
            const auto y = std::span<const float>(x).subspan(k * inputs, inputs);
            const Estimate e = estimated(spec, std::span<const float>(x).first(inputs), y, 1);
            CHECK(std::fabs(e.mean - e.exact) < 0.02 * scale);
        }
    }
}

TEST_CASE("what numbers=int8 does not go with: powers")
{
    const PolynomialSpec good{.inputs = 20, .features = 64, .numbers = Numbers::int8};
    CHECK(check(good));
    CHECK(resolve(good).orders == Orders::none);
    const auto found = [](PolynomialSpec s) { return check(s); };
    const auto field = [&](const PolynomialSpec& s) { return std::string(found(s).field); };
    PolynomialSpec s = good;
    for (const std::uint32_t degree : {3u, 32u}) {
        s.degree = degree;
        CHECK(field(s) == "degree");
    }
    s = good;
    s.sketch = PowerSketch::count;
    CHECK(field(s) == "sketch"); // a convolution
    s.degree = 1;
    CHECK(check(s));
    s.features = 63;
    CHECK(field(s) == "features");
    CHECK(found(s).nearest == 32);
    s.features = 65536;
    CHECK(check(s));
    s.features = 131072;
    CHECK(field(s) == "features");
    s.features = 64;
    s.offset = 16130.0f;
    CHECK(field(s) == "offset");
    s.offset = 16129.0f;
    CHECK(check(s));
    s = good;
    s.offset = 33554432.0f;
    CHECK(check(s));
    s.offset = 33554436.0f;
    CHECK(field(s) == "offset");
    s = good;
    s.scale = 0.5f;
    CHECK(field(s) == "scale");
    s = good;
    s.orders = Orders::one;
    CHECK(field(s) == "orders");
    s = good;
    s.inputs = most_integer_inputs + 1;
    CHECK(field(s) == "inputs");
    s = good;
    s.features = 4097;
    CHECK(field(s) == "features");
    CHECK(found(s).nearest == 4096);
    s.inputs = 65;
    CHECK(check(s));
    s.degree = 1;
    s.features = 129;
    CHECK(field(s) == "features");
    CHECK(found(s).nearest == 128);
    // Floats are as they were.
    CHECK(check(PolynomialSpec{.inputs = 20, .features = 64, .degree = 5, .scale = 0.5f}));
}
