#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/gzip.hpp"
#include "ports/host/data/idx.hpp"
#include "ports/host/data/target.hpp"
#include "ports/host/text/error.hpp"
#include "tests/host/memory_limit.hpp"

using namespace samara::desk;

namespace {

template <std::size_t size>
std::string bytes(const char (&text)[size])
{
    return {text, size - 1};
}

// gzip of three lines, written by Python's gzip module.
const std::string compressed = bytes("\x1f"
                                     "\x8b"
                                     "\x08"
                                     "\x00"
                                     "\x00"
                                     "\x00"
                                     "\x00"
                                     "\x00"
                                     "\x02"
                                     "\xff"
                                     "\x4b"
                                     "\x4c"
                                     "\x4a"
                                     "\x4e"
                                     "\x44"
                                     "\x45"
                                     "\x0a"
                                     "\x19"
                                     "\xa9"
                                     "\x39"
                                     "\x39"
                                     "\xf9"
                                     "\xc8"
                                     "\x24"
                                     "\x57"
                                     "\x22"
                                     "\xd5"
                                     "\x14"
                                     "\x01"
                                     "\x00"
                                     "\x18"
                                     "\x29"
                                     "\x63"
                                     "\x27"
                                     "\x6f"
                                     "\x00"
                                     "\x00"
                                     "\x00");

std::string contents()
{
    const std::string line = "abcabcabcabcabcabc hello hello hello\n";
    return line + line + line;
}

GzipReader reader_of(const std::string& bytes)
{
    return {std::make_unique<std::istringstream>(bytes, std::ios::binary), "f"};
}

std::string gunzip(const std::string& bytes) { return reader_of(bytes).read_rest(); }

} // namespace

TEST_CASE("gzip files, one member or several")
{
    CHECK(gunzip(compressed) == contents());
    CHECK(gunzip(compressed + compressed + std::string(5, '\0')) == contents() + contents());
    // A stored block: no compression at all.
    CHECK(gunzip(bytes("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x01\0\xfe\xff\x61\x43\xbe\xb7\xe8\x01\0\0\0")) == "a");
}

TEST_CASE("every truncated gzip file and every flipped bit of one is refused")
{
    for (std::size_t length = 0; length < compressed.size(); ++length) {
        CHECK_THROWS_AS(gunzip(compressed.substr(0, length)), BadInput);
    }
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * compressed.size(); ++bit) {
        std::string damaged = compressed;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        // What it is does not matter where nothing of the contents is changed: the header's time, say.
        bool good = true;
        try {
            good = gunzip(damaged) == contents();
        } catch (const BadInput&) {
            ++refused;
        }
        CHECK(good);
    }
    // All but time, level, system, the flag for text, and what pads the last byte of the codes.
    CHECK(refused >= 8 * (compressed.size() - 8));
}

TEST_CASE("gzip files are unpacked in pieces of any size, across members")
{
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
        CAPTURE(piece);
        GzipReader reader = reader_of(compressed + compressed);
        std::string text, part(piece, '\0');
        for (std::size_t count = piece; count == piece;) {
            count = reader.read(part.data(), piece);
            text.append(part, 0, count);
        }
        CHECK(text == contents() + contents());
        CHECK(reader.read(part.data(), piece) == 0);
    }
    // A first look leaves the rest for later, even where that is damaged.
    GzipReader reader = reader_of(compressed + compressed.substr(0, 20));
    std::string start(3, '\0');
    CHECK(reader.read(start.data(), start.size()) == 3);
    CHECK(start == "abc");
    CHECK_THROWS_AS(reader.read_rest(), BadInput);
}

TEST_CASE("what is unpacked stays below the limit, also while it moves to a larger place")
{
    const samara::test::MemoryLimit limit(1000000);
    const auto members = [](std::size_t count) {
        std::string all;
        for (std::size_t i = 0; i < count; ++i) {
            all += compressed;
        }
        return all;
    };
    const std::size_t length = contents().size();
    CHECK(gunzip(members(400000 / length)).size() == 400000 / length * length);
    // 700,000 bytes fit, but not beside what they have grown from.
    CHECK_THROWS_WITH_AS(gunzip(members(700000 / length)),
                         doctest::Contains("f: found compressed data that go on, which takes"), BadInput);
}

TEST_CASE("what is wrong with a gzip file is said in one sentence")
{
    const auto refusal = [](const std::string& bytes) -> std::string {
        try {
            gunzip(bytes);
        } catch (const BadInput& problem) {
            return problem.what();
        }
        return "accepted";
    };
    CHECK(refusal("") == "f: found an empty file, expected a gzip file, as its suffix says");
    CHECK(refusal("1,2\n") == "f: found no gzip signature, expected a gzip file, as its suffix says");
    CHECK(refusal(compressed + "1,2\n") ==
          "f: found bytes after the end of the compressed data, expected a gzip file, as its suffix says");
    CHECK(refusal(compressed + bytes("\0") + compressed).find("bytes after the end") != std::string::npos);
    CHECK(refusal(compressed.substr(0, 5)) ==
          "f: found the end of the file within compressed data (truncated), expected a whole gzip file");
    CHECK(refusal(compressed.substr(0, 20)) == refusal(compressed.substr(0, 5)));
    CHECK(refusal(compressed.substr(0, compressed.size() - 1)) == refusal(compressed.substr(0, 5)));
    std::string damaged = compressed;
    damaged[damaged.size() - 8] ^= 1;
    CHECK(refusal(damaged) == "f: found damaged compressed data (incorrect data check), expected a whole gzip file");
}

TEST_CASE("IDX: images become rows, labels a column")
{
    std::istringstream images(bytes("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\x01\x02\x03\x04"));
    const ArrayLayout layout = idx_layout(images, "f");
    CHECK(layout.rows == 2);
    CHECK(layout.cols == 2);
    std::vector<float> values(2);
    read_values(images, layout, 2, 2, values.data(), "f");
    CHECK(values == std::vector<float>{3, 4});
    std::istringstream labels(bytes("\0\0\x0b\x01\0\0\0\x02\xff\xfe\0\x07"));
    const ArrayLayout words = idx_layout(labels, "f");
    std::vector<double> numbers(2);
    read_values(labels, words, 0, 2, numbers.data(), "f");
    CHECK(numbers == std::vector<double>{-2, 7});
    for (const std::string& bad :
         {bytes(""), bytes("\0\0\x08"), bytes("\x01\0\x08\x01\0\0\0\x01\x01"), bytes("\0\0\x07\x01\0\0\0\x01\x01"),
          bytes("\0\0\x08\x01\0\0\0\x02\x01"), bytes("\0\0\x08\x02\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
          bytes("\0\0\x08\x00"), bytes("\0\0\x08\x01\0\0\0\0")}) {
        std::istringstream in(bad);
        CHECK_THROWS_AS(idx_layout(in, "f"), BadInput);
    }
}

TEST_CASE("text columns of a table, by name and by number")
{
    CsvReading reading;
    reading.text_columns = {{"kind", 0}};
    const CsvTable named = parse_csv_table("a,kind,b\n1,cat,2\n3,dog,4\n", "f", reading);
    CHECK(named.texts == std::vector<std::vector<std::string>>{{"cat", "dog"}});
    CHECK(named.numbers.values == std::vector<float>{1, 2, 3, 4});
    CHECK(named.header.size() == 3);
    reading.text_columns = {{"", -1}};
    const CsvTable last = parse_csv_table("1,2,cat\n3,4,dog\n", "f", reading);
    CHECK(last.texts.front().front() == "cat");
    CHECK(last.numbers.cols == 2);
    reading.text_columns = {{"none", 0}};
    CHECK_THROWS_WITH_AS(parse_csv_table("a,b\n1,2\n", "f", reading), doctest::Contains("'none'"), BadInput);
    CHECK_THROWS_WITH_AS(parse_csv_table("a,b\n1,\n", "f", {}), doctest::Contains("an empty cell"), BadInput);
}

TEST_CASE("targets: integers and text are classes in order, other numbers are values")
{
    const auto target = [](const std::vector<std::string>& cells) { return target_from_texts({cells}, {}, "f"); };
    const Target numbers = make_target(target({"10", "9", "10"}), {});
    CHECK(numbers.task == Task::classify);
    CHECK(numbers.labels == std::vector<std::string>{"9", "10"});
    CHECK(numbers.classes == std::vector<std::uint32_t>{1, 0, 1});
    std::vector<float> y(2);
    numbers.encode(0, y.data());
    CHECK(y == std::vector<float>{-0.5f, 0.5f});
    CHECK(make_target(target({"b", "a"}), {}).labels == std::vector<std::string>{"a", "b"});
    CHECK(make_target(target({"1.5", "2"}), {}).task == Task::regress);
    CHECK(make_target(target({"1", "2"}), Task::regress).values.values == std::vector<float>{1, 2});
    CHECK(make_target(target({"1.0", "2.0"}), Task::classify).labels == std::vector<std::string>{"1", "2"});
    CHECK_THROWS_WITH_AS(make_target(target({"1", "1"}), {}), doctest::Contains("one class only"), BadInput);
    CHECK_THROWS_AS(make_target(target({"a", "b"}), Task::regress), BadInput);
    CHECK_THROWS_AS(make_target(target({"1.5", "nan"}), {}), BadInput);
    CHECK_THROWS_WITH_AS(target_like(target({"1", "3"}), Task::classify, {"1", "2"}, 2), doctest::Contains("row 2"),
                         BadInput);
}
