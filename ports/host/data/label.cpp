#include "ports/host/data/label.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "ports/host/text/error.hpp"

namespace samara::desk {

std::optional<double> number_of(std::string_view text)
{
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-' && text[1] != '+') {
        text.remove_prefix(1);
    }
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    if (stop != end || status == std::errc::invalid_argument) {
        return std::nullopt;
    }
    if (status == std::errc()) {
        return value;
    }
    // Out of range: too small is a zero, as it is among inputs; too large is nothing.
    const std::size_t exponent = text.find_first_of("eE");
    return exponent != std::string_view::npos && text[exponent + 1] == '-' ? std::optional(0.0) : std::nullopt;
}

std::string number_label(double value)
{
    const bool whole = std::fabs(value) <= most_integer && value == std::floor(value);
    return whole ? std::to_string(static_cast<std::int64_t>(value)) : number_text(value);
}

std::string number_label(std::int64_t value) { return std::to_string(value); }

WholeSpelling whole_spelling(std::string_view text)
{
    std::string_view digits = text;
    const bool signed_text = digits.starts_with('-') || digits.starts_with('+');
    digits.remove_prefix(signed_text ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
        return WholeSpelling::none;
    }
    const bool zero_in_front = digits.front() == '0' && (digits.size() > 1 || signed_text);
    return zero_in_front || text.front() == '+' ? WholeSpelling::other : WholeSpelling::plain;
}

} // namespace samara::desk
