// What holds for every map of the list, a new one included: fields and bytes, blocks and batches, refusals, and the way
// from a spec to a sealed model and its scores.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "example_data.hpp"
#include "samara/samara.hpp"

namespace {

using namespace samara;
using test::example_block;
using test::example_data;
using test::example_features;

// Fills in what a user would have to give, and what the desk would make.
template <class Spec>
struct GiveCoefficients : FieldVisitor {
    std::uint32_t count = 3;
    void coefficients(std::uint32_t, std::uint32_t, Coefficients& k, CoefficientsFrom)
    {
        k.count = count;
        for (std::uint32_t j = 0; j < count; ++j)
            k.c[j] = 1.0f / static_cast<float>(j + 1);
    }
};

template <class Spec>
Spec example(std::uint32_t inputs, std::uint32_t features)
{
    Spec spec;
    spec.inputs = inputs;
    spec.features = features;
    GiveCoefficients<Spec> give;
    if constexpr (requires { spec.degree; })
        give.count = spec.degree + 1;
    Map<Spec>::fields(give, spec);
    test::give_shape(spec);
    return resolve(spec);
}

template <class Call>
void for_each_map(Call call)
{
    std::uint32_t maps = 0;
    static_cast<void>(AllMaps::any([&]<class Spec>(Spec) {
        CAPTURE(Map<Spec>::name);
        call.template operator()<Spec>();
        ++maps;
        return false;
    }));
    CHECK(maps == AllMaps::count);
}

std::vector<float> some_inputs(std::size_t n, std::uint64_t index)
{
    std::vector<float> x(n);
    fill_normals(stream_key(11, Domain::user, index), x);
    return x;
}

struct Memory {
    std::vector<std::uint32_t> words;
    explicit Memory(std::size_t bytes) : words(bytes / 4 + 1) {}
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words)); }
};

// Every byte that a field takes, and that no two take the same.
struct Overlaps : samara::detail::FieldExtent {
    bool twice = false;
    void check(std::uint32_t at, std::uint32_t bytes)
    {
        for (std::uint32_t i = at; i < at + bytes; ++i)
            twice = twice || taken[i];
        take(at, bytes);
    }
    void inputs(std::uint32_t, std::uint32_t) { check(inputs_offset, 4); }
    void features(std::uint32_t, std::uint32_t) { check(features_offset, 4); }
    void whole(std::uint32_t at, const char*, std::uint32_t, Range, const char*) { check(at, 4); }
    void size(std::uint32_t at, const char*, std::uint32_t, Range, const char*) { check(at, 4); }
    void made(std::uint32_t at, const char*, std::uint32_t, Range, const char*) { check(at, 4); }
    void small(std::uint32_t at, const char*, std::uint32_t, Range, const char*) { check(at, 1); }
    template <class T>
    void choice(std::uint32_t at, const char*, T, std::type_identity_t<Among<T>>, const char*)
    {
        check(at, 1);
    }
    void real(std::uint32_t at, const char*, float, const Reals&, const char*) { check(at, 4); }
    void bandwidth(std::uint32_t at, const char*, float, const char*) { check(at, 4); }
    void coefficients(std::uint32_t count_at, std::uint32_t at, const Coefficients&, CoefficientsFrom)
    {
        check(count_at, 1);
        check(at, sizeof Coefficients::c);
    }
    void seed(std::uint32_t at, std::uint64_t) { check(at, 8); }
};

} // namespace

TEST_CASE("all maps: numbers and names are distinct, fields do not overlap")
{
    std::vector<std::string> names;
    std::vector<std::uint32_t> numbers;
    for_each_map([&]<class Spec>() {
        names.emplace_back(Map<Spec>::name);
        numbers.push_back(static_cast<std::uint32_t>(Map<Spec>::id));
        CHECK(numbers.back() > 0);
        CHECK(numbers.back() < first_user_map);
        Overlaps overlaps;
        const Spec spec;
        Map<Spec>::fields(overlaps, spec);
        CHECK(!overlaps.twice);
        CHECK(overlaps.end <= spec_bytes<Spec>);
        CHECK(spec_bytes<Spec> % 4 == 0);
    });
    std::sort(names.begin(), names.end());
    std::sort(numbers.begin(), numbers.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
}

TEST_CASE("all maps: a spec's bytes, and every wrong one of them")
{
    for_each_map([]<class Spec>() {
        const Spec spec = example<Spec>(17, 301 / 2 * 2);
        REQUIRE(resolved(spec));
        CHECK(resolve(spec) == spec);
        std::byte bytes[spec_bytes<Spec>];
        write_spec(spec, bytes);
        Spec again;
        CHECK(read_spec(bytes, again) == Status::ok);
        CHECK(again == spec);
        const auto taken = samara::detail::extent_of<Spec>().taken;
        for (std::uint32_t i = 0; i < spec_bytes<Spec>; ++i) {
            for (const unsigned change : {1u, 0x80u, 0xffu}) {
                std::byte bad[spec_bytes<Spec>];
                std::memcpy(bad, bytes, sizeof bad);
                bad[i] ^= static_cast<std::byte>(change);
                Spec found = spec;
                const Status status = read_spec(bad, found);
                if (!taken[i] || i < 4) {
                    CHECK(status == Status::damaged_model);
                    CHECK(found == spec);
                } else if (status == Status::ok) { // another spec, and a whole one
                    CHECK(resolved(found));
                    CHECK(!(found == spec));
                    std::byte back[spec_bytes<Spec>];
                    write_spec(found, back);
                    CHECK(std::memcmp(back, bad, sizeof bad) == 0);
                }
            }
        }
        CHECK(check(Spec{}).field == std::string("inputs"));
    });
}

TEST_CASE("all maps: one sample, a batch and blocks have the same bits")
{
    for_each_map([]<class Spec>() {
        for (const std::uint32_t inputs : {5u, 17u}) {
            const Spec spec = example<Spec>(inputs, 300);
            REQUIRE(resolved(spec));
            constexpr std::size_t samples = 5;
            std::vector<float> x = some_inputs(samples * inputs, inputs);
            for (std::uint32_t i = 0; i < inputs; ++i) {
                x[inputs + i] = i % 2 == 0 ? 0.0f : -0.0f; // the vector 0
                x[2 * inputs + i] *= 0x1p-120f;
            }
            Memory work(workspace_bytes(spec, example_data(spec)));
            std::vector<float> batch(samples * spec.features, 7.0f);
            REQUIRE(example_features(spec, x, batch, samples, work.bytes()) == Status::ok);
            for (std::size_t k = 0; k < samples; ++k) {
                const std::span<const float> one(x.data() + k * inputs, inputs);
                std::vector<float> z(spec.features, 7.0f);
                REQUIRE(example_features(spec, one, z, 1, work.bytes()) == Status::ok);
                CHECK(std::memcmp(z.data(), batch.data() + k * spec.features, 4 * z.size()) == 0);
                std::uint32_t next = 0;
                for (std::uint32_t b = 0; b < block_count(spec); ++b) {
                    const BlockRange range = block_range(spec, b);
                    CHECK(range.first == next);
                    CHECK(range.count <= largest_block(spec));
                    next += range.count;
                    std::vector<float> part(range.count, 7.0f);
                    Memory little(block_workspace_bytes(spec));
                    REQUIRE(example_block(spec, b, one, part, little.bytes()) == Status::ok);
                    CHECK(std::memcmp(part.data(), z.data() + range.first, 4 * part.size()) == 0);
                }
                CHECK(next == spec.features);
                for (const float v : z)
                    CHECK(std::isfinite(v));
            }
        }
    });
}

TEST_CASE("all maps: what is refused leaves the features as they were")
{
    for_each_map([]<class Spec>() {
        const Spec spec = example<Spec>(5, 300);
        const std::vector<float> good = some_inputs(5, 1), untouched(spec.features, 7.0f);
        const std::size_t bytes_of_work = workspace_bytes(spec, example_data(spec));
        Memory memory(bytes_of_work);
        const std::span<std::byte> work = memory.bytes().first(bytes_of_work);
        const auto refused = [&](std::vector<float> x, std::size_t outputs, std::span<std::byte> bytes) {
            std::vector<float> z(outputs, 7.0f);
            const Status status = example_features(spec, x, z, 1, bytes);
            for (const float v : z)
                CHECK(v == 7.0f);
            return status;
        };
        CHECK(refused(some_inputs(4, 1), spec.features, work) == Status::wrong_length);
        CHECK(refused(good, spec.features - 1, work) == Status::wrong_length);
        if (!work.empty()) {
            CHECK(refused(good, spec.features, work.first(work.size() - 4)) == Status::small_workspace);
            CHECK(refused(good, spec.features, memory.bytes().subspan(1, work.size())) == Status::misaligned);
        }
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
            std::vector<float> x = good;
            x[3] = -bad;
            CHECK(refused(x, spec.features, work) == Status::not_finite);
        }
        std::vector<float> x = good;
        x[3] = -0x1.000002p40f;
        CHECK(refused(x, spec.features, work) == Status::out_of_range);
        Spec raw = spec;
        raw.inputs = 0;
        std::vector<float> z = untouched;
        CHECK(example_features(raw, good, z, 1, work) == Status::bad_spec);
        CHECK(z == untouched);
    });
}

TEST_CASE("all maps: sealed, opened and scored")
{
    for_each_map([]<class Spec>() {
        const Spec spec = example<Spec>(5, 300);
        constexpr std::uint32_t outputs = 3;
        const std::vector<float> weights = some_inputs(outputs * (std::size_t{spec.features} + 1), 2),
                                 shift = some_inputs(5, 3), factor = some_inputs(5, 4), fill = some_inputs(5, 5);
        const std::size_t stride = std::size_t{spec.features} + 1;
        const std::string labels("a\0b\0c\0", 6);
        for (const ReadoutType type : {ReadoutType::float32, ReadoutType::float16, ReadoutType::int8}) {
            // Biases behind the weights of their output, as learners have them.
            const ModelParts parts{.task = ModelTask::classify,
                                   .readout = float_readout(outputs, spec.features, weights.data(), stride,
                                                            weights.data() + spec.features, stride),
                                   .type = type,
                                   .fill = fill,
                                   .shift = shift,
                                   .factor = factor,
                                   .unit = true,
                                   .labels = labels};
            const auto data = example_data(spec);
            Memory memory(sealed_bytes(spec, data, parts));
            std::size_t size = 0;
            REQUIRE(seal(spec, data, parts, memory.bytes(), size) == Status::ok);
            CHECK(size == sealed_bytes(spec, data, parts));
            Predictor<Spec> predictor;
            REQUIRE(predictor.open(memory.bytes().first(size)) == Status::ok);
            CHECK(predictor.model().label(1) == std::string("b"));
            CHECK(predictor.model().readout_type() == type);

            std::vector<float> x = some_inputs(4 * 5, 6), scores(4 * outputs), one(outputs), z(spec.features);
            x[7] = std::numeric_limits<float>::quiet_NaN(); // filled
            Memory work(predictor.workspace_bytes()), more(predictor.workspace_bytes(4));
            REQUIRE(predictor.scores(x, scores, 4, more.bytes()) == Status::ok);
            for (std::size_t k = 0; k < 4; ++k) {
                const std::span<const float> sample(x.data() + 5 * k, 5);
                REQUIRE(predictor.scores(sample, one, work.bytes()) == Status::ok);
                CHECK(std::memcmp(one.data(), scores.data() + outputs * k, 4 * outputs) == 0);
                REQUIRE(predictor.features(sample, z, work.bytes()) == Status::ok);
                for (std::uint32_t o = 0; o < outputs; ++o) {
                    double sum = static_cast<double>(predictor.model().readout().bias(o)), size_of_sum = 1.0;
                    for (std::uint32_t j = 0; j < spec.features; ++j) {
                        const double term =
                            static_cast<double>(predictor.model().readout().weight(o, j)) * static_cast<double>(z[j]);
                        sum += term;
                        size_of_sum += std::abs(term);
                    }
                    CHECK(std::abs(sum - static_cast<double>(one[o])) < 1e-5 * size_of_sum);
                }
            }
            // Sealed again with the readout that it has, a model is the same to the byte.
            Memory again(resealed_bytes(predictor.model(), type));
            std::size_t written = 0;
            REQUIRE(reseal(predictor.model(), predictor.model().readout(), type, again.bytes(), written) == Status::ok);
            REQUIRE(written == size);
            CHECK(std::memcmp(again.bytes().data(), memory.bytes().data(), size) == 0);
        }
    });
}

TEST_CASE("all maps: operations are counted")
{
    for_each_map([]<class Spec>() {
        const Spec small = example<Spec>(20, 200), large = example<Spec>(20, 2000);
        const std::uint64_t few = operations(small, example_data(small));
        CHECK(few >= 200);
        CHECK(operations(large, example_data(large)) > few);
    });
}

namespace {

// Where a map has no rows of a spec, none fit.
template <class Spec>
void check_rows(const Spec& spec)
{
    const std::vector<float> x = some_inputs(17, 1);
    const auto status_of = [&](std::initializer_list<std::uint32_t> rows) {
        std::vector<std::byte> bytes;
        for (const std::uint32_t row : rows)
            for (const unsigned shift : {0u, 8u})
                bytes.push_back(static_cast<std::byte>(row >> shift & 255u));
        const ChosenRows chosen(bytes);
        std::vector<float> z(largest_block(spec), 7.0f), all(spec.features, 7.0f);
        Memory work(workspace_bytes(spec) + 4 * spec.features);
        const Status of_block = block(spec, chosen, block_count(spec) - 1, x, z, work.bytes());
        const std::size_t count = chosen.valid(row_count(spec)) ? feature_count(spec, chosen) : spec.features;
        CHECK(features(spec, chosen, x, std::span(all).first(count), 1, work.bytes()) == of_block);
        return of_block;
    };
    CHECK(status_of({1, 3}) == (row_count(spec) != 0 ? Status::ok : Status::bad_spec));
    CHECK(status_of({3, 1}) == Status::bad_spec);
    CHECK(status_of({3, 3}) == Status::bad_spec);
    CHECK(status_of({0, row_count(spec)}) == Status::bad_spec);
}

} // namespace

TEST_CASE("all maps: rows that do not fit are refused, block by block too")
{
    for_each_map([]<class Spec>() {
        if constexpr (RowSpec<Spec>)
            check_rows(example<Spec>(17, 300));
    });
    const PolynomialSpec whole = resolve(PolynomialSpec{.inputs = 17, .features = 300, .numbers = Numbers::int8});
    REQUIRE(row_count(whole) == 300);
    check_rows(whole);
    CHECK(row_count(resolve(PolynomialSpec{.inputs = 17, .features = 300})) == 0);
}

TEST_CASE("openers: a program's kinds, a foreign map's bytes, weights next to nothing")
{
    const auto sealed = [](const auto& spec, const Readout& readout, ReadoutType type, Memory& memory) {
        std::size_t size = 0;
        REQUIRE(seal(spec, {}, ModelParts{.readout = readout, .type = type}, memory.bytes(), size) == Status::ok);
        return std::span<const std::byte>(memory.bytes().first(size));
    };
    const NngpSpec unit = resolve(NngpSpec{.inputs = 5, .features = 40, .rows = Rows::unit, .orders = Orders::none});
    REQUIRE(resolved(unit));
    std::vector<float> weights(40, 0x1p-149f);
    const float bias = 0.5f;
    const Readout readout = float_readout(1, 40, weights.data(), 40, &bias, 1);
    Memory memory(4096);
    const auto bytes = sealed(unit, readout, ReadoutType::int8, memory);

    // nngp has no step features, so no dense rows beside the unit ones.
    Predictor<Only<Nngp, kinds(Rows::unit)>> named;
    CHECK(named.open(bytes) == Status::ok);
    Predictor<Only<Nngp, kinds(Rows::hadamard)>> other;
    CHECK(other.open(bytes) == Status::unsupported_map);
    Predictor<Only<Nngp, kinds(Rows::unit, Orders::one)>> orders;
    CHECK(orders.open(bytes) == Status::unsupported_map);
    // A scale that would be 0 is 1: the weights, next to nothing, are 0.
    CHECK(named.model().readout().weight(0, 3) == 0.0f);
    CHECK(named.model().readout().bias(0) == 0.5f);

    Model model;
    REQUIRE(model.open(bytes) == Status::ok);
    NtkSpec ntk;
    NoData none;
    CHECK(!model.get(ntk, none));
    NngpSpec found;
    CHECK(model.get(found, none));
    CHECK(found == unit);
    Predictor<Nngp> closed;
    std::vector<float> x(5), score(1, 3.0f);
    Memory work(4096);
    CHECK(closed.scores(x, score, work.bytes()) == Status::not_open);
    CHECK(score[0] == 3.0f);
}
