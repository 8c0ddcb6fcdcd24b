#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "samara/readout.hpp"
#include "simd/support.hpp"

using namespace samara;
using samara::test::RandomNumbers;

namespace {

constexpr std::uint32_t outputs = 3, features = 150; // two segments and a part of one

// Weights as numbers, and the bytes that hold them: biases, scales, weights. A float16 is written by hand.
struct Sample {
    std::vector<float> bias, scale, weight;
    std::vector<std::uint32_t> words;
    ReadoutType type;
    std::uint32_t gap; // bytes between one output's weights and the next one's

    Sample(ReadoutType t, std::uint32_t unused) : type(t), gap(unused)
    {
        RandomNumbers numbers(7);
        std::vector<std::byte> bytes;
        const auto append = [&](const auto& value) {
            const auto* first = reinterpret_cast<const std::byte*>(&value);
            bytes.insert(bytes.end(), first, first + sizeof value);
        };
        for (std::uint32_t o = 0; o < outputs; ++o)
            append(bias.emplace_back(numbers.symmetric()));
        for (std::uint32_t o = 0; o < outputs; ++o)
            append(scale.emplace_back(0.01f + 0.01f * static_cast<float>(o)));
        for (std::uint32_t o = 0; o < outputs; ++o) {
            for (std::uint32_t j = 0; j < features; ++j) {
                if (type == ReadoutType::float32) {
                    append(weight.emplace_back(numbers.symmetric()));
                } else if (type == ReadoutType::float16) {
                    const std::uint32_t mantissa = numbers.below(1024), exponent = numbers.below(20),
                                        sign = numbers.below(2);
                    append(static_cast<std::uint16_t>(sign << 15 | exponent << 10 | mantissa));
                    const double magnitude = exponent == 0
                                                 ? std::ldexp(mantissa, -24)
                                                 : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
                    weight.push_back(static_cast<float>(sign != 0 ? -magnitude : magnitude));
                } else {
                    const auto q = static_cast<std::int8_t>(static_cast<int>(numbers.below(256)) - 128);
                    append(q);
                    weight.push_back(static_cast<float>(q));
                }
            }
            bytes.resize(bytes.size() + gap, std::byte{0xff}); // as weights these would be seen
        }
        words.resize((bytes.size() + 3) / 4);
        std::memcpy(words.data(), bytes.data(), bytes.size());
    }

    Readout view() const
    {
        const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
        const std::size_t row = std::size_t{weight_bytes(type)} * features + gap;
        return {type,
                outputs,
                features,
                bytes,
                type == ReadoutType::int8 ? bytes + 4 * outputs : nullptr,
                bytes + 8 * outputs,
                4,
                row,
                detail::add_of(type)};
    }
    double output(std::uint32_t o, const std::vector<float>& z) const
    {
        double sum = 0.0;
        for (std::uint32_t j = 0; j < features; ++j)
            sum += static_cast<double>(weight[o * features + j]) * static_cast<double>(z[j]);
        const double factor = type == ReadoutType::int8 ? static_cast<double>(scale[o]) : 1.0;
        return factor * sum + static_cast<double>(bias[o]);
    }
};

std::vector<float> some_features()
{
    RandomNumbers numbers(3);
    std::vector<float> z(features);
    for (float& v : z)
        v = numbers.symmetric();
    return z;
}

constexpr ReadoutType all_types[] = {ReadoutType::float32, ReadoutType::float16, ReadoutType::int8};

} // namespace

TEST_CASE("probabilities add up to 1, keep the order of the scores, and follow the scale")
{
    RandomNumbers numbers(3);
    for (const std::size_t n : {1u, 2u, 10u, 333u}) {
        for (const float scale : {1e-30f, 0.1f, 1.0f, 50.0f, 3e38f}) {
            std::vector<float> scores(n), p;
            for (float& s : scores)
                s = 8.0f * numbers.symmetric();
            p = scores;
            softmax(p, scale);
            double sum = 0.0, expected_sum = 0.0, top = -1e300;
            for (std::size_t o = 0; o < n; ++o) {
                sum += static_cast<double>(p[o]);
                top = std::max(top, static_cast<double>(scores[o]));
                CHECK(p[o] >= 0.0f);
                CHECK(p[o] <= 1.0f);
            }
            CHECK(std::abs(sum - 1.0) < 1e-5);
            for (const float s : scores)
                expected_sum += std::exp(static_cast<double>(scale) * (static_cast<double>(s) - top));
            for (std::size_t o = 0; o < n; ++o) {
                const double expected =
                    std::exp(static_cast<double>(scale) * (static_cast<double>(scores[o]) - top)) / expected_sum;
                // The product with a large scale is rounded before the exponential.
                CHECK(std::abs(static_cast<double>(p[o]) - expected) < 2e-5 * expected + 1e-30);
            }
            // Of scores that differ by next to nothing the probabilities are equal.
            CHECK(p[best_of(scores)] == p[best_of(p)]);
        }
    }
    // The range of floats ends between these.
    std::vector<float> far = {-3e38f, 3e38f, 3e38f};
    softmax(far, 3e38f);
    CHECK(far == std::vector<float>{0.0f, 0.5f, 0.5f});
    softmax({}, 1.0f);
}

TEST_CASE("a readout of any type is the sum of its weights times the features, with the same bits everywhere")
{
    const std::vector<float> z = some_features();
    for (const ReadoutType type : all_types) {
        for (const std::uint32_t gap : {0u, 4u}) {
            const Sample sample(type, gap);
            const Readout readout = sample.view();
            std::vector<float> first;
            test::on_each_back_end([&](Simd) {
                std::vector<float> totals(outputs, 5.0f); // cleared by clear() alone
                readout.clear(totals);
                for (std::uint32_t at = 0; at < features; at += 90)
                    readout.add(at, std::span(z).subspan(at).first(std::min(90u, features - at)), totals);
                REQUIRE(readout.finish(totals) == Status::ok);
                for (std::uint32_t o = 0; o < outputs; ++o)
                    CHECK(std::abs(static_cast<double>(totals[o]) - sample.output(o, z)) < 2e-5);
                if (first.empty())
                    first = totals;
                CHECK(std::memcmp(totals.data(), first.data(), sizeof(float) * outputs) == 0);
            });
            for (std::uint32_t o = 0; o < outputs; ++o) {
                CHECK(readout.bias(o) == sample.bias[o]);
                for (std::uint32_t j = 0; j < features; ++j) {
                    const float w = sample.weight[o * features + j];
                    REQUIRE(readout.weight(o, j) == (type == ReadoutType::int8 ? w * sample.scale[o] : w));
                }
            }
        }
    }
}

TEST_CASE("segments begin anew at each block, and int8 is scaled in one rounding")
{
    // One weight of 2^24 and ones: in one segment the ones add up in other partial sums before they meet it.
    const std::vector<float> z(80, 1.0f);
    std::vector<float> words(1 + 80, 1.0f);
    words[0] = 0.0f; // the bias
    words[1] = 0x1p24f;
    const auto* bytes = reinterpret_cast<const std::byte*>(words.data());
    const Readout readout{
        ReadoutType::float32, 1, 80, bytes, nullptr, bytes + 4, 4, 320, detail::add_of(ReadoutType::float32)};
    float whole = 0.0f, parts = 0.0f;
    readout.add(0, z, {&whole, 1});
    for (std::uint32_t j = 0; j < 80; ++j)
        readout.add(j, std::span(z).subspan(j, 1), {&parts, 1});
    CHECK(whole > 0x1p24f);
    CHECK(parts == 0x1p24f); // each 1 is lost alone

    // total * scale + bias where the product alone would round: 3 * 0.1f - 0.3f.
    const float numbers[3] = {-0.3f, 0.1f, std::bit_cast<float>(0x00000003u)};
    bytes = reinterpret_cast<const std::byte*>(numbers);
    const Readout small{ReadoutType::int8, 1, 1, bytes, bytes + 4, bytes + 8, 4, 1, detail::add_of(ReadoutType::int8)};
    const float one = 1.0f;
    float total = 0.0f;
    small.add(0, {&one, 1}, {&total, 1});
    CHECK(total == 3.0f);
    CHECK(small.finish({&total, 1}) == Status::ok);
    CHECK(total == std::fma(3.0f, 0.1f, -0.3f));
    CHECK(total != 3.0f * 0.1f - 0.3f);
}

TEST_CASE("an output beyond the range of floats is a status, and no output")
{
    // Finite weights: 2^127 + 2^127, and one that is fine.
    const float biases[2] = {0x1p127f, 1.0f}, weights[2] = {0x1p127f, 1.0f}, one = 1.0f;
    const Readout readout = float_readout(2, 1, weights, 1, biases, 1);
    for (const float z : {one, -one, 0.0f}) {
        float totals[2] = {7.0f, 7.0f};
        readout.clear(totals);
        readout.add(0, {&z, 1}, totals);
        if (z > 0.0f) {
            CHECK(readout.finish(totals) == Status::overflow);
            CHECK(totals[0] == 0.0f);
            CHECK(totals[1] == 0.0f);
        } else {
            CHECK(readout.finish(totals) == Status::ok);
            CHECK(totals[0] == biases[0] + z * weights[0]);
            CHECK(totals[1] == 1.0f + z);
        }
    }
    // Products that cancel as infinities would be NaN.
    const float both[2] = {0x1p127f, -0x1p127f}, z[2] = {4.0f, 4.0f}, none = 0.0f;
    const Readout opposed = float_readout(1, 2, both, 2, &none, 1);
    float total = 0.0f;
    opposed.add(0, z, {&total, 1});
    CHECK(opposed.finish({&total, 1}) == Status::overflow);
    CHECK(total == 0.0f);
}

TEST_CASE("the best score is the first of the largest")
{
    CHECK(best_of({}) == 0);
    CHECK(best_of(std::vector<float>{-2.0f, -1.0f, -1.0f}) == 1);
    CHECK(best_of(std::vector<float>{0.0f, -0.0f}) == 0);
    CHECK(best_of(std::vector<float>{1.0f, 3.0f, std::numeric_limits<float>::quiet_NaN(), 2.0f}) == 1);
}
