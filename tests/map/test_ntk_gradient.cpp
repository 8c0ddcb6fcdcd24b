// What is tested of this map alone: its expectation and error, sizes, refusals, bytes, keys and known answers.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>

#include "contracts.hpp"
#include "expectation.hpp"
#include "judge.hpp"

namespace {

using namespace samara;
using Spec = NtkGradientSpec;

// Keys with their values in the order of the help, as the desk prints them.
struct Keys : FieldVisitor {
    std::string text;
    void add(const char* key, std::uint64_t value)
    {
        text += (text.empty() ? "" : ",") + std::string(key) + "=" + std::to_string(value);
    }
    void features(std::uint32_t value, std::uint32_t most)
    {
        add("features", value);
        CHECK(most == most_features);
    }
    void whole(std::uint32_t, const char* key, std::uint32_t value, Range, const char*) { add(key, value); }
    void size(std::uint32_t, const char* key, std::uint32_t value, Range, const char*) { add(key, value); }
    void seed(std::uint32_t, std::uint64_t value) { add("seed", value); }
};

std::string keys(const Spec& spec)
{
    Keys found;
    Map<Spec>::fields(found, spec);
    return found.text;
}

} // namespace

TEST_CASE("ntk-gradient: unbiased for one layer")
{
    for (std::uint32_t d : {2u, 3u, 5u, 17u})
        measure::check_mean("gradient", Spec{.inputs = d, .features = 8 * d + 8});
}

TEST_CASE("ntk-gradient: meets the reference's error")
{
    const auto gradient = [](std::uint32_t depth) {
        return [depth](std::uint32_t m) { return Spec{.inputs = 64, .features = m, .depth = depth}; };
    };
    using measure::judge;
    judge("gradient 1", {{260, .9038, .3282, 1.0648}, {1040, .4582, .1187}, {4160, .2322, .0503}}, gradient(1));
    judge("gradient 2", {{276, 1.6708, 1.4233, 2.7332}, {1296, .6342, .1901}, {8256, .3858, .1511}}, gradient(2));
    judge("gradient 3", {{292, 1.0696, .3513, 1.3927}, {1552, .7756, .3991, .9424}, {12352, .3911, .1477, .5329}},
          gradient(3));
}

TEST_CASE("ntk-gradient: contracts")
{
    for (std::uint32_t depth : {1u, 2u, 4u})
        measure::check_contracts(Spec{.inputs = 5, .features = 300, .depth = depth});
    measure::same_as_fixed<Spec{.inputs = 5, .features = 90, .depth = 2}>();
}

TEST_CASE("ntk-gradient: sizes that are chosen, and what is refused")
{
    CHECK(resolve(Spec{.inputs = 4, .features = 60, .depth = 2}).width == 5);
    CHECK(resolve(Spec{.inputs = 16, .features = 100}).width == 5);
    for (const Spec& spec : {Spec{.inputs = 64}, Spec{.inputs = 1, .features = 20000, .depth = 3},
                             Spec{.inputs = 15, .features = most_features, .width = 3},
                             Spec{.inputs = 5, .features = most_features, .width = most_width}})
        CHECK(resolved(resolve(spec)));

    const auto field = [](const Spec& spec) { return std::string(check(spec).field); };
    CHECK(field({.inputs = 4, .features = 4}) == "features");
    for (const std::uint32_t depth : {0u, 17u})
        CHECK(field({.inputs = 4, .depth = depth}) == "depth");
    CHECK(field({.inputs = 4, .features = most_features + 1}) == "features");
    const SpecReport wide = check(Spec{.inputs = 4, .width = 4097});
    CHECK(std::string(wide.field) == "width");
    CHECK(wide.nearest == 4096);
    const SpecReport few = check(Spec{.inputs = 16, .features = 200, .depth = 2, .width = 10});
    CHECK(std::string(few.field) == "features");
    CHECK(std::string(few.expected) == "at least width + (depth - 1) width^2 + inputs width");
    CHECK(few.nearest == 270);
    CHECK(check(Spec{.inputs = 16, .features = 270, .depth = 2, .width = 10}));
    CHECK(field({.inputs = 20, .width = 100}) == "features");
    CHECK(field({.inputs = 5, .features = most_features, .depth = 2, .width = most_width}) == "features");

    // The exact kernel needs no sizes.
    const std::vector<float> x(1000, 1.0f);
    CHECK(kernel(Spec{.inputs = 1000, .features = 1, .width = 4096}, x, x) > 0.0);
    CHECK(kernel(Spec{.inputs = 1000, .depth = 16}, x, x) > 0.0);
}

TEST_CASE("ntk-gradient: keys and bytes")
{
    CHECK(keys({}) == "depth=1,width=0,features=1024,seed=0");
    CHECK(keys(resolve(Spec{.inputs = 16, .features = 100})) == "depth=1,width=5,features=100,seed=0");

    const Spec spec{.inputs = 5, .features = 0x1234, .depth = 2, .width = 7, .seed = 0x8877665544332211};
    constexpr unsigned char expected[] = {9, 0, 1, 0, 5, 0, 0, 0, 0x34, 0x12, 0,    0,    0,    0,    0,    0,
                                          2, 0, 0, 0, 7, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
    static_assert(spec_bytes<Spec> == sizeof expected);
    std::array<std::byte, spec_bytes<Spec>> bytes;
    write_spec(spec, bytes.data());
    CHECK(std::memcmp(bytes.data(), expected, sizeof expected) == 0);
    const auto refused = [&](std::size_t at, unsigned value) {
        auto bad = bytes;
        bad[at] = static_cast<std::byte>(value);
        Spec found;
        return read_spec(bad.data(), found) == Status::damaged_model;
    };
    for (const std::size_t zero : {12u, 13u, 14u, 15u})
        for (const unsigned value : {1u, 0x80u})
            CHECK(refused(zero, value));
    CHECK(refused(16, 0)); // depth
    CHECK(refused(16, 33));
    CHECK(refused(20, 0)); // the width that resolve() would choose
}

TEST_CASE("ntk-gradient: the known answer of SPEC.md")
{
    const Spec spec{.inputs = 3, .features = 13, .depth = 2, .width = 2, .seed = 5};
    constexpr std::uint32_t expected[] = {0x3f8eacd3, 0x00000000, 0xbc300971, 0xbc95447a, 0x00000000,
                                          0x00000000, 0xbc853d86, 0x3c053d86, 0xbb853d86, 0x3aa3e0cf,
                                          0xba23e0cf, 0x39a3e0cf, 0x00000000};
    const std::vector<float> x = {1.0f, -0.5f, 0.25f};
    std::vector<float> z(spec.features);
    std::vector<std::byte> work(workspace_bytes(spec));
    REQUIRE(features(spec, x, z, work) == Status::ok);
    for (std::size_t i = 0; i < z.size(); ++i)
        CHECK(std::bit_cast<std::uint32_t>(z[i]) == expected[i]);
}
