// Predictions in whole numbers: against the floats' way of the same model, inputs of every type, and forged models.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "whole_model.hpp"

namespace {

using namespace samara;
using namespace samara::test;
using test::model_of;

Made<ArcCosSpec> model_of(std::uint32_t inputs, std::uint32_t features, std::uint32_t outputs, ReadoutType type,
                          std::span<const std::byte> rows, std::span<const std::byte> scaling,
                          Orders orders = Orders::even)
{
    const ArcCosSpec spec{
        .inputs = inputs, .features = features, .orders = orders, .numbers = Numbers::int8, .seed = 5};
    return model_of(resolve(spec), outputs, type, rows, scaling);
}

RffSpec waves(std::uint32_t inputs, std::uint32_t features, Form form)
{
    return resolve(RffSpec{.inputs = inputs,
                           .features = features,
                           .form = form,
                           .bandwidth = 3.0f * static_cast<float>(inputs),
                           .numbers = Numbers::int8,
                           .seed = 5});
}

template <class Number, class Spec>
void check_same_scores(const Made<Spec>& made)
{
    Predictor<Spec> floats;
    WholePredictor<ArcCos, Rff, Polynomial, Local> whole;
    REQUIRE(floats.open(made.bytes.span()) == Status::ok);
    REQUIRE(whole.open(made.bytes.span()) == Status::ok);
    const std::uint32_t inputs = made.spec.inputs;
    std::vector<std::uint32_t> work(floats.workspace_bytes() / 4 + 1), small(whole.workspace_bytes() / 4);
    const float unit = floats.model().readout().unit;
    Xoshiro words(stream_key(9, Domain::user, inputs));
    for (int sample = 0; sample < 20; ++sample) {
        std::vector<Number> x(inputs);
        std::vector<float> as_floats(inputs), scores(made.outputs);
        std::vector<std::int32_t> in_whole(made.outputs);
        for (std::uint32_t i = 0; i < inputs; ++i) {
            x[i] = static_cast<Number>(sample == 0 ? 0u : words.word());
            as_floats[i] = static_cast<float>(x[i]);
        }
        REQUIRE(floats.scores(as_floats, scores, std::as_writable_bytes(std::span(work))) == Status::ok);
        std::uint32_t best = 99;
        REQUIRE(whole.predict(std::span<const Number>(x), best, in_whole, std::as_writable_bytes(std::span(small))) ==
                Status::ok);
        CHECK(best == best_of(std::span<const std::int32_t>(in_whole)));
        for (std::uint32_t o = 0; o < made.outputs; ++o)
            CHECK(scores[o] == static_cast<float>(in_whole[o]) * unit);
    }
}

template <class Spec>
void check_same_scores_of_all(const Made<Spec>& made)
{
    check_same_scores<std::uint8_t>(made);
    check_same_scores<std::int8_t>(made);
    check_same_scores<std::int16_t>(made);
}

constinit std::uint32_t predictions = 0;

} // namespace

TEST_CASE("whole numbers and floats have the same scores")
{
    std::vector<std::uint32_t> some, few = {0, 1, 63, 64, 199};
    for (std::uint32_t i = 0; i < 200; i += 1 + i % 3)
        some.push_back(i);
    const auto rows = coded(2, some), sparse = coded(5, few);
    const auto one = scaling_of({{-100, whole_factor(0, 16)}});
    const auto three = scaling_of({{-100, whole_factor(5, 15)}, {7, whole_factor(0, 12)}, {300, whole_factor(7, 17)}});
    for (const ReadoutType type : {ReadoutType::whole8, ReadoutType::whole4}) {
        for (const std::uint32_t inputs : {3u, 48u, 66u, 300u}) {
            for (const std::uint32_t outputs : {1u, 2u, 5u, 10u}) {
                for (const auto& kept : {std::vector<std::byte>(), rows, sparse}) {
                    for (const auto& scaling : {std::vector<std::byte>(), one, three}) {
                        const auto made = model_of(inputs, 200, outputs, type, kept, scaling,
                                                   outputs == 2 ? Orders::none : Orders::even);
                        check_same_scores_of_all(made);
                        ++predictions;
                    }
                }
            }
        }
    }
    CHECK(predictions > 100);
}

namespace {

constexpr IntegerRows rows_of_90{stream_prefix(5, static_cast<std::uint64_t>(Domain::hadamard_signs)), 90, 500, true};

std::vector<std::int32_t> scores_of(const WholeModel& model)
{
    std::vector<std::uint8_t> x(model.rows.inputs);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<std::uint8_t>(i * 37 % 128);
    std::vector<std::int32_t> scores(model.readout.outputs);
    std::vector<std::uint32_t> work(whole_bytes(model.rows.inputs) / 4);
    REQUIRE(whole_scores(model, std::span<const std::uint8_t>(x), scores, std::as_writable_bytes(std::span(work))) ==
            Status::ok);
    return scores;
}

// The functions that a model links which is known while compiling, against those of numbers of two bytes each.
template <unsigned width>
void check_known(const std::vector<std::uint32_t>& kept, const WholeReadout& readout)
{
    std::vector<std::byte> listed(2 * kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i)
        write_u16(&listed[2 * i], kept[i]);
    const auto count = static_cast<std::uint32_t>(kept.size());
    const auto expected = scores_of(whole_model<false>(rows_of_90, {listed.data(), count, 0}, {}, readout));
    CHECK(expected[0] != expected[1]);
    const auto code = coded(width, kept);
    WholeModel known = whole_model<false>(rows_of_90, {code.data() + 1, count, width}, {}, readout);
    CHECK(scores_of(known) == expected);
    known.take = detail::take_features<width, true>;
    CHECK(scores_of(known) == expected);
    known.signs = detail::signs_of_table;
    known.table = detail::sign_table<rows_of_90.prefix, 90, 500>.words;
    CHECK(scores_of(known) == expected);
}

} // namespace

TEST_CASE("models that are known while compiling: every width of a code, and signs from a table")
{
    CHECK(detail::has_sign_table(rows_of_90));
    CHECK(detail::sign_table_words(rows_of_90) == 5 * 4);
    std::vector<std::uint32_t> weights(7 * 500 / 4), words(7 + 4);
    fill_sign_words(stream_key(1, Domain::user, 1), weights);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(i < 7 ? 1000 * i : 0x00110007 + 0x10001 * i);
    const auto* const p = reinterpret_cast<const std::byte*>(words.data());
    for (const ReadoutType type : {ReadoutType::whole8, ReadoutType::whole4}) {
        // All rows of a block, none of another one, and more than a readout takes at a time.
        std::vector<std::uint32_t> kept;
        for (std::uint32_t row = 0; row < 500; row += row < 128 ? 1 : row == 200 ? 184 : 1 + row % 4)
            kept.push_back(row);
        for (const std::size_t count : {kept.size(), std::size_t{129}, std::size_t{64}, std::size_t{1}}) {
            kept.resize(count);
            const auto stride = static_cast<std::uint32_t>(readout_row_bytes(type, static_cast<std::uint32_t>(count)));
            const WholeReadout readout{.outputs = 7,
                                       .stride = stride,
                                       .shift = whole_shift(type, 500),
                                       .biases = p,
                                       .multipliers = p + 28,
                                       .weights = reinterpret_cast<const std::byte*>(weights.data()),
                                       .add = add_whole_of(type)};
            check_known<1>(kept, readout);
            check_known<2>(kept, readout);
            check_known<3>(kept, readout);
            check_known<4>(kept, readout);
            check_known<5>(kept, readout);
            check_known<6>(kept, readout);
            check_known<7>(kept, readout);
            check_known<8>(kept, readout);
        }
    }
}

// 3, 48 and 66 inputs: blocks of 64 and 128 rows, so that a block may have more than 64 cosines that are kept; 300: of
// 512, the last one not whole.
TEST_CASE("whole numbers and floats have the same scores: Fourier features")
{
    std::vector<std::uint32_t> some, most;
    for (std::uint32_t i = 0; i < 301; i += 1 + i % 3)
        some.push_back(i);
    for (std::uint32_t i = 0; i < 301; i += 1 + (i % 8 == 0 ? 1 : 0))
        most.push_back(i);
    const auto rows = coded(2, some), dense = coded(1, most);
    const auto three = scaling_of({{-100, whole_factor(5, 15)}, {7, whole_factor(0, 12)}, {300, whole_factor(7, 17)}});
    std::uint32_t compared = 0;
    for (const ReadoutType type : {ReadoutType::whole8, ReadoutType::whole4}) {
        for (const Form form : {Form::pair, Form::phase}) {
            for (const std::uint32_t inputs : {3u, 48u, 66u, 300u}) {
                for (const auto& kept : {std::vector<std::byte>(), rows, dense}) {
                    for (const auto& scaling : {std::vector<std::byte>(), three}) {
                        const std::uint32_t features = form == Form::pair ? 602 : 301;
                        check_same_scores_of_all(
                            model_of(waves(inputs, features, form), 1 + compared % 4, type, kept, scaling));
                        ++compared;
                    }
                }
            }
        }
    }
    CHECK(compared == 96);
}

// Of images and series, with more than 64 features that are kept, with all and with one.
TEST_CASE("whole numbers and floats have the same scores: local features")
{
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < 200; i += 1 + i % 3)
        some.push_back(i);
    const auto rows = coded(2, some), one = coded(5, {77});
    const auto scaling = scaling_of({{-300, whole_factor(0, 15)}}),
               columns =
                   scaling_of({{-100, whole_factor(5, 15)}, {7, whole_factor(0, 12)}, {300, whole_factor(7, 17)}});
    std::uint32_t compared = 0;
    for (const ReadoutType type : {ReadoutType::whole8, ReadoutType::whole4}) {
        for (const LocalSpec& request : {LocalSpec{.inputs = 63, .features = 200, .height = 7, .pairs = 3},
                                         LocalSpec{.inputs = 96, .features = 200, .height = 4, .channels = 3},
                                         LocalSpec{.inputs = 120, .features = 200, .channels = 2, .pairs = 4}}) {
            for (const auto& kept : {std::vector<std::byte>(), rows, one}) {
                for (const auto& scaled : {std::vector<std::byte>(), scaling, columns}) {
                    check_same_scores_of_all(model_of(resolve(request), 1 + compared % 4, type, kept, scaled));
                    ++compared;
                }
            }
        }
    }
    CHECK(compared == 54);
}

namespace {

constexpr LocalRows filters_of_90{Map<LocalSpec>::filters(resolve(LocalSpec{.inputs = 90, .height = 9, .seed = 4})), 90,
                                  150};
constexpr auto all_filters = [] {
    constexpr auto next = [] { return [i = 0u]() mutable { return i++; }; };
    constexpr std::size_t words = local_table_words(filters_of_90.filters, 150, next());
    return local_table<words>(filters_of_90.filters, 150, next());
}();

} // namespace

TEST_CASE("local filters that are drawn while compiling are those that are drawn anew")
{
    std::vector<std::uint32_t> weights(4 * 152 / 4, 0x5a91a37cu), words(4 + 2, 0x00110007u);
    const auto* const p = reinterpret_cast<const std::byte*>(words.data());
    LocalModel model;
    model.rows = filters_of_90;
    model.readout = {.outputs = 4,
                     .stride = static_cast<std::uint32_t>(readout_row_bytes(ReadoutType::whole8, 150)),
                     .shift = whole_shift(ReadoutType::whole8, 150),
                     .biases = p,
                     .multipliers = p + 16,
                     .weights = reinterpret_cast<const std::byte*>(weights.data()),
                     .add = add_whole_of<false>(ReadoutType::whole8),
                     .add_one = add_one_of(ReadoutType::whole8)};
    LocalModel known = model;
    known.add = detail::add_of_table;
    known.table = all_filters.words;
    std::vector<std::uint32_t> work(whole_bytes(model) / 4);
    const auto bytes = std::as_writable_bytes(std::span(work));
    for (std::uint64_t sample = 0; sample < 20; ++sample) {
        std::vector<std::int16_t> x(90);
        Xoshiro random(stream_key(3, Domain::user, sample));
        for (auto& v : x)
            v = static_cast<std::int16_t>(random.below(400));
        std::vector<std::int32_t> one(4), other(4);
        REQUIRE(whole_scores(model, std::span<const std::int16_t>(x), one, bytes) == Status::ok);
        REQUIRE(whole_scores(known, std::span<const std::int16_t>(x), other, bytes) == Status::ok);
        CHECK(one == other);
        CHECK(one[0] != 0);
        CHECK(whole_scores(known, std::span<const std::int16_t>(x).subspan(1), other, bytes) == Status::wrong_length);
        CHECK(whole_scores(known, std::span<const std::int16_t>(x), std::span(other).subspan(1), bytes) ==
              Status::wrong_length);
        CHECK(whole_scores(known, std::span<const std::int16_t>(x), other, bytes.subspan(1)) == Status::misaligned);
        CHECK(whole_scores(known, std::span<const std::int16_t>(x), other, bytes.first(bytes.size() - 4)) ==
              Status::small_workspace);
    }
}

namespace {

PolynomialSpec powers(std::uint32_t inputs, std::uint32_t features, std::uint32_t degree, PowerSketch sketch)
{
    return resolve(PolynomialSpec{.inputs = inputs,
                                  .features = features,
                                  .degree = degree,
                                  .sketch = sketch,
                                  .offset = 100.0f * static_cast<float>(inputs % 50),
                                  .numbers = Numbers::int8,
                                  .seed = 5});
}

} // namespace

TEST_CASE("whole numbers and floats have the same scores: powers of the inner product")
{
    const auto one = scaling_of({{-100, whole_factor(0, 16)}});
    const auto three = scaling_of({{-100, whole_factor(5, 15)}, {7, whole_factor(0, 12)}, {300, whole_factor(7, 17)}});
    std::uint32_t compared = 0;
    for (const ReadoutType type : {ReadoutType::whole8, ReadoutType::whole4}) {
        for (const std::uint32_t inputs : {3u, 48u, 66u, 300u}) {
            for (const auto& scaling : {std::vector<std::byte>(), one, three}) {
                for (const bool chosen : {false, true}) {
                    const auto compare = [&](std::uint32_t features, std::uint32_t degree, PowerSketch sketch) {
                        std::vector<std::uint32_t> some; // and blocks of which none is kept
                        for (std::uint32_t i = 0; i < features; i += 1 + i % 3 + (i == 130 ? 150 : 0))
                            some.push_back(i);
                        const auto rows = chosen ? coded(2, some) : std::vector<std::byte>();
                        check_same_scores_of_all(
                            model_of(powers(inputs, features, degree, sketch), 1 + compared % 4, type, rows, scaling));
                        ++compared;
                    };
                    for (const std::uint32_t features : {1u, 40u, 64u})
                        compare(features, 1, PowerSketch::srht);
                    for (const std::uint32_t features : {5u, 128u, 700u})
                        compare(features, 2, PowerSketch::srht);
                    for (const std::uint32_t features : {1u, 32u, 256u})
                        compare(features, 1, PowerSketch::count);
                }
            }
        }
    }
    CHECK(compared == 48 * 9);
}

// Every form, with signs from a table and from their streams.
TEST_CASE("models of powers that are known while compiling")
{
    static constexpr PolynomialSpec spec{
        .inputs = 90, .features = 300, .degree = 2, .numbers = Numbers::int8, .seed = 5};
    constexpr IntegerRows rows = Map<PolynomialSpec>::integer_rows(spec);
    constexpr IntegerPowers square = Map<PolynomialSpec>::integer_powers(spec);
    constexpr IntegerRows signed_rows{rows.prefix, rows.inputs, integer_power_rows(rows, square)};
    static_assert(detail::has_sign_table(signed_rows));
    static_assert(detail::sign_table_words(signed_rows) == 3 * 4);
    std::vector<std::uint32_t> weights(2 * 300 / 4), words(2 + 1 + 100);
    fill_sign_words(stream_key(1, Domain::user, 1), weights);
    words[2] = 0x00110007;
    const auto* const p = reinterpret_cast<const std::byte*>(words.data());
    const WholeReadout readout{.outputs = 2,
                               .stride = 300,
                               .shift = whole_shift(ReadoutType::whole8, 300),
                               .biases = p,
                               .multipliers = p + 8,
                               .weights = reinterpret_cast<const std::byte*>(weights.data()),
                               .add = add_whole_of<true>(ReadoutType::whole8)};
    const auto scores = [](const WholePowers& model) {
        std::vector<std::int16_t> x(90);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<std::int16_t>(static_cast<int>(i * 37 % 128) - 60);
        std::vector<std::int32_t> made(2);
        std::vector<std::uint32_t> work(integer_power_bytes(model.rows, model.powers) / 4);
        const auto bytes = std::as_writable_bytes(std::span(work));
        REQUIRE(whole_scores(model, std::span<const std::int16_t>(x), made, bytes) == Status::ok);
        CHECK(whole_scores(model, std::span<const std::int16_t>(x), made, bytes.first(bytes.size() - 4)) ==
              Status::small_workspace);
        CHECK(whole_scores(model, std::span<const std::int16_t>(x), made, bytes.subspan(2)) == Status::misaligned);
        CHECK(whole_scores(model, std::span<const std::int16_t>(x).first(89), made, bytes) == Status::wrong_length);
        return made;
    };
    WholePowers known = whole_powers(rows, square, {}, {}, readout);
    const auto expected = scores(known);
    CHECK(expected[0] != expected[1]);
    known.signs = detail::signs_of_table;
    known.table = detail::sign_table<rows.prefix, 90, signed_rows.rows>.words;
    CHECK(scores(known) == expected);
    known.add = detail::add_powers<PowerForm::square, detail::all_rows>;
    CHECK(scores(known) == expected);
    // Kept rows, as a code and as a list.
    std::vector<std::uint32_t> kept;
    std::vector<std::byte> listed;
    for (std::uint32_t i = 3; i < 300; i += 1 + i % 4) {
        kept.push_back(i);
        listed.resize(2 * kept.size());
        write_u16(&listed[listed.size() - 2], i);
    }
    const auto count = static_cast<std::uint32_t>(kept.size());
    const auto code = coded(2, kept);
    const auto of_code = scores(whole_powers(rows, square, {code.data() + 1, count, 2}, {}, readout));
    CHECK(of_code != expected);
    CHECK(scores(whole_powers(rows, square, {listed.data(), count, 0}, {}, readout)) == of_code);
}

TEST_CASE("local filters that are kept by numbers of two bytes are those of the code in few bits")
{
    std::vector<std::uint32_t> some;
    std::vector<std::byte> listed;
    for (std::uint32_t row = 1; row < 60000; row += 1 + row % 997) {
        some.push_back(row);
        listed.push_back(static_cast<std::byte>(row & 255u));
        listed.push_back(static_cast<std::byte>(row >> 8));
    }
    const auto count = static_cast<std::uint32_t>(some.size());
    REQUIRE(count > 64);
    ChosenRows in_few_bits;
    const auto code = with_count(count, coded(8, some));
    REQUIRE(ChosenRows::read(ChosenRows::coded_kind, code, in_few_bits));
    std::vector<std::uint32_t> weights(count, 0x6b8a91c3u), words(1 + 1, 0x00110007u);
    const auto* const p = reinterpret_cast<const std::byte*>(words.data());
    LocalModel model;
    model.rows = filters_of_90;
    model.rows.rows = 60000;
    model.kept = in_few_bits;
    model.readout = {.outputs = 1,
                     .stride = static_cast<std::uint32_t>(readout_row_bytes(ReadoutType::whole8, count)),
                     .shift = whole_shift(ReadoutType::whole8, count),
                     .biases = p,
                     .multipliers = p + 4,
                     .weights = reinterpret_cast<const std::byte*>(weights.data()),
                     .add = add_whole_of<false>(ReadoutType::whole8),
                     .add_one = add_one_of(ReadoutType::whole8)};
    LocalModel other = model;
    other.kept = ChosenRows(listed);
    std::vector<std::uint32_t> work(whole_bytes(model) / 4);
    const auto room = std::as_writable_bytes(std::span(work));
    for (std::uint64_t sample = 0; sample < 5; ++sample) {
        std::vector<std::int8_t> x(90);
        Xoshiro random(stream_key(4, Domain::user, sample));
        for (auto& v : x)
            v = static_cast<std::int8_t>(random.word() >> 24);
        std::vector<std::int32_t> one(1), two(1);
        REQUIRE(whole_scores(model, std::span<const std::int8_t>(x), one, room) == Status::ok);
        REQUIRE(whole_scores(other, std::span<const std::int8_t>(x), two, room) == Status::ok);
        CHECK(one == two);
        CHECK(one[0] != 0x00110007);
    }
}

TEST_CASE("sealed weights are near those that were given")
{
    const auto made = model_of(20, 100, 4, ReadoutType::whole8, {}, {});
    Predictor<ArcCos> p;
    REQUIRE(p.open(made.bytes.span()) == Status::ok);
    std::vector<float> weights(400), bias(4);
    fill_normals(stream_key(1, Domain::user, 100), weights);
    fill_normals(stream_key(2, Domain::user, 4), bias);
    const Readout r = p.model().readout();
    float largest = 0.0f;
    for (std::uint32_t o = 0; o < 4; ++o) {
        float most = 0.0f;
        for (std::uint32_t j = 0; j < 100; ++j)
            most = std::max(most, std::fabs(weights[100 * o + j] * (1.0f + static_cast<float>(o))));
        for (std::uint32_t j = 0; j < 100; ++j)
            largest = std::max(
                largest, std::fabs(r.weight(o, j) - weights[100 * o + j] * (1.0f + static_cast<float>(o))) / most);
        CHECK(std::fabs(r.bias(o) - 100.0f * bias[o]) < 1e-3f * 100.0f);
    }
    CHECK(largest < 0.0045f); // half a step of 1/127, and multipliers of 12 bits
    // A model with the readout that it has is the same bytes again.
    Bytes again(resealed_bytes(p.model(), ReadoutType::whole8));
    std::size_t written = 0;
    REQUIRE(reseal(p.model(), r, ReadoutType::whole8, again.span(), written) == Status::ok);
    CHECK(again.words == made.bytes.words);
}

TEST_CASE("the scaling to whole numbers is the same of floats and of whole numbers")
{
    std::uint64_t compared = 0;
    for (std::uint32_t code = least_whole_exponent << 3; code < 256; ++code) {
        REQUIRE(good_whole_factor(code));
        for (const int shift : {-32768, -4001, -1016, -1, 0, 4, 77, 1020, 20000, 32767}) {
            const auto bytes = scaling_of({{shift, static_cast<std::uint8_t>(code)}});
            const WholeScaling scaling{bytes.data(), 1};
            std::vector<std::int16_t> x;
            for (int v = -32768; v <= 32767; v += (code + v) % 5 == 0 ? 1 : 97)
                x.push_back(static_cast<std::int16_t>(v));
            for (int v = -600; v <= 600; ++v)
                x.push_back(static_cast<std::int16_t>(v));
            std::vector<std::int16_t> whole(x.size());
            std::vector<float> floats(x.begin(), x.end());
            scaling.apply(std::span<const std::int16_t>(x), whole.data());
            scaling.apply(static_cast<std::uint32_t>(x.size()), floats.data(), floats.data());
            const double factor = std::ldexp(8.0 + (code & 7u), static_cast<int>(code >> 3) - 19);
            bool same = true;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double v = std::floor(x[i] * factor + shift / 8.0);
                same = same && floats[i] == static_cast<float>(whole[i]) && whole[i] == std::clamp(v, -127.0, 127.0);
            }
            compared += x.size();
            CHECK(same);
        }
    }
    CHECK(compared > 1000000);
    CHECK(!good_whole_factor((least_whole_exponent << 3) - 1));
    // What no map takes is left for the map to refuse.
    const auto bytes = scaling_of({{0, whole_factor(0, 16)}});
    float x[] = {NAN, INFINITY, 0x1p41f, -0x1p41f, 3.0f};
    WholeScaling{bytes.data(), 1}.apply(5, x, x);
    CHECK((std::isnan(x[0]) && std::isinf(x[1]) && x[2] == 0x1p41f && x[3] == -0x1p41f && x[4] == 3.0f));
}

TEST_CASE("coded rows: every width, and codes that are none")
{
    for (std::uint32_t width = 1; width <= most_code_width; ++width) {
        const std::vector<std::uint32_t> rows = {0, 1, 2, 7, 300, 301, 1000, 65535};
        const auto bytes = coded(width, rows);
        ChosenRows chosen;
        const auto section = with_count(static_cast<std::uint32_t>(rows.size()), bytes);
        REQUIRE(ChosenRows::read(ChosenRows::coded_kind, section, chosen));
        CHECK(chosen.bytes().size() == bytes.size());
        CHECK(chosen.valid(65536));
        CHECK(!chosen.valid(65535));
        for (std::uint32_t i = 0; i < rows.size(); ++i)
            CHECK(chosen.row(i) == rows[i]);
        CHECK(chosen.position_of(0) == 0);
        CHECK(chosen.position_of(300) == 4);
        CHECK(chosen.position_of(302) == 6);
        // Fewer rows than there are, more, bits behind the end.
        CHECK(!ChosenRows::read(ChosenRows::coded_kind, with_count(7, bytes), chosen));
        CHECK(!ChosenRows::read(ChosenRows::coded_kind, with_count(9, bytes), chosen));
        auto longer = bytes;
        longer.push_back(std::byte{0});
        CHECK(!ChosenRows::read(ChosenRows::coded_kind, with_count(8, longer), chosen));
        CHECK(
            !ChosenRows::read(ChosenRows::coded_kind, with_count(8, std::span(bytes).first(bytes.size() - 1)), chosen));
        // Bits that are left over are no rows; nor are those that would lie behind the end.
        const auto few = coded(width, {0, 1, 2});
        CHECK(!ChosenRows::read(ChosenRows::coded_kind, with_count(1000, few), chosen));
    }
    std::vector<std::byte> section(4 + 2);
    write_u32(section.data(), 3);
    ChosenRows out;
    for (const unsigned width : {0u, 9u, 255u}) {
        section[4] = static_cast<std::byte>(width);
        CHECK(!ChosenRows::read(ChosenRows::coded_kind, section, out));
    }
    section[4] = std::byte{2};
    CHECK(ChosenRows::read(ChosenRows::coded_kind, section, out));
    CHECK(!ChosenRows::read(ChosenRows::coded_kind, std::span(section).first(5), out));
    CHECK(!ChosenRows::read(7, section, out));
}

TEST_CASE("a scaling to whole numbers by the channels of series is that of each input by itself")
{
    // Channels of 30 numbers one after the other.
    const std::vector<std::pair<int, std::uint8_t>> lines = {
        {-400, whole_factor(3, 17)}, {77, whole_factor(0, 15)}, {2000, whole_factor(6, 12)}};
    std::vector<std::pair<int, std::uint8_t>> all;
    for (const auto& line : lines)
        all.insert(all.end(), 30, line);
    const LocalSpec spec = resolve(LocalSpec{.inputs = 90, .features = 150, .channels = 3, .seed = 5});
    const auto made = model_of(spec, 3, ReadoutType::whole8, {}, scaling_of(lines), true);
    const auto same = model_of(spec, 3, ReadoutType::whole8, {}, scaling_of(all));
    CHECK(made.bytes.span().size() < same.bytes.span().size());
    check_same_scores_of_all(made);
    WholePredictor<Local> p, q;
    REQUIRE(p.open(made.bytes.span()) == Status::ok);
    REQUIRE(q.open(same.bytes.span()) == Status::ok);
    std::vector<std::uint32_t> work(p.workspace_bytes() / 4 + 1);
    const auto room = std::as_writable_bytes(std::span(work));
    Xoshiro words(stream_key(3, Domain::user, 90));
    for (int sample = 0; sample < 20; ++sample) {
        std::vector<std::int16_t> x(90);
        for (std::int16_t& v : x)
            v = static_cast<std::int16_t>(words.word() >> 20);
        std::vector<std::int32_t> found(3), expected(3);
        REQUIRE(p.scores(std::span<const std::int16_t>(x), found, room) == Status::ok);
        REQUIRE(q.scores(std::span<const std::int16_t>(x), expected, room) == Status::ok);
        CHECK(found == expected);
    }
    // One line, or one for each input, has no runs.
    const auto one = model_of(spec, 3, ReadoutType::whole8, {}, scaling_of({lines[0]}));
    for (const Bytes* bytes : {&one.bytes, &same.bytes, &made.bytes}) {
        Bytes copy = *bytes;
        Model model;
        REQUIRE(model.open(copy.span()) == Status::ok);
        const std::uint32_t at = model.layout().scaling.offset;
        CHECK(read_u32(copy.span().data() + at) == (bytes == &made.bytes ? 24 : 8));
        for (const std::uint32_t steps : {16u, 17u, 25u, 24u}) {
            write_u32(copy.span().data() + at, steps);
            test::mend_crc(copy.span());
            CHECK(model.open(copy.span()) ==
                  (steps == 24 && bytes == &made.bytes ? Status::ok : Status::damaged_model));
        }
    }
    std::vector<float> weights(3 * 150, 1.0f), bias(3);
    for (const auto& bytes : {scaling_of({lines[0]}), scaling_of(all)}) {
        const ModelParts parts{.readout = float_readout(3, 150, weights.data(), 150, bias.data(), 1),
                               .type = ReadoutType::whole8,
                               .whole = bytes,
                               .whole_runs = true};
        Bytes room_for(same.bytes.span().size() + 64);
        std::size_t written = 0;
        CHECK(seal(spec, {}, parts, room_for.span(), written) != Status::ok);
    }
}

TEST_CASE("forged readouts in whole numbers are refused")
{
    const auto one = scaling_of({{-100, whole_factor(0, 16)}});
    for (const ReadoutType type : {ReadoutType::whole8, ReadoutType::whole4}) {
        const auto made = model_of(20, 101, 3, type, {}, one);
        Model model;
        REQUIRE(model.open(made.bytes.span()) == Status::ok);
        const ModelLayout m = model.layout();
        const auto forged = [&](auto change) {
            Bytes copy = made.bytes;
            change(copy.span().data());
            test::mend_crc(copy.span());
            Model other;
            return other.open(copy.span());
        };
        CHECK(forged([](std::byte*) {}) == Status::ok);
        const std::uint32_t row = static_cast<std::uint32_t>(readout_row_bytes(type, 101));
        for (const std::uint32_t unit :
             {0u, 0x80000000u, 0x7f800000u, 0x7fc00000u, 0x007fffffu, 0x60000000u, 0xbf800000u})
            CHECK(forged([&](std::byte* p) { write_u32(p + m.unit_at, unit); }) == Status::damaged_model);
        for (const std::uint32_t bias : {0x40000001u, 0x80000000u, 0xbfffffffu})
            CHECK(forged([&](std::byte* p) { write_u32(p + m.bias_at + 4, bias); }) == Status::damaged_model);
        CHECK(forged([&](std::byte* p) { write_u32(p + m.bias_at + 4, 0x40000000u); }) == Status::ok);
        for (const std::uint32_t multiplier : {0u, 4096u, 65535u})
            CHECK(forged([&](std::byte* p) { write_u16(p + m.scale_at + 2, multiplier); }) == Status::damaged_model);
        CHECK(forged([&](std::byte* p) { write_u16(p + m.scale_at + 6, 1); }) ==
              Status::damaged_model); // behind the last
        CHECK(forged([&](std::byte* p) {
                  p[m.weights_at + 5] = type == ReadoutType::whole8 ? std::byte{0} : std::byte{0x10};
              }) == Status::damaged_model);
        CHECK(forged([&](std::byte* p) { p[m.weights_at + row - 1] |= std::byte{0x10}; }) ==
              Status::damaged_model); // padding
        CHECK(forged([&](std::byte* p) { p[m.scaling.offset + 10] = std::byte{15}; }) ==
              Status::damaged_model); // factor
        CHECK(forged([&](std::byte* p) { write_u32(p + m.scaling.offset, 9); }) == Status::damaged_model);
        CHECK(forged([&](std::byte* p) { write_u32(p + m.scaling.offset + 4, 2); }) == Status::damaged_model);
        CHECK(forged([&](std::byte* p) { p[m.readout.offset] = std::byte{5}; }) == Status::damaged_model);
    }
}

TEST_CASE("what a predictor in whole numbers refuses")
{
    const auto made = model_of(20, 100, 3, ReadoutType::whole8, {}, {});
    WholePredictor<ArcCos> p;
    std::vector<std::int32_t> scores(3, 77);
    std::vector<std::uint32_t> work(whole_bytes(20) / 4 + 1);
    const auto bytes = std::as_writable_bytes(std::span(work));
    const std::vector<std::uint8_t> x(20, 1);
    CHECK(p.scores(std::span(x), scores, bytes) == Status::not_open);
    REQUIRE(p.open(made.bytes.span()) == Status::ok);
    const auto call = [&](std::span<const std::uint8_t> in, std::span<std::int32_t> out, std::span<std::byte> room) {
        return p.scores(in, out, room);
    };
    CHECK(p.workspace_bytes() == whole_bytes(20));
    CHECK(call(std::span(x).first(19), scores, bytes) == Status::wrong_length);
    CHECK(call(x, std::span(scores).first(2), bytes) == Status::wrong_length);
    CHECK(call(x, scores, bytes.first(whole_bytes(20) - 1)) == Status::small_workspace);
    CHECK(call(x, scores, bytes.subspan(1)) == Status::misaligned);
    CHECK(scores == std::vector<std::int32_t>(3, 77));
    CHECK(call(x, scores, bytes.first(whole_bytes(20))) == Status::ok);
    // Floats somewhere: the map, the readout or the scaling.
    const Bytes floats = test::model_of(resolve(ArcCosSpec{.inputs = 20, .features = 64}));
    CHECK(p.open(floats.span()) == Status::unsupported_map);
    const Bytes readout = test::model_of(resolve(ArcCosSpec{.inputs = 20, .features = 64, .numbers = Numbers::int8}));
    CHECK(p.open(readout.span()) == Status::unsupported_map);
    const Bytes other = test::model_of(resolve(RffSpec{.inputs = 20, .features = 64}));
    CHECK(p.open(other.span()) == Status::unsupported_map);
    const auto fourier = model_of(waves(20, 64, Form::pair), 3, ReadoutType::whole8, {}, {});
    CHECK(p.open(fourier.bytes.span()) == Status::unsupported_map);
    WholePredictor<Rff> q;
    CHECK(q.open(fourier.bytes.span()) == Status::ok);
    CHECK(q.open(other.span()) == Status::unsupported_map);
    CHECK(q.open(made.bytes.span()) == Status::unsupported_map);
    const auto power = model_of(powers(20, 64, 2, PowerSketch::srht), 3, ReadoutType::whole8, {}, {});
    CHECK(p.open(power.bytes.span()) == Status::unsupported_map);
    WholePredictor<Polynomial> of_powers;
    REQUIRE(of_powers.open(power.bytes.span()) == Status::ok);
    CHECK(of_powers.workspace_bytes() == whole_bytes(20));
    CHECK(of_powers.open(made.bytes.span()) == Status::unsupported_map);
    const Bytes power_of_floats = test::model_of(resolve(PolynomialSpec{.inputs = 20, .features = 64}));
    CHECK(of_powers.open(power_of_floats.span()) == Status::unsupported_map);
    CHECK(p.open(made.bytes.span(), {.most_operations = 10}) == Status::too_many_operations);
    CHECK(p.model().is_open()); // the first one still is
    // A readout in whole numbers of features that are not whole.
    Bytes forged = made.bytes;
    forged.span()[model_header_bytes + 13] = std::byte{0};
    test::mend_crc(forged.span());
    Predictor<ArcCos> any;
    CHECK(any.open(forged.span()) == Status::damaged_model);
}
