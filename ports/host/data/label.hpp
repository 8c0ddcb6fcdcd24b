// How classes are spelled: a number has one spelling, which everything that compares labels agrees on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace samara::desk {

// Doubles hold every whole number up to here.
inline constexpr double most_integer = 9007199254740992.0;

// Without a decimal point where the number is whole.
std::string number_label(double value);
std::string number_label(std::int64_t value);

enum class WholeSpelling {
    none,  // no whole number, or one with a point or an exponent
    plain, // 7, -7: as number_label writes it
    other  // 07, +7, -0: the same number, but another text
};
WholeSpelling whole_spelling(std::string_view text);

} // namespace samara::desk
