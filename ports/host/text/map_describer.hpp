// What a map's or a sketch's keys are, as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "ports/host/skeleton/skeleton_words.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/map_setter.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/text/sketch_map.hpp"

namespace samara::desk {

// Visits the fields of a spec to learn every key, with the text of its present value.
class Describer {
public:
    void inputs(std::uint32_t value, std::uint32_t most)
    {
        add(inputs_offset, 4, "inputs", {1, most}, value, "columns of the data");
        keys.back().from_data = true;
    }
    void features(std::uint32_t value, std::uint32_t most)
    {
        size(features_offset, "features", value, {1, most}, "how many; the error falls like 1/sqrt(features)");
    }
    template <class T>
    void choice(std::uint32_t at, const char* key, T value, std::type_identity_t<Among<T>> among, const char* meaning)
    {
        std::vector<std::string> texts;
        for (std::uint32_t i = 0; i < among.count; ++i) {
            texts.emplace_back(word(among.values[i]));
        }
        // Only a damaged spec has a value without a word.
        keys.push_back({key, joined(texts), among.holds(value) ? word(value) : "?", meaning, at, 1});
        for (std::uint32_t i = 0; i < among.count; ++i) {
            keys.back().numbers.emplace_back(texts[i], static_cast<std::uint32_t>(among.values[i]));
        }
    }
    void whole(std::uint32_t at, const char* key, std::uint32_t value, Range range, const char* meaning)
    {
        add(at, 4, key, range, value, meaning);
    }
    void size(std::uint32_t at, const char* key, std::uint32_t value, Range range, const char* meaning)
    {
        add(at, 4, key, range, value, meaning);
        keys.back().is_size = true;
    }
    void made(std::uint32_t at, const char* key, std::uint32_t value, Range range, const char* meaning)
    {
        add(at, 4, key, range, value, meaning);
        keys.back().from_data = true;
    }
    void small(std::uint32_t at, const char* key, std::uint32_t value, Range range, const char* meaning)
    {
        add(at, 1, key, range, value, meaning);
    }
    void real(std::uint32_t at, const char* key, float value, const Reals& range, const char* meaning)
    {
        keys.push_back({key, range.text, number_text(value), meaning, at, 4});
        keys.back().stored = std::string("float: ") + range.text;
    }
    void bandwidth(std::uint32_t at, const char* key, float value, const char* meaning)
    {
        keys.push_back({key, std::string(scale_range.text) + ", auto", number_text(value), meaning, at, 4});
        keys.back().stored = std::string("float: ") + scale_range.text;
        KeyHelp gamma{gamma_key, "a positive number",
                      "",        "instead of bandwidth: gaussian b = 1/sqrt(2 gamma), laplacian b = 1/gamma",
                      0,         0};
        keys.push_back(gamma);
    }
    void coefficients(std::uint32_t count_at, std::uint32_t at, const Coefficients& value, CoefficientsFrom from)
    {
        keys.push_back({"coefficients", "c0;c1;... (1 to 33)", coefficients_text(value),
                        from == CoefficientsFrom::user ? "each 0 or 2^-60 to 2^60, the last one above 0; to be given"
                                                       : "made from the other fields",
                        at, sizeof value.c});
        keys.back().stored = "33 floats, c0 first: each 0, or 2^-60 to 2^60; 0 from count on";
        keys.back().count_offset = count_at;
        keys.back().from_data = from == CoefficientsFrom::fields;
    }
    void seed(std::uint32_t at, std::uint64_t value)
    {
        keys.push_back({"seed", "0 to 2^64-1", std::to_string(value), "decimal, or hexadecimal after 0x", at, 8});
    }

    std::vector<KeyHelp> keys;

private:
    static std::string joined(const std::vector<std::string>& texts)
    {
        std::string all;
        for (const std::string& text : texts) {
            all += (all.empty() ? "" : ", ") + text;
        }
        return all;
    }
    void add(std::uint32_t at, std::uint32_t bytes, const char* key, Range range, std::uint32_t value,
             const char* meaning)
    {
        keys.push_back({key, std::to_string(range.least) + " to " + std::to_string(range.most), std::to_string(value),
                        meaning, at, bytes});
    }
};

// Every field with its present value, in the order of the keys.
template <class Spec>
std::vector<KeyHelp> all_fields(const Spec& spec)
{
    Describer describer;
    DeclarationOf<Spec>::fields(describer, spec);
    return std::move(describer.keys);
}

// Those that a user can set.
template <class Spec>
std::vector<KeyHelp> described(const Spec& spec)
{
    std::vector<KeyHelp> keys = all_fields(spec);
    std::erase_if(keys, [](const KeyHelp& key) { return key.from_data; });
    if constexpr (std::is_same_v<Spec, SkeletonSpec>) {
        std::vector<KeyHelp> more;
        for (const SkeletonKey& key : skeleton_keys()) {
            more.push_back({key.name, key.values, key.fallback, key.meaning});
        }
        keys.insert(keys.begin(), more.begin(), more.end());
    }
    return keys;
}

template <class Spec>
MapHelp help_of(const Spec& spec)
{
    MapHelp help{DeclarationOf<Spec>::name, {}, described(spec)};
    for (const char* line : DeclarationOf<Spec>::estimates) {
        help.estimates.emplace_back(line);
    }
    return help;
}

} // namespace samara::desk
