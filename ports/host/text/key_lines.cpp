#include "ports/host/text/key_lines.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"

namespace samara::desk {
namespace {

std::string next_word(std::string_view& rest)
{
    constexpr std::string_view blanks = " \t\r";
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
    std::string word(rest.substr(0, end));
    rest.remove_prefix(end);
    return word;
}

} // namespace

KeyLine::KeyLine(std::string_view words, const std::string& file, std::size_t number)
    : file_(file), number_(number), kind_(next_word(words)), name_(next_word(words))
{
    for (std::string word = next_word(words); !word.empty(); word = next_word(words)) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
            refuse("found " + quoted_text(word) + ", expected a key with a value, such as count=4");
        }
        if (!values_.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
            refuse("found " + quoted_text(word.substr(0, equals)) + " twice, expected it once");
        }
    }
}

std::optional<std::string> KeyLine::value(const std::string& key)
{
    known_.insert(key);
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::uint32_t KeyLine::whole(const std::string& key, std::uint32_t least, std::uint32_t most, std::uint32_t otherwise)
{
    const std::optional<std::string> text = value(key);
    return text ? whole_of(key, *text, least, most) : otherwise;
}

std::uint32_t KeyLine::whole_of(const std::string& key, const std::string& text, std::uint32_t least,
                                std::uint32_t most) const
{
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, number);
    if (status != std::errc() || stop != end || number < least || number > most) {
        refuse(key + ": found " + quoted_text(text) + ", expected a whole number from " + std::to_string(least) +
               " to " + std::to_string(most));
    }
    return number;
}

void KeyLine::refuse_other_keys() const
{
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const auto& [key, text] : values_) {
        if (!known_.contains(key)) {
            refuse("found the key " + quoted_text(key) + did_you_mean(key, known) + ", expected " + one_of(known));
        }
    }
}

void KeyLine::refuse(const std::string& what) const
{
    throw BadInput(file_ + ": line " + std::to_string(number_) + ": " + what);
}

std::vector<KeyLine> key_lines(std::string_view text, const std::string& file)
{
    std::vector<KeyLine> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        KeyLine words(line.substr(0, line.find('#')), file, number);
        if (!words.kind().empty()) {
            lines.push_back(std::move(words));
        }
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return lines;
}

} // namespace samara::desk
