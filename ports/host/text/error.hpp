#pragma once

#include <charconv>
#include <stdexcept>
#include <string>

#include "ports/host/text/visible.hpp"

namespace samara::desk {

// What the user gave cannot be used. The message is one sentence for the user; main turns it into exit
// code 2.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The shortest text that reads back as the same value, whatever the locale.
template <typename Number>
std::string number_text(Number value)
{
    char buffer[64];
    const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, result.ptr);
}

} // namespace samara::desk
