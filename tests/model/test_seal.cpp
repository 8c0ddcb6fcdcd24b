// What sealing refuses, and that the caller's bytes are then as they were.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "samara/samara.hpp"

using namespace samara;

namespace {

constexpr std::uint32_t outputs = 2, width = 16;

struct Sealing {
    RffSpec spec = resolve(RffSpec{.inputs = 3, .features = width});
    std::vector<float> weights = std::vector<float>(outputs * width, 0.5f), bias = {1, -1};
    ModelParts parts;
    std::vector<std::uint32_t> words;
    std::size_t written = 99;

    Readout readout(std::uint32_t count = outputs) const
    {
        return float_readout(count, width, weights.data(), width, bias.data(), 1);
    }
    Status operator()(std::size_t less = 0)
    {
        if (parts.readout.weights == nullptr)
            parts.readout = readout();
        words.assign(4096, 0xa5a5a5a5u);
        written = 99;
        const std::size_t bytes = sealed_bytes(spec, {}, parts) - less;
        const Status status = seal(spec, {}, parts, std::as_writable_bytes(std::span(words)).first(bytes), written);
        if (status != Status::ok) {
            CHECK(written == 99);
            CHECK(std::count(words.begin(), words.end(), 0xa5a5a5a5u) == 4096);
        }
        return status;
    }
};

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();

} // namespace

TEST_CASE("sealing: numbers that are not finite, or that the type cannot hold, are refused")
{
    for (const ReadoutType type : {ReadoutType::float32, ReadoutType::float16, ReadoutType::int8})
        for (const float bad : {nan, infinite, -infinite}) {
            Sealing weight;
            weight.parts.type = type;
            weight.weights[width + 3] = bad;
            CHECK(weight() == Status::not_finite);
            Sealing bias;
            bias.parts.type = type;
            bias.bias[1] = bad;
            CHECK(bias() == Status::not_finite);
        }
    for (const bool fits : {true, false}) {
        Sealing half;
        half.parts.type = ReadoutType::float16;
        half.weights[5] = fits ? -65519.0f : -65520.0f;
        CHECK(half() == (fits ? Status::ok : Status::overflow));
    }
    const std::vector<float> good(3, 1.0f), bad = {1, infinite, 1};
    for (const auto vector : {&ModelParts::fill, &ModelParts::shift, &ModelParts::factor}) {
        Sealing scaled;
        scaled.parts.fill = scaled.parts.shift = scaled.parts.factor = good;
        CHECK(scaled() == Status::ok);
        scaled.parts.*vector = bad;
        CHECK(scaled() == Status::not_finite);
    }
}

TEST_CASE("sealing: a probability scale is finite, positive and of classes")
{
    for (const float bad : {nan, infinite, -infinite, -1.0f, -0.0f, -1e-45f}) {
        Sealing scaled;
        scaled.parts.task = ModelTask::classify;
        scaled.parts.probability_scale = bad;
        CHECK(scaled() == Status::not_finite);
    }
    for (const float good : {0.0f, 1e-45f, 0.7f, std::numeric_limits<float>::max()}) {
        Sealing scaled;
        scaled.parts.task = ModelTask::classify;
        scaled.parts.probability_scale = good;
        REQUIRE(scaled() == Status::ok);
        const auto bytes = std::as_writable_bytes(std::span(scaled.words)).first(scaled.written);
        Predictor<Rff> predictor;
        REQUIRE(predictor.open(bytes) == Status::ok);
        const Model& model = predictor.model();
        CHECK(model.probability_scale() == good);

        std::vector<std::uint32_t> work(predictor.workspace_bytes() / 4 + 1);
        const auto memory = std::as_writable_bytes(std::span(work));
        const std::vector<float> x = {1.0f, 0.5f, -2.0f};
        std::vector<float> scores(outputs), probabilities(outputs, 9.0f), few(1);
        REQUIRE(predictor.scores(x, scores, memory) == Status::ok);
        const Status status = predictor.probabilities(x, probabilities, memory);
        if (good > 0.0f) {
            CHECK(status == Status::ok);
            softmax(scores, good);
            CHECK(probabilities == scores);
            CHECK(predictor.probabilities(x, few, memory) == Status::wrong_length);
        } else {
            CHECK(status == Status::no_probabilities);
            CHECK(probabilities == std::vector<float>(outputs, 9.0f));
        }

        // The model's own readout in another type keeps it; another readout, of which nothing is known, does not.
        for (const bool own : {true, false}) {
            std::vector<std::uint32_t> again(4096);
            std::size_t written = 0;
            REQUIRE(reseal(model, own ? model.readout() : scaled.readout(), ReadoutType::float16,
                           std::as_writable_bytes(std::span(again)), written) == Status::ok);
            Model other;
            REQUIRE(other.open(std::as_bytes(std::span(again)).first(written)) == Status::ok);
            CHECK(other.probability_scale() == (own ? good : 0.0f));
        }

        // What the bytes may be is checked when they are opened.
        const std::uint32_t at = model.layout().readout.offset;
        for (const float bad : {nan, infinite, -infinite, -1.0f, -0.0f}) {
            write_u32(bytes.data() + at + 12, std::bit_cast<std::uint32_t>(bad));
            write_u32(bytes.data() + bytes.size() - 4,
                      crc32(std::span<const std::byte>(bytes).first(bytes.size() - 4)));
            Model damaged;
            CHECK(damaged.open(bytes) == Status::damaged_model);
        }
        write_u32(bytes.data() + at + 12, std::bit_cast<std::uint32_t>(good));
        bytes[at + 1] = std::byte{0}; // a model of values
        write_u32(bytes.data() + bytes.size() - 4, crc32(std::span<const std::byte>(bytes).first(bytes.size() - 4)));
        Model values;
        CHECK(values.open(bytes) == (good > 0.0f ? Status::damaged_model : Status::ok));
    }
    Sealing of_values;
    of_values.parts.probability_scale = 1.0f;
    CHECK(of_values() == Status::not_finite);
    Predictor<Rff> closed;
    std::vector<float> none(2);
    CHECK(closed.probabilities(none, none, {}) == Status::not_open);
}

TEST_CASE("sealing: lengths that do not fit are refused")
{
    Sealing one;
    CHECK(one() == Status::ok);
    CHECK(one(4) == Status::small_workspace);
    const std::vector<float> three(3, 1.0f), two(2, 1.0f);
    for (const auto vector : {&ModelParts::fill, &ModelParts::shift, &ModelParts::factor}) {
        Sealing scaled;
        scaled.parts.fill = scaled.parts.shift = scaled.parts.factor = three;
        scaled.parts.*vector = two;
        CHECK(scaled() == Status::wrong_length);
    }
    Sealing shift;
    shift.parts.shift = three; // and no factor
    CHECK(shift() == Status::wrong_length);
    for (const std::string& labels : {std::string("a\0", 2), std::string("a\0b", 3), std::string("a\0b\0c\0", 6)}) {
        Sealing labelled;
        labelled.parts.labels = labels;
        CHECK(labelled() == Status::wrong_length);
    }
    Sealing none;
    none.parts.readout = none.readout(0);
    CHECK(none() == Status::wrong_length);
}

TEST_CASE("sealing: vectors of a scaling for channels, which the inputs take again and again")
{
    constexpr std::uint32_t count = 12;
    const std::vector<float> fill = {0.5f, -1.0f, 3.0f}, shift = {1.0f, 2.0f, -0.25f}, factor = {0.5f, 3.0f, -1.5f};
    const auto whole = [](const std::vector<float>& part) {
        std::vector<float> all;
        for (std::uint32_t i = 0; i < count; ++i)
            all.push_back(part[i % part.size()]);
        return all;
    };
    const std::vector<float> all_fill = whole(fill), all_shift = whole(shift), all_factor = whole(factor);
    for (unsigned steps = 1; steps < 8; ++steps) {
        CAPTURE(steps);
        Sealing few, all;
        few.spec = all.spec = resolve(RffSpec{.inputs = count, .features = width});
        few.parts.unit = all.parts.unit = (steps & scaling_unit) != 0;
        if ((steps & scaling_fill) != 0) {
            few.parts.fill = fill;
            all.parts.fill = all_fill;
        }
        if ((steps & scaling_affine) != 0) {
            few.parts.shift = shift;
            few.parts.factor = factor;
            all.parts.shift = all_shift;
            all.parts.factor = all_factor;
        }
        REQUIRE(few() == Status::ok);
        REQUIRE(all() == Status::ok);
        const unsigned vectors = ((steps & scaling_fill) != 0 ? 1 : 0) + ((steps & scaling_affine) != 0 ? 2 : 0);
        Predictor<Rff> short_one, long_one;
        REQUIRE(short_one.open(std::as_bytes(std::span(few.words)).first(few.written)) == Status::ok);
        REQUIRE(long_one.open(std::as_bytes(std::span(all.words)).first(all.written)) == Status::ok);
        CHECK(short_one.model().layout().scaling.bytes == 8 + 4 * 3 * vectors);
        CHECK(short_one.model().layout().scaling_length == (vectors == 0 ? count : 3));
        std::vector<float> x(count), one(outputs), other(outputs), scaled(count), expected(count);
        fill_normals(stream_key(1, Domain::user, steps), x);
        x[4] = (steps & scaling_fill) != 0 ? nan : x[4];
        short_one.model().scale_input(x.data(), scaled.data());
        long_one.model().scale_input(x.data(), expected.data());
        CHECK(scaled == expected);
        std::vector<std::uint32_t> work(short_one.workspace_bytes() / 4 + 1);
        const auto bytes = std::as_writable_bytes(std::span(work));
        REQUIRE(short_one.scores(x, one, bytes) == Status::ok);
        REQUIRE(long_one.scores(x, other, bytes) == Status::ok);
        CHECK(one == other);
        // Sealed again it is the same to the byte.
        std::vector<std::uint32_t> again(few.words.size(), 0xa5a5a5a5u);
        std::size_t written = 0;
        REQUIRE(reseal(short_one.model(), short_one.model().readout(), ReadoutType::float32,
                       std::as_writable_bytes(std::span(again)), written) == Status::ok);
        CHECK(written == few.written);
        CHECK(again == few.words);
    }
    for (const std::size_t length : {5u, 8u, 24u}) {
        Sealing wrong;
        wrong.spec = resolve(RffSpec{.inputs = count, .features = width});
        const std::vector<float> numbers(length, 1.0f);
        wrong.parts.fill = numbers;
        CHECK(wrong() == Status::wrong_length);
        wrong.parts.fill = {};
        wrong.parts.shift = wrong.parts.factor = numbers;
        CHECK(wrong() == Status::wrong_length);
        wrong.parts.fill = fill;
        CHECK(wrong() == Status::wrong_length);
    }
}

TEST_CASE("sealing again: only what is open, and with as many features and outputs")
{
    Sealing first;
    REQUIRE(first() == Status::ok);
    Model model;
    std::vector<std::uint32_t> words(4096, 0xa5a5a5a5u);
    const auto bytes = std::as_writable_bytes(std::span(words));
    std::size_t written = 99;
    CHECK(resealed_bytes(model, ReadoutType::int8) == 0);
    CHECK(reseal(model, first.readout(), ReadoutType::int8, bytes, written) == Status::not_open);
    REQUIRE(model.open(std::as_bytes(std::span(first.words)).first(first.written)) == Status::ok);
    CHECK(reseal(model, first.readout(1), ReadoutType::int8, bytes, written) == Status::wrong_length);
    CHECK(written == 99);
    CHECK(words == std::vector<std::uint32_t>(4096, 0xa5a5a5a5u));
    CHECK(reseal(model, first.readout(), ReadoutType::int8, bytes, written) == Status::ok);
    CHECK(written == resealed_bytes(model, ReadoutType::int8));
}
