#pragma once

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace samara::desk {

// What the user gave cannot be used. The message is one sentence for the user; main turns it into exit
// code 2.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Text from outside goes into a message only through here: a stray control character must not be able to
// rewrite the terminal, and a broken file must not print a megabyte.
inline std::string quoted_text(std::string_view text)
{
    constexpr std::size_t longest = 60;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string_view shown = text.substr(0, longest);
    if (shown.size() < text.size()) {
        // Do not cut a UTF-8 character in half.
        while (!shown.empty() && (static_cast<unsigned char>(text[shown.size()]) & 0xC0u) == 0x80u) {
            shown.remove_suffix(1);
        }
    }
    std::string result = "'";
    for (const char character : shown) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20u || byte == 0x7Fu) {
            result += "\\x";
            result += digits[byte >> 4u];
            result += digits[byte & 15u];
        } else {
            result += character;
        }
    }
    result += shown.size() < text.size() ? "...'" : "'";
    return result;
}

// The shortest text that reads back as the same value, whatever the locale.
template <typename Number>
std::string number_text(Number value)
{
    char buffer[64];
    const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, result.ptr);
}

} // namespace samara::desk
