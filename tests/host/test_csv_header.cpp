#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/data/csv.hpp"
#include "ports/host/text/error.hpp"

using namespace samara::desk;

namespace {

using Values = std::vector<float>;

CsvReading reading_of(CsvHeader header, const std::vector<CsvColumn>& targets = {}, bool blanks_are_missing = false)
{
    CsvReading reading;
    reading.text_columns = targets;
    reading.blanks_are_missing = blanks_are_missing;
    reading.header = header;
    return reading;
}

std::string refusal(std::string_view text, const CsvReading& reading)
{
    try {
        parse_csv_table(text, "a.csv", reading);
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

std::string refusal(std::string_view text, const std::vector<CsvColumn>& targets = {})
{
    return refusal(text, reading_of(CsvHeader::automatic, targets));
}

std::size_t rows(std::string_view text, const std::vector<CsvColumn>& targets = {})
{
    return parse_csv_table(text, "a.csv", reading_of(CsvHeader::automatic, targets)).rows;
}

const std::string advice = " (--header yes: the line is a header; --header no: it is a row)";
const CsvColumn last{"", -1};
const CsvColumn kind{"kind", 0};

} // namespace

TEST_CASE("a header has no numeric input, and a row has nothing else")
{
    CHECK(rows("1,2\n3,4\n") == 2);
    CHECK(rows("a,b\n3,4\n") == 1);
    CHECK(rows(",b\n3,4\n") == 1);
    CHECK(rows("1st,b\n3,4\n") == 1);
    CHECK(rows("\xC3\xA9,#b\n3,4\n") == 1);
    CHECK(rows("NA,wind\n3,4\n") == 1);
    CHECK(rows("nan,inf\n3,4\n") == 2);
    CHECK(rows("\"1\",2\n3,4\n") == 2);
    CHECK(rows("1e3,+2\n3,4\n") == 2);
    CHECK(rows("5\n6\n") == 2);
    CHECK(rows("1,2,cat\n3,4,dog\n", {last}) == 2);
    CHECK(rows("a,b,kind\n3,4,dog\n", {last}) == 1);
    // What the target's cell is does not matter.
    CHECK(rows("a,b,7\n3,4,dog\n", {last}) == 1);
}

TEST_CASE("a first line that is partly numbers is refused, whichever cell is bad")
{
    for (const std::string_view bad : {"NA", "3%", "1e", "b", "1.2.3", "?", "0x10", "cat"}) {
        CAPTURE(bad);
        const std::string message =
            "found '" + std::string(bad) + "' beside numbers, expected a number, or names of all columns" + advice;
        CHECK(refusal(std::string(bad) + ",1\n3,4\n") == "a.csv: line 1, column 1: " + message);
        CHECK(refusal("1," + std::string(bad) + "\n3,4\n") == "a.csv: line 1, column 2: " + message);
        CHECK(refusal("1,cat," + std::string(bad) + "\n3,dog,4\n", {{"", 2}}) == "a.csv: line 1, column 3: " + message);
        // One is as it is told.
        CHECK(parse_csv(std::string(bad) + ",1\n3,4\n", "a.csv", CsvHeader::yes).values == Values{3, 4});
        CHECK(refusal(std::string(bad) + ",1\n3,4\n", reading_of(CsvHeader::no)) ==
              "a.csv: line 1, column 1: found '" + std::string(bad) + "', expected a number");
    }
    CHECK(refusal("1e39,1\n3,4\n").find("within float32's range") != std::string::npos);
}

TEST_CASE("words for missing or damaged numbers alone are no header")
{
    for (const std::string_view bad :
         {"NA", "n/a", "null", "?", "-", "3%", "1e", "$5", "1 2", "+-1", "+", "#1", "'1'", "%"}) {
        CAPTURE(bad);
        CHECK(refusal(std::string(bad) + "\n3\n4\n") == "a.csv: line 1, column 1: found '" + std::string(bad) +
                                                            "', expected a number, or the name of a column" + advice);
    }
    CHECK(refusal(",NA,3%\n1,2,3\n").find("column 2: found 'NA', expected a number, or") != std::string::npos);
    CHECK(parse_csv("NA\n3\n4\n", "a.csv", CsvHeader::yes).rows == 2);
}

TEST_CASE("numbers that count the columns are refused, and rows that look alike are not")
{
    const std::string refused = ", which looks like the names of columns, expected a row, or names that are no numbers";
    CHECK(refusal("0,1,2\n5,1,7\n8,3,1\n") == "a.csv: line 1: found '0,1,2'" + refused + advice);
    CHECK(refusal("0,1,2,3,4\n5,1,7,2,2\n").find("found '0,1,2,3,...'") != std::string::npos);
    CHECK(refusal("2019,2020,2021\n5,1,7\n").find(refused) != std::string::npos);
    CHECK(refusal("400,450,500\n0.5,0.25,0.1\n0.5,0,0.1\n").find(refused) != std::string::npos);
    CHECK(refusal("1,2,3,4,5,6,7,8\n1,1,1,1,1,1,1,1\n").find(refused) != std::string::npos);
    CHECK(refusal("\"7\",\"3\"\n1,2\n").find(refused) != std::string::npos);
    // The target is a column, too.
    CHECK(refusal("0,1,2\n0,1,5\n0.5,3,5\n", {last}).find(refused) != std::string::npos);
    CHECK(refusal("0,1,target\n0.5,3,1\n1.5,2,0\n", {last}).find("'0,1,target'") != std::string::npos);
    CHECK(refusal("7,3,target\n0.5,3,1\n1.5,2,0\n", {last}).find(refused) != std::string::npos);
    CHECK(refusal("0,1,species\n0.5,3,a\n1.5,2,b\n0,2,b\n1,1,a\n", {last}).find(refused) != std::string::npos);
    CHECK(refusal(",0,1,2\n5,1,3,7\n6,3,2,1\n", reading_of(CsvHeader::automatic, {}, true)).find(refused) !=
          std::string::npos);
    for (const CsvHeader header : {CsvHeader::yes, CsvHeader::no}) {
        const std::size_t expected = header == CsvHeader::yes ? 2 : 3;
        CHECK(parse_csv("0,1,2\n5,1,7\n8,3,1\n", "a.csv", header).rows == expected);
    }
    // Of two columns many rows must speak against it.
    CHECK(rows("0,1\n0.5,0.25\n0.5,0.1\n") == 3);
    std::string fractions, whole;
    for (int i = 0; i < 20; ++i) {
        fractions += "0.5,0.25\n";
        whole += "1,0\n";
    }
    CHECK(refusal("0,1\n" + fractions).find("found '0,1'" + refused) != std::string::npos);
    CHECK(rows("0,1\n" + whole) == 21);
    CHECK(rows("3,5\n" + fractions) == 21);
    CHECK(rows("0.0,1.0\n" + fractions) == 21);
    CHECK(parse_csv("0,1\n" + fractions, "a.csv", CsvHeader::no).rows == 21);
    CHECK(rows("1,2,3\n1,2,4\n") == 2);
    CHECK(rows("0,1,2\n3,4,5\n6,7,8\n") == 3);
    CHECK(rows("0,1,2\n1,2,3\n2,3,4\n") == 3);
    CHECK(rows("0,1,2\n") == 1);
    CHECK(rows("5,3,0\n1,1,1\n") == 2);
    CHECK(rows("0,1,2,cat\n5,1,7,cat\n1,1,1,dog\n", {last}) == 3);
    CHECK(rows("0,cat\n1,dog\n", {last}) == 2);
    CHECK(rows("\"7\",\"3\"\n\"1\",\"2\"\n") == 2);
}

TEST_CASE("a target's name makes a header, unless the line may be a row all the same")
{
    CHECK(rows("0,1,2,kind\n5,1,7,a\n8,3,1,b\n", {kind}) == 2);
    CHECK(rows("a,kind\n1,2\n", {kind}) == 1);
    CHECK(rows("a,3\n1,2\n", {{"3", 0}}) == 1);
    CHECK(rows("a,\" kind \"\n1,2\n", {kind}) == 1);
    CHECK(refusal("5.1,3.5,kind\n1,2,a\n", {kind}) ==
          "a.csv: line 1, column 1: found '5.1' beside the target's name 'kind', expected names of columns" + advice);
    CHECK(refusal("5,5,kind\n1,2,a\n", {kind}).find("found '5' beside") != std::string::npos);
    CHECK(refusal("5,NA,kind\n1,2,a\n", {kind}).find("found '5' beside") != std::string::npos);
    CHECK(refusal("5,6,3\n1,2,4\n", {{"3", 0}}).find("beside the target's name '3'") != std::string::npos);
    CHECK(refusal("5,6,7\n1,2,4\n", {{"3", 0}}).find("(column:3 is meant by its number)") != std::string::npos);
    CHECK(refusal("a,kind,kind\n1,2,3\n", {kind}).find("the name 'kind' at columns 2 and 3") != std::string::npos);
}

TEST_CASE("cells without a word: a row where they stand for missing values, never a header")
{
    const CsvReading missing = reading_of(CsvHeader::automatic, {last}, true);
    CHECK(parse_csv_table(",,cat\n1,2,dog\n3,4,cat\n", "a.csv", missing).rows == 3);
    CHECK(parse_csv_table("1,,cat\n1,2,dog\n3,4,cat\n", "a.csv", missing).rows == 3);
    CHECK(parse_csv_table(",b,kind\n1,2,dog\n,4,cat\n", "a.csv", missing).rows == 2);
    CHECK(refusal(",,kind\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n", missing).find("looks like") != std::string::npos);
    CHECK(refusal(",,y\n1,2,5\n3,4,6\n", missing).find("looks like") != std::string::npos);
    CHECK(refusal(",\n1,2\n") == "a.csv: line 1, column 1: found an empty cell, expected a number");
}

TEST_CASE("blanks in quotes belong to a text and not to a number")
{
    const CsvTable table =
        parse_csv_table("\" 1 \",\" a\"\n\"2\", b \n", "a.csv", reading_of(CsvHeader::automatic, {last}));
    CHECK(table.numbers.values == Values{1, 2});
    CHECK(table.texts.front() == std::vector<std::string>{" a", "b"});
    CHECK(refusal("1,\" \"\n", {last}).find("an empty cell") != std::string::npos);
    CHECK(refusal("\xFF\xFE"
                  "1\n") == "a.csv: found the mark of UTF-16 text, expected UTF-8");
}
