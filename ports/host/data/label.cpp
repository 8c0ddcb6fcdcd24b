#include "ports/host/data/label.hpp"

#include <cmath>

#include "ports/host/text/error.hpp"

namespace samara::desk {

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
