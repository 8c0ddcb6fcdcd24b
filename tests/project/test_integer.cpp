// Hadamard rows in whole numbers: against the definition, at the ends of their ranges, and one form against the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "integer_definition.hpp"
#include "samara/samara.hpp"

namespace {

using namespace samara;
using test::by_definition;
using test::signs_of;
using test::steepest;
using test::Transformed;

} // namespace

TEST_CASE("rows in whole numbers are those of the definition, and stay in their range")
{
    std::int64_t largest = 0;
    for (unsigned k = 6; k <= 14; ++k) {
        const std::uint32_t inputs = k == 6 ? 64 : (1u << k);
        for (std::uint64_t seed = 0; seed < (k < 10 ? 6 : 2); ++seed) {
            const std::vector<std::uint32_t> signs = signs_of(seed, inputs, 3);
            std::vector<std::vector<std::int64_t>> samples;
            for (unsigned rounds = 1; rounds <= 2; ++rounds)
                for (const std::size_t place : {std::size_t{0}, std::size_t{5}, (std::size_t{1} << k) - 1})
                    samples.push_back(steepest(k, signs, place, rounds));
            std::vector<std::int64_t> some(std::size_t{1} << k);
            Xoshiro words(stream_key(seed, Domain::user, k));
            for (auto& v : some)
                v = static_cast<std::int64_t>(words.word() % 255) - 127;
            samples.push_back(some);
            samples.emplace_back(some.size(), -127);
            samples.emplace_back(some.size(), 0);
            for (const auto& x : samples) {
                const Transformed expected = by_definition(x, k, signs);
                largest = std::max(largest, expected.largest);
                std::vector<std::int16_t> first(x.begin(), x.end()), y(x.size());
                integer_first_round(first.data(), k, signs.data());
                integer_rows(first.data(), y.data(), k, signs.data() + signs.size() / 2);
                CHECK(std::equal(y.begin(), y.end(), expected.numbers.begin()));
            }
        }
    }
    CHECK(largest < 32768);
    CHECK(largest > 22990); // these samples do come near the bound
}

TEST_CASE("the signs of a block are those of its stream")
{
    const std::vector<std::uint32_t> signs = signs_of(7, 65, 3);
    std::vector<std::uint32_t> expected(4);
    fill_sign_words(stream_key(7, Domain::hadamard_signs, 3), expected);
    CHECK(std::equal(expected.begin(), expected.end(), signs.begin() + 4));
    CHECK(integer_sign_words(64) == 2);
    CHECK(integer_sign_words(65) == 4);
}

TEST_CASE("features of whole numbers: single, batch and definition agree")
{
    for (const std::uint32_t inputs : {1u, 5u, 16u, 64u, 65u, 200u, 784u, 1500u}) {
        for (const Orders orders : {Orders::none, Orders::even}) {
            const ArcCosSpec spec = resolve(
                ArcCosSpec{.inputs = inputs, .features = 300, .orders = orders, .numbers = Numbers::int8, .seed = 11});
            REQUIRE(resolved(spec));
            constexpr std::size_t samples = 70;
            std::vector<float> x(samples * inputs), z(samples * spec.features), one(spec.features);
            fill_normals(stream_key(3, Domain::user, inputs), x);
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = i % 17 == 0 ? 0.5f * static_cast<float>(i % 7) : 40.0f * x[i]; // halves, and beyond 127
            std::vector<std::byte> work(workspace_bytes(spec));
            REQUIRE(features(spec, x, z, samples, work) == Status::ok);
            const unsigned k = block_log2(inputs), shift = integer_feature_shift(inputs);
            for (std::size_t s = 0; s < samples; ++s) {
                const auto sample = std::span(x).subspan(s * inputs, inputs);
                REQUIRE(features(spec, sample, one, work) == Status::ok);
                CHECK(std::equal(one.begin(), one.end(), z.begin() + static_cast<std::ptrdiff_t>(s * spec.features)));
                if (s % 23 != 0)
                    continue;
                for (std::uint32_t block = 0; block << k < spec.features; ++block) {
                    const std::vector<std::uint32_t> signs = signs_of(11, inputs, block);
                    std::vector<std::int64_t> y(std::size_t{1} << k, 0);
                    for (std::uint32_t i = 0; i < inputs; ++i) {
                        const double v = std::clamp(static_cast<double>(sample[i]), -127.0, 127.0);
                        y[i] = static_cast<std::int64_t>(std::nearbyint(v)); // ties to even
                    }
                    const Transformed t = by_definition(y, k, signs);
                    for (std::uint32_t row = block << k; row < spec.features && row < (block + 1) << k; ++row) {
                        const std::int64_t v = t.numbers[row - (block << k)];
                        const std::int64_t magnitude =
                            orders == Orders::even ? std::abs(v) : std::max<std::int64_t>(v, 0);
                        CHECK(one[row] == static_cast<float>(std::min<std::int64_t>(magnitude >> shift, 127)));
                    }
                }
            }
        }
    }
}

// Rounding down takes 1/2 of each feature in the mean, about 2 % of these kernels, and the limit of 127 takes less: a
// wrong power of two, or of sqrt(2) where D is an odd one, takes a quarter at the least.
TEST_CASE("features of whole numbers estimate their kernel")
{
    for (const std::uint32_t inputs : {40u, 64u, 100u, 200u, 300u, 700u, 1500u}) {
        for (const Orders orders : {Orders::none, Orders::even}) {
            CAPTURE(inputs);
            CAPTURE(static_cast<int>(orders));
            ArcCosSpec spec =
                resolve(ArcCosSpec{.inputs = inputs, .features = 2048, .orders = orders, .numbers = Numbers::int8});
            std::vector<float> x(2 * inputs), z(2 * spec.features);
            fill_normals(stream_key(5, Domain::user, inputs), x);
            for (std::uint32_t i = 0; i < inputs; ++i) { // two vectors at an angle of about a radian
                x[i] = std::nearbyint(30.0f * x[i]);
                x[inputs + i] = std::nearbyint(0.5f * x[i] + 25.0f * x[inputs + i]);
            }
            std::vector<std::byte> work(workspace_bytes(spec));
            double sums[3] = {};
            constexpr unsigned seeds = 20;
            for (spec.seed = 0; spec.seed < seeds; ++spec.seed) {
                REQUIRE(features(spec, x, z, 2, work) == Status::ok);
                for (std::uint32_t j = 0; j < spec.features; ++j) {
                    const double a = double(z[j]), b = double(z[spec.features + j]);
                    sums[0] += a * a;
                    sums[1] += a * b;
                    sums[2] += b * b;
                }
            }
            const auto first = std::span<const float>(x).first(inputs), second = std::span<const float>(x).last(inputs);
            const double exact[] = {kernel(spec, first, first), kernel(spec, first, second),
                                    kernel(spec, second, second)};
            for (unsigned k = 0; k < 3; ++k) {
                CAPTURE(k);
                CHECK(sums[k] / seeds == doctest::Approx(exact[k]).epsilon(0.06));
            }
        }
    }
}

TEST_CASE("what numbers=int8 does not go with")
{
    const ArcCosSpec good{.inputs = 20, .features = 64, .numbers = Numbers::int8};
    CHECK(check(good));
    CHECK(resolve(good).rows == Rows::hadamard);
    CHECK(resolve(good).orders == Orders::none);
    const auto field = [](ArcCosSpec s) { return std::string(check(s).field); };
    ArcCosSpec s = good;
    s.order = 0;
    CHECK(field(s) == "order");
    s = good;
    s.rows = Rows::dense;
    CHECK(field(s) == "rows");
    for (const Orders orders : {Orders::one, Orders::two}) {
        s = good;
        s.orders = orders;
        CHECK(field(s) == "orders");
    }
    s = good;
    s.inputs = most_integer_inputs + 1;
    CHECK(field(s) == "inputs");
    s = {.inputs = 20, .features = 64, .order = 0, .orders = Orders::even};
    CHECK(field(s) == "orders");
}

// ---- Angles

TEST_CASE("angles: multipliers are those of the bandwidth, and products stay in 32 bits")
{
    double worst = 0.0;
    for (unsigned k = 6; k <= 14; ++k) {
        const std::uint32_t inputs = k == 6 ? 1 : (1u << k);
        for (const float b : {1.0f, 1.9999999f, 3.3f, 77.7f, 362.0f, 1448.5f, 30000.0f, 65536.0f}) {
            const IntegerTurns turns = integer_turns(inputs, std::bit_cast<std::uint32_t>(b));
            CHECK(turns.multiplier[0] >= 1u << 14);
            CHECK(turns.multiplier[0] < 1u << 15);
            CHECK(turns.multiplier[1] < turns.multiplier[0]);
            CHECK(turns.shift < 32);
            const double size = std::ldexp(1.0, static_cast<int>(k));
            for (unsigned row = 0; row < 2; ++row) {
                const double length = std::sqrt(1.0 + (row == 0 ? 1.0 : -1.0) * std::sqrt(2.0 / size));
                const double wanted = 256.0 * length * std::ldexp(1.0, static_cast<int>(integer_halvings(inputs))) /
                                      (2.0 * 3.14159265358979323846 * std::sqrt(double(integer_row_square(inputs))) *
                                       static_cast<double>(b));
                worst = std::max(worst, std::fabs(std::ldexp(turns.multiplier[row], -turns.shift) / wanted - 1.0));
            }
            // The farthest products that there are.
            for (const std::int32_t y : {-32768, -32767, 32767}) {
                for (std::uint32_t row = 0; row < 2; ++row) {
                    const std::int64_t exact = std::int64_t{y} * turns.multiplier[row];
                    CHECK(std::abs(exact) <= std::int64_t{1} << 30);
                    CHECK(turns.angle(y, row, 0) % 256 == static_cast<std::uint32_t>((exact >> turns.shift) & 255));
                }
            }
        }
    }
    CHECK(worst < 1e-4); // 15 bits, and 2^-17 of the table
}

// Products are angles themselves where they are multiplied by 1; of all turns, and of sines.
TEST_CASE("cosines of angles: all 256 of them")
{
    std::vector<std::int16_t> y(1024);
    std::vector<std::uint16_t> places(y.size());
    std::vector<std::uint8_t> waves(y.size());
    for (std::uint32_t i = 0; i < y.size(); ++i) {
        y[i] = static_cast<std::int16_t>(static_cast<std::int32_t>(i) - 512);
        places[i] = static_cast<std::uint16_t>(i);
    }
    for (const std::uint32_t part : {0u, 1u}) {
        for (const std::uint8_t sine_rows : {std::uint8_t{0}, std::uint8_t{2}}) {
            IntegerRows rows;
            rows.turns = {.multiplier = {1, 1}, .sine_rows = sine_rows};
            engine::whole_waves(rows, part, y.data(), places.data(), 1024, waves.data());
            for (std::uint32_t i = 0; i < y.size(); ++i) {
                const double quarters = part + ((i & sine_rows) != 0 ? 1.0 : 0.0);
                const double turns = (y[i] + 0.5) / 256.0 - quarters / 4.0;
                const double exact = 127.0 * std::cos(2.0 * 3.14159265358979323846 * turns);
                CHECK(static_cast<std::int8_t>(waves[i]) == std::lround(exact));
            }
        }
    }
}

TEST_CASE("Fourier features of whole numbers: single, batch and definition agree")
{
    for (const std::uint32_t inputs : {1u, 5u, 16u, 64u, 65u, 200u, 784u, 1500u}) {
        for (const Form form : {Form::pair, Form::phase}) {
            const RffSpec spec = resolve(RffSpec{.inputs = inputs,
                                                 .features = 302,
                                                 .form = form,
                                                 .bandwidth = 20.0f * std::sqrt(static_cast<float>(inputs)),
                                                 .numbers = Numbers::int8,
                                                 .seed = 11});
            REQUIRE(resolved(spec));
            constexpr std::size_t samples = 70;
            std::vector<float> x(samples * inputs), z(samples * spec.features), one(spec.features);
            fill_normals(stream_key(3, Domain::user, inputs), x);
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = i % 17 == 0 ? 0.5f * static_cast<float>(i % 7) : 60.0f * x[i]; // halves, and beyond 127
            std::vector<std::byte> work(workspace_bytes(spec));
            REQUIRE(features(spec, x, z, samples, work) == Status::ok);
            const unsigned k = block_log2(inputs);
            const IntegerTurns turns = integer_turns(inputs, std::bit_cast<std::uint32_t>(spec.bandwidth));
            const std::uint32_t per_row = form == Form::pair ? 2 : 1, rows = spec.features / per_row;
            for (std::size_t s = 0; s < samples; ++s) {
                const auto sample = std::span(x).subspan(s * inputs, inputs);
                REQUIRE(features(spec, sample, one, work) == Status::ok);
                CHECK(std::equal(one.begin(), one.end(), z.begin() + static_cast<std::ptrdiff_t>(s * spec.features)));
                if (s % 23 != 0)
                    continue;
                for (std::uint32_t block = 0; block << k < rows; ++block) {
                    const std::vector<std::uint32_t> signs = signs_of(11, inputs, block);
                    std::vector<std::int64_t> y(std::size_t{1} << k, 0);
                    for (std::uint32_t i = 0; i < inputs; ++i)
                        y[i] = static_cast<std::int64_t>(
                            std::nearbyint(std::clamp(static_cast<double>(sample[i]), -127.0, 127.0)));
                    const Transformed t = by_definition(y, k, signs);
                    const std::uint32_t first = block << k, here = std::min(rows - first, 1u << k);
                    bool same = true;
                    for (std::uint32_t i = 0; i < here; ++i) {
                        const double product = static_cast<double>(t.numbers[i]) * turns.multiplier[i % 2];
                        const double angle = std::floor(std::ldexp(product, -turns.shift)) + 0.5;
                        const auto wave = [&](double quarters) {
                            const double turn = angle / 256.0 - quarters / 4.0;
                            return std::round(127.0 * std::cos(2.0 * 3.14159265358979323846 * turn));
                        };
                        if (form == Form::pair) {
                            same = same && one[2 * first + i] == static_cast<float>(wave(0.0)) &&
                                   one[2 * first + here + i] == static_cast<float>(wave(1.0));
                        } else {
                            same = same && one[first + i] == static_cast<float>(wave(i % 4 < 2 ? 0.0 : 1.0));
                        }
                    }
                    CHECK(same);
                }
            }
        }
    }
}

namespace {

// The mean over seeds of the estimate of a Gaussian kernel of x and x + difference, and how far it is from it in
// standard errors.
struct Estimate {
    double mean, error;
};

Estimate estimated(RffSpec spec, const std::vector<float>& x, unsigned seeds)
{
    std::vector<float> z(2 * std::size_t{spec.features});
    std::vector<std::byte> work(workspace_bytes(spec));
    const auto half = static_cast<std::ptrdiff_t>(spec.inputs);
    const std::vector<float> first(x.begin(), x.begin() + half), second(x.begin() + half, x.end());
    const double exact = gaussian_kernel(first, second, static_cast<double>(spec.bandwidth));
    const double scale = kernel(spec, first, first);
    double sum = 0.0, squares = 0.0;
    for (spec.seed = 0; spec.seed < seeds; ++spec.seed) {
        REQUIRE(features(spec, x, z, 2, work) == Status::ok);
        double product = 0.0;
        for (std::uint32_t j = 0; j < spec.features; ++j)
            product += static_cast<double>(z[j]) * static_cast<double>(z[spec.features + j]);
        const double off = product / scale - exact;
        sum += off;
        squares += off * off;
    }
    const double mean = sum / seeds;
    return {mean, std::sqrt((squares / seeds - mean * mean) / seeds)};
}

} // namespace

// What is left of the error, in the mean over seeds, has four parts (integer.hpp). Rows of two lengths: 2e-4.
// Differences of which few entries are not 0: up to t^4 exp(-t^2/2) / (6 D), t the distance in bandwidths. Rounding of
// products: as if squared distances were up to (log2 D + 4) / 16 * 4^halvings larger. The table, whose mean square is
// .0005 below 1/2, and angles that are rounded, 1 - sinc^2(1/256) = 5e-5. So the bounds are those sums, and 3.5
// standard errors of what is measured.
TEST_CASE("Fourier features of whole numbers estimate the Gaussian kernel")
{
    constexpr unsigned seeds = 400;
    double most_even = 0.0, most_sparse = 0.0;
    for (const std::uint32_t inputs : {40u, 64u, 100u, 200u, 700u, 1500u}) {
        const double size = std::ldexp(1.0, static_cast<int>(block_log2(inputs)));
        for (const Form form : {Form::pair, Form::phase}) {
            for (const float t : {0.5f, 1.0f, 2.0f, 3.0f}) {
                CAPTURE(inputs);
                CAPTURE(static_cast<int>(form));
                CAPTURE(t);
                std::vector<float> x(2 * inputs);
                fill_normals(stream_key(5, Domain::user, inputs), x);
                double squares = 0.0;
                for (std::uint32_t i = 0; i < inputs; ++i) { // far from 0, as brightness is
                    const float difference = std::nearbyint(25.0f * x[inputs + i]);
                    x[i] = std::nearbyint(20.0f + 15.0f * x[i]);
                    x[inputs + i] = std::clamp(x[i] + difference, -127.0f, 127.0f);
                    squares += std::pow(static_cast<double>(x[inputs + i] - x[i]), 2);
                }
                RffSpec spec{.inputs = inputs, .features = 512, .form = form, .numbers = Numbers::int8};
                spec.bandwidth = static_cast<float>(std::sqrt(squares)) / t;
                const Estimate even = estimated(resolve(spec), x, seeds);
                const double exact = std::exp(-0.5 * static_cast<double>(t * t));
                const double noise = (static_cast<double>(block_log2(inputs)) + 4.0) / 16.0 *
                                     std::ldexp(1.0, static_cast<int>(2 * integer_halvings(inputs)));
                const auto rounding = [&](double square) {
                    return exact * (1.0 - std::exp(-0.5 * static_cast<double>(t * t) * noise / square));
                };
                CHECK(std::fabs(even.mean) < 0.001 + rounding(squares) + 3.5 * even.error);
                most_even = std::max(most_even, std::fabs(even.mean) - 3.5 * even.error);
                // One entry is different.
                for (std::uint32_t i = 1; i < inputs; ++i)
                    x[inputs + i] = x[i];
                x[0] = 60.0f;
                x[inputs] = -60.0f;
                spec.bandwidth = 120.0f / t;
                const Estimate sparse = estimated(resolve(spec), x, seeds);
                const double most = std::pow(static_cast<double>(t), 4) * std::exp(-0.5 * static_cast<double>(t * t));
                CHECK(sparse.mean < 0.001 + 1.1 * most / (6.0 * size) + 3.5 * sparse.error);
                CHECK(sparse.mean > -0.001 - rounding(120.0 * 120.0) - 3.5 * sparse.error);
                most_sparse = std::max(most_sparse, sparse.mean);
            }
        }
    }
    MESSAGE("beyond 3.5 standard errors: ", most_even, "; of one entry: ", most_sparse);
}

TEST_CASE("what numbers=int8 does not go with: Fourier features")
{
    const RffSpec good{.inputs = 5, .features = 64, .bandwidth = 30.0f, .numbers = Numbers::int8};
    CHECK(check(good));
    CHECK(resolve(good).rows == Rows::hadamard);
    CHECK(resolve(good).orders == Orders::none);
    const auto field = [](RffSpec s) { return std::string(check(s).field); };
    RffSpec s = good;
    for (const Kernel kernel : {Kernel::laplacian, Kernel::cauchy}) {
        s = good;
        s.kernel = kernel;
        CHECK(field(s) == "kernel");
    }
    for (const Rows rows : {Rows::dense, Rows::fastfood, Rows::quasi}) {
        s = good;
        s.rows = rows;
        CHECK(field(s) == "rows");
    }
    s = good;
    s.orders = Orders::one;
    CHECK(field(s) == "orders");
    s = good;
    s.inputs = most_integer_inputs + 1;
    CHECK(field(s) == "inputs");
    for (const float bandwidth : {0.99999994f, 65537.0f}) {
        s = good;
        s.bandwidth = bandwidth;
        CHECK(field(s) == "bandwidth");
    }
    for (const float bandwidth : {1.0f, 65536.0f}) {
        s = good;
        s.bandwidth = bandwidth;
        CHECK(check(s));
    }
    s = good;
    s.features = 63;
    CHECK(field(s) == "features");
}
