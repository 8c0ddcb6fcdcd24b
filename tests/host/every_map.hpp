// Texts of every map of the list, for what holds for all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/text/map_text.hpp"

namespace samara::desk::test {

// With what a user has to give, and at depth 2 where there is one. Images are series, and so is what may be either; a
// key that is no field is a skeleton's.
inline std::vector<std::string> every_map(std::uint32_t features)
{
    std::vector<std::string> texts;
    for (const MapHelp& map : map_catalogue()) {
        texts.push_back(map.name + ":features=" + std::to_string(features));
        const auto is_field = [&](const char* name) {
            return std::any_of(map.keys.begin(), map.keys.end(),
                               [&](const KeyHelp& key) { return key.name == name && key.bytes != 0; });
        };
        for (const KeyHelp& key : map.keys) {
            texts.back() += key.name == "coefficients" ? ",coefficients=0.5;0.25;0.1"
                            : key.name == "depth"      ? ",depth=2"
                            : key.name == "height" && is_field("height")
                                ? (is_field("length") ? ",channels=1" : ",height=1")
                                : "";
        }
    }
    return texts;
}

// Whether a map's text is of one that estimates a kernel which is known.
inline bool has_kernel(const std::string& text) { return text.substr(0, text.find(':')) != "local"; }

} // namespace samara::desk::test
