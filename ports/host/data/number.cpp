#include "ports/host/data/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <system_error>

namespace samara::desk {
namespace {

template <typename Number>
std::errc parse_whole(std::string_view text, Number& value)
{
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return stop == end ? status : std::errc::invalid_argument;
}

// Whether a number that from_chars could read is at least 1: where its first digit that is no zero stands, moved by its
// exponent. The exponent's sign alone does not tell, for 1 and 400 zeros may come before "e-10".
bool at_least_one(std::string_view text)
{
    const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
    const std::string_view digits = text.substr(0, mark);
    const std::size_t first = digits.find_first_of("123456789");
    if (first == std::string_view::npos) {
        return false;
    }
    const std::size_t point = std::min(digits.find('.'), digits.size());
    long long exponent = 0;
    if (mark < text.size()) {
        std::string_view written = text.substr(mark + 1);
        const bool negative = written.starts_with('-');
        written.remove_prefix(negative || written.starts_with('+') ? 1 : 0);
        // No text is long enough to make up for an exponent of so many digits.
        constexpr long long most = 1'000'000'000'000'000;
        for (const char digit : written) {
            exponent = std::min(most, 10 * exponent + (digit - '0'));
        }
        exponent = negative ? -exponent : exponent;
    }
    const auto place = static_cast<long long>(point) - static_cast<long long>(first);
    return (place > 0 ? place - 1 : place) + exponent >= 0;
}

template <typename Number>
Reading parse(std::string_view text, Number& value)
{
    if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') {
        text.remove_prefix(1);
    }
    Number found{};
    const std::errc status = parse_whole(text, found);
    if (status == std::errc::invalid_argument) {
        return Reading::not_a_number;
    }
    // An infinity that nobody spelled is an overflow, with or without an error code.
    if (status == std::errc() && (!std::isinf(found) || text.find_first_of("iI") != std::string_view::npos)) {
        value = found;
        return Reading::number;
    }
    if (at_least_one(text)) {
        return Reading::too_large;
    }
    // Where the wider type holds it, rounding gives the subnormal number or the zero that it is.
    double wide = 0.0;
    if (parse_whole(text, wide) != std::errc()) {
        wide = text[0] == '-' ? -0.0 : 0.0;
    }
    value = static_cast<Number>(wide);
    return Reading::number;
}

} // namespace

Reading parse_number(std::string_view text, float& value) { return parse(text, value); }

Reading parse_number(std::string_view text, double& value) { return parse(text, value); }

std::optional<double> number_of(std::string_view text)
{
    double value = 0.0;
    return parse_number(text, value) == Reading::number ? std::optional(value) : std::nullopt;
}

bool reads_as_number(std::string_view text)
{
    double value = 0.0;
    return parse_number(text, value) != Reading::not_a_number;
}

} // namespace samara::desk
