// What a map's or a sketch's keys are, as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/text/map_keys.hpp"
#include "ports/host/text/sketch_keys.hpp"

namespace samara::desk {

template <class T>
std::string word_for(T value, const Choices<T>& words)
{
    const auto place = std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.value == value; });
    // Only a damaged spec has a value without a word.
    return place == words.end() ? "?" : place->text;
}

// Visits to learn: every key with the text of its present value.
class Describer {
public:
    template <class T>
    void choice(const char* name, const T& value, Choices<T> words, const char* meaning)
    {
        std::string values;
        for (const auto& word : words) {
            values += (values.empty() ? "" : ", ") + std::string(word.text);
        }
        add(name, values, word_for(value, words), meaning);
    }
    void whole(const char* name, std::uint32_t value, std::uint32_t least, std::uint32_t most, const char* meaning)
    {
        add(name, std::to_string(least) + " to " + std::to_string(most), std::to_string(value), meaning);
    }
    void bandwidth(const RffSpec& spec)
    {
        add("bandwidth", "2^-30 to 2^30, auto", number_text(spec.bandwidth),
            "b; auto: the median distance of the data");
    }
    template <class Good>
    void real(const char* name, float value, Good, const char* values, const char* meaning)
    {
        add(name, values, number_text(value), meaning);
    }
    void coefficients(const Coefficients& value)
    {
        add("coefficients", "c0;c1;... (1 to 33)", coefficients_text(value),
            "each 0 or 2^-60 to 2^60, the last one above 0; to be given");
    }
    template <class Spec>
    void sizes_and_seed(const Spec& spec)
    {
        whole("features", spec.features, 1, most_features_of(spec), "how many; the error falls like 1/sqrt(features)");
        seed(spec.seed);
    }
    void seed(std::uint64_t value)
    {
        add("seed", "0 to 2^64-1", std::to_string(value), "decimal, or hexadecimal after 0x");
    }

    std::vector<KeyHelp> keys;

private:
    void add(const char* name, const std::string& values, const std::string& value, const char* meaning)
    {
        keys.push_back({name, values, value, meaning});
    }
};

template <class Spec>
std::vector<KeyHelp> described(Spec spec)
{
    Describer describer;
    visit_keys(describer, spec);
    return std::move(describer.keys);
}

template <class Spec>
MapHelp help_of(const Spec& spec)
{
    MapHelp help{name_of(spec), estimates_of(spec), described(spec)};
    if constexpr (std::is_same_v<Spec, RffSpec>) {
        const auto bandwidth = std::find_if(help.keys.begin(), help.keys.end(),
                                            [](const KeyHelp& key) { return key.name == "bandwidth"; });
        help.keys.insert(bandwidth + 1,
                         KeyHelp{gamma_key, "a positive number", "",
                                 "instead of bandwidth: gaussian b = 1/sqrt(2 gamma), laplacian b = 1/gamma"});
    }
    return help;
}

} // namespace samara::desk
