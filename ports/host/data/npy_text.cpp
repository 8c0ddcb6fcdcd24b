#include "ports/host/data/npy_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

#include "ports/host/data/label.hpp"
#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/npy.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t most_code_point = 0x10FFFF;

bool is_surrogate(std::uint32_t point) { return point >= 0xD800 && point <= 0xDFFF; }

std::uint64_t word_of(const unsigned char* bytes, std::size_t size, bool big_endian)
{
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) {
        word = (word << 8u) | bytes[big_endian ? i : size - 1 - i];
    }
    return word;
}

void append_utf8(std::string& text, std::uint32_t point)
{
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
    if (point < 0x80) {
        byte(point);
        return;
    }
    const unsigned further = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    constexpr std::uint32_t first[] = {0, 0xC0, 0xE0, 0xF0};
    byte(first[further] | point >> (6 * further));
    for (unsigned i = further; i > 0; --i) {
        byte(0x80u | (point >> (6 * (i - 1)) & 0x3Fu));
    }
}

// Nothing where the bytes are no UTF-8.
std::optional<std::u32string> code_points(std::string_view text)
{
    std::u32string points;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        const unsigned further = lead < 0x80   ? 0
                                 : lead < 0xC2 ? 4
                                 : lead < 0xE0 ? 1
                                 : lead < 0xF0 ? 2
                                 : lead < 0xF5 ? 3
                                               : 4;
        if (further == 4 || text.size() - i < further) {
            return std::nullopt;
        }
        std::uint32_t point = further == 0 ? lead : lead & (0x3Fu >> further);
        for (unsigned k = 0; k < further; ++k) {
            const auto next = static_cast<unsigned char>(text[i++]);
            if ((next & 0xC0u) != 0x80u) {
                return std::nullopt;
            }
            point = point << 6u | (next & 0x3Fu);
        }
        // A longer spelling than needed, half a pair, or beyond the last one.
        if ((further == 2 && point < 0x800) || (further == 3 && point < 0x10000) || is_surrogate(point) ||
            point > most_code_point) {
            return std::nullopt;
        }
        points += static_cast<char32_t>(point);
    }
    return points;
}

std::string text_of(const unsigned char* bytes, const ElementType& type, const std::string& place)
{
    const std::size_t width = type.kind == 'U' ? 4 : 1;
    std::size_t count = type.size / width;
    const auto unit = [&](std::size_t i) {
        return static_cast<std::uint32_t>(word_of(bytes + i * width, width, type.big_endian));
    };
    while (count > 0 && unit(count - 1) == 0) {
        --count;
    }
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t point = unit(i);
        if (point == 0 || point > most_code_point || is_surrogate(point)) {
            throw BadInput(place + ": found the code point " + std::to_string(point) + " within a text, expected " +
                           "Unicode without zeros");
        }
        if (type.kind == 'U') {
            append_utf8(text, point);
        } else {
            text += static_cast<char>(bytes[i]);
        }
    }
    return text;
}

std::string cell_text(const unsigned char* bytes, const ElementType& type, const std::string& place)
{
    if (is_text(type)) {
        return text_of(bytes, type, place);
    }
    const std::uint64_t word = word_of(bytes, type.size, type.big_endian);
    return type.kind == 'i' ? std::to_string(static_cast<std::int64_t>(word)) : std::to_string(word);
}

template <class Number>
std::optional<std::vector<Number>> all_as(const std::vector<std::string>& labels)
{
    std::vector<Number> numbers;
    for (const std::string& label : labels) {
        Number number{};
        const char* const end = label.data() + label.size();
        const auto [stop, status] = std::from_chars(label.data(), end, number);
        // Only what is written again as it was: another spelling would become another label.
        if (status != std::errc() || stop != end || number_label(number) != label) {
            return std::nullopt;
        }
        numbers.push_back(number);
    }
    return numbers;
}

template <class Number>
void write_numbers(std::ostream& out, const std::vector<Number>& numbers, const std::vector<std::uint32_t>& rows)
{
    for (const std::uint32_t row : rows) {
        const auto bits = std::bit_cast<std::uint64_t>(numbers[row]);
        for (unsigned shift = 0; shift < 64; shift += 8) {
            out.put(static_cast<char>(static_cast<unsigned char>(bits >> shift & 255u)));
        }
    }
}

} // namespace

std::vector<std::vector<std::string>> read_npy_texts(std::istream& in, const ArrayLayout& layout,
                                                     const std::string& name)
{
    require_memory(name, shape_text(layout) + " as text",
                   static_cast<double>(sizeof(std::string) + layout.type.size) * static_cast<double>(layout.rows) *
                       static_cast<double>(layout.cols));
    std::vector<std::vector<std::string>> columns(layout.cols, std::vector<std::string>(layout.rows));
    std::string bytes(layout.type.size, '\0');
    in.clear();
    in.seekg(static_cast<std::streamoff>(layout.offset), std::ios::beg);
    for (std::size_t i = 0; i < layout.rows * layout.cols; ++i) {
        const std::size_t row = layout.fortran_order ? i % layout.rows : i / layout.cols;
        const std::size_t column = layout.fortran_order ? place_in_row(layout, i / layout.rows) : i % layout.cols;
        read_exactly(in, bytes.data(), bytes.size(), name);
        std::string& text = columns[column][row];
        text = cell_text(reinterpret_cast<const unsigned char*>(bytes.data()), layout.type,
                         name + ": row " + std::to_string(row + 1));
        if (text.find_first_not_of(" \t") == std::string::npos) {
            throw BadInput(name + ": row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                           ": found an empty text, expected a label or a number");
        }
    }
    return columns;
}

void write_npy_labels(std::ostream& out, const std::vector<std::string>& labels, const std::vector<std::uint32_t>& rows,
                      const std::string& name)
{
    if (const auto integers = all_as<std::int64_t>(labels)) {
        write_npy_header(out, "<i8", rows.size(), 1);
        write_numbers(out, *integers, rows);
        return;
    }
    const auto numbers = all_as<double>(labels);
    const auto is_exact = [](double number) { return std::fabs(number) < most_integer; };
    if (numbers && std::all_of(numbers->begin(), numbers->end(), is_exact)) {
        write_npy_header(out, "<f8", rows.size(), 1);
        write_numbers(out, *numbers, rows);
        return;
    }
    std::vector<std::u32string> texts;
    std::size_t longest = 1;
    for (const std::string& label : labels) {
        std::optional<std::u32string> points = code_points(label);
        if (!points) {
            throw BadInput(name + ": found the label " + quoted_text(label) +
                           ", which is no UTF-8, expected a .csv file for it");
        }
        longest = std::max(longest, points->size());
        texts.push_back(std::move(*points));
    }
    write_npy_header(out, "<U" + std::to_string(longest), rows.size(), 1);
    for (const std::uint32_t row : rows) {
        for (std::size_t i = 0; i < longest; ++i) {
            const std::uint32_t point = i < texts[row].size() ? texts[row][i] : 0;
            for (unsigned shift = 0; shift < 32; shift += 8) {
                out.put(static_cast<char>(static_cast<unsigned char>(point >> shift & 255u)));
            }
        }
    }
}

} // namespace samara::desk
