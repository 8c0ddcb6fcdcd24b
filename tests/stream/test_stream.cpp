// Keys, generators, indices and the laws of the values. Statistics use fixed seeds, so a result repeats; bounds are
// five or six standard errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "samara/simd.hpp"
#include "samara/stream.hpp"
#include "stream/lanes.hpp"

#include "../simd/support.hpp"

namespace {

using namespace samara;
using namespace samara::test;
namespace inside = samara::SAMARA_ARCH;
using inside::F;
using inside::U;

constexpr double pi = 3.14159265358979323846;

std::uint32_t word_of(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class Function>
float first_lane(Function function, std::uint32_t word)
{
    float lanes[F::size];
    store(lanes, function(inside::broadcast(word)));
    return lanes[0];
}

struct Two {
    float first, second;
};

Two normals_of(std::uint32_t word)
{
    float lanes[2][F::size];
    const inside::NormalPair z = inside::normals(inside::broadcast(word));
    store(lanes[0], z.first);
    store(lanes[1], z.second);
    return {lanes[0][0], lanes[1][0]};
}

// ---- The normal law, exactly. A value is a radius (17 bits of the word) times a cosine (13 bits), rounded to float
// once: radii and cosines alone say all, up to 1 part in 10^7 of a value.

constexpr std::uint32_t radii = 1u << 17, angles = 1u << 13;

std::uint32_t normal_word(std::uint32_t radius, std::uint32_t angle) { return radius | angle << 17; }

struct NormalLaw {
    std::vector<double> radius, cosine; // in the order of the word's bits
    std::vector<double> sorted;         // radii, ascending
    std::vector<std::uint32_t> start;   // of the radii at or above a cell's lower end
    static constexpr double cells_per_unit = 16384.0;

    NormalLaw() : radius(radii), cosine(angles)
    {
        for (std::uint32_t k = 0; k < radii; ++k) {
            const Two z = normals_of(normal_word(k, angles / 2));
            radius[k] = std::hypot(static_cast<double>(z.first), static_cast<double>(z.second));
        }
        for (std::uint32_t j = 0; j < angles; ++j)
            cosine[j] = static_cast<double>(normals_of(normal_word(radii / 4, j)).first) / radius[radii / 4];
        sorted = radius;
        std::sort(sorted.begin(), sorted.end());
        std::uint32_t at = 0;
        for (std::uint32_t cell = 0; cell < 6 * static_cast<std::uint32_t>(cells_per_unit); ++cell) {
            while (at < radii && sorted[at] < cell / cells_per_unit)
                ++at;
            start.push_back(at);
        }
    }
    // The share of radii at most y.
    double radius_cdf(double y) const
    {
        const double cell = y * cells_per_unit;
        if (cell >= static_cast<double>(start.size()))
            return 1.0;
        std::uint32_t at = start[static_cast<std::size_t>(cell)];
        while (at < radii && sorted[at] <= y)
            ++at;
        return at / static_cast<double>(radii);
    }
    // P(X <= x) for x >= 0; symmetry gives the rest.
    double cdf(double x) const
    {
        double sum = 0.0;
        for (const double c : cosine)
            sum += radius_cdf(x / c);
        return 0.5 + 0.5 * sum / angles;
    }
    double moment(int power) const
    {
        double r = 0.0, c = 0.0;
        for (const double v : radius)
            r += std::pow(v, power);
        for (const double v : cosine)
            c += std::pow(v, power);
        return r / radii * (c / angles);
    }
};

const NormalLaw& normal_law()
{
    static const NormalLaw law;
    return law;
}

template <class Fill>
std::vector<float> drawn(Fill fill, StreamKey key, std::size_t n)
{
    std::vector<float> values(n);
    fill(key, std::span<float>(values));
    return values;
}

// Kolmogorov and Smirnov's statistic times sqrt(n).
template <class Cdf>
double distance_score(std::vector<float> values, Cdf cdf)
{
    std::sort(values.begin(), values.end());
    const double n = static_cast<double>(values.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double p = cdf(static_cast<double>(values[i]));
        largest = std::max({largest, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
    }
    return largest * std::sqrt(n);
}

} // namespace

TEST_CASE("SplitMix64 gives the published numbers")
{
    // rust-random/rngs, rand_xoshiro/src/splitmix64.rs, made with the reference implementation of prng.di.unimi.it
    const std::uint64_t rust[] = {1985237415132408290u, 2979275885539914483u, 13511426838097143398u,
                                  8488337342461049707u, 15141737807933549159u};
    for (std::uint32_t i = 0; i < 5; ++i)
        CHECK(splitmix_output({1477776061723855037u}, i) == rust[i]);
    // Rosetta Code's task, seed 1234567
    const std::uint64_t rosetta[] = {0x599ed017fb08fc85u, 0x2c73f08458540fa5u, 0x883ebce5a3f27c77u, 0x3fbef740e9177b3fu,
                                     0xe3b8346708cb5ecdu};
    for (std::uint32_t i = 0; i < 5; ++i)
        CHECK(splitmix_output({1234567u}, i) == rosetta[i]);
    // Seed 0: found in many repositories
    const std::uint64_t zero[] = {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u, 0x06c45d188009454fu, 0xf88bb8a8724c81ecu};
    for (std::uint32_t i = 0; i < 4; ++i)
        CHECK(splitmix_output({0}, i) == zero[i]);
    CHECK(mix64(0) == 0);
}

TEST_CASE("xoshiro128++ gives the published numbers")
{
    // rust-random, rand/src/rngs/xoshiro128plusplus.rs, made with the reference implementation of xoshiro.di.unimi.it
    const std::uint32_t rust[] = {641u,        1573767u,    3222811527u, 3517856514u, 836907274u,
                                  4247214768u, 3867114732u, 1355841295u, 495546011u,  621204420u};
    Xoshiro a(1, 2, 3, 4);
    for (const std::uint32_t expected : rust)
        CHECK(a.word() == expected);
    // php/php-src, ext/random/tests/02_engine/user_xoshiro128plusplus.phpt: number 102,401
    Xoshiro b(1, 2, 3, 4);
    for (int i = 0; i < 102400; ++i)
        b.word();
    CHECK(b.word() == 0x2c873cfau);
    // edorfaus/xoshiro-6502, test-rom/testdata.asm
    const std::uint32_t rom[] = {0xc06ac86fu, 0xb459c753u, 0xaa04c486u, 0xb3fb785au};
    Xoshiro c(0x964d4a0cu, 0xd40ab895u, 0xad7fdecbu, 0x3006f0f0u);
    for (const std::uint32_t expected : rom)
        CHECK(c.word() == expected);
}

TEST_CASE("a state of zeros is replaced")
{
    Xoshiro zeros(0, 0, 0, 0), plain(1, 2, 3, 4);
    for (unsigned i = 0; i < 4; ++i)
        CHECK(zeros.state(i) == i + 1);
    for (int i = 0; i < 100; ++i)
        CHECK(zeros.word() == plain.word());
    Xoshiro one_bit(0, 0, 0, 1); // not replaced
    CHECK(one_bit.state(0) == 0);
    CHECK(one_bit.state(3) == 1);
}

TEST_CASE("a key's streams are made of SplitMix64's outputs, low halves first")
{
    const StreamKey key = stream_key(5, Domain::phases, 9);
    // The key, step by step.
    std::uint64_t h = 0;
    for (const std::uint64_t part : {std::uint64_t{5}, std::uint64_t{10}, std::uint64_t{9}})
        h = mix64((h ^ part) + 0x9e3779b97f4a7c15u);
    CHECK(key.value == h);
    CHECK(stream_key(5, 10, 9).value == key.value);

    std::uint32_t words[64];
    for (std::uint32_t i = 0; i < 32; ++i) {
        const std::uint64_t output = mix64(key.value + (i + 1) * 0x9e3779b97f4a7c15u);
        words[2 * i] = static_cast<std::uint32_t>(output);
        words[2 * i + 1] = static_cast<std::uint32_t>(output >> 32);
    }
    const Xoshiro narrow(key);
    for (unsigned i = 0; i < 4; ++i)
        CHECK(narrow.state(i) == words[i]);

    std::vector<std::uint32_t> signs(37), wide(16 * 5 + 3);
    fill_sign_words(key, signs);
    Xoshiro again(key);
    for (const std::uint32_t sign : signs)
        CHECK(sign == again.word());

    std::vector<Xoshiro> lanes;
    for (unsigned l = 0; l < 16; ++l)
        lanes.emplace_back(words[l], words[16 + l], words[32 + l], words[48 + l]);
    on_each_back_end([&](Simd simd) {
        INFO(name(simd));
        std::vector<Xoshiro> copy = lanes;
        fill_words(key, wide);
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < wide.size(); ++i)
            wrong += wide[i] != copy[i % 16].word() ? 1u : 0u;
        CHECK(wrong == 0);
    });
}

TEST_CASE("every bit of a key changes half of the state")
{
    constexpr unsigned keys = 4096;
    const auto state_of = [](std::uint64_t seed, std::uint64_t domain, std::uint64_t index) {
        const StreamKey key = stream_key(seed, domain, index);
        return std::array<std::uint64_t, 2>{splitmix_output(key, 0), splitmix_output(key, 1)};
    };
    double least = 1.0, most = 0.0, least_mean = 1.0, most_mean = 0.0;
    for (unsigned part = 0; part < 3; ++part) {
        for (unsigned bit = 0; bit < 64; ++bit) {
            std::uint32_t flips[128] = {};
            for (std::uint32_t k = 0; k < keys; ++k) {
                // Small numbers, as people choose them, for half of the keys; then any.
                RandomNumbers numbers(k + 1);
                std::uint64_t value[3] = {k / 16, k % 16, k % 7};
                if (k % 2 == 1)
                    for (std::uint64_t& v : value)
                        v = numbers.long_word();
                const auto before = state_of(value[0], value[1], value[2]);
                value[part] ^= std::uint64_t{1} << bit;
                const auto after = state_of(value[0], value[1], value[2]);
                for (unsigned i = 0; i < 128; ++i)
                    flips[i] += static_cast<std::uint32_t>(((before[i / 64] ^ after[i / 64]) >> (i % 64)) & 1u);
            }
            double mean = 0.0;
            for (const std::uint32_t count : flips) {
                const double share = count / static_cast<double>(keys);
                least = std::min(least, share);
                most = std::max(most, share);
                mean += share / 128.0;
            }
            least_mean = std::min(least_mean, mean);
            most_mean = std::max(most_mean, mean);
        }
    }
    // Of the 24,576 pairs of bits, then of the 192 bits of the key: 6.4 and 7 standard deviations.
    CHECK(least > 0.45);
    CHECK(most < 0.55);
    CHECK(least_mean > 0.495);
    CHECK(most_mean < 0.505);
}

TEST_CASE("neighbouring keys share no word")
{
    // 64 words of the wide stream and 16 of the narrow one, for each of seven neighbours: chance alone would make
    // two equal words in one of 30,000 tries.
    std::uint64_t common = 0;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, ~std::uint64_t{0} - 1}) {
        for (std::uint64_t domain = 0; domain < 3; ++domain) {
            for (const std::uint64_t index : {0u, 1u, 1000u}) {
                std::vector<std::uint32_t> all;
                for (unsigned near = 0; near < 8; ++near) {
                    const StreamKey key =
                        stream_key(seed + (near & 1u), domain + (near >> 1 & 1u), index + (near >> 2));
                    std::vector<std::uint32_t> words(80);
                    fill_words(key, std::span(words).first(64));
                    fill_sign_words(key, std::span(words).subspan(64));
                    all.insert(all.end(), words.begin(), words.end());
                }
                std::sort(all.begin(), all.end());
                for (std::size_t i = 1; i < all.size(); ++i)
                    common += all[i] == all[i - 1] ? 1u : 0u;
            }
        }
    }
    CHECK(common == 0);
}

TEST_CASE("below() is uniform")
{
    Xoshiro words(stream_key(1, 99, 0));
    std::uint64_t outside = 0;
    constexpr std::uint32_t draws = slow_build ? 100000 : 1000000;
    for (const std::uint32_t n : {2u, 3u, 5u, 7u, 10u, 64u, 100u, 257u, 1000u}) {
        std::vector<std::uint64_t> counts(n);
        for (std::uint32_t i = 0; i < draws; ++i) {
            const std::uint32_t v = words.below(n);
            if (v < n)
                ++counts[v];
            else
                ++outside;
        }
        INFO(n);
        CHECK(std::abs(uniform_score(counts)) < 5.0);
    }
    // Where most words must be thrown away to be exact: taking them would put half of the draws into a third.
    for (const std::uint32_t n : {0xc0000000u, 0x80000001u, 0xaaaaaaabu, 0xfffffffeu}) {
        std::vector<std::uint64_t> counts(24), low_digits(24);
        for (std::uint32_t i = 0; i < draws; ++i) {
            const std::uint32_t v = words.below(n);
            outside += v >= n ? 1u : 0u;
            ++counts[static_cast<std::size_t>(std::uint64_t{v} * 24 / n)];
            ++low_digits[v % 24];
        }
        INFO(n);
        CHECK(std::abs(uniform_score(counts)) < 5.0);
        CHECK(std::abs(uniform_score(low_digits)) < 5.0);
    }
    for (int i = 0; i < 1000; ++i)
        outside += words.below(1) != 0 ? 1u : 0u;
    CHECK(outside == 0);
}

TEST_CASE("a bijection is a permutation")
{
    std::uint64_t wrong = 0;
    const auto try_size = [&](std::uint32_t n, std::uint64_t seed) {
        const Bijection permutation(stream_key(seed, 99, n), n);
        std::vector<bool> seen(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t image = permutation(i);
            if (image >= n || seen[image])
                ++wrong;
            else
                seen[image] = true;
        }
        wrong += permutation.size() != n ? 1u : 0u;
    };
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        for (std::uint32_t n = 1; n <= 300; ++n)
            try_size(n, seed);
    for (const std::uint32_t n : {1000u, 1023u, 1024u, 1025u, 4096u, 65537u})
        for (std::uint64_t seed = 0; seed < 10; ++seed)
            try_size(n, seed);
    CHECK(wrong == 0);
    // Sizes whose tables nobody holds: images in range and different.
    for (const std::uint32_t n : {1u << 20, (1u << 30) + 1, 1u << 31}) {
        const Bijection permutation(stream_key(3, 99, n), n);
        std::vector<std::uint32_t> images;
        for (std::uint32_t i = 0; i < 10000; ++i)
            images.push_back(permutation(n - 1 - i));
        std::sort(images.begin(), images.end());
        CHECK(images.back() < n);
        CHECK(std::adjacent_find(images.begin(), images.end()) == images.end());
    }
}

TEST_CASE("bijections of different keys are different and spread out")
{
    for (const std::uint32_t n : {64u, 100u, 256u, 1000u, 1024u}) {
        INFO(n);
        const std::uint32_t keys = slow_build ? 1000 : 4000;
        std::uint64_t equal = 0;
        double displacement = 0.0, squares = 0.0;
        std::vector<std::uint32_t> before(n), now(n);
        for (std::uint32_t k = 0; k < keys; ++k) {
            const Bijection permutation(stream_key(k, 99, 0), n);
            double sum = 0.0;
            for (std::uint32_t i = 0; i < n; ++i) {
                now[i] = permutation(i);
                sum += std::abs(static_cast<double>(now[i]) - static_cast<double>(i));
            }
            equal += now == before ? 1u : 0u;
            before = now;
            displacement += sum / n;
            squares += (sum / n) * (sum / n);
        }
        CHECK(equal == 0);
        // (n^2 - 1) / 3n for a random permutation
        const double mean = displacement / keys, expected = (static_cast<double>(n) * n - 1.0) / (3.0 * n);
        const double error = std::sqrt((squares / keys - mean * mean) / keys);
        CHECK(std::abs(mean - expected) < 5.0 * error + 0.01 * expected);
        CHECK(error < 0.01 * expected);
        // Where single elements go.
        for (const std::uint32_t from : {0u, 1u, n / 2, n - 1}) {
            std::vector<std::uint64_t> counts(n);
            for (std::uint32_t k = 0; k < 100 * n; ++k)
                ++counts[Bijection(stream_key(k, 98, from), n)(from)];
            INFO(from);
            CHECK(std::abs(uniform_score(counts)) < 5.0);
        }
    }
}

TEST_CASE("images of two places under a bijection are those of a random permutation")
{
    // Squared distance between the law of a pair of images and the uniform one, in its natural unit, for all
    // differences of the two places; `score` is in standard deviations of what as many draws of the uniform law give.
    struct Distance {
        double relative, score;
    };
    const auto distance = [](std::uint32_t n, std::uint32_t from, std::uint32_t to, std::uint64_t keys) {
        std::vector<std::uint64_t> counts(std::size_t{n} * n);
        for (std::uint64_t k = 0; k < keys; ++k) {
            const Bijection permutation(stream_key(k, 97, from), n);
            ++counts[permutation(from) * n + permutation(to)];
        }
        const double cells = static_cast<double>(n) * (n - 1.0), expected = static_cast<double>(keys) / cells;
        double chi = 0.0;
        for (std::uint32_t i = 0; i < n; ++i)
            for (std::uint32_t j = 0; j < n; ++j)
                if (i != j) {
                    const double d = static_cast<double>(counts[i * n + j]) - expected;
                    chi += d * d / expected;
                }
        const double excess = chi - (cells - 1);
        return Distance{std::sqrt(std::max(excess, 0.0) / static_cast<double>(keys)), excess / std::sqrt(2.0 * cells)};
    };
    const std::uint64_t per_cell = slow_build ? 20 : 100;
    for (const std::uint32_t n : {2u, 4u, 8u, 16u, 64u, 256u}) {
        INFO(n);
        for (std::uint32_t d = 1; d < n; d += n <= 16 ? 1 : n / 4)
            for (const std::uint32_t from : {0u, n - d - 1})
                CHECK(std::abs(distance(n, from, from + d, (n <= 64 ? per_cell : 6) * n * n).score) < 5.0);
    }
    for (const std::uint32_t n : {12u, 13u, 40u, 100u}) { // not exact: near
        INFO(n);
        for (std::uint32_t d = 1; d < n; d += n <= 16 ? 1 : n / 4) {
            const Distance e = distance(n, 0, d, per_cell * n * n);
            CHECK((e.relative < 0.06 || e.score < 5.0));
        }
    }
}

TEST_CASE("element i of a stream does not depend on how many are asked for, nor on the back end")
{
    const StreamKey key = stream_key(11, 99, 12);
    const auto try_fill = [&]<class T>(const char* what, T, auto fill) {
        INFO(std::string(what));
        constexpr std::size_t most = 1003;
        std::vector<T> first;
        on_each_back_end([&](Simd simd) {
            INFO(std::string(name(simd)));
            std::vector<T> all(most);
            fill(std::span(all));
            if (first.empty())
                first = all;
            CHECK(std::equal(all.begin(), all.end(), first.begin(), [](T a, T b) {
                return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
            }));
            std::uint64_t wrong = 0, beyond = 0;
            constexpr T paint = static_cast<T>(77);
            for (std::size_t n = 0; n < most; n += n < 100 ? 1 : 97) {
                std::vector<T> part(n + 41, paint);
                const std::size_t offset = n % 5; // and not on where they are put
                fill(std::span(part).subspan(offset, n));
                for (std::size_t i = 0; i < part.size(); ++i) {
                    const bool inside_span = i >= offset && i < offset + n;
                    if (inside_span)
                        wrong +=
                            std::bit_cast<std::uint32_t>(part[i]) != std::bit_cast<std::uint32_t>(first[i - offset]);
                    else
                        beyond += part[i] != paint;
                }
            }
            CHECK(wrong == 0);
            CHECK(beyond == 0);
        });
    };
    using Words = std::span<std::uint32_t>;
    using Values = std::span<float>;
    try_fill("words", std::uint32_t{}, [&](Words out) { fill_words(key, out); });
    try_fill("sign words", std::uint32_t{}, [&](Words out) { fill_sign_words(key, out); });
    try_fill("uniforms", float{}, [&](Values out) { fill_uniforms(key, out); });
    try_fill("normals", float{}, [&](Values out) { fill_normals(key, out); });
    try_fill("cauchy", float{}, [&](Values out) { fill_cauchy(key, out); });
    try_fill("laplace", float{}, [&](Values out) { fill_laplace(key, out); });
    try_fill("chi of 64", float{}, [&](Values out) { fill_chi(key, 64, out); });
    try_fill("chi of 1000", float{}, [&](Values out) { fill_chi(key, 1000, out); });
}

TEST_CASE("values are made of the words in the documented order")
{
    const StreamKey key = stream_key(13, 99, 14);
    std::vector<std::uint32_t> words(64);
    fill_words(key, words);
    const std::vector<float> uniforms = drawn(fill_uniforms, key, 64), normals = drawn(fill_normals, key, 128),
                             cauchy = drawn(fill_cauchy, key, 64), laplace = drawn(fill_laplace, key, 64);
    for (std::size_t i = 0; i < 64; ++i) {
        CHECK(uniforms[i] == static_cast<float>(2 * (words[i] >> 9) + 1) * 0x1p-24f);
        const Two z = normals_of(words[i]);
        CHECK(word_of(normals[i / 16 * 32 + i % 16]) == word_of(z.first));
        CHECK(word_of(normals[i / 16 * 32 + 16 + i % 16]) == word_of(z.second));
        CHECK(word_of(cauchy[i]) == word_of(first_lane([](U w) { return inside::cauchy(w); }, words[i])));
        CHECK(word_of(laplace[i]) == word_of(first_lane([](U w) { return inside::laplace(w); }, words[i])));
    }
}

TEST_CASE("words and uniforms are uniform")
{
    const std::size_t n = slow_build ? 1u << 18 : 1u << 22;
    const StreamKey key = stream_key(15, 99, 16);
    std::vector<std::uint32_t> words(n);
    fill_words(key, words);
    for (unsigned byte = 0; byte < 4; ++byte) {
        std::vector<std::uint64_t> counts(256);
        for (const std::uint32_t w : words)
            ++counts[(w >> (8 * byte)) & 0xffu];
        CHECK(std::abs(uniform_score(counts)) < 5.0);
    }
    std::vector<std::uint64_t> pairs(65536), lags(65536);
    for (std::size_t i = 16; i < n; ++i) {
        ++pairs[words[i] >> 24 << 8 | words[i - 1] >> 24];
        ++lags[words[i] >> 24 << 8 | words[i - 16] >> 24];
    }
    CHECK(std::abs(uniform_score(pairs)) < 5.0);
    CHECK(std::abs(uniform_score(lags)) < 5.0);

    const std::vector<float> uniforms = drawn(fill_uniforms, key, n);
    std::uint64_t wrong = 0;
    double sum = 0.0, squares = 0.0;
    std::vector<std::uint64_t> counts(1000);
    for (const float u : uniforms) {
        const float scaled = u * 0x1p24f;
        const auto whole = static_cast<std::uint32_t>(scaled);
        wrong += !(u > 0.0f && u < 1.0f) || static_cast<float>(whole) != scaled || whole % 2 != 1 ? 1u : 0u;
        const double d = static_cast<double>(u) - 0.5;
        sum += d;
        squares += d * d;
        ++counts[static_cast<std::size_t>(static_cast<double>(u) * 1000.0)];
    }
    const double count = static_cast<double>(n);
    CHECK(wrong == 0);
    CHECK(std::abs(sum / count) < 5.0 * std::sqrt(1.0 / 12.0 / count));
    CHECK(std::abs(squares / count - 1.0 / 12.0) < 5.0 * std::sqrt(1.0 / 180.0 / count));
    CHECK(std::abs(uniform_score(counts)) < 5.0);
    // The ends.
    CHECK(first_lane([](U w) { return inside::uniform(w); }, 0u) == 0x1p-24f);
    CHECK(first_lane([](U w) { return inside::uniform(w); }, 0xffffffffu) == 1.0f - 0x1p-24f);
}

TEST_CASE("normals: signs are two bits of the word, and nothing else")
{
    RandomNumbers numbers(20);
    std::uint64_t wrong = 0;
    for (int i = 0; i < 200000; ++i) {
        const std::uint32_t w = numbers.word() & 0x3fffffffu;
        const Two plain = normals_of(w), first = normals_of(w | 0x80000000u), second = normals_of(w | 0x40000000u),
                  both = normals_of(w | 0xc0000000u);
        const std::uint32_t minus = 0x80000000u;
        wrong += !(plain.first > 0.0f && plain.second > 0.0f) ? 1u : 0u;
        wrong += word_of(first.first) != (word_of(plain.first) ^ minus) || first.second != plain.second ? 1u : 0u;
        wrong += word_of(second.second) != (word_of(plain.second) ^ minus) || second.first != plain.first ? 1u : 0u;
        wrong += both.first != -plain.first || both.second != -plain.second ? 1u : 0u;
        // Sines are the cosines from behind, to the bit.
        const std::uint32_t k = w & (radii - 1), j = w >> 17;
        const Two mirrored = normals_of(normal_word(k, angles - 1 - j));
        wrong += mirrored.first != plain.second || mirrored.second != plain.first ? 1u : 0u;
    }
    CHECK(wrong == 0);
}

TEST_CASE("normals: a value is a radius times a cosine")
{
    // What makes the enumeration below exact.
    const NormalLaw& law = normal_law();
    double largest = 0.0, radius_error = 0.0, cosine_error = 0.0;
    const auto see = [&](std::uint32_t k, std::uint32_t j) {
        const double expected = law.radius[k] * law.cosine[j];
        largest =
            std::max(largest, std::abs(static_cast<double>(normals_of(normal_word(k, j)).first) / expected - 1.0));
    };
    if (long_run()) {
        for (std::uint32_t k = 0; k < radii; ++k)
            for (std::uint32_t j = 0; j < angles; ++j)
                see(k, j);
    } else {
        RandomNumbers numbers(21);
        for (int i = 0; i < (slow_build ? 50000 : 2000000); ++i)
            see(numbers.below(radii), numbers.below(angles));
    }
    for (std::uint32_t k = 0; k < radii; ++k) {
        const double exact = std::sqrt(-2.0 * std::log((2.0 * k + 1.0) / (2.0 * radii)));
        radius_error = std::max(radius_error, std::abs(law.radius[k] / exact - 1.0));
    }
    for (std::uint32_t j = 0; j < angles; ++j) {
        const double exact = std::cos(pi / 2 * (j + 0.5) / angles);
        cosine_error = std::max(cosine_error, std::abs(law.cosine[j] - exact));
    }
    MESSAGE("normals: error of the product " << largest << ", of a radius " << radius_error
                                             << " (relative), of a cosine " << cosine_error);
    CHECK(largest < 5e-7);
    CHECK(radius_error < 1.5e-6);
    CHECK(cosine_error < 3e-7);
}

TEST_CASE("normals: the exact law")
{
    const NormalLaw& law = normal_law();
    double distance = 0.0, at = 0.0;
    const auto see = [&](double x) {
        const double error = std::abs(law.cdf(x) - normal_cdf(x));
        if (error > distance) {
            distance = error;
            at = x;
        }
    };
    const int steps = long_run() ? 100000 : slow_build ? 300 : 3000;
    for (int i = 0; i <= steps; ++i) {
        see(5.2 * (i + 0.37) / steps);               // everywhere
        see(1e-7 * std::pow(10.0, 6.0 * i / steps)); // and near 0, where the smallest angle makes a gap
    }
    // At the jumps themselves: the largest products.
    for (std::uint32_t k = 0; k < 100; ++k)
        for (const double nudge : {1.0 - 1e-9, 1.0 + 1e-9})
            see(law.sorted[radii - 1 - k] * law.cosine[0] * nudge);

    const double variance = law.moment(2), kurtosis = law.moment(4) / (variance * variance);
    float largest = 0.0f, least = 1.0f;
    for (std::uint32_t j = 0; j < angles; ++j)
        largest = std::max(largest, normals_of(normal_word(0, j)).first);
    for (std::uint32_t k = 0; k < radii; ++k)
        least = std::min(least, normals_of(normal_word(k, angles - 1)).first);
    MESSAGE("normals: distance to the CDF " << distance << " at " << at << ", variance 1 + " << variance - 1.0
                                            << ", kurtosis 3 + " << kurtosis - 3.0 << ", up to " << largest << ", from "
                                            << least);
    CHECK(distance <= 1.1e-5);
    CHECK(std::abs(variance - 1.0) < 2.8e-6);
    CHECK(std::abs(kurtosis - 3.0) < 1.1e-4);
    CHECK(largest > 4.99f);
    CHECK(largest <= 4.9954f);
    CHECK(least > 0.0f);
}

TEST_CASE("normals: no serial correlation")
{
    // Of the values and of their squares, over runs of the wide stream with many keys.
    constexpr std::size_t lags[] = {1, 2, 3, 15, 16, 17, 31, 32, 48, 64};
    constexpr std::size_t furthest = 64, run = furthest + (1u << 14), used = run - furthest;
    const double wanted = long_run() ? 1e9 : slow_build ? 2e6 : 1e8;
    double sums[std::size(lags)] = {}, square_sums[std::size(lags)] = {}, sum = 0.0, squares = 0.0, fourth = 0.0;
    std::vector<float> values(run), centred(run);
    double count = 0.0;
    for (std::uint64_t index = 0; count < wanted; ++index, count += static_cast<double>(used)) {
        fill_normals(stream_key(17, 99, index), values);
        for (std::size_t i = 0; i < run; ++i)
            centred[i] = values[i] * values[i] - 1.0f;
        // Eight partial sums, so that the compiler may keep them side by side.
        const auto correlate = [&](const std::vector<float>& v, std::size_t lag) {
            float part[8] = {};
            double total = 0.0;
            for (std::size_t i = furthest; i < run;) {
                for (const std::size_t stop = i + 1024; i < stop; i += 8)
                    for (std::size_t k = 0; k < 8; ++k)
                        part[k] += v[i + k] * v[i + k - lag];
                for (float& p : part) {
                    total += static_cast<double>(p);
                    p = 0.0f;
                }
            }
            return total;
        };
        for (std::size_t l = 0; l < std::size(lags); ++l) {
            sums[l] += correlate(values, lags[l]);
            square_sums[l] += correlate(centred, lags[l]);
        }
        squares += correlate(values, 0);
        fourth += correlate(centred, 0);
        for (std::size_t i = furthest; i < run; ++i)
            sum += static_cast<double>(values[i]);
    }
    const double root = std::sqrt(count);
    for (std::size_t l = 0; l < std::size(lags); ++l) {
        INFO("lag " << lags[l]);
        CHECK(std::abs(sums[l]) < 5.0 * root);
        CHECK(std::abs(square_sums[l]) < 5.0 * 2.0 * root);
    }
    CHECK(std::abs(sum) < 5.0 * root);
    CHECK(std::abs(squares - count) < 5.0 * std::sqrt(2.0) * root + 2.8e-6 * count);
    CHECK(std::abs(fourth / count - 2.0) < 5.0 * std::sqrt(56.0) / root + 1e-4);
}

TEST_CASE("normals: neighbouring dense rows are not correlated")
{
    // Rows as the dense row kinds make them: lanes of narrow streams with neighbouring indices.
    constexpr std::uint32_t rows = 64, columns = 2048;
    const double wanted = long_run() ? 1e9 : slow_build ? 1e6 : 1e8;
    constexpr std::uint32_t steps[] = {1, 2, 3, 4, 8, 16, 32};
    double sums[std::size(steps)] = {}, square_sums[std::size(steps)] = {}, shifted = 0.0, pairs[std::size(steps)] = {};
    std::vector<float> values(rows * columns), centred(rows * columns);
    double count = 0.0;
    for (std::uint64_t seed = 0; count < wanted; ++seed, count += rows * columns) {
        for (std::uint32_t row = 0; row < rows; row += F::size) {
            inside::Lanes lanes = inside::make_lanes(
                [&](unsigned l) { return Xoshiro(stream_key(seed, Domain::dense_rows, std::uint64_t{row} + l)); });
            for (std::uint32_t c = 0; c < columns; c += 2) {
                const inside::NormalPair z = inside::normals(inside::next_words(lanes));
                float first[F::size], second[F::size];
                store(first, z.first);
                store(second, z.second);
                for (unsigned l = 0; l < F::size; ++l) {
                    values[(row + l) * columns + c] = first[l];
                    values[(row + l) * columns + c + 1] = second[l];
                }
            }
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            centred[i] = values[i] * values[i] - 1.0f;
        const auto dot = [](const float* a, const float* b, std::size_t n) {
            float part[8] = {};
            for (std::size_t i = 0; i + 8 <= n; i += 8)
                for (std::size_t k = 0; k < 8; ++k)
                    part[k] += a[i + k] * b[i + k];
            double total = 0.0;
            for (const float p : part)
                total += static_cast<double>(p);
            return total;
        };
        for (std::size_t s = 0; s < std::size(steps); ++s) {
            for (std::uint32_t r = 0; r + steps[s] < rows; ++r) {
                sums[s] += dot(&values[r * columns], &values[(r + steps[s]) * columns], columns);
                square_sums[s] += dot(&centred[r * columns], &centred[(r + steps[s]) * columns], columns);
                pairs[s] += columns;
            }
        }
        for (std::uint32_t r = 0; r + 1 < rows; ++r)
            shifted += dot(&values[r * columns], &values[(r + 1) * columns + 8], columns - 8);
    }
    for (std::size_t s = 0; s < std::size(steps); ++s) {
        INFO("rows " << steps[s] << " apart");
        CHECK(std::abs(sums[s]) < 5.0 * std::sqrt(pairs[s]));
        CHECK(std::abs(square_sums[s]) < 5.0 * 2.0 * std::sqrt(pairs[s]));
    }
    CHECK(std::abs(shifted) < 5.0 * std::sqrt(pairs[0]));
}

TEST_CASE("Cauchy and Laplace values")
{
    const auto cauchy = [](std::uint32_t w) { return first_lane([](U u) { return inside::cauchy(u); }, w); };
    const auto laplace = [](std::uint32_t w) { return first_lane([](U u) { return inside::laplace(u); }, w); };
    RandomNumbers numbers(22);
    double cauchy_error = 0.0, laplace_error = 0.0;
    std::uint64_t wrong = 0;
    const auto see = [&](std::uint32_t w) {
        w &= 0x7fffffffu;
        const double m = (static_cast<double>(w) + 0.5) * 0x1p-31;
        // Tangents of the nearer end: pi/2 itself is only known to double.
        const double tangent = m < 0.5
                                   ? std::tan(pi / 2 * m)
                                   : 1.0 / std::tan(pi / 2 * (static_cast<double>(~w & 0x7fffffffu) + 0.5) * 0x1p-31);
        const double logarithm = -std::log(m);
        cauchy_error = std::max(cauchy_error, std::abs(static_cast<double>(cauchy(w)) / tangent - 1.0));
        // m is rounded to 24 bits on the way: an absolute error near m = 1.
        laplace_error =
            std::max(laplace_error, std::abs(static_cast<double>(laplace(w)) - logarithm) / std::max(logarithm, 1.0));
        wrong += !(cauchy(w) > 0.0f) || cauchy(w | 0x80000000u) != -cauchy(w) ? 1u : 0u;
        wrong += !(laplace(w) >= 0.0f) || word_of(laplace(w | 0x80000000u)) != (word_of(laplace(w)) | 0x80000000u);
    };
    for (std::uint32_t w = 0; w < 1000; ++w) {
        see(w);
        see(0x7fffffffu - w);
        see(0x40000000u - 500 + w);
    }
    for (int i = 0; i < (slow_build ? 100000 : 1000000); ++i)
        see(numbers.word());
    MESSAGE("Cauchy: relative error " << cauchy_error << "; Laplace: " << laplace_error << "; up to "
                                      << cauchy(0x7fffffffu) << " and " << laplace(0));
    CHECK(wrong == 0);
    CHECK(cauchy_error < 5e-7);
    CHECK(laplace_error < 2e-7);
    CHECK(cauchy(0x7fffffffu) > 1.3e9f);
    CHECK(laplace(0) > 22.0f);

    const std::size_t n = slow_build ? 1u << 17 : 1u << 22;
    const StreamKey key = stream_key(23, 99, 24);
    const std::vector<float> c = drawn(fill_cauchy, key, n), l = drawn(fill_laplace, key, n);
    // Exceeded once in 10,000 at 2.2.
    CHECK(distance_score(c, [](double x) { return 0.5 + std::atan(x) / pi; }) < 2.2);
    CHECK(distance_score(l, [](double x) { return x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x); }) < 2.2);
    for (const std::vector<float>* values : {&c, &l}) {
        double negative = 0.0;
        for (const float v : *values)
            negative += v < 0.0f ? 1.0 : 0.0;
        CHECK(std::abs(negative - 0.5 * static_cast<double>(n)) < 5.0 * 0.5 * std::sqrt(static_cast<double>(n)));
    }
}

namespace {

// P(chi^2 with 2 a degrees > 2 x), a whole: e^-x times the first a terms of e^x.
double chi_square_tail(std::uint32_t a, double x)
{
    double sum = 0.0;
    const double log_x = std::log(x);
    double log_term = -x;
    for (std::uint32_t i = 0; i < a; ++i) {
        sum += std::exp(log_term);
        log_term += log_x - std::log(i + 1.0);
    }
    return sum;
}

} // namespace

TEST_CASE("chi")
{
    const NormalLaw& law = normal_law();
    for (const std::uint32_t freedom : {64u, 128u, 256u, 1024u}) {
        INFO("freedom " << freedom);
        const double k = freedom, c = 2.0 / (9.0 * k), s = std::sqrt(c);
        // The value made of a normal is the formula's.
        const auto formula = [&](double z) { return std::pow(1.0 - c + s * z, 1.5); };
        const StreamKey key = stream_key(25, 99, freedom);
        const std::size_t n = slow_build ? 1u << 16 : 1u << 21;
        const std::vector<float> z = drawn(fill_normals, key, n);
        std::vector<float> r(n);
        fill_chi(key, freedom, r);
        double error = 0.0, bias = 0.0, squares = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const double exact = std::sqrt(k) * formula(static_cast<double>(z[i])), found = static_cast<double>(r[i]);
            error = std::max(error, std::abs(found / exact - 1.0));
            bias += (found / exact - 1.0) / static_cast<double>(n);
            squares += found * found / k / static_cast<double>(n);
        }
        CHECK(error < 5e-7);
        CHECK(std::abs(bias) < 1e-7);
        CHECK(std::abs(squares - 1.0) < 5.0 * std::sqrt(2.0 / k / static_cast<double>(n)) + 1e-5);
        // E[(1 - c + s z)^3]: z is symmetric, so that its variance is all that enters.
        const double second = std::pow(1.0 - c, 3.0) + 3.0 * (1.0 - c) * c * law.moment(2);
        CHECK(std::abs(second * (1.0 + 2.0 * bias) - 1.0) < 1e-5);
        // The law: r <= x where z <= (x^(2/3) - 1 + c) / s.
        double distance = 0.0;
        const int steps = slow_build ? 100 : 400;
        for (int i = 0; i <= steps; ++i) {
            const double t = -5.5 + 11.0 * i / steps;
            const double below = t >= 0.0 ? law.cdf(t) : 1.0 - law.cdf(-t);
            const double x = formula(t) * std::sqrt(k);
            distance = std::max(distance, std::abs(below - (1.0 - chi_square_tail(freedom / 2, 0.5 * x * x))));
        }
        MESSAGE("chi " << freedom << ": E[r^2]/freedom 1 + " << second * (1.0 + 2.0 * bias) - 1.0 << ", CDF distance "
                       << distance << ", error of a value " << error);
        CHECK(distance < 2e-4);
    }
}
