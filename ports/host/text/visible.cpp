#include "ports/host/text/visible.hpp"

#include <cstddef>
#include <cstdint>

namespace samara::desk {
namespace {

constexpr std::size_t longest = 60;

unsigned byte_at(std::string_view text, std::size_t i)
{
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}

// The length of the UTF-8 character that text begins with, and its number; 0 where there is none.
std::size_t read_character(std::string_view text, std::uint32_t& number)
{
    const unsigned first = byte_at(text, 0);
    if (first < 0x80u) {
        number = first;
        return 1;
    }
    const std::size_t length = first >= 0xF0u ? 4 : first >= 0xE0u ? 3 : 2;
    number = first & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, i) & 0xC0u) != 0x80u) {
            return 0;
        }
        number = number << 6u | (byte_at(text, i) & 0x3Fu);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; // what is spelt longer than needed is stray bytes
    const bool good = first >= 0xC0u && first < 0xF8u && number >= least[length] && number <= 0x10FFFFu &&
                      (number < 0xD800u || number > 0xDFFFu);
    return good ? length : 0;
}

// Marks of direction, separators of lines, blanks without width, tags.
bool deceives(std::uint32_t number)
{
    struct Range {
        std::uint32_t first, last;
    };
    constexpr Range ranges[] = {{0xAD, 0xAD},     {0x61C, 0x61C},    {0x180E, 0x180E}, {0x200B, 0x200B},
                                {0x200E, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (const Range& range : ranges) {
        if (number >= range.first && number <= range.last) {
            return true;
        }
    }
    return false;
}

void add_hexadecimal(std::string& text, const char* before, std::uint32_t number, unsigned digits)
{
    text += before;
    while (digits > 0) {
        text += "0123456789abcdef"[number >> (4 * --digits) & 15u];
    }
}

} // namespace

std::string visible_text(std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        std::uint32_t number = 0;
        const std::size_t length = read_character(text, number);
        if (length == 0) {
            add_hexadecimal(shown, "\\x", byte_at(text, 0), 2);
        } else if (number < 0x20u || (number >= 0x7Fu && number < 0xA0u)) {
            add_hexadecimal(shown, "\\x", number, 2);
        } else if (deceives(number)) {
            add_hexadecimal(shown, number > 0xFFFFu ? "\\U" : "\\u", number, number > 0xFFFFu ? 8 : 4);
        } else {
            shown += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return shown;
}

std::string quoted_text(std::string_view text)
{
    std::string_view shown = text.substr(0, longest);
    // A UTF-8 character is not cut in half; it has at most three bytes more.
    for (unsigned more = 0; more < 3 && !shown.empty() && (byte_at(text, shown.size()) & 0xC0u) == 0x80u; ++more) {
        shown.remove_suffix(1);
    }
    std::string quoted(1, '\'');
    return quoted.append(visible_text(shown)).append(shown.size() < text.size() ? "...'" : "'");
}

} // namespace samara::desk
