// What holds for the text of every map of the list, by what the map declares of its fields.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "every_map.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/map_describer.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/map_twin.hpp"
#include "tests/host/refusal.hpp"

namespace {

using namespace samara;
using namespace samara::desk;
using samara::desk::test::refusal;

MatrixF data_of(std::size_t rows, std::size_t cols)
{
    MatrixF x(rows, cols);
    for (std::size_t index = 0; index < x.values.size(); ++index) {
        x.values[index] = static_cast<float>(index * 29 % 83) / 16.0f;
    }
    return x;
}

MapSpec fitted(const std::string& text, std::size_t cols)
{
    return fit_map(parse_map(text), data_of(5, cols), "x.csv");
}

std::vector<KeyHelp> keys_of(const MapSpec& spec)
{
    return std::visit([](const auto& s) { return described(s); }, spec);
}

// A key that is another's in other words lies nowhere.
bool is_field(const KeyHelp& key) { return key.bytes != 0; }
bool is_whole(const KeyHelp& key)
{
    return is_field(key) && key.bytes <= 4 && key.numbers.empty() && key.stored.empty();
}
std::uint64_t least_of(const KeyHelp& key) { return std::stoull(key.values); }
std::uint64_t most_of(const KeyHelp& key) { return std::stoull(key.values.substr(key.values.find(" to ") + 4)); }

std::string another_value(const KeyHelp& key)
{
    if (!key.numbers.empty()) {
        return key.numbers.back().first;
    }
    if (is_whole(key)) {
        const std::string most = std::to_string(most_of(key));
        return most == key.fallback ? std::to_string(least_of(key)) : most;
    }
    return key.name == "seed" ? "18446744073709551615" : key.name == "coefficients" ? "0.5;0;2" : "0.25";
}

struct MostFeatures : FieldVisitor {
    std::uint32_t most_allowed = 0;
    void features(std::uint32_t, std::uint32_t most) { most_allowed = most; }
};

} // namespace

TEST_CASE("every map: a name alone has the spec's defaults; seed and features set from outside")
{
    const std::vector<MapHelp> catalogue = map_catalogue();
    REQUIRE(catalogue.size() == AllMaps::count);
    std::vector<std::string> names;
    static_cast<void>(AllMaps::any([&]<class Spec>(Spec defaults) {
        const std::string name = Map<Spec>::name;
        CAPTURE(name);
        CHECK(catalogue[names.size()].name == name);
        names.push_back(name);
        const MapRequest request = parse_map(name);
        CHECK(request.spec == MapSpec(defaults));
        CHECK(!request.median_bandwidth);
        CHECK(name_of(request.spec) == name);
        // Of polynomial those of numbers=int8 have rows.
        CHECK(has_rows(request.spec) == (BlockSpec<Spec> && !std::is_same_v<Spec, PolynomialSpec>));
        MostFeatures visitor;
        Map<Spec>::fields(visitor, defaults);
        CHECK(most_features_of(request.spec) == visitor.most_allowed);

        MapSpec spec = defaults;
        set_seed(spec, 9);
        set_features(spec, 12);
        CHECK(seed_of(spec) == 9);
        CHECK(features_of(spec) == 12);
        defaults.seed = 9;
        defaults.features = 12;
        CHECK(spec == MapSpec(defaults));
        return false;
    }));
    CHECK(refusal([] { parse_map("no such"); }) == "found the unknown map 'no such', expected " + one_of(names));
}

TEST_CASE("every map: every key in any order, and what is refused of it")
{
    for (const MapHelp& map : map_catalogue()) {
        CAPTURE(map.name);
        const auto refused = [&](const std::string& keys) {
            return refusal([&] { parse_map(map.name + ":" + keys); });
        };
        std::map<std::string, std::string> given;
        std::string text;
        std::vector<std::string> names;
        for (const KeyHelp& key : map.keys) {
            CAPTURE(key.name);
            names.push_back(key.name);
            if (!is_field(key)) {
                continue;
            }
            given[key.name] = another_value(key);
            text = key.name + "=" + given[key.name] + (text.empty() ? "" : "," + text); // the last one first
            CHECK(given[key.name] != key.fallback);
            for (const auto& [word, number] : key.numbers) {
                for (const KeyHelp& found : keys_of(parse_map(map.name + ":" + key.name + "=" + word).spec)) {
                    CHECK(found.fallback == (found.name == key.name ? word : [&] {
                              for (const KeyHelp& other : map.keys) {
                                  if (other.name == found.name) {
                                      return other.fallback;
                                  }
                              }
                              return std::string("no such key");
                          }()));
                }
            }
            if (is_whole(key)) {
                std::vector<std::string> wrong = {std::to_string(most_of(key) + 1), "-1", "1.0", "1e3", ""};
                if (least_of(key) > 0) {
                    wrong.push_back(std::to_string(least_of(key) - 1));
                }
                for (const std::string& number : wrong) {
                    CHECK(refused(key.name + "=" + number) == map.name + ": " + key.name + ": found '" + number +
                                                                  "', expected a whole number from " + key.values);
                }
            }
            if (!key.numbers.empty()) {
                CHECK(refused(key.name + "=nothing").starts_with(map.name + ": " + key.name + ": found 'nothing'"));
            }
        }
        CAPTURE(text);
        for (const KeyHelp& key : keys_of(parse_map(map.name + ":" + text).spec)) {
            CAPTURE(key.name);
            CHECK((!is_field(key) || key.fallback == given[key.name]));
        }
        CHECK(refused("zzzzzzzz=1") == map.name + ": found the unknown key 'zzzzzzzz', expected " + one_of(names));
        CHECK(refused("seed=1,seed=1") == map.name + ": seed: found the key twice, expected it once");
    }
}

TEST_CASE("every map: a spec that the core refuses becomes a sentence")
{
    unsigned sentences = 0;
    for (const std::uint32_t features : {1u, 2u, 17u}) {
        for (const std::string& text : samara::desk::test::every_map(features)) {
            CAPTURE(text);
            const std::string said = refusal([&] { fitted(text, 16); });
            std::visit(
                [&]<class Spec>(Spec spec) {
                    spec.inputs = 16;
                    const SpecReport report = check(spec);
                    if (report.status == Status::ok) {
                        CHECK(said == "accepted");
                        return;
                    }
                    ++sentences;
                    CHECK(said.starts_with(std::string(Map<Spec>::name) + ": " + report.field + ": found "));
                    CHECK(said.find(report.expected) != std::string::npos);
                    if (report.nearest != 0) {
                        CHECK(said.ends_with("the nearest is " + std::to_string(report.nearest)));
                    }
                },
                parse_map(text).spec);
        }
    }
    CHECK(sentences > 0);
}

TEST_CASE("every map: the exact kernel needs no sizes")
{
    const MatrixF x(1, 1000, std::vector<float>(1000, 1.0f));
    const MatrixF data = data_of(2, 1000);
    for (const MapHelp& map : map_catalogue()) {
        if (!samara::desk::test::has_kernel(map.name)) {
            continue;
        }
        for (const bool large : {false, true}) {
            std::string text = map.name + ":features=1";
            for (const KeyHelp& key : map.keys) {
                const bool most = key.name == "depth" || (key.is_size && key.name != "features");
                if (key.name == "coefficients" || (large && most)) {
                    text += "," + key.name + "=" + another_value(key);
                } else if (key.name == "height" && is_field(key)) {
                    text += map.name.starts_with("local") ? ",channels=1" : ",height=1";
                }
            }
            CAPTURE(text);
            const MapSpec spec = fit_map(parse_map(text), data, "x.csv", MapUse::kernel);
            CHECK(std::visit([](const auto& s) { return s.inputs; }, spec) == 1000);
            CHECK(kernel_matrix(spec, x, 1).values[0] > 0.0);
        }
    }
}

TEST_CASE("every map: a resolved spec printed and read again is the same")
{
    for (const std::uint32_t features : {1024u, 20000u, 1u << 20}) {
        for (const std::string& text : samara::desk::test::every_map(features)) {
            for (const std::size_t cols : {1u, 15u, 16u, 64u}) {
                CAPTURE(text);
                CAPTURE(cols);
                MapSpec spec;
                const std::string said = refusal([&] { spec = fitted(text, cols); });
                if (features == 1u << 20 && said != "accepted") {
                    continue; // more than its sizes can make
                }
                if (cols == 1 && text.starts_with("local")) {
                    CHECK(said.find("expected 3 to 32767") != std::string::npos);
                    continue; // no series is that short
                }
                REQUIRE(said == "accepted");
                CHECK(std::visit([](const auto& s) { return resolved(s); }, spec));
                std::string expected = name_of(spec);
                for (const KeyHelp& key : keys_of(spec)) {
                    if (is_field(key)) {
                        expected += (expected == name_of(spec) ? ":" : ",") + key.name + "=" + key.fallback;
                    }
                }
                CHECK(map_text(spec) == expected);
                CHECK(fitted(map_text(spec), cols) == spec);
            }
        }
    }
}
