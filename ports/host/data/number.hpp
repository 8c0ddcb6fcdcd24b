// Numbers in text, by one rule for every file.
#pragma once

#include <optional>
#include <string_view>

namespace samara::desk {

enum class Reading { number, not_a_number, too_large };

// As std::from_chars reads, and a plus sign in front, which other programs write. What is too small for the type
// becomes a zero or a subnormal number; what is too large for it is said to be. "nan" and "inf" are numbers: judging
// them is the caller's part.
Reading parse_number(std::string_view text, float& value);
Reading parse_number(std::string_view text, double& value);

// The number of a double, and nothing for other text and for what is too large.
std::optional<double> number_of(std::string_view text);

// Whether a text is a number, though perhaps one that is too large.
bool reads_as_number(std::string_view text);

} // namespace samara::desk
