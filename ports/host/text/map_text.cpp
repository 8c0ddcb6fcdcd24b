#include "ports/host/text/map_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ports/host/text/error.hpp"
#include "ports/host/text/map_describer.hpp"
#include "ports/host/text/map_setter.hpp"
#include "ports/host/text/other_words.hpp"
#include "ports/host/text/words.hpp"
#include "samara/map/sealed_spec.hpp"

namespace samara::desk {
namespace {

std::vector<std::string> key_names(const MapHelp& help)
{
    std::vector<std::string> names;
    for (const KeyHelp& key : help.keys) {
        names.push_back(key.name);
    }
    return names;
}

// Splits "key=value,key=value" and refuses what is no key of the map or comes twice.
std::vector<std::pair<std::string, std::string>> split_keys(const MapHelp& help, std::string_view text)
{
    const std::vector<std::string> names = key_names(help);
    std::vector<std::pair<std::string, std::string>> given;
    for (;;) {
        const std::size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) {
            throw BadInput(help.name + ": found " + quoted_text(item) + ", expected key=value");
        }
        const std::string key(item.substr(0, equals));
        if (std::find(names.begin(), names.end(), key) == names.end()) {
            const KnownWord known = known_word(WordKind::key, key, help.name);
            throw BadInput(help.name + ": found the unknown key " + quoted_text(key) +
                           (known ? known.text() + "; expected " : did_you_mean(key, names) + ", expected ") +
                           one_of(names));
        }
        if (std::any_of(given.begin(), given.end(), [&](const auto& pair) { return pair.first == key; })) {
            throw BadInput(help.name + ": " + key + ": found the key twice, expected it once");
        }
        given.emplace_back(key, item.substr(equals + 1));
        if (comma == std::string_view::npos) {
            return given;
        }
        text.remove_prefix(comma + 1);
    }
}

// Sets `result` if `name` is the map's.
template <class Spec, class Result>
bool parse_as(const Spec& defaults, std::string_view name, std::optional<std::string_view> keys, Result& result)
{
    if (name != DeclarationOf<Spec>::name) {
        return false;
    }
    Spec spec = defaults;
    if (keys) {
        const auto given = split_keys(help_of(defaults), *keys);
        Setter setter(DeclarationOf<Spec>::name, spec, given);
        DeclarationOf<Spec>::fields(setter, spec);
        if constexpr (std::is_same_v<Spec, SkeletonSpec>) {
            result.skeleton = SkeletonWords(given);
        }
        if constexpr (std::is_same_v<Result, MapRequest>) {
            result.median_bandwidth = setter.median_bandwidth;
            result.own_bandwidth = setter.own_bandwidth;
        }
    }
    if constexpr (std::is_same_v<Result, MapRequest>) {
        result.spec = MapSpec(spec);
    } else {
        result = spec;
    }
    return true;
}

// The defaults of every map.
std::vector<MapSpec> all_maps()
{
    return []<std::size_t... I>(std::index_sequence<I...>)
    {
        return std::vector<MapSpec>{std::variant_alternative_t<I, AnySpec>{}...};
    }
    (std::make_index_sequence<std::variant_size_v<AnySpec>>());
}

std::pair<std::string_view, std::optional<std::string_view>> name_and_keys(std::string_view text)
{
    const std::size_t colon = text.find(':');
    return {text.substr(0, colon),
            colon == std::string_view::npos ? std::nullopt : std::optional<std::string_view>(text.substr(colon + 1))};
}

constexpr std::uint32_t sketch_features = 1024;
const std::vector<SketchSpec> sketches = {CountSketchSpec{.size = sketch_features},
                                          OsnapSpec{.size = sketch_features},
                                          SrhtSpec{},
                                          TensorSrhtSpec{},
                                          TensorSketchSpec{},
                                          PolySketchSpec{}};

} // namespace

MapRequest parse_map(std::string_view text)
{
    const auto [name, keys] = name_and_keys(text);
    MapRequest request;
    for (const MapSpec& map : all_maps()) {
        if (std::visit([&, n = name, k = keys](const auto& s) { return parse_as(s, n, k, request); }, map)) {
            return request;
        }
    }
    std::vector<std::string> names;
    for (const MapHelp& help : map_catalogue()) {
        names.push_back(help.name);
    }
    const std::string_view start = name.substr(0, name.find_first_of(", =;"));
    if (start != name && std::find(names.begin(), names.end(), start) != names.end()) {
        throw BadInput("found the map " + quoted_text(name) + ", expected a colon behind its name, as in " +
                       std::string(start) + ":features=512");
    }
    for (const MapHelp& help : sketch_catalogue()) {
        if (name == help.name) {
            throw BadInput("found the unknown map " + quoted_text(name) +
                           ", which is a sketch for `samara features` alone, expected " + one_of(names));
        }
    }
    const KnownWord known = known_word(WordKind::map, name);
    throw BadInput("found the unknown map " + quoted_text(name) +
                   (known ? known.text() + "; expected " : did_you_mean(name, names) + ", expected ") + one_of(names));
}

std::vector<KeyHelp> made_fields(const MapSpec& spec)
{
    std::vector<KeyHelp> fields = std::visit([](const auto& s) { return all_fields(s); }, spec);
    std::erase_if(fields, [](const KeyHelp& field) { return !field.from_data || field.name == "inputs"; });
    return fields;
}

std::string spec_table(const std::string& map)
{
    struct Row {
        std::uint32_t offset, bytes;
        std::string field, values, fallback, meaning;
    };
    std::vector<Row> rows;
    std::uint32_t end = 0, number = 0;
    for (const MapSpec& candidate : all_maps()) {
        std::visit(
            [&]<class Spec>(const Spec& spec) {
                if (Map<Spec>::name != map) {
                    return;
                }
                end = spec_bytes<Spec>;
                number = static_cast<std::uint32_t>(Map<Spec>::id);
                for (const KeyHelp& field : all_fields(spec)) {
                    if (field.bytes == 0) {
                        continue;
                    }
                    std::string values = field.stored.empty() ? field.values : field.stored;
                    const char* before = "`"; // words are in quotes: some are digits
                    for (const auto& [text, value] : field.numbers) {
                        values = *before == '`' ? "" : std::move(values);
                        values.append(before).append(text).append("` ").append(std::to_string(value));
                        before = ", `";
                    }
                    if (field.count_offset != 0) {
                        const std::string counts = field.from_data ? "0 to 33" : "1 to 33";
                        rows.push_back({field.count_offset, 1, "count", counts, "", "how many coefficients there are"});
                    }
                    rows.push_back({field.offset, field.bytes, field.name, values,
                                    field.from_data ? "" : field.fallback, field.meaning});
                }
            },
            candidate);
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.offset < b.offset; });
    std::string text = "| offset | bytes | field | values | default | meaning |\n|---|---|---|---|---|---|\n";
    const auto cell = [](const std::string& content) { return content.empty() ? " |" : " " + content + " |"; };
    const auto line = [&](const Row& row) {
        text += "| " + std::to_string(row.offset) + " | " + std::to_string(row.bytes) + " | " + row.field + " | " +
                row.values + " |" + cell(row.fallback) + cell(row.meaning) + "\n";
    };
    line({0, 2, "map number", std::to_string(number), "", map});
    line({2, 2, "spec version", std::to_string(spec_version), "", ""});
    std::uint32_t at = 4;
    for (const Row& row : rows) {
        if (row.offset > at) {
            line({at, row.offset - at, "zero", "0", "", ""});
        }
        line(row);
        at = row.offset + row.bytes;
    }
    if (end > at) {
        line({at, end - at, "zero", "0", "", ""});
    }
    return text;
}

std::vector<MapHelp> map_catalogue()
{
    std::vector<MapHelp> all;
    for (const MapSpec& map : all_maps()) {
        all.push_back(std::visit([](const auto& s) { return help_of(s); }, map));
    }
    return all;
}

std::optional<SketchSpec> parse_sketch(std::string_view text)
{
    const auto [name, keys] = name_and_keys(text);
    SketchSpec spec;
    for (const SketchSpec& sketch : sketches) {
        if (std::visit([&, n = name, k = keys](const auto& s) { return parse_as(s, n, k, spec); }, sketch)) {
            return spec;
        }
    }
    return std::nullopt;
}

std::vector<MapHelp> sketch_catalogue()
{
    std::vector<MapHelp> all;
    all.reserve(std::size(sketches));
    for (const SketchSpec& sketch : sketches) {
        all.push_back(std::visit([](const auto& s) { return help_of(s); }, sketch));
    }
    return all;
}

std::string map_text(const MapSpec& spec)
{
    return std::visit(
        [&](const auto& s) {
            std::string text = DeclarationOf<std::remove_cvref_t<decltype(s)>>::name;
            char before = ':';
            if (spec.skeleton && !spec.skeleton->keys.empty()) {
                text += before + spec.skeleton->keys;
                before = ',';
            }
            for (const KeyHelp& key : described(s)) {
                if (key.bytes != 0) { // gamma has no value of its own, and what makes a skeleton is there already
                    text += before + key.name + '=' + key.fallback;
                    before = ',';
                }
            }
            return text;
        },
        spec);
}

void set_seed(MapSpec& spec, std::uint64_t seed)
{
    struct Seeding : FieldVisitor {
        std::uint64_t wanted;
        explicit Seeding(std::uint64_t value) : wanted(value) {}
        void seed(std::uint32_t, std::uint64_t& value) const { value = wanted; }
    };
    std::visit(
        [&](auto& s) {
            Seeding visitor(seed);
            Map<std::remove_cvref_t<decltype(s)>>::fields(visitor, s);
        },
        spec);
}

void set_features(MapSpec& spec, std::uint32_t features)
{
    std::visit([&](auto& s) { s.features = features; }, spec);
}

std::uint64_t seed_of(const MapSpec& spec)
{
    struct Seed : FieldVisitor {
        std::uint64_t found = 0; // a map without randomness has none
        void seed(std::uint32_t, std::uint64_t value) { found = value; }
    };
    return std::visit(
        [](const auto& s) {
            Seed visitor;
            Map<std::remove_cvref_t<decltype(s)>>::fields(visitor, s);
            return visitor.found;
        },
        spec);
}

std::uint32_t features_of(const MapSpec& spec)
{
    return std::visit([](const auto& s) { return s.features; }, spec);
}

std::uint32_t most_features_of(const MapSpec& spec)
{
    struct Most : FieldVisitor {
        std::uint32_t features_most = 0;
        void features(std::uint32_t, std::uint32_t most) { features_most = most; }
    };
    return std::visit(
        [](const auto& s) {
            Most visitor;
            Map<std::remove_cvref_t<decltype(s)>>::fields(visitor, s);
            return visitor.features_most;
        },
        spec);
}

bool takes_any_scale(const MapSpec& spec)
{
    return std::visit([]<class Spec>(const Spec&) { return !ImageSpec<Spec> && !DataSpec<Spec>; }, spec);
}

bool has_rows(const MapSpec& spec)
{
    return std::visit(
        [](const auto& s) {
            using Spec = std::remove_cvref_t<decltype(s)>;
            if constexpr (requires { Map<Spec>::has_rows(s); }) {
                return Map<Spec>::has_rows(s);
            } else {
                return BlockSpec<Spec>;
            }
        },
        spec);
}

std::string coefficients_text(const Coefficients& coefficients)
{
    std::string text;
    for (std::uint32_t j = 0; j < coefficients.count; ++j) {
        text += j == 0 ? "" : ";";
        text += number_text(coefficients.c[j]);
    }
    return text;
}

std::string name_of(const MapSpec& spec)
{
    return std::visit([](const auto& s) { return std::string(Map<std::remove_cvref_t<decltype(s)>>::name); }, spec);
}

} // namespace samara::desk
