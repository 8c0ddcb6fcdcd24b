// Words in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace samara::desk {

// The same with small letters, of ASCII.
std::string lower_case(std::string_view text);

// "a, b or c"
std::string one_of(const std::vector<std::string>& texts);

// " (did you mean '...'?)", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// A number in groups of three digits: 12,345.
std::string with_commas(std::uint64_t value);

} // namespace samara::desk
