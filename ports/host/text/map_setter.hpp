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
#include "ports/host/text/map_keys.hpp"

namespace samara::desk {

// Visits to set: each key takes its text out of those given.
class Setter {
public:
    Setter(std::string map, std::vector<std::pair<std::string, std::string>> given)
        : map_(std::move(map)), given_(std::move(given))
    {}

    template <class T>
    void choice(const char* name, T& value, Choices<T> words, const char*)
    {
        const std::string* const text = find(name);
        if (text == nullptr) {
            return;
        }
        std::vector<std::string> texts;
        std::string expected;
        for (const auto& word : words) {
            if (*text == word.text) {
                value = word.value;
                return;
            }
            expected += texts.empty() ? "" : texts.size() + 1 == words.size() ? " or " : ", ";
            expected += word.text;
            texts.emplace_back(word.text);
        }
        refuse(name, *text, expected + did_you_mean(*text, texts));
    }
    void whole(const char* name, std::uint32_t& value, std::uint32_t least, std::uint32_t most, const char*)
    {
        if (const std::string* const text = find(name)) {
            const auto number = parse<std::uint32_t>(*text, 10);
            if (!number || *number < least || *number > most) {
                refuse(name, *text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
            }
            value = *number;
        }
    }
    template <class Good>
    void real(const char* name, float& value, Good good, const char* values, const char*)
    {
        if (const std::string* const text = find(name)) {
            const auto number = parse<float>(*text);
            if (!number || !good(*number)) {
                refuse(name, *text, std::string("a number: ") + values);
            }
            value = *number;
        }
    }
    void coefficients(Coefficients& value)
    {
        const std::string* const text = find("coefficients");
        if (text == nullptr) {
            return;
        }
        Coefficients found;
        bool good = true;
        for (std::size_t begin = 0; good && begin <= text->size();) {
            const std::size_t end = std::min(text->find(';', begin), text->size());
            const auto number = parse<float>(std::string_view(*text).substr(begin, end - begin));
            good = number && found.count <= most_map_degree && detail::coefficient_ok(*number);
            if (good) {
                found.c[found.count++] = *number;
            }
            begin = end + 1;
        }
        if (!good || detail::is_zero(found.c[found.count - 1])) {
            refuse("coefficients", *text,
                   "1 to 33 numbers joined by ';', each 0 or from 2^-60 to 2^60, the last one above 0");
        }
        value = found;
    }
    template <class Spec>
    void sizes_and_seed(Spec& spec)
    {
        whole("features", spec.features, 1, most_features_of(spec), "");
        seed(spec.seed);
    }
    void seed(std::uint64_t& value)
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
    // Comes after the kernel, because what gamma means depends on it.
    void bandwidth(RffSpec& spec)
    {
        const std::string* const text = find("bandwidth");
        const std::string* const gamma = find(gamma_key);
        if (text != nullptr && gamma != nullptr) {
            refuse(gamma_key, *gamma, "bandwidth or gamma but not both");
        }
        if (text != nullptr && *text == "auto") {
            median_bandwidth = true;
        } else if (text != nullptr) {
            const auto number = parse<float>(*text);
            if (!number || !(*number >= least_bandwidth && *number <= most_bandwidth)) {
                refuse("bandwidth", *text, "a number from 2^-30 to 2^30 or auto");
            }
            spec.bandwidth = *number;
        } else if (gamma != nullptr) {
            spec.bandwidth = bandwidth_of_gamma(spec.kernel, *gamma);
        }
    }

    bool median_bandwidth = false;

private:
    template <class Number, class... Base>
    static std::optional<Number> parse(std::string_view text, Base... base)
    {
        Number number{};
        const char* const end = text.data() + text.size();
        const auto [stop, status] = std::from_chars(text.data(), end, number, base...);
        return status == std::errc() && stop == end ? std::optional<Number>(number) : std::nullopt;
    }

    float bandwidth_of_gamma(Kernel kernel, const std::string& text) const
    {
        if (kernel == Kernel::cauchy) {
            refuse(gamma_key, text, "bandwidth, because the cauchy kernel has no gamma");
        }
        const auto gamma = parse<double>(text);
        if (gamma && *gamma > 0.0) {
            const double width = kernel == Kernel::gaussian ? 1.0 / std::sqrt(2.0 * *gamma) : 1.0 / *gamma;
            if (width >= static_cast<double>(least_bandwidth) && width <= static_cast<double>(most_bandwidth)) {
                return static_cast<float>(width);
            }
        }
        refuse(gamma_key, text, "a positive number that gives a bandwidth from 2^-30 to 2^30");
    }

    const std::string* find(std::string_view name) const
    {
        const auto place =
            std::find_if(given_.begin(), given_.end(), [&](const auto& pair) { return pair.first == name; });
        return place == given_.end() ? nullptr : &place->second;
    }

    [[noreturn]] void refuse(const char* key, const std::string& found, const std::string& expected) const
    {
        throw BadInput(map_ + ": " + key + ": found " + quoted_text(found) + ", expected " + expected);
    }

    std::string map_;
    std::vector<std::pair<std::string, std::string>> given_;
};

} // namespace samara::desk
