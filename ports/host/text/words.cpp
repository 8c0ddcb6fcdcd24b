#include "ports/host/text/words.hpp"

#include <algorithm>
#include <utility>

namespace samara::desk {
namespace {

std::size_t edit_distance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t column = 0; column <= right.size(); ++column) {
        row[column] = column;
    }
    for (std::size_t line = 1; line <= left.size(); ++line) {
        std::size_t diagonal = std::exchange(row[0], line);
        for (std::size_t column = 1; column <= right.size(); ++column) {
            const std::size_t changed = diagonal + (left[line - 1] == right[column - 1] ? 0 : 1);
            diagonal = std::exchange(row[column], std::min({changed, row[column] + 1, row[column - 1] + 1}));
        }
    }
    return row[right.size()];
}

} // namespace

std::string lower_case(std::string_view text)
{
    std::string lower(text);
    for (char& letter : lower) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return lower;
}

std::string one_of(const std::vector<std::string>& texts)
{
    std::string list;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        list += i == 0 ? "" : i + 1 == texts.size() ? " or " : ", ";
        list += texts[i];
    }
    return list;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates)
{
    constexpr std::size_t farthest = 2;
    // What differs in capitals alone is nearest.
    const std::string plain = lower_case(word);
    std::size_t best = farthest + 1;
    std::string nearest;
    for (const std::string& candidate : candidates) {
        // A very long word cannot be near, and the distance costs the product of both lengths. Nor is a word near
        // of which no letter is left.
        if (word.size() > candidate.size() + farthest) {
            continue;
        }
        const std::size_t distance = edit_distance(plain, candidate);
        if (distance < best && distance < candidate.size()) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

std::string with_commas(std::uint64_t value)
{
    const std::string digits = std::to_string(value);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            text += ',';
        }
        text += digits[i];
    }
    return text;
}

} // namespace samara::desk
