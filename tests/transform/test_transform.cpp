// The fast transforms against their definitions in double precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "samara/simd.hpp"
#include "samara/transform.hpp"

#include "../simd/support.hpp"

namespace {

using namespace samara;
using namespace samara::test;

std::vector<float> random_values(std::size_t n, std::uint64_t seed)
{
    RandomNumbers numbers(seed);
    std::vector<float> values(n);
    for (float& v : values)
        v = numbers.symmetric();
    return values;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// Levels in ascending order: what the library's rounding is to be, whatever the back end does at a time.
void plain_hadamard(std::vector<float>& v)
{
    for (std::size_t h = 1; h < v.size(); h *= 2) {
        for (std::size_t base = 0; base < v.size(); base += 2 * h) {
            for (std::size_t i = base; i < base + h; ++i) {
                const float a = v[i], b = v[i + h];
                v[i] = a + b;
                v[i + h] = a - b;
            }
        }
    }
}

double entry_of_definition(const std::vector<float>& v, std::size_t row)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i)
        sum += (std::popcount(row & i) & 1) != 0 ? -static_cast<double>(v[i]) : static_cast<double>(v[i]);
    return sum;
}

} // namespace

TEST_CASE("hadamard against its definition")
{
    for (unsigned log2_size = 0; log2_size <= 16; ++log2_size) {
        INFO("2^" << log2_size);
        const std::size_t n = std::size_t{1} << log2_size;
        const std::vector<float> in = random_values(n, log2_size);
        double magnitude = 0.0;
        for (const float v : in)
            magnitude += std::abs(static_cast<double>(v));
        std::vector<float> out = in;
        REQUIRE(hadamard(out) == Status::ok);
        // All outputs of small sizes, some of large ones, the last always among them.
        const std::size_t step = n <= 1024 ? 1 : n / 64 + 1;
        double largest = 0.0;
        for (std::size_t row = n - 1;; row -= step) {
            largest = std::max(largest, std::abs(static_cast<double>(out[row]) - entry_of_definition(in, row)));
            if (row < step)
                break;
        }
        CHECK(largest <= magnitude * 0x1p-24 * log2_size);
    }
}

TEST_CASE("hadamard twice is n times the input")
{
    for (unsigned log2_size = 0; log2_size <= 16; ++log2_size) {
        INFO("2^" << log2_size);
        // Whole numbers small enough that nothing is rounded.
        const std::size_t n = std::size_t{1} << log2_size;
        RandomNumbers numbers(log2_size);
        std::vector<float> in(n);
        for (float& v : in)
            v = static_cast<float>(numbers.below(2 * (1u << 24 >> log2_size >> 1) + 1)) -
                static_cast<float>(1u << 24 >> log2_size >> 1);
        std::vector<float> twice = in;
        REQUIRE(hadamard(twice) == Status::ok);
        REQUIRE(hadamard(twice) == Status::ok);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i)
            wrong += twice[i] != static_cast<float>(n) * in[i] ? 1u : 0u;
        CHECK(wrong == 0);
    }
    // The largest length: unit vectors, two at a time.
    std::vector<float> large(largest_transform);
    large[1] = 1.0f;
    large[largest_transform - 1] = 2.0f;
    REQUIRE(hadamard(large) == Status::ok);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < large.size(); ++i) {
        const float first = (i & 1) != 0 ? -1.0f : 1.0f, last = (std::popcount(i) & 1) != 0 ? -2.0f : 2.0f;
        wrong += large[i] != first + last ? 1u : 0u;
    }
    CHECK(wrong == 0);
    REQUIRE(hadamard(large) == Status::ok);
    wrong = 0;
    for (std::size_t i = 0; i < large.size(); ++i)
        wrong += large[i] != (i == 1 ? 0x1p20f : i == large.size() - 1 ? 0x1p21f : 0.0f) ? 1u : 0u;
    CHECK(wrong == 0);
}

TEST_CASE("hadamard has the bits of ascending levels on every back end")
{
    for (unsigned log2_size = 0; log2_size <= 20; ++log2_size) {
        if (log2_size > 14 && log2_size < 20 && slow_build)
            continue;
        const std::size_t n = std::size_t{1} << log2_size;
        std::vector<float> in = random_values(n, 100 + log2_size);
        RandomNumbers numbers(log2_size);
        for (float& v : in) // of many sizes, so that every rounding counts; some zeros of both signs
            v = numbers.below(16) == 0 ? (numbers.below(2) == 0 ? 0.0f : -0.0f)
                                       : std::ldexp(v, static_cast<int>(numbers.below(24)) - 12);
        std::vector<float> plain = in;
        plain_hadamard(plain);
        on_each_back_end([&](Simd simd) {
            INFO("2^" << log2_size << " on " << std::string(name(simd)));
            // Anywhere in memory, and nothing beside it.
            for (const std::size_t offset : {0u, 1u, 3u}) {
                std::vector<float> around(n + 40, 77.0f);
                std::copy(in.begin(), in.end(), around.begin() + static_cast<std::ptrdiff_t>(offset));
                REQUIRE(hadamard(std::span(around).subspan(offset, n)) == Status::ok);
                CHECK(std::memcmp(around.data() + offset, plain.data(), n * sizeof(float)) == 0);
                around.erase(around.begin() + static_cast<std::ptrdiff_t>(offset),
                             around.begin() + static_cast<std::ptrdiff_t>(offset + n));
                CHECK(std::count(around.begin(), around.end(), 77.0f) == 40);
            }
        });
    }
}

TEST_CASE("hadamard of a batch is that of each row")
{
    on_each_back_end([&](Simd simd) {
        INFO(std::string(name(simd)));
        for (const std::size_t length : {1u, 2u, 4u, 8u, 16u, 64u, 512u}) {
            for (const std::size_t count : {1u, 2u, 3u, 7u, 16u}) {
                std::vector<float> batch = random_values(length * count, length + count), single = batch;
                REQUIRE(hadamard(batch, length, count) == Status::ok);
                for (std::size_t k = 0; k < count; ++k)
                    REQUIRE(hadamard(std::span(single).subspan(k * length, length)) == Status::ok);
                CHECK(same_bits(batch, single));
            }
        }
    });
}

TEST_CASE("hadamard refuses what it cannot do and touches nothing")
{
    std::vector<float> values = random_values(2 * largest_transform, 5);
    const std::vector<float> before = values;
    const std::span<float> all(values);
    for (const std::size_t n : {0u, 3u, 5u, 6u, 7u, 12u, 100u, 1023u, 1025u, (1u << 20) - 1, (1u << 20) + 1, 1u << 21})
        CHECK(hadamard(all.first(n)) == Status::unsupported_size);
    CHECK(hadamard(all.first(24), 12, 2) == Status::unsupported_size);
    CHECK(hadamard(all.first(24), 0, 2) == Status::unsupported_size);
    CHECK(hadamard(all.first(0), 0, 0) == Status::unsupported_size);
    CHECK(hadamard(all.first(24), 8, 2) == Status::wrong_length);
    CHECK(hadamard(all.first(24), 8, 4) == Status::wrong_length);
    CHECK(hadamard(all.first(25), 8, 3) == Status::wrong_length);
    CHECK(hadamard(all.first(23), 8, 3) == Status::wrong_length);
    CHECK(hadamard(all.first(8), 16, 1) == Status::wrong_length);
    CHECK(hadamard(all.first(8), 16, 0) == Status::wrong_length);
    CHECK(hadamard(all.first(16), 16, std::size_t{1} << 60) == Status::wrong_length);
    CHECK(hadamard(all.first(0), 16, 0) == Status::ok);
    CHECK(same_bits(values, before));
}

namespace {

// Whether n is even and n/2 a product of 2, 3 and 5, by trial.
bool size_by_trial(std::size_t n)
{
    if (n < 4 || n > (std::size_t{1} << 20) || n % 2 != 0)
        return false;
    std::size_t half = n / 2;
    for (std::size_t p = 2; p <= half; ++p) {
        while (half % p == 0) {
            if (p > 5)
                return false;
            half /= p;
        }
    }
    return true;
}

// Memory for one direction, with paint around it; `offset` bytes past a multiple of 8.
struct Painted {
    static constexpr std::size_t around = 64;
    std::vector<double> storage;
    std::span<std::byte> memory;
    Painted(std::size_t bytes, std::size_t offset) : storage((bytes + offset + 2 * around) / sizeof(double) + 1)
    {
        auto* start = reinterpret_cast<std::byte*>(storage.data());
        std::fill(start, start + storage.size() * sizeof(double), std::byte{0xa5});
        memory = std::span(start + around + offset, bytes);
    }
    bool clean() const
    {
        const auto* start = reinterpret_cast<const std::byte*>(storage.data());
        const std::byte* end = start + storage.size() * sizeof(double);
        const auto painted = [](std::byte b) { return b == std::byte{0xa5}; };
        return std::all_of(start, static_cast<const std::byte*>(memory.data()), painted) &&
               std::all_of(static_cast<const std::byte*>(memory.data()) + memory.size(), end, painted);
    }
};

constexpr double pi = 3.14159265358979323846;

} // namespace

TEST_CASE("FFT against its definition, and back, inside its memory")
{
    for (std::size_t n = 4; n <= 1000; n += 2) {
        if (!fft_size_ok(n) || (slow_build && n > 300))
            continue;
        INFO("size " << n);
        const std::vector<float> in = random_values(n, n);
        std::vector<double> turn(n), quarter(n);
        double norm = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            turn[i] = std::cos(2.0 * pi * static_cast<double>(i) / static_cast<double>(n));
            quarter[i] = std::sin(2.0 * pi * static_cast<double>(i) / static_cast<double>(n));
            norm += static_cast<double>(in[i]) * static_cast<double>(in[i]);
        }
        norm = std::sqrt(norm);

        std::vector<float> first_out;
        for (const std::size_t offset : {0u, 4u}) {
            INFO("offset " << offset);
            Painted there(fft_bytes(n), offset), back(fft_bytes(n), offset);
            RealFft forward, backward;
            REQUIRE(forward.init(n, false, there.memory) == Status::ok);
            REQUIRE(backward.init(n, true, back.memory) == Status::ok);
            CHECK(forward.size() == n);
            std::vector<float> out(n + 2);
            REQUIRE(forward.forward(in, out) == Status::ok);
            double largest = 0.0;
            for (std::size_t k = 0; k <= n / 2; ++k) {
                double re = 0.0, im = 0.0;
                for (std::size_t i = 0, at = 0; i < n; ++i, at = at + k >= n ? at + k - n : at + k) {
                    re += static_cast<double>(in[i]) * turn[at];
                    im -= static_cast<double>(in[i]) * quarter[at];
                }
                largest = std::max({largest, std::abs(static_cast<double>(out[2 * k]) - re),
                                    std::abs(static_cast<double>(out[2 * k + 1]) - im)});
            }
            CHECK(largest < 6e-7 * norm);
            CHECK(out[1] == 0.0f);
            CHECK(out[n + 1] == 0.0f);
            if (offset == 0)
                first_out = out;
            CHECK(same_bits(out, first_out)); // wherever the memory is

            std::vector<float> again(n);
            REQUIRE(backward.backward(out, again) == Status::ok);
            double difference = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                difference = std::max(difference, std::abs(static_cast<double>(again[i]) / static_cast<double>(n) -
                                                           static_cast<double>(in[i])));
            CHECK(difference < 1e-6);
            CHECK(there.clean());
            CHECK(back.clean());
        }
    }
}

TEST_CASE("FFT of large sizes")
{
    for (const std::size_t n : {std::size_t{31250}, std::size_t{65536}, largest_transform}) {
        INFO("size " << n);
        Painted there(fft_bytes(n), 4), back(fft_bytes(n), 0);
        RealFft forward, backward;
        REQUIRE(forward.init(n, false, there.memory) == Status::ok);
        REQUIRE(backward.init(n, true, back.memory) == Status::ok);
        const std::vector<float> in = random_values(n, 9);
        std::vector<float> out(n + 2), again(n);
        REQUIRE(forward.forward(in, out) == Status::ok);
        // Parseval, one output by its definition, and the way back.
        double squares = 0.0, in_squares = 0.0, re = 0.0, im = 0.0;
        for (std::size_t k = 0; k <= n / 2; ++k) {
            const double a = static_cast<double>(out[2 * k]), b = static_cast<double>(out[2 * k + 1]);
            squares += (k == 0 || k == n / 2 ? 1.0 : 2.0) * (a * a + b * b);
        }
        const std::size_t frequency = n / 3 + 1;
        for (std::size_t i = 0; i < n; ++i) {
            const double v = static_cast<double>(in[i]);
            in_squares += v * v;
            const double t = 2.0 * pi * static_cast<double>(i * frequency % n) / static_cast<double>(n);
            re += v * std::cos(t);
            im -= v * std::sin(t);
        }
        CHECK(std::abs(squares / static_cast<double>(n) / in_squares - 1.0) < 1e-6);
        CHECK(std::abs(static_cast<double>(out[2 * frequency]) - re) < 2e-6 * std::sqrt(in_squares));
        CHECK(std::abs(static_cast<double>(out[2 * frequency + 1]) - im) < 2e-6 * std::sqrt(in_squares));
        REQUIRE(backward.backward(out, again) == Status::ok);
        double difference = 0.0;
        for (std::size_t i = 0; i < n; ++i)
            difference = std::max(difference, std::abs(static_cast<double>(again[i]) / static_cast<double>(n) -
                                                       static_cast<double>(in[i])));
        CHECK(difference < 2e-6);
        CHECK(there.clean());
        CHECK(back.clean());
    }
}

TEST_CASE("FFT sizes")
{
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= (slow_build ? 3000u : 20000u); ++n)
        wrong += fft_size_ok(n) != size_by_trial(n) ? 1u : 0u;
    CHECK(wrong == 0);
    CHECK(fft_size_ok(largest_transform));
    CHECK_FALSE(fft_size_ok(2 * largest_transform));
    CHECK_FALSE(fft_size_ok(~std::size_t{0}));

    CHECK(nearest_fft_size(0) == 4);
    CHECK(nearest_fft_size(1) == 4);
    CHECK(nearest_fft_size(5) == 6);
    CHECK(nearest_fft_size(7) == 8);
    CHECK(nearest_fft_size(14) == 16);
    CHECK(nearest_fft_size(22) == 24);
    CHECK(nearest_fft_size(28) == 30);
    CHECK(nearest_fft_size(2 * largest_transform) == largest_transform);
    CHECK(nearest_fft_size(~std::size_t{0}) == largest_transform);
    CHECK(nearest_fft_size(largest_transform - 1) == largest_transform);
    for (std::size_t n = 4; n <= 3000; ++n) {
        const std::size_t found = nearest_fft_size(n);
        const auto distance = [n](std::size_t m) { return m > n ? m - n : n - m; };
        bool nearest = size_by_trial(found);
        for (std::size_t m = 4; m < n + distance(found); ++m)
            if (size_by_trial(m) && (distance(m) < distance(found) || (distance(m) == distance(found) && m > found)))
                nearest = false;
        wrong += nearest ? 0u : 1u;
        if (slow_build && n > 300)
            break;
    }
    CHECK(wrong == 0);
}

TEST_CASE("FFT refuses, and stays as it was")
{
    Painted big(fft_bytes(largest_transform) + 64, 0);
    RealFft fresh;
    std::vector<float> in = random_values(16, 1), out(18), again(16);
    CHECK(fresh.size() == 0);
    CHECK(fresh.forward(in, out) == Status::unsupported_size);
    CHECK(fresh.backward(out, again) == Status::unsupported_size);

    for (const std::size_t n :
         {0u, 1u, 2u, 3u, 5u, 7u, 9u, 14u, 15u, 22u, 26u, 28u, 34u, 1022u, (1u << 20) + 2, 1u << 21}) {
        INFO("size " << n);
        for (const bool inverse : {false, true})
            CHECK(fresh.init(n, inverse, big.memory) == Status::unsupported_size);
    }
    CHECK(fresh.size() == 0);

    RealFft fft;
    Painted memory(fft_bytes(16), 0);
    REQUIRE(fft.init(16, false, memory.memory) == Status::ok);
    REQUIRE(fft.forward(in, out) == Status::ok);
    const std::vector<float> expected = out;
    CHECK(fft.init(14, false, big.memory) == Status::unsupported_size);
    for (const std::size_t off : {1u, 2u, 3u, 5u})
        CHECK(fft.init(64, true, big.memory.subspan(off)) == Status::misaligned);
    CHECK(fft.init(64, true, big.memory.first(fft_bytes(64) - 1)) == Status::small_workspace);
    CHECK(fft.init(64, true, big.memory.first(0)) == Status::small_workspace);
    CHECK(fft.init(64, true, big.memory.subspan(4, fft_bytes(64) - 1)) == Status::small_workspace);
    const auto painted = [](std::byte b) { return b == std::byte{0xa5}; };
    CHECK(std::all_of(big.memory.begin(), big.memory.end(), painted)); // a refusal writes nothing
    CHECK(fft.size() == 16);
    std::fill(out.begin(), out.end(), 0.0f);
    REQUIRE(fft.forward(in, out) == Status::ok);
    CHECK(same_bits(out, expected));

    // The wrong way, the wrong lengths.
    CHECK(fft.backward(out, again) == Status::unsupported_size);
    CHECK(fft.forward(std::span(in).first(15), out) == Status::wrong_length);
    CHECK(fft.forward(in, std::span(out).first(17)) == Status::wrong_length);
    CHECK(fft.forward(in, std::span(out).first(16)) == Status::wrong_length);
    RealFft inverse;
    Painted other(fft_bytes(16), 4);
    REQUIRE(inverse.init(16, true, other.memory) == Status::ok);
    CHECK(inverse.forward(in, out) == Status::unsupported_size);
    CHECK(inverse.backward(std::span(out).first(16), again) == Status::wrong_length);
    CHECK(inverse.backward(out, std::span(again).first(15)) == Status::wrong_length);
    CHECK(same_bits(out, expected));

    // More memory than needed is left alone behind fft_bytes(n).
    REQUIRE(inverse.init(64, false, big.memory) == Status::ok);
    CHECK(std::all_of(big.memory.begin() + static_cast<std::ptrdiff_t>(fft_bytes(64)), big.memory.end(), painted));
}
