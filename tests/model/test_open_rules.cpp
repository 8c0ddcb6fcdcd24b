// What open() demands of a model: its application, what a prediction may cost, and the caller's own check.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "samara/samara.h"
#include "small_model.hpp"

using namespace samara;
using samara::test::Bytes;
using samara::test::mend_crc;
using samara::test::model_of;

namespace {

using Any = AllMaps::In<Predictor>;

const ArcCosSpec small = resolve(ArcCosSpec{.inputs = 4, .features = 40, .seed = 3});

std::vector<std::byte> some_bytes(std::size_t n)
{
    std::vector<std::byte> bytes(n);
    for (std::size_t i = 0; i < n; ++i)
        bytes[i] = static_cast<std::byte>(7 * i + 1);
    return bytes;
}

struct Watch {
    int calls = 0;
    std::span<const std::byte> seen;
    bool answer = true;
    static bool call(void* context, std::span<const std::byte> bytes) noexcept
    {
        auto& w = *static_cast<Watch*>(context);
        ++w.calls;
        w.seen = bytes;
        return w.answer;
    }
};

} // namespace

TEST_CASE("a model carries what its makers say to the application")
{
    for (const std::size_t length : {0u, 1u, 255u, 256u}) {
        const std::vector<std::byte> data = some_bytes(length);
        Bytes bytes = model_of(small, {.version = 0x01020304,
                                       .input_layout = 77,
                                       .confidence_mean = -0.5f,
                                       .confidence_spread = 0.25f,
                                       .data = data});
        Any predictor;
        REQUIRE(predictor.open(bytes.span()) == Status::ok);
        const Model& model = predictor.model();
        CHECK(model.application().version == 0x01020304);
        CHECK(model.application().input_layout == 77);
        CHECK(model.drift(32) == DriftSpec{.mean = -0.5f, .spread = 0.25f, .window = 32});
        CHECK(std::ranges::equal(model.application().data, data));
        CHECK(read_u16(bytes.span().data() + 10) == 6);

        // Sealed again it says the same, and has the same features as one that says nothing.
        Bytes again(resealed_bytes(model, ReadoutType::int8));
        std::size_t written = 0;
        REQUIRE(reseal(model, model.readout(), ReadoutType::int8, again.span(), written) == Status::ok);
        REQUIRE(written == bytes.size);
        CHECK(std::memcmp(again.span().data(), bytes.span().data(), written) == 0);
        const Bytes silent = model_of(small);
        Any other;
        REQUIRE(other.open(silent.span()) == Status::ok);
        CHECK(other.model().features_id() == model.features_id());

        samara_model c{};
        REQUIRE(samara_open(&c, bytes.span().data(), bytes.size) == SAMARA_OK);
        CHECK(samara_application_version(&c) == 0x01020304);
        CHECK(samara_input_layout(&c) == 77);
        std::size_t size = 1;
        const void* const found = samara_application_data(&c, &size);
        CHECK(size == length);
        CHECK((found == nullptr) == (length == 0));
    }
    const std::vector<std::byte> long_data = some_bytes(257);
    CHECK(model_of(small, {.data = long_data}).size == 0); // refused
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(model_of(small, {.confidence_mean = infinity, .confidence_spread = 1.0f}).size == 0);
    CHECK(model_of(small, {.confidence_mean = 1.0f, .confidence_spread = -1.0f}).size == 0);
    CHECK(model_of(small, {.confidence_mean = 1.0f}).size == 0);
}

TEST_CASE("a model that says nothing has five sections, as before")
{
    Bytes bytes = model_of(small);
    CHECK(read_u16(bytes.span().data() + 10) == 5);
    CHECK(read_u64(bytes.span().data() + 72) == 0);
    Model model;
    REQUIRE(model.open(bytes.span()) == Status::ok);
    CHECK(model.application().version == 0);
    CHECK(model.application().input_layout == 0);
    CHECK(model.application().data.empty());
    // A sixth section that says nothing would be a second form of it.
    write_u16(bytes.span().data() + 10, 6);
    mend_crc(bytes.span());
    CHECK(model.open(bytes.span()) == Status::damaged_model);
    Bytes full = model_of(small, {.version = 1});
    write_u32(full.span().data() + read_u32(full.span().data() + 72), 0);
    mend_crc(full.span());
    CHECK(model.open(full.span()) == Status::damaged_model);
}

TEST_CASE("the application's section is checked as if it had been forged")
{
    const std::vector<std::byte> data = some_bytes(40);
    const Bytes good = model_of(small, {.version = 5, .data = data});
    Model model;
    REQUIRE(model.open(good.span()) == Status::ok);
    const auto with = [&](std::size_t at, std::uint32_t value) {
        Bytes bad = good;
        write_u32(bad.span().data() + at, value);
        mend_crc(bad.span());
        Model forged; // the bytes are gone when this returns
        return forged.open(bad.span());
    };
    const std::uint32_t offset = read_u32(good.span().data() + 72);
    for (const std::uint32_t wrong : {0u, offset - 16, offset + 16, offset + 1, 0xfffffff0u})
        CHECK(with(72, wrong) == Status::damaged_model);
    for (const std::uint32_t wrong : {0u, 15u, 57u + 16, 273u, 0xffffffffu})
        CHECK(with(76, wrong) == Status::damaged_model);
    for (const std::uint32_t sections : {0u, 4u, 7u, 65535u}) {
        Bytes bad = good;
        write_u16(bad.span().data() + 10, sections);
        mend_crc(bad.span());
        CHECK(model.open(bad.span()) == Status::unsupported_version);
    }
    // A confidence has two finite numbers, the second one positive.
    const std::uint32_t one = 0x3f800000u, minus_one = 0xbf800000u, inf = 0x7f800000u, nan = 0x7fc00000u;
    CHECK(with(offset + 8, one) == Status::damaged_model);
    CHECK(with(offset + 12, one) == Status::ok);
    for (const std::uint32_t wrong : {minus_one, inf, nan, 0x80000000u})
        CHECK(with(offset + 12, wrong) == Status::damaged_model);
    Bytes unsure = good;
    write_u32(unsure.span().data() + offset + 12, one);
    write_u32(unsure.span().data() + offset + 8, inf);
    mend_crc(unsure.span());
    CHECK(model.open(unsure.span()) == Status::damaged_model);
    Bytes five = good; // the sixth entry must be zero then
    write_u16(five.span().data() + 10, 5);
    mend_crc(five.span());
    CHECK(model.open(five.span()) == Status::damaged_model);
    for (std::size_t n = 0; n < good.size; ++n)
        REQUIRE(model.open(good.span().first(n)) != Status::ok);
    CHECK(model.application().version == 5); // the one that opened stays
}

TEST_CASE("open demands an application")
{
    const Bytes third = model_of(small, {.version = 3, .input_layout = 9}), silent = model_of(small);
    Any predictor;
    const auto status = [&](const Bytes& bytes, const OpenRules& rules) {
        samara_model c{};
        const samara_open_rules same{0, rules.input_layout, rules.least_version, nullptr, nullptr};
        const Status found = predictor.open(bytes.span(), rules);
        CHECK(samara_open_with(&c, bytes.span().data(), bytes.size, &same) == static_cast<int>(found));
        return found;
    };
    CHECK(status(third, {}) == Status::ok);
    CHECK(status(third, {.input_layout = 9, .least_version = 3}) == Status::ok);
    CHECK(status(third, {.input_layout = 8}) == Status::wrong_application);
    CHECK(status(third, {.least_version = 4}) == Status::wrong_application);
    CHECK(status(silent, {}) == Status::ok);
    CHECK(status(silent, {.input_layout = 9}) == Status::wrong_application);
    CHECK(status(silent, {.least_version = 1}) == Status::wrong_application);
    CHECK(std::string(samara_status_text(22)) == text(Status::wrong_application));
}

TEST_CASE("the caller's check comes before anything is read")
{
    const Bytes good = model_of(small);
    Any predictor;
    Watch watch;
    const OpenRules rules{.verify = Watch::call, .context = &watch};
    CHECK(predictor.open(good.span(), rules) == Status::ok);
    CHECK(watch.calls == 1);
    CHECK(watch.seen.data() == good.span().data());
    CHECK(watch.seen.size() == good.size);
    watch.answer = false;
    CHECK(predictor.open(good.span(), rules) == Status::not_verified);
    CHECK(predictor.model().is_open()); // the earlier one stays
    // What is no model at all is the check's to judge first.
    const Bytes nothing(64);
    CHECK(predictor.open(nothing.span(), rules) == Status::not_verified);
    watch.answer = true;
    CHECK(predictor.open(nothing.span(), rules) == Status::not_a_model);

    samara_model c{};
    int answer = 0;
    samara_open_rules in_c{};
    in_c.verify = [](void* context, const void* bytes, std::size_t size) {
        return bytes != nullptr && size > 0 ? *static_cast<int*>(context) : 0;
    };
    in_c.context = &answer;
    CHECK(samara_open_with(&c, good.span().data(), good.size, &in_c) == SAMARA_NOT_VERIFIED);
    answer = 1;
    CHECK(samara_open_with(&c, good.span().data(), good.size, &in_c) == SAMARA_OK);
    CHECK(samara_open_with(&c, good.span().data(), good.size, nullptr) == SAMARA_OK);
}

TEST_CASE("a small model that would compute for minutes does not open")
{
    // 2 KB each.
    const Bytes deep = model_of(
        resolve(NngpSpec{.inputs = 2, .features = 900, .depth = 16, .rows = Rows::gibbs, .sweeps = 1000, .seed = 1}));
    ArcCosSpec gibbs{.inputs = 1u << 20, .features = 64, .rows = Rows::gibbs, .sweeps = 1000, .seed = 1};
    const Bytes wide = model_of(resolve(gibbs));
    for (const Bytes* bytes : {&deep, &wide}) {
        REQUIRE(bytes->size > 0);
        CHECK(bytes->size < 2048);
        Any predictor;
        CHECK(predictor.open(bytes->span()) == Status::too_many_operations);
        CHECK_FALSE(predictor.model().is_open());
        samara_model c{};
        CHECK(samara_open(&c, bytes->span().data(), bytes->size) == SAMARA_TOO_MANY_OPERATIONS);
        // Whoever wants it can have it.
        REQUIRE(predictor.open(bytes->span(), {.most_operations = any_operations}) == Status::ok);
        const std::uint64_t cost = predictor.operations();
        CHECK(cost > default_most_operations);
        CHECK(predictor.open(bytes->span(), {.most_operations = cost}) == Status::ok);
        CHECK(predictor.open(bytes->span(), {.most_operations = cost - 1}) == Status::too_many_operations);
        samara_open_rules rules{};
        rules.most_operations = UINT64_MAX;
        CHECK(samara_open_with(&c, bytes->span().data(), bytes->size, &rules) == SAMARA_OK);
        CHECK(samara_operations(&c) == cost);
    }
    Any none;
    CHECK(none.operations() == 0);
    // What people run on boards is far below.
    const ArcCosSpec usual = resolve(ArcCosSpec{.inputs = 784, .features = 16384});
    CHECK(operations(usual, {}) < default_most_operations / 1000);
}
