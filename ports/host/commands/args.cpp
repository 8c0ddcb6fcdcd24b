#include "ports/host/commands/args.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

std::size_t edit_distance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t column = 0; column <= right.size(); ++column) {
        row[column] = column;
    }
    for (std::size_t line = 1; line <= left.size(); ++line) {
        std::size_t diagonal = row[0];
        row[0] = line;
        for (std::size_t column = 1; column <= right.size(); ++column) {
            const std::size_t replaced = diagonal + (left[line - 1] == right[column - 1] ? 0 : 1);
            diagonal = row[column];
            row[column] = std::min({replaced, row[column] + 1, row[column - 1] + 1});
        }
    }
    return row[right.size()];
}

// " (did you mean ...?)" or nothing when no candidate is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates)
{
    constexpr std::size_t farthest = 2;
    std::size_t best = farthest + 1;
    std::string nearest;
    for (const std::string& candidate : candidates) {
        // A very long word cannot be near, and the distance costs the product of both lengths.
        if (word.size() > candidate.size() + farthest) {
            continue;
        }
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view found, const std::string& expected)
{
    throw BadInput(std::string(name) + ": found " + quoted_text(found) + ", expected " + expected);
}

template <typename Number, typename... Base>
bool parse_whole(std::string_view text, Number& value, Base... base)
{
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value, base...);
    return status == std::errc() && stop == end;
}

} // namespace

std::vector<std::string> words_from(int argc, const char* const* argv, int first)
{
    std::vector<std::string> words;
    for (int index = first; index < argc; ++index) {
        words.emplace_back(argv[index]);
    }
    return words;
}

Arguments::Arguments(const std::vector<std::string>& words, std::vector<OptionRule> known) : known_(std::move(known))
{
    bool options_ended = false;
    for (std::size_t index = 0; index < words.size(); ++index) {
        const std::string& word = words[index];
        if (options_ended || word.size() < 2 || word[0] != '-') {
            positionals_.push_back(word);
            continue;
        }
        if (word == "--") {
            options_ended = true;
            continue;
        }
        if (word == "-h" || word == "--help") {
            help_ = true;
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const OptionRule* const rule = rule_for(name);
        if (rule == nullptr) {
            refuse_unknown(name);
        }
        if (given_.contains(name)) {
            throw BadInput(name + ": found the option twice, expected it once");
        }
        std::string value;
        if (equals != std::string::npos) {
            value = word.substr(equals + 1);
            if (!rule->takes_value) {
                refuse_value(name, value, "no value");
            }
        } else if (rule->takes_value) {
            // A forgotten value must not swallow the next option.
            const bool last = index + 1 == words.size();
            if (last || words[index + 1].starts_with("--") || words[index + 1] == "-h") {
                throw BadInput(name + ": found " + (last ? "nothing" : quoted_text(words[index + 1])) +
                               " after the option, expected a value");
            }
            value = words[++index];
        }
        given_.emplace(name, std::move(value));
    }
}

const OptionRule* Arguments::rule_for(std::string_view name) const
{
    const auto place =
        std::find_if(known_.begin(), known_.end(), [&](const OptionRule& rule) { return rule.name == name; });
    return place == known_.end() ? nullptr : &*place;
}

void Arguments::refuse_unknown(std::string_view name) const
{
    std::vector<std::string> names;
    for (const OptionRule& rule : known_) {
        names.push_back(rule.name);
    }
    names.emplace_back("--help");
    throw BadInput("found the unknown option " + quoted_text(name) + suggestion(name, names) +
                   ", expected one of those that --help lists");
}

const std::string* Arguments::find(std::string_view name) const
{
    if (rule_for(name) == nullptr) {
        throw std::logic_error("the option " + std::string(name) + " was never declared");
    }
    const auto place = given_.find(name);
    return place == given_.end() ? nullptr : &place->second;
}

bool Arguments::has(std::string_view name) const { return find(name) != nullptr; }

void Arguments::require_positionals(std::size_t minimum, std::size_t maximum, std::string_view what) const
{
    const std::size_t count = positionals_.size();
    if (count > maximum) {
        throw BadInput("found the extra argument " + quoted_text(positionals_[maximum]) + ", expected " +
                       (maximum == 0 ? "options only" : std::string(what) + " and nothing more"));
    }
    if (count < minimum) {
        const std::string place = count == 0 ? "" : " after " + quoted_text(positionals_.back());
        throw BadInput("found no argument" + place + ", expected " + std::string(what));
    }
}

std::string Arguments::text(std::string_view name, std::string_view fallback) const
{
    const std::string* const value = find(name);
    return value == nullptr ? std::string(fallback) : *value;
}

std::string Arguments::required_text(std::string_view name) const
{
    const std::string* const value = find(name);
    if (value == nullptr || value->empty()) {
        throw BadInput(std::string(name) + ": found no value, expected the option with one");
    }
    return *value;
}

std::string Arguments::choice(std::string_view name, const std::vector<std::string>& choices,
                              std::string_view fallback) const
{
    const std::string* const value = find(name);
    if (value == nullptr) {
        return std::string(fallback);
    }
    if (std::find(choices.begin(), choices.end(), *value) == choices.end()) {
        std::string list;
        for (std::size_t index = 0; index < choices.size(); ++index) {
            list += index == 0 ? "" : index + 1 == choices.size() ? " or " : ", ";
            list += "'" + choices[index] + "'";
        }
        refuse_value(name, *value, list + suggestion(*value, choices));
    }
    return *value;
}

unsigned Arguments::integer(std::string_view name, unsigned minimum, unsigned maximum, unsigned fallback) const
{
    const std::string* const value = find(name);
    if (value == nullptr) {
        return fallback;
    }
    unsigned number = 0;
    if (!parse_whole(*value, number) || number < minimum || number > maximum) {
        refuse_value(name, *value, "a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum));
    }
    return number;
}

std::uint64_t Arguments::seed(std::string_view name, std::uint64_t fallback) const
{
    const std::string* const value = find(name);
    if (value == nullptr) {
        return fallback;
    }
    const bool hexadecimal = value->starts_with("0x") || value->starts_with("0X");
    std::uint64_t number = 0;
    if (!parse_whole(std::string_view(*value).substr(hexadecimal ? 2 : 0), number, hexadecimal ? 16 : 10)) {
        refuse_value(name, *value, "a whole number from 0 to 18446744073709551615, decimal or after 0x");
    }
    return number;
}

double Arguments::real(std::string_view name, double minimum, double maximum, double fallback) const
{
    const std::string* const value = find(name);
    if (value == nullptr) {
        return fallback;
    }
    double number = 0.0;
    if (!parse_whole(*value, number) || !std::isfinite(number) || number < minimum || number > maximum) {
        refuse_value(name, *value, "a number from " + number_text(minimum) + " to " + number_text(maximum));
    }
    return number;
}

} // namespace samara::desk
