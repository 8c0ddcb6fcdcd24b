// What is tested of local maps alone: their filters, all ways of computing them, and what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "contracts.hpp"

namespace {

using namespace samara;

const LocalSpec shapes[] = {
    {.inputs = 64, .features = 300, .height = 8, .seed = 1},
    {.inputs = 60, .features = 200, .height = 4, .width = 5, .channels = 3, .pairs = 4, .seed = 2},
    {.inputs = 4, .features = 70, .height = 2, .seed = 3},
    {.inputs = 100, .features = 300, .length = 100, .seed = 4},
    {.inputs = 84, .features = 300, .channels = 7, .pairs = 3, .seed = 5},
    {.inputs = 3, .features = 40, .length = 3, .reach = 2, .seed = 6},
    {.inputs = 1000, .features = 130, .length = 1000, .largest = 31, .reach = 255, .pairs = 1, .gain = 3, .seed = 7},
    {.inputs = 900, .features = 130, .height = 30, .largest = 15, .kinds = LocalKinds::sum, .gain = 16, .seed = 8},
    {.inputs = 900, .features = 130, .width = 90, .kinds = LocalKinds::max, .gain = 1, .seed = 9},
};

// A filter as its words: plain and slow, and from the definition.
double found_by(const LocalFilter& f, const LocalShape& shape, const std::vector<int>& x)
{
    double sum = 0.0, most = -1e9;
    for (std::uint32_t y = 0; y < f.height; ++y) {
        for (std::uint32_t k = 0; k < f.width; ++k) {
            const std::size_t place = f.first + y * shape.down() + k * shape.right();
            double a = 0.0;
            for (std::uint32_t i = 0; i < f.taps; ++i)
                a += (i < f.plus ? 1 : -1) * x.at(place + f.tap[i]);
            sum += std::max(a, 0.0);
            most = std::max(most, a);
        }
    }
    return std::clamp(std::floor((f.maximum ? most : sum) * std::pow(2.0, -f.shift)), -127.0, 127.0);
}

std::vector<float> whole_inputs(const LocalSpec& s, std::uint64_t seed)
{
    std::vector<float> x(s.inputs);
    Xoshiro words(stream_key(seed, Domain::user, s.inputs));
    for (float& v : x)
        v = seed == 0 ? 127.0f : seed == 1 ? -127.0f : static_cast<float>(static_cast<int>(words.below(255)) - 127);
    return x;
}

} // namespace

TEST_CASE("local: batches, samples and blocks have the same bits")
{
    for (const LocalSpec& request : shapes) {
        CAPTURE(request.seed);
        measure::check_calls(request);
    }
}

TEST_CASE("local: features are what their filters say, also at the ends of the range")
{
    for (const LocalSpec& request : shapes) {
        const LocalSpec s = resolve(request);
        REQUIRE(resolved(s));
        const LocalFilters filters = Map<LocalSpec>::filters(s);
        // More samples than any back end has lanes.
        constexpr std::size_t samples = 37;
        std::vector<float> x, z(samples * s.features);
        for (std::uint64_t k = 0; k < samples; ++k) {
            const std::vector<float> one = whole_inputs(s, k);
            x.insert(x.end(), one.begin(), one.end());
        }
        std::vector<std::uint32_t> work(workspace_bytes(s) / 4 + 1);
        REQUIRE(features(s, x, z, samples, std::as_writable_bytes(std::span(work))) == Status::ok);
        bool same = true;
        for (std::size_t k = 0; k < samples; ++k) {
            const std::vector<int> numbers(x.begin() + static_cast<std::ptrdiff_t>(k * s.inputs),
                                           x.begin() + static_cast<std::ptrdiff_t>((k + 1) * s.inputs));
            for (std::uint32_t i = 0; i < s.features; ++i)
                same = same && static_cast<double>(z[k * s.features + i]) ==
                                   found_by(local_filter(filters, i), filters.shape, numbers);
        }
        CAPTURE(s.seed);
        CHECK(same);
    }
}

TEST_CASE("local: sums of the largest windows neither overflow 16 nor 32 bits")
{
    // A border of 127 and -127 that a balanced filter meets at every place has the largest sum there is.
    for (const LocalSpec& request :
         {LocalSpec{.inputs = 32767, .features = 64, .length = 32767, .pairs = 4, .seed = 1},
          LocalSpec{.inputs = 65025, .features = 64, .height = 255, .pairs = 4, .seed = 2}}) {
        const LocalSpec s = resolve(request);
        const LocalFilters filters = Map<LocalSpec>::filters(s);
        std::vector<float> x(s.inputs), z(s.features), pair(2 * s.features);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = (i / 3 + i / 255) % 2 == 0 ? 127.0f : -127.0f;
        const std::vector<int> numbers(x.begin(), x.end());
        std::vector<std::uint32_t> work(workspace_bytes(s) / 4 + 1);
        const auto bytes = std::as_writable_bytes(std::span(work));
        REQUIRE(features(s, x, z, bytes) == Status::ok);
        std::vector<float> twice = x;
        twice.insert(twice.end(), x.begin(), x.end());
        REQUIRE(features(s, twice, pair, 2, bytes) == Status::ok);
        bool same = true;
        for (std::uint32_t i = 0; i < s.features; ++i)
            same = same && pair[i] == z[i] && pair[s.features + i] == z[i] &&
                   static_cast<double>(z[i]) == found_by(local_filter(filters, i), filters.shape, numbers);
        CHECK(same);
    }
}

TEST_CASE("local: filters stay within a row of data, and draw all that they may")
{
    for (const LocalSpec& request : shapes) {
        const LocalSpec s = resolve(request);
        const LocalFilters filters = Map<LocalSpec>::filters(s);
        const LocalShape& shape = filters.shape;
        std::set<std::uint32_t> taps;
        double minus = 0.0, all = 0.0, maxima = 0.0;
        for (std::uint32_t i = 0; i < 2000; ++i) {
            const LocalFilter f = local_filter(filters, i);
            std::uint32_t last = 0;
            for (std::uint32_t t = 0; t < f.taps; ++t) {
                last = std::max(last, f.tap[t]);
                for (std::uint32_t u = 0; u < t; ++u)
                    REQUIRE(f.tap[t] != f.tap[u]);
            }
            REQUIRE(f.height * f.width >= 1);
            REQUIRE(f.first + (f.height - 1) * shape.down() + (f.width - 1) * shape.right() + last < s.inputs);
            // A window and its patch stay within the rows of an image, and within the channel of a series.
            if (!shape.series)
                REQUIRE(f.first / shape.right() % shape.width + f.width <= shape.width);
            REQUIRE(f.plus <= f.taps);
            if (!shape.series)
                REQUIRE(2 * f.plus == f.taps);
            taps.insert(f.taps);
            minus += f.taps - f.plus;
            all += f.taps;
            maxima += f.maximum ? 1.0 : 0.0;
        }
        CHECK(taps.size() == (s.length == 3 ? 1 : s.pairs)); // a patch of two places has one pair
        CHECK(std::fabs(minus / all - 0.5) < 0.03);
        CHECK(std::fabs(maxima / 2000 - (s.kinds == LocalKinds::both  ? 0.5
                                         : s.kinds == LocalKinds::max ? 1.0
                                                                      : 0.0)) < 0.05);
    }
}

TEST_CASE("local: kept features are those of all")
{
    const LocalSpec s = resolve(shapes[4]);
    std::vector<std::byte> kept;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 1; i < s.features; i += 1 + i % 7) {
        kept.push_back(static_cast<std::byte>(i & 255u));
        kept.push_back(static_cast<std::byte>(i >> 8));
        rows.push_back(i);
    }
    const ChosenRows chosen{std::span<const std::byte>(kept)};
    const std::vector<float> x = whole_inputs(s, 5);
    std::vector<float> all(s.features), some(rows.size());
    std::vector<std::uint32_t> work(workspace_bytes(s, chosen) / 4 + 1);
    const auto bytes = std::as_writable_bytes(std::span(work));
    REQUIRE(features(s, x, all, bytes) == Status::ok);
    REQUIRE(features(s, chosen, x, some, 1, bytes) == Status::ok);
    for (std::size_t i = 0; i < rows.size(); ++i)
        CHECK(some[i] == all[rows[i]]);
}

TEST_CASE("local: inputs are rounded and limited, and a smaller map is the beginning of a larger one")
{
    LocalSpec s = resolve(shapes[0]);
    std::vector<float> x = whole_inputs(s, 5), z(s.features), other(s.features);
    std::vector<std::uint32_t> work(workspace_bytes(s) / 4 + 1);
    const auto bytes = std::as_writable_bytes(std::span(work));
    x[0] = 127.0f;
    x[1] = -127.0f;
    REQUIRE(features(s, x, z, bytes) == Status::ok);
    x[0] = 1e6f;
    x[1] = -0x1p40f;
    for (std::size_t i = 2; i < x.size(); ++i)
        x[i] += 0.4f;
    REQUIRE(features(s, x, other, bytes) == Status::ok);
    CHECK(z == other);
    s.features = 50;
    other.resize(50);
    REQUIRE(features(s, x, other, bytes) == Status::ok);
    CHECK(std::equal(other.begin(), other.end(), z.begin()));
}

TEST_CASE("local: shapes that are told in part, and those that are refused")
{
    const auto resolved_shape = [](LocalSpec s) {
        REQUIRE(check(s));
        s = resolve(s);
        REQUIRE(resolved(s));
        return std::vector{s.height, s.width, s.channels, s.length};
    };
    using V = std::vector<std::uint32_t>;
    CHECK(resolved_shape({.inputs = 60, .height = 6}) == V{6, 10, 1, 0});
    CHECK(resolved_shape({.inputs = 60, .width = 6}) == V{10, 6, 1, 0});
    CHECK(resolved_shape({.inputs = 60, .height = 4, .width = 5}) == V{4, 5, 3, 0});
    CHECK(resolved_shape({.inputs = 60, .height = 4, .channels = 3}) == V{4, 5, 3, 0});
    CHECK(resolved_shape({.inputs = 60, .channels = 3}) == V{0, 0, 3, 20});
    CHECK(resolved_shape({.inputs = 60, .length = 20}) == V{0, 0, 3, 20});
    CHECK(resolve(LocalSpec{.inputs = 60, .length = 20}).largest == 9);
    CHECK(resolve(LocalSpec{.inputs = 60, .length = 20}).reach == 32);
    CHECK(resolve(LocalSpec{.inputs = 60, .height = 6}).largest == 5);
    CHECK(resolve(LocalSpec{.inputs = 60, .height = 6}).gain == 8);
    const auto refused = [](const LocalSpec& s) { return std::string(check(s).field); };
    CHECK(refused({.inputs = 60}) == "height");
    CHECK(refused({.inputs = 60, .height = 7}) == "inputs");
    CHECK(refused({.inputs = 60, .length = 7}) == "inputs");
    CHECK(refused({.inputs = 60, .height = 6, .length = 10}) == "length");
    CHECK(refused({.inputs = 60, .height = 60}) == "width");
    CHECK(refused({.inputs = 60, .height = 1}) == "height");
    CHECK(refused({.inputs = 60, .channels = 30}) == "length");
    CHECK(refused({.inputs = 60, .height = 6, .reach = 3}) == "reach");
    CHECK(refused({.inputs = 60, .length = 60, .reach = 1}) == "reach");
    CHECK(refused({.inputs = 60, .height = 6, .largest = 4}) == "largest");
    CHECK(refused({.inputs = 60, .height = 6, .largest = 1}) == "largest");
    CHECK(refused({.inputs = 60, .height = 6, .pairs = 5}) == "pairs");
    CHECK(refused({.inputs = 60, .height = 6, .pairs = 0}) == "pairs");
    CHECK(refused({.inputs = 60, .height = 6, .gain = 17}) == "gain");
    CHECK(refused({.inputs = 65536, .height = 256}) == "inputs");
}
