// Maps and models of skeletons that a program knows while it is compiled, beside those that are read; and the memory of
// a prediction.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "skeleton_examples.hpp"
#include "skeleton_models.hpp"

namespace {

using namespace samara;
using namespace samara::test;

// A skeleton, data with a list and a model that a program knows while it is compiled.
constexpr std::uint32_t fixed_inputs = 9, fixed_listed = 70;
constexpr std::size_t fixed_skeleton_bytes = 16 + 3 * 4 + 2 * 32 + (20 + 4 + 2 * 8 + 4 * 2);
constexpr auto fixed_bytes = [] {
    std::array<std::byte, fixed_skeleton_bytes + 8 + fixed_listed * 4> all{};
    SkeletonBuilder build(std::span<std::byte>(all).first(fixed_skeleton_bytes), 3);
    build.circles({2, 3, 1}, 0, 0.25f);
    build.base(SkeletonBase::gaussian, {}, 6, 3, std::bit_cast<std::uint32_t>(0.125f));
    const SkeletonGroup::Range ranges[] = {{0, 6}, {6, 1}};
    const std::uint32_t steps[] = {0x40000000u, 0xa0000000u};
    build.node(ranges, {SkeletonDual::series, steps});
    Skeleton skeleton;
    if (!build.finish(skeleton))
        return all;
    ByteWriter list(std::span<std::byte>(all).subspan(fixed_skeleton_bytes));
    list.number(2, 2);
    list.number(2, 2);
    list.number(fixed_listed + 3, 4);
    for (std::uint32_t i = 0; i < fixed_listed; ++i)
        list.number(3 * i, 2);
    for (std::uint32_t i = 0; i < fixed_listed; ++i)
        list.number(i == 5 ? 4 : 1, 2);
    return all;
}();
constexpr Skeleton fixed_skeleton = [] {
    Skeleton skeleton;
    static_cast<void>(Skeleton::read(std::span<const std::byte>(fixed_bytes).first(fixed_skeleton_bytes), skeleton));
    return skeleton;
}();
constexpr SkeletonData fixed_all(fixed_skeleton);
constexpr SkeletonData fixed_list = [] {
    SkeletonData data;
    static_cast<void>(SkeletonData::of(fixed_bytes, fixed_listed, data));
    return data;
}();

template <SkeletonForm form>
constexpr SkeletonSpec fixed_spec{.inputs = fixed_inputs, .features = 200, .form = form, .normals = 3, .seed = 11};

template <SkeletonForm form, const SkeletonData& data>
void check_fixed()
{
    constexpr SkeletonSpec spec = fixed_spec<form>;
    static Fixed<spec, data> fixed;
    std::vector<float> x(2 * fixed_inputs), z(2 * fixed.feature_count);
    fill_normals(stream_key(3, Domain::user, 0), x);
    const std::vector<float> wanted = map_features(spec, data, x);
    REQUIRE(wanted.size() == z.size());
    REQUIRE(fixed.features(x, z, 2) == Status::ok);
    CHECK(std::memcmp(z.data(), wanted.data(), 4 * z.size()) == 0);
    std::fill(z.begin(), z.end(), 7.0f);
    const std::span<const float, fixed_inputs> first(x.data(), fixed_inputs);
    REQUIRE(fixed.features(first, std::span<float, fixed.feature_count>(z.data(), fixed.feature_count)) == Status::ok);
    CHECK(std::memcmp(z.data(), wanted.data(), 4 * std::size_t{fixed.feature_count}) == 0);
    std::vector<float> part(fixed.block_features);
    for (std::uint32_t k = 0; k < fixed.blocks; ++k) {
        const BlockRange range = block_range(spec, data, k);
        REQUIRE(fixed.block(k, first, part) == Status::ok);
        CHECK(std::equal(part.begin(), part.begin() + range.count, wanted.begin() + range.first));
    }
}

// A model of the list, or where there is none of all features.
template <SkeletonForm form, bool listed>
struct FixedModel {
    static constexpr std::uint32_t each = form == SkeletonForm::pair ? 2 : 1,
                                   count = listed ? fixed_listed * each : fixed_spec<form>.features;
    static constexpr std::size_t data_bytes = 8 + (listed ? fixed_bytes.size() : fixed_skeleton_bytes);
    static constexpr auto weights = [] {
        std::array<std::uint32_t, count> all{};
        for (std::uint32_t i = 0; i < count; ++i)
            all[i] = 0x3f000000u + 0x12345u * (i % 50) + (i % 3 == 0 ? 1u << 31 : 0u);
        return all;
    }();
    static constexpr std::size_t room = 512 + data_bytes + 4 * count;
    static constexpr auto made = [] {
        std::array<std::byte, room> bytes{};
        std::array<std::byte, spec_bytes<SkeletonSpec>> spec{};
        write_spec(fixed_spec<form>, spec.data());
        std::array<std::byte, data_bytes> data{};
        ByteWriter out(data);
        out.number(2, 4);
        out.number(listed ? fixed_listed : 0, 4);
        out.bytes(std::span<const std::byte>(fixed_bytes).first(data_bytes - 8));
        const std::size_t size = write_model({spec, data, weights, 0x3e800000u}, bytes);
        return std::pair(bytes, size);
    }();
};

// The array that an exported header has.
template <class Source, class = std::make_index_sequence<Source::made.second>>
struct FixedArray;
template <class Source, std::size_t... i>
struct FixedArray<Source, std::index_sequence<i...>> {
    alignas(4) static constexpr std::byte bytes[] = {Source::made.first[i]...};
};

template <SkeletonForm form, bool listed>
void check_fixed_model()
{
    using TheModel = FixedModel<form, listed>;
    static constexpr const auto& model = FixedArray<TheModel>::bytes;
    constexpr SkeletonSpec spec = fixed_spec<form>;
    // What seal() makes.
    const SkeletonData& data = listed ? fixed_list : fixed_all;
    std::vector<float> weights;
    for (const std::uint32_t w : TheModel::weights)
        weights.push_back(std::bit_cast<float>(w));
    const float bias = 0.25f;
    const ModelParts parts{.readout = float_readout(1, TheModel::count, weights.data(), TheModel::count, &bias, 1)};
    Work memory(sealed_bytes(spec, data, parts));
    std::size_t size = 0;
    REQUIRE(seal(spec, data, parts, memory.bytes(), size) == Status::ok);
    REQUIRE(size == sizeof model);
    CHECK(std::memcmp(memory.bytes().data(), model, size) == 0);

    static FixedPredictor<FixedArray<TheModel>::bytes> fixed;
    Predictor<Rff, SkeletonMap> predictor;
    REQUIRE(fixed.check() == Status::ok);
    REQUIRE(predictor.open(model) == Status::ok);
    SkeletonSpec found;
    SkeletonData there;
    REQUIRE(predictor.model().get(found, there));
    CHECK(found == spec);
    CHECK(there.count() == data.count());
    Work work(predictor.workspace_bytes());
    std::vector<float> x(fixed_inputs), z(TheModel::count), wanted(TheModel::count), score(1), batch(1);
    for (std::uint64_t k = 0; k < 3; ++k) {
        fill_normals(stream_key(3, Domain::user, k), x);
        const std::span<const float, fixed_inputs> sample(x);
        std::array<float, 1> fixed_score{};
        REQUIRE(predictor.scores(x, score, work.bytes()) == Status::ok);
        REQUIRE(fixed.scores(sample, fixed_score) == Status::ok);
        CHECK(word_of(fixed_score[0]) == word_of(score[0]));
        Work more(predictor.workspace_bytes(1));
        REQUIRE(predictor.scores(x, batch, 1, more.bytes()) == Status::ok);
        CHECK(word_of(batch[0]) == word_of(score[0]));
        REQUIRE(predictor.features(x, wanted, work.bytes()) == Status::ok);
        REQUIRE(fixed.features(sample, std::span<float, TheModel::count>(z)) == Status::ok);
        CHECK(std::memcmp(z.data(), wanted.data(), 4 * z.size()) == 0);
        CHECK(wanted == map_features(spec, data, x));
    }
}

} // namespace

TEST_CASE("skeleton map: what is known while compiling has the bits of what is read")
{
    REQUIRE(fixed_skeleton.groups() == 3);
    REQUIRE(data_fit(fixed_spec<SkeletonForm::pair>, fixed_list));
    check_fixed<SkeletonForm::pair, fixed_all>();
    check_fixed<SkeletonForm::pair, fixed_list>();
    check_fixed<SkeletonForm::phase, fixed_all>();
    check_fixed<SkeletonForm::phase, fixed_list>();
    check_fixed_model<SkeletonForm::pair, false>();
    check_fixed_model<SkeletonForm::pair, true>();
    check_fixed_model<SkeletonForm::phase, false>();
    check_fixed_model<SkeletonForm::phase, true>();
}

TEST_CASE("skeleton map: the memory of a prediction does not grow with the features")
{
    const Skeleton& s = mixed();
    for (const SkeletonForm form : {SkeletonForm::pair, SkeletonForm::phase}) {
        std::size_t bytes[2] = {0, 0};
        for (unsigned i = 0; i < 2; ++i) {
            const SkeletonSpec spec =
                spec_for(s, form, (i == 0 ? 1000u : 1000000u) / (form == SkeletonForm::pair ? 2 : 1));
            const std::vector<float> weights(spec.features, 0.5f), bias = {0.0f};
            const ModelParts parts{.readout =
                                       float_readout(1, spec.features, weights.data(), spec.features, bias.data(), 1),
                                   .type = ReadoutType::int8};
            Work memory(sealed_bytes(spec, SkeletonData(s), parts));
            std::size_t size = 0;
            REQUIRE(seal(spec, SkeletonData(s), parts, memory.bytes(), size) == Status::ok);
            Predictor<SkeletonMap> predictor;
            REQUIRE(predictor.open(memory.bytes().first(size)) == Status::ok);
            bytes[i] = predictor.workspace_bytes();
            CHECK(bytes[i] - 4 * largest_block(spec) < 4096);
        }
        CHECK(bytes[0] == bytes[1]);
    }
}
