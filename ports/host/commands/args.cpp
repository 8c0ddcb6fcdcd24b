#include "ports/host/commands/args.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "ports/host/data/output_place.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/other_words.hpp"
#include "ports/host/text/words.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void refuse_value(std::string_view name, std::string_view found, const std::string& expected)
{
    const KnownWord known = known_word(WordKind::value, found, name);
    throw BadInput(std::string(name) + ": found " + quoted_text(found) + known.text() + (known ? "; " : ", ") +
                   "expected " + expected);
}

template <typename Number, typename... Base>
bool parse_whole(std::string_view text, Number& value, Base... base)
{
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value, base...);
    return status == std::errc() && stop == end;
}

template <typename Number>
Number fallback_number(const Option& option)
{
    Number number{};
    if (!parse_whole(std::string_view(option.fallback), number)) {
        throw std::logic_error("the option " + option.name + " was declared without a number as its default");
    }
    return number;
}

// "a, b or c", each between `quote`s.
std::string listed(const std::vector<std::string>& words, const std::string& quote)
{
    std::string list;
    for (std::size_t index = 0; index < words.size(); ++index) {
        list += index == 0 ? "" : index + 1 == words.size() ? " or " : ", ";
        list.append(quote).append(words[index]).append(quote);
    }
    return list;
}

constexpr std::size_t widest_line = 110;

std::string explanation(const Option& option)
{
    std::string text = listed(option.choices, "");
    text += text.empty() || option.meaning.empty() ? "" : ": ";
    text += option.meaning;
    return text + (option.fallback.empty() ? "" : " (default: " + option.fallback + ")");
}

// Text that begins in column `indent`, broken at blanks into lines that begin there too.
std::string broken(const std::string& text, std::size_t indent)
{
    std::string result;
    std::size_t column = indent;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        if (begin != 0) {
            const bool fits = column + 1 + (end - begin) <= widest_line;
            result.append(fits ? " " : "\n").append(fits ? 0 : indent, ' ');
            column = fits ? column + 1 : indent;
        }
        result += text.substr(begin, end - begin);
        column += end - begin;
        begin = end + 1;
    }
    return result;
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

std::string help_text(const CommandPage& page)
{
    const std::string start = "usage: " + page.usage;
    std::string line = start, text;
    std::vector<std::string> names;
    std::size_t widest = 0;
    for (const Option& option : page.options) {
        const std::string value = option.value_optional ? "[" + option.value + "]" : option.value;
        names.push_back(option.name + (value.empty() ? "" : " ") + value);
        widest = std::max(widest, names.back().size());
        const std::string shown = std::string(option.needed ? "" : "[") + names.back() + (option.needed ? "" : "]");
        if (line.size() + 1 + shown.size() > widest_line) {
            text += line + '\n';
            line.assign(start.size(), ' ');
        }
        line += " " + shown;
    }
    text += line + "\n\n" + page.about;
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += (i == 0 ? "\n  " : "  ") + names[i] + std::string(widest + 2 - names[i].size(), ' ');
        text += broken(explanation(page.options[i]), widest + 4) + '\n';
    }
    return text;
}

Arguments::Arguments(const std::vector<std::string>& words, std::vector<Option> options) : options_(std::move(options))
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
        const Option* const option = known(name);
        if (option == nullptr) {
            refuse_unknown(name);
        }
        if (given_.contains(name)) {
            throw BadInput(name + ": found the option twice, expected it once");
        }
        std::string value;
        if (equals != std::string::npos) {
            value = word.substr(equals + 1);
            if (option->value.empty()) {
                refuse_value(name, value, "no value");
            }
        } else if (option->value_optional) {
            if (!positionals_.empty() && index + 1 != words.size() && !words[index + 1].starts_with("-")) {
                value = words[++index];
            }
        } else if (!option->value.empty()) {
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

Arguments::Arguments(const std::vector<std::string>& words, const CommandPage& page) : Arguments(words, page.options)
{
    if (help_) {
        return;
    }
    std::vector<NamedFile> read, written;
    for (const std::string& positional : positionals_) {
        if (page.arguments == FileUse::read) {
            read.push_back({"the argument", positional});
        }
    }
    for (const Option& option : options_) {
        const auto found = given_.find(option.name);
        const bool named = found != given_.end() && !(option.value_optional && found->second.empty());
        if (named && option.file != FileUse::none) {
            (option.file == FileUse::read ? read : written).push_back({option.name, found->second});
        }
    }
    require_distinct(read, written);
}

const Option* Arguments::known(std::string_view name) const
{
    const auto found =
        std::find_if(options_.begin(), options_.end(), [&](const Option& option) { return option.name == name; });
    return found == options_.end() ? nullptr : &*found;
}

const Option& Arguments::declared(std::string_view name) const
{
    const Option* const option = known(name);
    if (option == nullptr) {
        throw std::logic_error("the option " + std::string(name) + " was never declared");
    }
    return *option;
}

void Arguments::refuse_unknown(std::string_view name) const
{
    if (const KnownWord word = known_word(WordKind::option, name)) {
        const bool elsewhere = word.name.starts_with("--") && known(word.name) == nullptr;
        throw BadInput("found the unknown option " + quoted_text(name) + word.text() +
                       (elsewhere ? ", an option of other commands" : "") +
                       "; expected one of those that --help lists");
    }
    std::vector<std::string> names;
    for (const Option& option : options_) {
        names.push_back(option.name);
    }
    names.emplace_back("--help");
    throw BadInput("found the unknown option " + quoted_text(name) + did_you_mean(name, names) +
                   ", expected one of those that --help lists");
}

const std::string* Arguments::find(std::string_view name) const
{
    declared(name);
    const auto found = given_.find(name);
    return found == given_.end() ? nullptr : &found->second;
}

bool Arguments::has(std::string_view name) const { return find(name) != nullptr; }

void Arguments::require_positionals(std::size_t minimum, std::size_t maximum, std::string_view what) const
{
    const std::size_t count = positionals_.size();
    if (count > maximum) {
        throw BadInput("found the extra argument " + quoted_text(positionals_[maximum]) + ", expected " +
                       (maximum == 0 ? "options only" : std::string(what) + " and nothing more but options"));
    }
    if (count < minimum) {
        const std::string last = count == 0 ? "" : " after " + quoted_text(positionals_.back());
        throw BadInput("found no argument" + last + ", expected " + std::string(what));
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
    if (value == nullptr) {
        throw BadInput("found no " + std::string(name) + ", expected " + std::string(name) + " " +
                       declared(name).value);
    }
    if (value->empty()) {
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
        refuse_value(name, *value, listed(choices, "'") + did_you_mean(*value, choices));
    }
    return *value;
}

std::string Arguments::choice(std::string_view name) const
{
    const Option& option = declared(name);
    return choice(name, option.choices, option.fallback);
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

unsigned Arguments::integer(std::string_view name, unsigned minimum, unsigned maximum) const
{
    return integer(name, minimum, maximum, fallback_number<unsigned>(declared(name)));
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

double Arguments::real(std::string_view name, double minimum, double maximum) const
{
    return real(name, minimum, maximum, fallback_number<double>(declared(name)));
}

} // namespace samara::desk
