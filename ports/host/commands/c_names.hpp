// Names in C that `samara export` writes: they must compile in C99 and C++20, beside the standard headers and samara's.
#pragma once

#include <string>
#include <string_view>

namespace samara::desk {

// The longest name: what is made of it stays within the 63 characters that every C99 compiler tells apart.
inline constexpr std::size_t longest_c_name = 40;

// Why this is no name for an array, or what the names of functions begin with: ", expected ...". Empty for a good one.
std::string c_name_problem(std::string_view name);

// A good name that is like the file's: "digits.v2.samara" gives "digits_v2".
std::string c_name_from(const std::string& path);

} // namespace samara::desk
