// Numbers in text, by one rule for every file.
#pragma once

#include <string_view>

namespace samara::desk {

enum class Reading { number, not_a_number, too_large };

// As std::from_chars reads, and a plus sign in front, which other programs write. What is too small for the type
// becomes a zero or a subnormal number; what is too large for it is said to be. "nan" and "inf" are numbers: judging
// them is the caller's part.
Reading parse_number(std::string_view text, float& value);
Reading parse_number(std::string_view text, double& value);

} // namespace samara::desk
