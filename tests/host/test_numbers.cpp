#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/memory_limit.hpp"
#include "ports/host/data/number.hpp"
#include "ports/host/data/target.hpp"
#include "ports/host/text/error.hpp"

namespace {

using samara::desk::BadInput;
using samara::desk::parse_bytes;
using samara::desk::parse_number;
using samara::desk::Reading;

template <typename Number>
Number value_of(const std::string& text)
{
    Number value = -7;
    return parse_number(text, value) == Reading::number ? value : std::numeric_limits<Number>::quiet_NaN();
}

template <typename Number>
Reading reading_of(const std::string& text)
{
    Number value = -7;
    const Reading reading = parse_number(text, value);
    CHECK((reading == Reading::number || value == -7));
    return reading;
}

} // namespace

TEST_CASE("numbers: what is too large is said to be, however it is written")
{
    const std::string zeros(400, '0');
    for (const std::string text : {"1e400", "-1e400", "1e309", "+2e308", "1e99999999999999999999", "0.1e310"}) {
        CAPTURE(text);
        CHECK(reading_of<double>(text) == Reading::too_large);
        CHECK(reading_of<float>(text) == Reading::too_large);
    }
    // 1 and 400 zeros; the same less ten places: an exponent's sign says nothing of the number's size.
    for (const std::string& text :
         {"1" + zeros, "1" + zeros + "e-10", "-1" + zeros + ".5e-91", "0.001" + zeros + "e800"}) {
        CAPTURE(text);
        CHECK(reading_of<double>(text) == Reading::too_large);
        CHECK(reading_of<float>(text) == Reading::too_large);
    }
    CHECK(reading_of<float>("1e39") == Reading::too_large);
    CHECK(reading_of<float>("3.5e38") == Reading::too_large);
    CHECK(value_of<double>("1e39") == 1e39);
    CHECK(value_of<double>("1" + zeros + "e-400") == 1.0);
    CHECK(value_of<double>("0." + zeros + "1e401") == 1.0);
}

TEST_CASE("numbers: what is too small is a zero or a subnormal number of its sign")
{
    const std::string zeros(400, '0');
    for (const std::string& text :
         {std::string("1e-400"), "0." + zeros + "1", "0." + zeros + "1e10", "1e-" + zeros + "999"}) {
        CAPTURE(text);
        CHECK(value_of<double>(text) == 0.0);
        CHECK(value_of<float>(text) == 0.0f);
        CHECK(std::signbit(value_of<double>("-" + text)));
        CHECK(std::signbit(value_of<float>("-" + text)));
    }
    CHECK(value_of<double>("5e-324") == std::numeric_limits<double>::denorm_min());
    CHECK(value_of<float>("1e-45") == std::numeric_limits<float>::denorm_min());
    CHECK(value_of<float>("1e-50") == 0.0f);
    CHECK(value_of<double>("0e999999999999999999999") == 0.0);
}

TEST_CASE("numbers: what is none")
{
    for (const std::string text :
         {"", "+", "-", "+-1", "++1", "1e", "0x10", "1 2", "1.2.3", "1f", "e5", "1e+", "cat"}) {
        CAPTURE(text);
        CHECK(reading_of<double>(text) == Reading::not_a_number);
        CHECK(reading_of<float>(text) == Reading::not_a_number);
    }
    CHECK(value_of<float>("+1.5") == 1.5f);
    CHECK(reading_of<double>("inf") == Reading::number);
    CHECK(reading_of<double>("-Infinity") == Reading::number);
    CHECK(reading_of<double>("nan") == Reading::number);
}

TEST_CASE("numbers: in data and in targets the same rule holds")
{
    const std::string huge = "1" + std::string(400, '0') + "e-10";
    CHECK_THROWS_WITH_AS(samara::desk::parse_csv("1,2\n3," + huge + "\n", "f"),
                         doctest::Contains("within float32's range"), BadInput);
    const auto target = [](const std::vector<std::string>& cells) {
        return samara::desk::target_from_texts({cells}, {}, "f");
    };
    CHECK_THROWS_WITH_AS(target({"1.5", huge, "2"}), doctest::Contains("within float64's range"), BadInput);
    CHECK_THROWS_AS(target({"1", "1e400"}), BadInput);
    CHECK(target({"0.5", "1e-400"}).numbers == std::vector<double>{0.5, 0.0});
    // Among texts it is one of them.
    CHECK(target({"1e400", "cat"}).numbers.empty());
}

TEST_CASE("numbers: sizes of memory")
{
    CHECK(parse_bytes("1500", "f") == 1500);
    CHECK(parse_bytes("64M", "f") == 64000000);
    CHECK(parse_bytes("1.5GB", "f") == 1500000000);
    CHECK(parse_bytes("2k", "f") == 2000);
    CHECK(parse_bytes("1T", "f") == 1000000000000);
    for (const std::string text : {"", "M", "-1", "0", "1X", "1MM", "1 M", "nan", "inf", "1e30", "1e400", "0.5"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_bytes(text, "f"), BadInput);
    }
    CHECK(samara::desk::bytes_text(999) == "999 bytes");
    CHECK(samara::desk::bytes_text(999999) == "1 MB");
    CHECK(samara::desk::bytes_text(1.96e9) == "1.96 GB");
}
