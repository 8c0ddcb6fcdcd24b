// How the text of a map becomes its spec.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ports/host/text/error.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/text/other_words.hpp"
#include "ports/host/text/sketch_map.hpp"

namespace samara::desk {

inline constexpr const char* gamma_key = "gamma";

// Visits the fields of a spec to set them: each key takes its text out of those given.
template <class Spec>
class Setter {
public:
    Setter(std::string map, Spec& spec, std::vector<std::pair<std::string, std::string>> given)
        : map_(std::move(map)), spec_(spec), given_(std::move(given))
    {}

    // The data say how many.
    void inputs(std::uint32_t&, std::uint32_t) {}
    void features(std::uint32_t& value, std::uint32_t most) { whole(0, "features", value, {1, most}, ""); }
    template <class T>
    void choice(std::uint32_t, const char* key, T& value, std::type_identity_t<Among<T>> among, const char*)
    {
        const std::string* const text = find(key);
        if (text == nullptr) {
            return;
        }
        std::vector<std::string> texts;
        for (std::uint32_t i = 0; i < among.count; ++i) {
            texts.emplace_back(word(among.values[i]));
            if (*text == texts.back()) {
                value = among.values[i];
                return;
            }
        }
        refuse(key, *text, one_of(texts) + did_you_mean(*text, texts));
    }
    void whole(std::uint32_t, const char* key, std::uint32_t& value, Range range, const char*)
    {
        if (const std::string* const text = find(key)) {
            const auto number = parse<std::uint32_t>(*text, 10);
            if (!number || *number < range.least || *number > range.most) {
                refuse(key, *text,
                       "a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most));
            }
            value = *number;
        }
    }
    void size(std::uint32_t at, const char* key, std::uint32_t& value, Range range, const char* meaning)
    {
        whole(at, key, value, range, meaning);
    }
    // The data say it.
    void made(std::uint32_t, const char*, std::uint32_t&, Range, const char*) {}
    void small(std::uint32_t at, const char* key, std::uint32_t& value, Range range, const char* meaning)
    {
        whole(at, key, value, range, meaning);
    }
    void real(std::uint32_t, const char* key, float& value, const Reals& range, const char*)
    {
        if (const std::string* const text = find(key)) {
            const auto number = parse<float>(*text);
            if (!number || !range.holds(*number)) {
                refuse(key, *text, std::string("a number: ") + range.text);
            }
            value = *number;
        }
    }
    void coefficients(std::uint32_t, std::uint32_t, Coefficients& value, CoefficientsFrom from)
    {
        const std::string* const text = find("coefficients");
        if (text == nullptr || from == CoefficientsFrom::fields) {
            return;
        }
        Coefficients found;
        bool good = true;
        for (std::size_t begin = 0; good && begin <= text->size();) {
            const std::size_t end = std::min(text->find(';', begin), text->size());
            const auto number = parse<float>(std::string_view(*text).substr(begin, end - begin));
            good = number && found.count <= most_map_degree && coefficient_range.holds(*number);
            if (good) {
                found.c[found.count++] = *number;
            }
            begin = end + 1;
        }
        if (!good || is_zero(found.c[found.count - 1])) {
            refuse("coefficients", *text,
                   "1 to 33 numbers joined by ';', each 0 or from 2^-60 to 2^60, the last one above 0");
        }
        value = found;
    }
    // Comes after the kernel, because what gamma means depends on it.
    void bandwidth(std::uint32_t, const char* key, float& value, const char*)
    {
        const std::string* const text = find(key);
        const std::string* const gamma = find(gamma_key);
        if (text != nullptr && gamma != nullptr) {
            refuse(gamma_key, *gamma, "bandwidth or gamma but not both");
        }
        own_bandwidth = text != nullptr || gamma != nullptr;
        if (text != nullptr && *text == "auto") {
            median_bandwidth = true;
        } else if (text != nullptr) {
            const auto number = parse<float>(*text);
            if (!number || !scale_range.holds(*number)) {
                refuse(key, *text, std::string("a number from ") + scale_range.text + " or auto");
            }
            value = *number;
        } else if (gamma != nullptr) {
            value = bandwidth_of_gamma(*gamma);
        }
    }
    void seed(std::uint32_t, std::uint64_t& value)
    {
        if (const std::string* const text = find("seed")) {
            const bool hexadecimal = text->starts_with("0x") || text->starts_with("0X");
            const auto number =
                parse<std::uint64_t>(std::string_view(*text).substr(hexadecimal ? 2 : 0), hexadecimal ? 16 : 10);
            if (!number) {
                refuse("seed", *text, "a whole number from 0 to 18446744073709551615, decimal or after 0x");
            }
            value = *number;
        }
    }
    bool median_bandwidth = false, own_bandwidth = false;

private:
    template <class Number, class... Base>
    static std::optional<Number> parse(std::string_view text, Base... base)
    {
        Number number{};
        const char* const end = text.data() + text.size();
        const auto [stop, status] = std::from_chars(text.data(), end, number, base...);
        return status == std::errc() && stop == end ? std::optional<Number>(number) : std::nullopt;
    }

    float bandwidth_of_gamma(const std::string& text) const
    {
        const bool gaussian = spec_.kernel == Kernel::gaussian;
        if (spec_.kernel == Kernel::cauchy) {
            refuse(gamma_key, text, "bandwidth, because the cauchy kernel has no gamma");
        }
        const auto gamma = parse<double>(text);
        if (gamma && *gamma > 0.0) {
            const double width = gaussian ? 1.0 / std::sqrt(2.0 * *gamma) : 1.0 / *gamma;
            // A double beyond floats would round into the range's ends.
            if (width >= 0x1p-30 && width <= 0x1p30) {
                return static_cast<float>(width);
            }
        }
        refuse(gamma_key, text, std::string("a positive number that gives a bandwidth from ") + scale_range.text);
    }

    const std::string* find(std::string_view name) const
    {
        const auto place =
            std::find_if(given_.begin(), given_.end(), [&](const auto& pair) { return pair.first == name; });
        return place == given_.end() ? nullptr : &place->second;
    }

    [[noreturn]] void refuse(const char* key, const std::string& found, const std::string& expected) const
    {
        const KnownWord known = known_word(WordKind::value, found, key);
        throw BadInput(map_ + ": " + key + ": found " + quoted_text(found) + known.text() + (known ? "; " : ", ") +
                       "expected " + expected);
    }

    std::string map_;
    Spec& spec_;
    std::vector<std::pair<std::string, std::string>> given_;
};

} // namespace samara::desk
