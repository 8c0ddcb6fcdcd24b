// Reading the known answers of this directory: bit patterns as text, and how results are compared with them.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "samara/memory.hpp"

namespace samara::test {

using Json = nlohmann::json;

inline Json vectors_of(const std::string& chapter)
{
    std::ifstream file(std::string(SAMARA_TEST_VECTORS) + "/" + chapter + ".json");
    REQUIRE_MESSAGE(file.good(), chapter);
    return Json::parse(file);
}

inline std::uint64_t long_word(const Json& text) { return std::stoull(text.get<std::string>(), nullptr, 16); }
inline std::uint32_t word(const Json& text) { return static_cast<std::uint32_t>(long_word(text)); }
inline float number(const Json& text) { return std::bit_cast<float>(word(text)); }
inline std::uint32_t size_of(const Json& entry, const char* name) { return entry.at(name).get<std::uint32_t>(); }

inline std::vector<float> numbers(const Json& texts)
{
    std::vector<float> found;
    for (const Json& text : texts)
        found.push_back(number(text));
    return found;
}
inline std::vector<std::uint32_t> words(const Json& texts)
{
    std::vector<std::uint32_t> found;
    for (const Json& text : texts)
        found.push_back(word(text));
    return found;
}
inline std::vector<std::byte> bytes(const Json& text)
{
    const auto digits = text.get<std::string>();
    std::vector<std::byte> found;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        found.push_back(static_cast<std::byte>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    return found;
}

inline std::string digits(std::uint64_t bits, unsigned count)
{
    std::string text(count, '0');
    for (unsigned i = 0; i < count; ++i)
        text[count - 1 - i] = "0123456789abcdef"[(bits >> (4 * i)) & 15u];
    return text;
}
inline std::string text_of(float v) { return digits(std::bit_cast<std::uint32_t>(v), 8); }
inline std::string text_of(double v) { return digits(std::bit_cast<std::uint64_t>(v), 16); }
inline std::string text_of(std::uint32_t v) { return digits(v, 8); }
inline std::string text_of(std::span<const std::byte> all)
{
    std::string text;
    for (const std::byte b : all)
        text += digits(std::to_integer<std::uint32_t>(b), 2);
    return text;
}

// Every value has the bits that are expected. Only the first that has not is reported.
template <class T>
void check_bits(const std::vector<T>& values, const Json& expected)
{
    REQUIRE(expected.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        INFO("place ", i, " of ", values.size());
        CHECK(text_of(values[i]) == expected[i].get<std::string>());
        if (text_of(values[i]) != expected[i].get<std::string>())
            return;
    }
}

// The same of a result that may be long: then there are its first numbers, how many it has, and their CRC-32.
inline void check_result(const std::vector<float>& values, const Json& entry, const std::string& name)
{
    const Json& first = entry.at(name);
    if (!entry.contains(name + "_count"))
        return check_bits(values, first);
    REQUIRE(values.size() == entry.at(name + "_count").get<std::size_t>());
    check_bits(std::vector(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first.size())), first);
    CHECK(text_of(crc32(std::as_bytes(std::span(values)))) == entry.at(name + "_crc32").get<std::string>());
}

// How long a result is.
inline std::size_t result_size(const Json& entry, const std::string& name)
{
    return entry.contains(name + "_count") ? entry.at(name + "_count").get<std::size_t>() : entry.at(name).size();
}

// Memory that a call may use, at a multiple of 8 bytes.
class Workspace {
public:
    explicit Workspace(std::size_t size) : words_((size + 7) / 8), size_(size) {}
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)).first(size_); }

private:
    std::vector<std::uint64_t> words_;
    std::size_t size_;
};

} // namespace samara::test
