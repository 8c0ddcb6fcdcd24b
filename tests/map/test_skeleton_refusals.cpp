// What the map of skeletons refuses: samples in the middle of a batch, and data that are no skeleton, no list, or not
// those of the spec.
#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "samara/skeleton/features.hpp"
#include "skeleton_examples.hpp"
#include "skeleton_models.hpp"

namespace {

using namespace samara;
using namespace samara::test;

} // namespace

TEST_CASE("skeleton map: an overflow behind the first block makes all features and scores 0")
{
    Made m;
    // One feature of a hundred has 40 factors, the others have none.
    std::vector<double> terms(41);
    terms[0] = 0.99;
    terms[40] = 0.01;
    const auto rarely = steps_of(terms);
    m.build.node(m.build.base(SkeletonBase::sphere, {}, 0, 2), series(rarely));
    const Skeleton& s = m.finish();
    constexpr std::uint32_t rows = 5 * whole;
    const auto first_long = [&](std::uint64_t seed) {
        std::uint32_t i = 0;
        while (i < rows && skeleton_factors(s, seed, i) == 0)
            ++i;
        return i;
    };
    std::uint64_t seed = 1;
    while (first_long(seed) < whole || first_long(seed) >= rows)
        ++seed;
    const std::vector<float> huge(2, 0x1p33f), fine = {0.6f, 0.8f};
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::phase}) {
        const SkeletonSpec spec = spec_for(s, form, rows, seed);
        const SkeletonData data(s);
        CHECK(map_features(spec, data, huge, Status::overflow) == std::vector<float>(spec.features));
        // Of a batch: the other samples' too.
        CHECK(map_features(spec, data, {fine[0], fine[1], huge[0], huge[1]}, Status::overflow) ==
              std::vector<float>(2 * std::size_t{spec.features}));
        Work work(block_workspace_bytes(spec));
        std::vector<float> part(largest_block(spec), 7.0f);
        CHECK(block(spec, data, 0, huge, part, work.bytes()) == Status::ok);
        CHECK(part[0] != 0.0f);
        CHECK(block(spec, data, first_long(seed) / whole, huge, part, work.bytes()) == Status::overflow);
        CHECK(part == std::vector<float>(part.size()));

        const std::vector<float> weights(spec.features, 1.0f), bias = {0.25f};
        const ModelParts parts{.readout =
                                   float_readout(1, spec.features, weights.data(), spec.features, bias.data(), 1)};
        Work memory(sealed_bytes(spec, data, parts));
        std::size_t size = 0;
        REQUIRE(seal(spec, data, parts, memory.bytes(), size) == Status::ok);
        Predictor<SkeletonMap> predictor;
        REQUIRE(predictor.open(memory.bytes().first(size)) == Status::ok);
        Work room(predictor.workspace_bytes());
        std::vector<float> score = {7.0f}, z(spec.features, 7.0f);
        CHECK(predictor.scores(huge, score, room.bytes()) == Status::overflow);
        CHECK(word_of(score[0]) == 0);
        CHECK(predictor.features(huge, z, room.bytes()) == Status::overflow);
        CHECK(z == std::vector<float>(z.size()));
        CHECK(predictor.scores(fine, score, room.bytes()) == Status::ok);
        CHECK(score[0] != 0.0f);
    }
}

TEST_CASE("skeleton map: a category out of range in the last sample leaves a batch as it was")
{
    const Skeleton& s = mixed();
    const SkeletonSpec spec = spec_for(s, SkeletonForm::pair, whole);
    const SkeletonData data(s);
    const std::vector<float> weights(spec.features, 1.0f), bias = {0.25f};
    const ModelParts parts{.readout = float_readout(1, spec.features, weights.data(), spec.features, bias.data(), 1)};
    Work memory(sealed_bytes(spec, data, parts));
    std::size_t size = 0;
    REQUIRE(seal(spec, data, parts, memory.bytes(), size) == Status::ok);
    Predictor<SkeletonMap> predictor;
    REQUIRE(predictor.open(memory.bytes().first(size)) == Status::ok);
    Work room(predictor.workspace_bytes(3));
    std::vector<float> x;
    for (std::uint64_t k = 0; k < 3; ++k) {
        const std::vector<float> more = sample(s, k);
        x.insert(x.end(), more.begin(), more.end());
    }
    const std::vector<float> untouched(3 * std::size_t{spec.features}, 7.0f);
    for (const float bad : {4.0f, -1.0f, 0.5f}) {
        x[2 * s.inputs() + 15] = bad;
        CHECK(map_features(spec, data, x, Status::out_of_range) == untouched);
        std::vector<float> scores(3, 7.0f);
        CHECK(predictor.scores(x, scores, 3, room.bytes()) == Status::out_of_range);
        CHECK(scores == std::vector<float>(3, 7.0f));
        CHECK(predictor.scores(std::span(x).last(s.inputs()), std::span(scores).first(1), room.bytes()) ==
              Status::out_of_range);
        CHECK(scores[0] == 7.0f);
    }
    x[2 * s.inputs() + 15] = 3.0f;
    CHECK(map_features(spec, data, x) != untouched);
}

namespace {

constexpr std::uint32_t rows = 100;

// Whether data are taken: by themselves, and in a model that is otherwise good. Both must say the same.
bool taken(const SkeletonSpec& spec, const std::vector<std::byte>& bytes, std::uint32_t listed)
{
    SkeletonData data;
    const bool alone = SkeletonData::of(bytes, listed, data) && data_fit(spec, data);
    std::vector<std::byte> section(8 + bytes.size()), spec_room(spec_bytes<SkeletonSpec>);
    ByteWriter out(section);
    out.number(SkeletonData::kind, 4);
    out.number(listed, 4);
    out.bytes(std::span<const std::byte>(bytes));
    write_spec(spec, spec_room.data());
    const std::vector<std::uint32_t> weights(
        (listed == 0 ? row_count(spec) : listed) * std::size_t{features_per_row(spec)}, word_of(0.5f));
    const PlainModel plain{spec_room, section, weights, 0};
    Work memory(most_bytes(plain));
    const std::size_t size = write_model(plain, memory.bytes());
    Model model;
    Predictor<SkeletonMap> predictor;
    const Status status = model.open(memory.bytes().first(size));
    CHECK(predictor.open(memory.bytes().first(size)) == status);
    CHECK(status == (alone ? Status::ok : Status::damaged_model));
    // Where it is refused by itself, a call with it is too.
    if (!alone) {
        std::vector<float> x(spec.inputs), z(spec.features, 7.0f);
        Work work(workspace_bytes(spec, data) + 4 * std::size_t{spec.features});
        CHECK(features(spec, data, x, z, 1, work.bytes()) == Status::bad_spec);
        CHECK(z == std::vector<float>(z.size(), 7.0f));
    }
    return alone;
}

} // namespace

TEST_CASE("skeleton data: a list has one form, and every other is refused")
{
    const Skeleton& s = circles();
    const SkeletonSpec spec = spec_for(s, SkeletonForm::phase, rows);
    using List = std::vector<Listed>;
    const auto good = [&](const List& list) {
        return taken(spec, list_bytes(s.bytes(), list, good_form(list)), static_cast<std::uint32_t>(list.size()));
    };
    const auto with = [&](const List& list, const ListForm& form) {
        return taken(spec, list_bytes(s.bytes(), list, form), static_cast<std::uint32_t>(list.size()));
    };
    CHECK(good({{0, 1}}));
    CHECK(good({{3, 1}, {4, 2}, {900, 1}}));
    CHECK(good({{3, 1}, {0xffff, 0xffff}}));
    CHECK(good({{3, 1}, {0x10000, 0x10000}}));
    CHECK(good({{0xffffff, 1}}));

    // Widths that are none, and that are not the least.
    const List plain = {{1, 1}, {7, 1}}, twice = {{1, 1}, {7, 2}}, far = {{1, 1}, {0x10000, 1}},
               often = {{1, 1}, {7, 0x10000}};
    CHECK(with(plain, {2, 0, 2}));
    for (const std::uint32_t width : {0u, 1u, 3u, 4u, 6u, 0x102u})
        CHECK(!with(plain, {width, 0, 2}));
    for (const std::uint32_t width : {1u, 2u, 3u, 4u, 0x100u})
        CHECK(!with(plain, {2, width, 2}));
    CHECK(with(twice, {2, 2, 3}));
    CHECK(!with(twice, {2, 0, 3}));
    CHECK(!with(twice, {2, 4, 3}));
    CHECK(with(far, {4, 0, 2}));
    CHECK(!with(far, {2, 0, 2}));
    CHECK(with(often, {2, 4, 0x10001}));
    CHECK(!with(often, {2, 2, 0x10001}));
    // The sum.
    for (const std::uint32_t sum : {0u, 1u, 2u, 4u, 0x10003u, 0xffffffffu})
        CHECK(!with(twice, {2, 2, sum}));
    CHECK(!with({{1, 0xffffffff}, {2, 1}}, {2, 4, 0})); // it is 2^32
    // Order, and what a number may be.
    CHECK(!good({{7, 1}, {1, 1}}));
    CHECK(!good({{7, 1}, {7, 1}}));
    CHECK(!good({{1, 1}, {9, 1}, {8, 1}, {10, 1}}));
    CHECK(!with({{0x10001, 1}, {0x10000, 1}}, {4, 0, 2}));
    CHECK(!good({{1, 1}, {1u << 24, 1}}));
    CHECK(!good({{1, 1}, {0xffffffff, 1}}));
    CHECK(!with({{1, 0}, {7, 2}}, {2, 2, 2}));
    CHECK(!with({{1, 2}, {7, 0}}, {2, 2, 2}));
    CHECK(!with({{1, 0}}, {2, 0, 0}));

    // As many as there are rows, and one more.
    List all;
    for (std::uint32_t i = 0; i < rows; ++i)
        all.push_back({2 * i, 1});
    CHECK(good(all));
    all.push_back({2 * rows, 1});
    CHECK(!good(all));

    // Bytes that are missing or too many, and another number of features than there is.
    for (const List& list : {plain, twice}) {
        const std::vector<std::byte> whole_list = list_bytes(s.bytes(), list, good_form(list));
        for (std::size_t size = 0; size < whole_list.size(); ++size)
            CHECK(!taken(spec, {whole_list.begin(), whole_list.begin() + static_cast<std::ptrdiff_t>(size)}, 2));
        for (const std::size_t more : {1u, 2u, 4u, 16u}) {
            std::vector<std::byte> longer = whole_list;
            longer.resize(longer.size() + more);
            CHECK(!taken(spec, longer, 2));
        }
        for (const std::uint32_t count : {0u, 1u, 3u, 100u})
            CHECK(!taken(spec, whole_list, count));
    }
}

TEST_CASE("skeleton data: the skeleton is one, and the spec's")
{
    const Skeleton& s = mixed();
    const SkeletonSpec spec = spec_for(s, SkeletonForm::pair, rows);
    const std::vector<std::byte> bytes(s.bytes().begin(), s.bytes().end());
    REQUIRE(taken(spec, bytes, 0));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK(!taken(spec, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, 0));
    for (const std::size_t more : {1u, 8u, 16u}) {
        std::vector<std::byte> longer = bytes;
        longer.resize(longer.size() + more);
        CHECK(!taken(spec, longer, 0));
    }
    // Every byte of the header, and of the first group's place.
    for (std::size_t i = 0; i < 20; ++i)
        for (const unsigned change : {1u, 0x80u}) {
            std::vector<std::byte> damaged = bytes;
            damaged[i] ^= static_cast<std::byte>(change);
            CAPTURE(i);
            CHECK(!taken(spec, damaged, 0));
        }
    // Another spec's.
    for (const std::uint32_t inputs : {1u, s.inputs() - 1, s.inputs() + 1, most_inputs}) {
        SkeletonSpec other = spec;
        other.inputs = inputs;
        REQUIRE(resolved(other));
        CHECK(!taken(other, bytes, 0));
    }
    for (const std::uint32_t normals : {0u, 1u, 2u, 4u, most_inputs}) {
        SkeletonSpec other = spec;
        other.normals = normals;
        REQUIRE(resolved(other));
        SkeletonData data;
        REQUIRE(SkeletonData::of(bytes, 0, data));
        CHECK(!data_fit(other, data));
    }
    // A skeleton with circles has no real form, and real ones have every form.
    CHECK(!taken(spec_for(s, SkeletonForm::real, rows), bytes, 0));
    CHECK(
        !taken(spec_for(circles(), SkeletonForm::real, rows), {circles().bytes().begin(), circles().bytes().end()}, 0));
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::phase, SkeletonForm::real})
        CHECK(taken(spec_for(real_ones(), form, rows), {real_ones().bytes().begin(), real_ones().bytes().end()}, 0));
    Made m;
    const Skeleton& alone = (m.build.base(SkeletonBase::sphere, {}, 0, 2), m.finish());
    CHECK(taken(spec_for(alone, SkeletonForm::pair, rows), {alone.bytes().begin(), alone.bytes().end()}, 0));
    CHECK(!taken(spec_for(alone, SkeletonForm::real, rows), {alone.bytes().begin(), alone.bytes().end()}, 0));
}

TEST_CASE("skeleton data: models without them, with another map's, and of another map")
{
    const Skeleton& s = circles();
    const SkeletonSpec spec = spec_for(s, SkeletonForm::phase, rows);
    const auto open = [](const auto& any, std::span<const std::byte> section, std::uint32_t features) {
        std::vector<std::byte> room(spec_bytes<std::remove_cvref_t<decltype(any)>>);
        write_spec(any, room.data());
        const std::vector<std::uint32_t> weights(features, word_of(0.5f));
        const PlainModel plain{room, section, weights, 0};
        Work memory(most_bytes(plain));
        const std::size_t size = write_model(plain, memory.bytes());
        Model model;
        AllMaps::In<Predictor> predictor;
        const Status status = model.open(memory.bytes().first(size));
        CHECK(predictor.open(memory.bytes().first(size)) == status);
        return status;
    };
    const auto section = [](std::uint32_t kind, std::uint32_t count, std::span<const std::byte> more) {
        std::vector<std::byte> bytes(8 + more.size());
        ByteWriter out(bytes);
        out.number(kind, 4);
        out.number(count, 4);
        out.bytes(more);
        return bytes;
    };
    const std::vector<std::byte> good = section(2, 0, s.bytes());
    CHECK(open(spec, good, rows) == Status::ok);
    CHECK(open(spec, good, rows - 1) == Status::damaged_model);
    CHECK(open(spec, good, 2 * rows) == Status::damaged_model);
    CHECK(open(spec, {}, rows) == Status::damaged_model);
    CHECK(open(spec, section(2, 0, {}), rows) == Status::damaged_model);
    for (const std::uint32_t kind : {0u, 1u, 3u, 0x10002u})
        CHECK(open(spec, section(kind, 0, s.bytes()), rows) == Status::damaged_model);
    // Rows that are kept, of kind 1, are another map's.
    const std::byte row[] = {std::byte{3}, std::byte{0}};
    CHECK(open(spec, section(1, 1, row), 1) == Status::damaged_model);

    const RffSpec rff = resolve(RffSpec{.inputs = s.inputs(), .features = rows, .orders = Orders::none});
    const PolynomialSpec polynomial = resolve(PolynomialSpec{.inputs = s.inputs(), .features = rows});
    REQUIRE(resolved(rff));
    REQUIRE(resolved(polynomial));
    CHECK(open(rff, {}, rows) == Status::ok);
    CHECK(open(polynomial, {}, rows) == Status::ok);
    CHECK(open(rff, good, rows) == Status::damaged_model);
    CHECK(open(polynomial, good, rows) == Status::damaged_model);
    CHECK(open(rff, section(1, 1, row), 2) == Status::ok);

    // Without data nothing is computed or sealed.
    std::vector<float> x(s.inputs()), z(rows, 7.0f);
    Work work(workspace_bytes(spec, SkeletonData(s)));
    CHECK(features(spec, SkeletonData(), x, z, 1, work.bytes()) == Status::bad_spec);
    CHECK(block(spec, SkeletonData(), 0, x, z, work.bytes()) == Status::bad_spec);
    CHECK(z == std::vector<float>(rows, 7.0f));
    const float bias = 0.0f;
    std::size_t size = 0;
    const ModelParts parts{.readout = float_readout(1, rows, z.data(), rows, &bias, 1)};
    Work memory(4096);
    CHECK(seal(spec, SkeletonData(), parts, memory.bytes(), size) == Status::bad_spec);
}

// What a feature costs beside its factors: the way to them, and the ranges that a node looks through.
TEST_CASE("skeleton map: a feature that takes long has many operations, however few factors it has")
{
    const auto operations_of = [](const Skeleton& s, std::uint32_t count) {
        return operations(spec_for(s, SkeletonForm::pair, count), SkeletonData(s));
    };
    constexpr std::uint64_t budget = std::uint64_t{1} << 32;
    const std::vector<std::uint32_t> zeros(500, 0), nearly_one = {0xffffffffu}, nearly_none = {0xffff0000u};
    const auto many = series(zeros), rarely = series(nearly_one), few_again = series(nearly_none);
    const SkeletonActivation hundred{SkeletonDual::series, {zeros.data(), 100}};
    Made plain;
    plain.build.node(plain.build.circles({1, 1, 4}, 0, radians), relu);
    CHECK(operations_of(plain.finish(), 10) < 2000);

    // Nodes that nearly never have a factor: 500, and then 500 times as many for each layer.
    for (std::uint32_t layers = 1; layers <= 3; ++layers) {
        Made empty;
        std::uint32_t last = empty.build.node(empty.build.circles({1, 1, 4}, 0, radians), rarely);
        for (std::uint32_t i = 0; i < layers; ++i)
            last = empty.build.node(last, many);
        const Skeleton s = empty.finish();
        CHECK(s.cost() == 0);
        const std::uint64_t found = operations_of(s, 1);
        CHECK(found > 30 * static_cast<std::uint64_t>(std::pow(500, layers)));
        CHECK((layers == 3) == (found > budget));
    }

    // More factors than a cost can say; and those of a node behind which there are few again.
    for (const bool few : {false, true}) {
        Made full;
        std::uint32_t last = full.build.circles({1, 1, 4}, 0, radians);
        for (int i = 0; i < 4; ++i)
            last = full.build.node(last, many);
        if (few)
            full.build.node(last, few_again);
        const Skeleton s = full.finish();
        CHECK((s.cost() < one_factor * 2) == few);
        CHECK(operations_of(s, 1) > budget);
    }

    // The longest block of normals in as many features and factors as there can be.
    Made normal;
    normal.build.node(normal.build.node(normal.build.base(SkeletonBase::sphere_uniform, {}, 0, 1u << 20), many),
                      hundred);
    CHECK(operations_of(normal.finish(), most_features / 2) > budget * 1000);

    // A thousand ranges.
    Made wide;
    wide.build.circles({1, 1, 4}, 0, radians);
    wide.build.node(std::vector<SkeletonGroup::Range>(1000, {0, 1}), relu);
    CHECK(operations_of(wide.finish(), 1) > 3000);
}

TEST_CASE("skeleton map: specs")
{
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::automatic}) {
        const SpecReport odd = check(SkeletonSpec{.inputs = 5, .features = 7, .form = form});
        CHECK(odd.status == Status::bad_spec);
        CHECK(std::string_view(odd.field) == "features");
        CHECK(odd.nearest == 8);
    }
    for (const SkeletonForm form : {SkeletonForm::phase, SkeletonForm::real})
        CHECK(resolved(SkeletonSpec{.inputs = 5, .features = 7, .form = form}));
    const SkeletonSpec automatic{.inputs = 5, .features = 8, .normals = 3};
    CHECK(!resolved(automatic));
    CHECK(resolve(automatic).form == SkeletonForm::pair);
    CHECK(resolved(resolve(automatic)));
    CHECK(std::string_view(check(SkeletonSpec{.inputs = 5, .normals = most_inputs + 1}).field) == "normals");
}
