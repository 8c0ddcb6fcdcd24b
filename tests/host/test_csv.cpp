#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ports/host/data/csv.hpp"
#include "ports/host/text/error.hpp"
#include "tests/host/memory_limit.hpp"

namespace {

using samara::desk::BadInput;
using samara::desk::CsvReading;
using samara::desk::MatrixD;
using samara::desk::MatrixF;
using samara::desk::parse_csv;
using samara::desk::parse_csv_table;
using samara::desk::parse_csv_texts;

using Values = std::vector<float>;

std::string refusal(std::string_view text)
{
    try {
        parse_csv(text, "a.csv");
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

template <typename T>
std::string written(const T& matrix, const std::vector<std::string>& header = {})
{
    std::ostringstream out;
    samara::desk::write_csv(out, matrix, header);
    return out.str();
}

} // namespace

TEST_CASE("csv: floats survive the round trip bit for bit")
{
    const float infinity = std::numeric_limits<float>::infinity();
    const MatrixF matrix(3, 3, {0.1f, -0.0f, 1e-45f, 3.4028235e38f, -infinity, infinity, 16777217.0f, 1e-38f, -7.25f});
    const std::string text = written(matrix);
    const MatrixF back = parse_csv(text, "a.csv");
    CHECK(back.rows == 3);
    CHECK(back.cols == 3);
    CHECK(back.values == matrix.values);
    CHECK(std::signbit(back.values[1]));
}

TEST_CASE("csv: the writer uses the shortest text and line feeds")
{
    CHECK(written(MatrixF(2, 2, {0.1f, 2.0f, -3.5f, 0.0f})) == "0.1,2\n-3.5,0\n");
    CHECK(written(MatrixD(1, 2, {0.1, 1.0 / 3.0})) == "0.1,0.3333333333333333\n");
    const std::string named = written(MatrixF(1, 2, {1.0f, 2.0f}), {"plain", "with \"quotes\", comma"});
    CHECK(named == "plain,\"with \"\"quotes\"\", comma\"\n1,2\n");
    CHECK(parse_csv(named, "a.csv").values == Values{1.0f, 2.0f});
}

TEST_CASE("csv: line ends, byte order mark, final newline and trailing blank lines")
{
    const Values expected{1.0f, 2.0f, 3.0f, 4.0f};
    for (const std::string_view text : {"1,2\n3,4", "1,2\n3,4\n", "1,2\r\n3,4\r\n", "1,2\r\n3,4",
                                        "\xEF\xBB\xBF"
                                        "1,2\n3,4\n",
                                        "1,2\n3,4\n\n\r\n \n",
                                        "\xEF\xBB\xBF"
                                        "a,b\r\n1,2\r\n3,4\r\n"}) {
        CAPTURE(text);
        const MatrixF matrix = parse_csv(text, "a.csv");
        CHECK(matrix.rows == 2);
        CHECK(matrix.values == expected);
    }
}

TEST_CASE("csv: separators")
{
    CHECK(parse_csv("a;b\n1;2\n", "a.csv").values == Values{1.0f, 2.0f});
    CHECK(parse_csv("a\tb\n1\t2\n", "a.csv").values == Values{1.0f, 2.0f});
    CHECK(parse_csv("\"a,x\";b\n1;2\n", "a.csv").cols == 2);
    CHECK(parse_csv("a;x,b\n1,2\n", "a.csv").cols == 2);
    CHECK(parse_csv("5\n6\n", "a.csv").cols == 1);
    CHECK(refusal("a;b\n1,5;2\n") == "a.csv: line 2, column 1 ('a'): found '1,5', expected a number");
}

TEST_CASE("csv: quoted fields")
{
    CHECK(parse_csv("\"a \"\"x\"\"\",\"b\nb\"\n\"1\",2\n", "a.csv").values == Values{1.0f, 2.0f});
    CHECK(refusal("\"a \"\"x\"\"\",\"b\nb\"\n1,2\nx,2\n") ==
          "a.csv: line 4, column 1 ('a \"x\"'): found 'x', expected a number");
    CHECK(refusal("a,b\n1,\"2\n3,4\n") ==
          "a.csv: line 2, column 2 ('b'): found a quote that is never closed, expected a closing '\"'");
    CHECK(refusal("1,\"2\"3\n") == "a.csv: line 1, column 2: found '3' after the closing quote, expected a "
                                   "separator or the end of the line");
    CHECK(refusal("1,2\n\"\",4\n") == "a.csv: line 2, column 1: found an empty cell, expected a number");
}

TEST_CASE("csv: spellings of numbers")
{
    const MatrixF matrix = parse_csv("+1.5, -2 ,.5,1e3,NaN,-inf,Infinity,1e-50,-1e-400,1E2\n", "a.csv");
    REQUIRE(matrix.cols == 10);
    CHECK(matrix.values[0] == 1.5f);
    CHECK(matrix.values[1] == -2.0f);
    CHECK(matrix.values[2] == 0.5f);
    CHECK(matrix.values[3] == 1000.0f);
    CHECK(std::isnan(matrix.values[4]));
    CHECK(matrix.values[5] == -std::numeric_limits<float>::infinity());
    CHECK(matrix.values[6] == std::numeric_limits<float>::infinity());
    CHECK(matrix.values[7] == 0.0f);
    CHECK(matrix.values[8] == 0.0f);
    CHECK(matrix.values[9] == 100.0f);
    for (const std::string_view text : {"0x10", "1.2.3", "1 2", "--1", "+-1", "++1", "e5", "-", "1e", "1f"}) {
        CAPTURE(text);
        const std::string message = refusal("1\n" + std::string(text) + "\n");
        CHECK(message == "a.csv: line 2, column 1: found '" + std::string(text) + "', expected a number");
    }
    for (const std::string_view text : {"1e39", "-1e39", "1e400", "3.5e38"}) {
        CAPTURE(text);
        CHECK(refusal("x\n" + std::string(text) + "\n") == "a.csv: line 2, column 1 ('x'): found '" +
                                                               std::string(text) +
                                                               "', expected a number within float32's range");
        CHECK(refusal(std::string(text) + "\n").find("within float32's range") != std::string::npos);
    }
}

TEST_CASE("csv: the process locale does not change what is read or written")
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* const name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) {
            break;
        }
    }
    const MatrixF matrix = parse_csv("1.5,2\n", "a.csv");
    const std::string text = written(matrix);
    std::setlocale(LC_ALL, before.c_str());
    CHECK(matrix.values == Values{1.5f, 2.0f});
    CHECK(text == "1.5,2\n");
}

TEST_CASE("csv: what is refused, and where")
{
    CHECK(refusal("") == "a.csv: found an empty file, expected lines of numbers");
    CHECK(refusal("\xEF\xBB\xBF\r\n\n") == "a.csv: found an empty file, expected lines of numbers");
    CHECK(refusal("a,b\n\n") == "a.csv: found a header line and nothing after it, expected lines of numbers");
    CHECK(refusal("height,width\n1,2\n3,tall\n") ==
          "a.csv: line 3, column 2 ('width'): found 'tall', expected a number");
    CHECK(refusal("1,2\n3\n") == "a.csv: line 2, column 2: found the end of the line, expected 2 values as in line 1");
    CHECK(refusal("a,b\r\n1,2\r\n3,4,5\r\n") ==
          "a.csv: line 3, column 3: found a value too many, expected 2 values as in line 1");
    CHECK(refusal("1,2\n3,4,\n").find("line 2, column 3: found a value too many") != std::string::npos);
    CHECK(refusal("1,2\n3,\n") == "a.csv: line 2, column 2: found an empty cell, expected a number");
    CHECK(refusal("1,,3\n") == "a.csv: line 1, column 2: found an empty cell, expected a number");
    CHECK(refusal("1,2\n\n3,4\n") == "a.csv: line 2, column 1: found a blank line, expected 2 values as in line 1");
    CHECK(refusal("\n1,2\n") == "a.csv: line 1, column 1: found a blank line, expected a header or numbers");
    CHECK(refusal("1\n\x1b[2J\n") == "a.csv: line 2, column 1: found '\\x1b[2J', expected a number");
}

TEST_CASE("csv: a long text in a message is cut between characters")
{
    std::string accents;
    for (int count = 0; count < 100; ++count) {
        accents += "\xC3\xA9";
    }
    const std::string message = refusal("1\nx" + accents + "\n");
    CHECK(message.find("\xC3\xA9...', expected a number") != std::string::npos);
    CHECK(message.size() < 150);
}

TEST_CASE("csv: what a table will take is judged before it is made, texts and wide lines too")
{
    const samara::test::MemoryLimit limit(2000000);
    const auto lines = [](const std::string& line, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += line;
        }
        return text;
    };
    for (const char* const separator : {",", ";", "\t"}) {
        const std::string line = std::string("1") + separator + "2\n";
        CHECK(refusal(lines(line, 400000)).find("a table of some 8e+05 cells, which takes 4.8 MB") !=
              std::string::npos);
        CHECK(parse_csv(lines(line, 100000), "a.csv").rows == 100000);
    }
    // A target's cells take ten times as much as numbers.
    CHECK(parse_csv(lines("1\n", 50000), "y.csv").rows == 50000);
    CHECK_THROWS_WITH_AS(parse_csv_texts(lines("1\n", 50000), "y.csv"),
                         doctest::Contains("y.csv: found a table of some 50000 cells, which takes 2.2 MB"), BadInput);
    CsvReading last;
    last.text_columns = {{"", -1}};
    CHECK_THROWS_WITH_AS(parse_csv_table(lines("1,2\n", 50000), "a.csv", last),
                         doctest::Contains("a table of some 1e+05 cells, which takes 2.6 MB"), BadInput);
    CHECK(refusal(lines("1,", 100000)).find("a first line of more than 65536 cells, which takes") != std::string::npos);
}
