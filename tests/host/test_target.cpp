#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/data/label.hpp"
#include "ports/host/data/npy.hpp"
#include "ports/host/data/npy_text.hpp"
#include "ports/host/data/target.hpp"
#include "ports/host/data/target_file.hpp"
#include "ports/host/text/error.hpp"

using namespace samara::desk;

namespace {

using Texts = std::vector<std::string>;

RawTarget raw_of(const Texts& cells) { return target_from_texts({cells}, {}, "y"); }

Target made(const Texts& cells, std::optional<Task> task = {}) { return make_target(raw_of(cells), task); }

template <class Body>
std::string refusal(const Body& body)
{
    try {
        body();
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

Texts notes_of(const Texts& cells, std::optional<Task> task = {})
{
    const RawTarget raw = raw_of(cells);
    return notes_on(raw, make_target(raw, task), task.has_value());
}

// Each of the first `different` numbers `times` times, with `suffix`.
Texts repeated(std::size_t different, std::size_t times, const std::string& suffix)
{
    Texts cells;
    for (std::size_t i = 0; i < different * times; ++i) {
        cells.push_back(std::to_string(i % different) + suffix);
    }
    return cells;
}

// A directory of its own, with a table of some rows beside it.
class Place {
public:
    Place() : path_(std::filesystem::temp_directory_path() / ("samara-target-" + std::to_string(::getpid())))
    {
        std::filesystem::create_directories(path_);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { std::filesystem::remove_all(path_); }

    std::string write(const std::string& name, std::string_view text) const
    {
        const std::string path = (path_ / name).string();
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

private:
    std::filesystem::path path_;
};

std::string error_of(std::string_view text, std::size_t rows, bool has_header = false, const Texts* labels = nullptr)
{
    const Place place;
    const std::string path = place.write("y.csv", text);
    const auto data = table_of(MatrixF(rows, 1), "x.csv", has_header ? Texts{"a"} : Texts{});
    std::string error = refusal([&] { read_target(path, *data, {.labels = labels}); });
    return error.starts_with(path) ? error.substr(path.size()) : error;
}

RawTarget target_of(std::string_view text, std::size_t rows, bool has_header = false, const Texts* labels = nullptr,
                    CsvHeader header = CsvHeader::automatic)
{
    const Place place;
    return read_target(place.write("y.csv", text),
                       *table_of(MatrixF(rows, 1), "x.csv", has_header ? Texts{"a"} : Texts{}),
                       {.target_header = header, .labels = labels});
}

std::string npy_bytes(const std::string& descr, const std::string& shape, std::string_view data)
{
    const std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + std::string(data);
}

Texts texts_of(const std::string& descr, const std::string& shape, std::string_view data)
{
    std::istringstream in(npy_bytes(descr, shape, data));
    return read_npy_texts(in, npy_layout(in, "y.npy", true), "y.npy").front();
}

std::string labels_file(const Texts& labels, const std::vector<std::uint32_t>& rows)
{
    std::ostringstream out;
    write_npy_labels(out, labels, rows, "y.npy");
    return out.str();
}

} // namespace

TEST_CASE("text that is numbers for the most part needs a task")
{
    const Texts cells{"1.5", "2", "NA", "4"};
    CHECK(refusal([&] { made(cells); }) ==
          "y: row 3 of the target: found 'NA', expected a number as in 3 of the 4 rows "
          "(--task classify takes all of them as text)");
    CHECK(refusal([&] { made({"1", "a"}); }).find("row 2 of the target: found 'a'") != std::string::npos);
    CHECK(made(cells, Task::classify).labels == Texts{"1.5", "2", "4", "NA"});
    CHECK(refusal([&] { made(cells, Task::regress); }) ==
          "y: row 3 of the target: found 'NA', expected a number for regression");
    CHECK(made({"1", "a", "b"}).labels == Texts{"1", "a", "b"});
    CHECK(refusal([&] { made({"1", "2", "nan"}); }).find("found nan") != std::string::npos);
}

TEST_CASE("classes are whole numbers of any size, told apart by their spelling where numbers cannot")
{
    const Texts large{"9007199254740993", "9007199254740992", "9007199254740993"};
    CHECK(made(large).labels == Texts{"9007199254740992", "9007199254740993"});
    CHECK(made(large).classes == std::vector<std::uint32_t>{1, 0, 1});
    CHECK(made({"18446744073709551617", "-3", "2"}).labels == Texts{"-3", "2", "18446744073709551617"});
    CHECK(made({"1", "01", "10", "2"}).labels == Texts{"01", "1", "2", "10"});
    CHECK(made({"+1", "-1"}).labels == Texts{"-1", "+1"});
    CHECK(made({"10", "9", "10"}).labels == Texts{"9", "10"});
    CHECK(made({"1.0", "2.0", "1"}, Task::classify).labels == Texts{"1", "2"});
    CHECK(made({"1e-400", "2.5"}).values.values == std::vector<float>{0.0f, 2.5f});
    CHECK(refusal([] { made({"1e400", "2.5"}); }).find("row 1 of the target: found '1e400'") != std::string::npos);
}

TEST_CASE("a double that stands for several whole numbers is no label")
{
    CHECK(refusal([] {
              made({"9007199254740993.0", "1.0"}, Task::classify);
          }) == "y: row 1 of the target: found 9007199254740992, expected a label of magnitude below 2^53, or one that "
                "is kept as an integer or as text");
    RawTarget raw;
    raw.path = "y.npy";
    raw.rows = raw.cols = 1;
    raw.numbers = {9007199254740992.0}; // what 9007199254740993 becomes among doubles
    const auto like = [&](const Texts& labels) {
        return refusal([&] { target_like(raw, Task::classify, labels, labels.size()); });
    };
    CHECK(like({"9007199254740992", "9007199254740993"}).find("below 2^53") != std::string::npos);
    CHECK(like({"1", "2"}).find("found the class '9007199254740992'") != std::string::npos);
}

TEST_CASE("a target in terms of a model: labels are found as they are spelled")
{
    const auto like = [](const Texts& cells, const Texts& labels) {
        return target_like(raw_of(cells), Task::classify, labels, labels.size()).classes;
    };
    CHECK(like({"1", "01"}, {"1", "01"}) == std::vector<std::uint32_t>{0, 1});
    CHECK(like({"2.0", "1"}, {"1", "2"}) == std::vector<std::uint32_t>{1, 0});
    CHECK(like({"1.50", "1.50"}, {"1.50", "x"}) == std::vector<std::uint32_t>{0, 0});
    CHECK(like({"9007199254740993"}, {"9007199254740992", "9007199254740993"}) == std::vector<std::uint32_t>{1});
    CHECK_THROWS_WITH_AS(like({"01", "1"}, {"1", "2"}), doctest::Contains("found the class '01'"), BadInput);
    // A model from elsewhere may have equal labels: the numbers of the others stay theirs.
    CHECK(like({"b", "a"}, {"a", "a", "b"}) == std::vector<std::uint32_t>{2, 0});
}

TEST_CASE("the task is said in a line, and what looks like another one in a note")
{
    CHECK(task_text(made({"b", "a", "b"})) == "task: classify, 2 classes: 'a', 'b'");
    CHECK(task_text(made(repeated(10, 2, ""))) ==
          "task: classify, 10 classes: '0', '1', '2', '3', '4', '5', '6', '7', ...");
    CHECK(task_text(made({"1.5", "2"})) == "task: regress, 1 target");
    CHECK(task_text(make_target(target_from_texts({{"1.5"}, {"2"}}, {"up", "down"}, "y"), {})) ==
          "task: regress, 2 targets: 'up', 'down'");

    CHECK(notes_of(repeated(7, 4, ".0")) == Texts{"y: the target looks like 7 classes; --task classify?"});
    CHECK(notes_of(repeated(7, 4, ".0"), Task::regress).empty());
    CHECK(notes_of(repeated(7, 4, ".5")).empty());
    CHECK(notes_of(repeated(21, 4, ".0")).empty());
    CHECK(notes_of(repeated(7, 1, ".0")).empty());
    CHECK(notes_of(repeated(7, 4, "")).empty());
    CHECK(notes_of(repeated(30, 1, "00")) ==
          Texts{"y: the target looks like numbers, with 30 different ones in 30 rows; --task regress?"});
    CHECK(notes_of({"a", "NA", "a"}) ==
          Texts{"y: the class 'NA' of 1 row is trained like any other: are these labels missing?"});
    CHECK(notes_of({"1", "01", "1"}) == Texts{"y: '01' and '1' are two classes, although they are one number"});
}

TEST_CASE("a target's file has a header by its own lines, and as many rows as the data")
{
    const std::string advice = " (--target-header yes: its first line is a header; --target-header no: it is a row)";
    // RandomNumbers below: the first line is a header, or it is refused.
    CHECK(target_of("y\n1\n2\n3\n", 3).numbers == std::vector<double>{1, 2, 3});
    CHECK(target_of("y\n1\n2\n3\n", 3).names == Texts{"y"});
    CHECK(target_of("up,down\n1,2\n3,4\n", 2).names == Texts{"up", "down"});
    CHECK(error_of("y\n1\n2\n", 3) == ": found a target of 2 rows under a header, expected 3 as in x.csv" + advice);
    CHECK(error_of("1\n2\n3\n4\n", 3) == ": found a target of 4 rows, expected 3 as in x.csv" + advice);
    CHECK(error_of("1\n2\n", 4, true) == ": found a target of 2 rows, expected 4 as in x.csv under its header");
    CHECK(error_of("NA\n1\n2\n3\n", 3).find("line 1, column 1: found 'NA' above numbers") != std::string::npos);
    CHECK(error_of("7,y\n1,2\n3,4\n", 2).find("line 1, column 2: found 'y' beside numbers") != std::string::npos);
    CHECK(error_of(",0\n0,2\n1,4\n", 2).find("found '' beside numbers") != std::string::npos);
    // Text below: never by the number of rows alone.
    const std::string_view headed = "kind\na\nb\na\nb\n";
    CHECK(error_of(headed, 4).find("a target of 5 rows, expected 4") != std::string::npos);
    CHECK(target_of(headed, 4, true).rows == 4);
    CHECK(target_of(headed, 4, true).notes.size() == 1);
    CHECK(target_of(headed, 4, false, nullptr, CsvHeader::yes).rows == 4);
    CHECK(target_of(headed, 5, false, nullptr, CsvHeader::no).rows == 5);
    CHECK(error_of(headed, 5).find("found 'kind', which no other line has") != std::string::npos);
    CHECK(error_of("a\na\nb\na\nb\n", 4, true).find("a target of 5 rows, expected 4") != std::string::npos);
    CHECK(error_of("NA\na\nb\na\nb\n", 4, true).find("a target of 5 rows, expected 4") != std::string::npos);
    CHECK(target_of("a\nb\n", 2).rows == 2);
    CHECK(target_of("a\n", 1).rows == 1);
    CHECK(error_of("a\n\"\"\n", 2).find("line 2, column 1: found an empty cell") != std::string::npos);
    CHECK(error_of("\"\"\na\n", 2).find("line 1, column 1: found an empty cell") != std::string::npos);
    // A model's classes say what a label is.
    const Texts labels{"a", "b"};
    CHECK(target_of(headed, 4, false, &labels).rows == 4);
    CHECK(target_of("a\nb\nb\nb\n", 4, false, &labels).rows == 4);
    CHECK(error_of("a\nb\nb\nb\n", 3, true, &labels).find("a target of 4 rows") != std::string::npos);
    CHECK(error_of("NA\nb\nb\nb\n", 3, true, &labels).find("a target of 4 rows") != std::string::npos);
}

TEST_CASE("NPY: labels of text and of large numbers are read as they are")
{
    const std::string_view utf32("a\0\0\0\xE9\0\0\0\x00\xF6\x01\0\0\0\0\0", 16);
    CHECK(texts_of("<U2", "(2,)", utf32) == Texts{"a\xC3\xA9", "\xF0\x9F\x98\x80"});
    CHECK(texts_of(">U1", "(2, 1)", std::string_view("\0\0\0a\0\0\x20\xAC", 8)) == Texts{"a", "\xE2\x82\xAC"});
    CHECK(texts_of("|S3", "(2,)", std::string_view("cat\xE9\0\0", 6)) == Texts{"cat", "\xE9"});
    CHECK(texts_of("<i8", "(2,)", std::string_view("\1\0\0\0\0\0\x20\0\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 16)) ==
          Texts{"9007199254740993", "-2"});
    CHECK(texts_of(">u8", "(1,)", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE") == Texts{"18446744073709551614"});
    const auto refused = [](const std::string& descr, std::string_view data) {
        return refusal([&] { texts_of(descr, "(1,)", data); });
    };
    CHECK(refused("|S3", std::string_view("\0\0\0", 3)).find("row 1, column 1: found an empty text") !=
          std::string::npos);
    CHECK(refused("|S3", std::string_view("a\0b", 3)).find("found the code point 0") != std::string::npos);
    CHECK(refused("<U1", std::string_view("\0\xD8\0\0", 4)).find("found the code point 55296") != std::string::npos);
    CHECK(refused("<U1", std::string_view("\0\0\x11\0", 4)).find("found the code point 1114112") != std::string::npos);
    CHECK(refused("|S0", "").find("dtype '|S0'") != std::string::npos);
    CHECK(refused("|O", "").find("or text (U or S)") != std::string::npos);
    // Of several dimensions in Fortran's order: a row has the last dimension's texts next to each other.
    std::string turned = npy_bytes("|S1", "(2, 2, 2)", "04261537");
    turned.replace(turned.find("False"), 5, " True");
    std::istringstream several(turned);
    CHECK(read_npy_texts(several, npy_layout(several, "y.npy", true), "y.npy") ==
          std::vector<Texts>{{"0", "4"}, {"1", "5"}, {"2", "6"}, {"3", "7"}});
    CHECK(refused("<U2", "a").find("truncated") != std::string::npos);
    std::istringstream in(npy_bytes("|S1", "(1,)", "1"));
    CHECK(refusal([&] { read_npy_f32(in, "x.npy"); }).find("text is good for a target alone") != std::string::npos);
}

TEST_CASE("NPY: labels are written as numbers only where they are read back the same")
{
    const auto type_of = [](const Texts& labels) {
        const std::string bytes = labels_file(labels, {0});
        return bytes.substr(bytes.find("'descr': '") + 10, 3);
    };
    CHECK(type_of({"7", "-16777217", "9223372036854775807"}) == "<i8");
    CHECK(type_of({"1.5", "2"}) == "<f8");
    CHECK(type_of({"1.50", "2"}) == "<U4");
    CHECK(type_of({"01", "1"}) == "<U2");
    CHECK(type_of({"+1", "-1"}) == "<U2");
    CHECK(type_of({"9223372036854775808", "1"}) == "<U1");
    CHECK(type_of({"nan", "1"}) == "<U3");
    for (const Texts& labels :
         {Texts{"16777217", "-9007199254740993"}, Texts{"01", "1"}, Texts{"a\xC3\xA9", "\xF0\x9F\x98\x80 x"}}) {
        std::istringstream in(labels_file(labels, {1, 0, 1}));
        const Texts back = read_npy_texts(in, npy_layout(in, "y.npy", true), "y.npy").front();
        CHECK(back == Texts{labels[1], labels[0], labels[1]});
    }
    for (const char* const bad :
         {"\xFF", "a\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\x80"}) {
        CHECK(refusal([&] { labels_file({bad}, {0}); }).find("no UTF-8, expected a .csv file") != std::string::npos);
    }
}

TEST_CASE("spellings of numbers as labels")
{
    CHECK(whole_spelling("0") == WholeSpelling::plain);
    CHECK(whole_spelling("-10") == WholeSpelling::plain);
    for (const char* const text : {"00", "01", "+1", "-0", "+0", "-01"}) {
        CHECK(whole_spelling(text) == WholeSpelling::other);
    }
    for (const char* const text : {"", "-", "+", "1.0", "1e3", "a", "--1"}) {
        CHECK(whole_spelling(text) == WholeSpelling::none);
    }
    CHECK(number_label(-0.0) == "0");
    CHECK(number_label(16777217.0) == "16777217");
    CHECK(number_label(0.5) == "0.5");
}
