#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "ports/host/data/data_file.hpp"
#include "ports/host/data/libsvm.hpp"
#include "ports/host/data/npz.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/data/zip.hpp"
#include "ports/host/text/error.hpp"
#include "tests/host/archives.hpp"
#include "tests/host/memory_limit.hpp"
#include "tests/host/temporary_directory.hpp"

using namespace samara::desk;

namespace {

std::string refusal(const std::function<void()>& action)
{
    try {
        action();
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

void put(const std::string& path, const std::string& contents) { std::ofstream(path, std::ios::binary) << contents; }

std::vector<float> dense(const SparseRows& rows)
{
    std::vector<float> values(rows.rows() * rows.cols);
    make_dense(rows, 0, rows.rows(), values.data());
    return values;
}

std::string refused_libsvm(const std::string& text, std::size_t columns = 0)
{
    return refusal([&] { parse_libsvm(text, columns, "f"); });
}

std::string integers(const std::vector<std::int64_t>& values, std::size_t size = 4)
{
    std::string bytes;
    for (const std::int64_t value : values) {
        bytes += little_bytes(static_cast<std::uint64_t>(value), size);
    }
    return npy_file(size == 4 ? "<i4" : "<i8", "(" + std::to_string(values.size()) + ",)", bytes);
}

// [[0, 1.5, 0], [0, 0, 0], [-2, 0, 4]], the last row's columns not in order and one of them in two parts.
struct Csr {
    std::string indices = integers({1, 2, 0, 2});
    std::string indptr = integers({0, 1, 1, 4});
    std::string shape = integers({3, 3}, 8);
    std::string data = npy_file("<f4", "(4,)", std::string("\0\0\xc0\x3f\0\0\x40\x40\0\0\0\xc0\0\0\x80\x3f", 16));
    std::string format = npy_file("|S3", "()", "csr");

    std::vector<Entry> entries(bool compressed = true) const
    {
        return {{"indices.npy", indices, compressed},
                {"indptr.npy", indptr, compressed},
                {"format.npy", format, compressed},
                {"shape.npy", shape, compressed},
                {"data.npy", data, compressed}};
    }
};

const std::vector<float> csr_values = {0, 1.5f, 0, 0, 0, 0, -2, 0, 4};

using samara::test::MemoryLimit;

} // namespace

TEST_CASE("libsvm: labels, sparse values, comments and query numbers")
{
    const SparseTable table = parse_libsvm("# a comment alone\n"
                                           "+1 1:0.5 3:-2e1 # why\r\n"
                                           "\n"
                                           "-1\tqid:7  2:1 \n"
                                           "1\n"
                                           "2.5 3:1",
                                           0, "f");
    CHECK(table.labels == std::vector<std::string>{"1", "-1", "1", "2.5"});
    CHECK(table.inputs.rows() == 4);
    CHECK(table.inputs.cols == 3);
    CHECK(dense(table.inputs) == std::vector<float>{0.5f, 0, -20, 0, 1, 0, 0, 0, 0, 0, 0, 1});
    CHECK(parse_libsvm("1 2:1\n", 5, "f").inputs.cols == 5);
    const SparseTable bare = parse_libsvm("1:2\n2:3\n", 0, "f");
    CHECK(bare.labels.empty());
    CHECK(dense(bare.inputs) == std::vector<float>{2, 0, 0, 3});
}

TEST_CASE("libsvm: rows are made dense in pieces of any size")
{
    const SparseTable table = parse_libsvm("1 1:1\n1 2:2\n1 1:3 2:4\n", 0, "f");
    std::vector<float> two(4, 9.0f);
    make_dense(table.inputs, 1, 2, two.data());
    CHECK(two == std::vector<float>{0, 2, 3, 4});
}

TEST_CASE("libsvm: what is wrong is named with its line")
{
    CHECK(refused_libsvm("1 1:1\n1 0:2\n") == "f: line 2: found the index of '0:2', expected one from 1 to 1048576");
    CHECK(refused_libsvm("1 5:1 3:2\n") == "f: line 1: found the index 3 behind 5, expected ascending ones");
    CHECK(refused_libsvm("1 5:1 5:2\n").find("ascending") != std::string::npos);
    CHECK(refused_libsvm("1 -1:2\n").find("found '-1:2', expected index:value") != std::string::npos);
    CHECK(refused_libsvm("1 4:2\n", 3) == "f: line 1: found the index of '4:2', expected one from 1 to 3");
    CHECK(refused_libsvm("1 99999999999999999999:2\n").find("expected one from 1") != std::string::npos);
    CHECK(refused_libsvm("1 2000000:2\n").find("expected one from 1") != std::string::npos);
    CHECK(refused_libsvm("1 a:2\n").find("expected index:value") != std::string::npos);
    CHECK(refused_libsvm("1 3\n").find("found '3', expected index:value") != std::string::npos);
    CHECK(refused_libsvm("1 3:\n").find("a number behind the colon") != std::string::npos);
    CHECK(refused_libsvm("1 3:x\n").find("a number behind the colon") != std::string::npos);
    CHECK(refused_libsvm("1 3:1:2\n").find("a number behind the colon") != std::string::npos);
    CHECK(refused_libsvm("1 3:1e39\n").find("float32's range") != std::string::npos);
    CHECK(refused_libsvm("1,2 3:1\n") == "f: line 1: found the label '1,2', expected one number");
    CHECK(refused_libsvm("cat 3:1\n").find("found the label 'cat'") != std::string::npos);
    CHECK(refused_libsvm("1 3:1\n3:1\n") == "f: line 2: found no label, expected one as in the lines before");
    CHECK(refused_libsvm("3:1\n1 3:1\n") == "f: line 2: found a label, expected none, as in the lines before");
    for (const std::string text : {"1:1\n\n2:1\n", "1:1\n\n", "\n1:1\n", "1:1\n# zeros\n2:1\n", "# a\n \n1:1\n"}) {
        CAPTURE(text);
        CHECK(refused_libsvm(text).find("expected a label in front of every row") != std::string::npos);
    }
    CHECK(refused_libsvm("# a comment\n1:1\n2:1\n") == "accepted");
    CHECK(refused_libsvm("").find("found no line with values") != std::string::npos);
    CHECK(refused_libsvm("# nothing\n\n").find("found no line with values") != std::string::npos);
    CHECK(refused_libsvm("1\n2\n").find("found no index:value") != std::string::npos);
    const MemoryLimit limit(1000000);
    CHECK(refused_libsvm("1 1000000:1\n").find("of --most-memory") != std::string::npos);
    CHECK(refused_libsvm("1 1:1\n") == "accepted");
}

TEST_CASE("npz: a sparse matrix, stored and deflated, with sizes of 32 and of 64 bits, behind comments")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.npz");
    const auto read = [&] {
        const std::optional<SparseRows> rows = read_sparse_npz(path);
        REQUIRE(rows.has_value());
        CHECK(rows->rows() == 3);
        CHECK(rows->cols == 3);
        return dense(*rows);
    };
    Csr csr;
    put(path, zip_file(csr.entries()));
    CHECK(read() == csr_values);
    put(path, zip_file(csr.entries(false)));
    CHECK(read() == csr_values);
    std::vector<Entry> wide = csr.entries();
    for (Entry& entry : wide) {
        entry.zip64 = true;
    }
    put(path, zip_file(wide, "a comment with PK\x05\x06 in it", true));
    CHECK(read() == csr_values);
    // What newer versions of SciPy add; other types; the format as characters of four bytes.
    csr.indices = integers({1, 2, 0, 2}, 8);
    csr.indptr = npy_file(">u2", "(4,)", std::string("\0\0\0\1\0\1\0\4", 8));
    csr.data =
        npy_file("<f8", "(4,)",
                 std::string("\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\x08\x40\0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\xf0\x3f", 32));
    csr.format = npy_file("<U3", "()", std::string_view("c\0\0\0s\0\0\0r\0\0\0", 12));
    std::vector<Entry> more = csr.entries();
    more.push_back({"_is_array.npy", npy_file("|b1", "()", "\1")});
    put(path, zip_file(more));
    CHECK(read() == csr_values);
    const auto table = open_table(path);
    std::vector<float> last(3);
    table->read(2, 1, last.data());
    CHECK(last == std::vector<float>{-2, 0, 4});
    CHECK(read_matrix(path).values == csr_values);
}

TEST_CASE("npz: every lie of a sparse matrix is refused")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.npz");
    const auto refused = [&](const std::function<void(Csr&)>& change) {
        Csr csr;
        change(csr);
        put(path, zip_file(csr.entries()));
        const std::string message = refusal([&] { read_sparse_npz(path); });
        CHECK(message.starts_with(path + ": "));
        return message.substr(path.size() + 2);
    };
    CHECK(refused([](Csr& m) {
              m.indices = integers({1, 2, -1, 2});
          }) == "indices.npy: found the column -1, expected one from 0 to 2");
    CHECK(refused([](Csr& m) { m.indices = integers({1, 2, 3, 2}); }).starts_with("indices.npy: found the column 3"));
    CHECK(refused([](Csr& m) {
              m.indices = integers({1, 2, 0});
          }) == "indices.npy: found 3 values, expected 4 by the other arrays");
    CHECK(refused([](Csr& m) {
              m.indptr = integers({0, 2, 1, 4});
          }) == "indptr.npy: found the start 1 of row 3, expected ascending ones");
    CHECK(refused([](Csr& m) { m.indptr = integers({0, 1, 1, 5}); }).starts_with("indices.npy: found 4 values"));
    CHECK(refused([](Csr& m) {
              m.indptr = integers({1, 1, 1, 4});
          }) == "indptr.npy: found the start 1 of row 1, expected 0");
    CHECK(refused([](Csr& m) { m.indptr = integers({-1, 1, 1, 4}); }).starts_with("indptr.npy: found the start -1"));
    CHECK(refused([](Csr& m) {
              m.indptr = integers({0, 1, 4});
          }).starts_with("indptr.npy: found 3 values, expected 4"));
    CHECK(refused([](Csr& m) {
              m.indptr = integers({0, 1, 1, std::int64_t{1} << 62}, 8);
          }).find("ascending ones") != std::string::npos);
    CHECK(refused([](Csr& m) { m.shape = integers({-3, 3}, 8); }).starts_with("shape.npy: found no rows"));
    CHECK(refused([](Csr& m) { m.shape = integers({3, 0}, 8); }).starts_with("shape.npy: found no rows"));
    CHECK(refused([](Csr& m) { m.shape = integers({3}, 8); }).starts_with("shape.npy: found no rows"));
    CHECK(refused([](Csr& m) {
              m.shape = integers({std::int64_t{1} << 40, 3}, 8);
          }).starts_with("indptr.npy: found 4"));
    CHECK(refused([](Csr& m) {
              m.shape = integers({3, std::int64_t{1} << 40}, 8);
          }).find("columns, expected 1 to") != std::string::npos);
    CHECK(refused([](Csr& m) { m.data = npy_file("<f4", "(2, 2)", std::string(16, '\0')); }).find("one dimension") !=
          std::string::npos);
    CHECK(refused([](Csr& m) {
              m.indices = npy_file("<f4", "(4,)", std::string(16, '\0'));
          }).find("(floats), expected one dimension of integers") != std::string::npos);
    CHECK(refused([](Csr& m) { m.data = npy_file("<f4", "(3,)", std::string(12, '\0')); }).find("found 3 values") !=
          std::string::npos);
    CHECK(refused([](Csr& m) { m.data = npy_file("<f4", "(4,)", std::string(15, '\0')); }).find("truncated") !=
          std::string::npos);
    CHECK(refused([](Csr& m) { m.data = npy_file("<f4", "(4,)", std::string(17, '\0')); }).find("trailing") !=
          std::string::npos);
    CHECK(refused([](Csr& m) { m.data = npy_file("<f4", "(1000000000,)", std::string(16, '\0')); }).find("truncated") !=
          std::string::npos);
    CHECK(refused([](Csr& m) { m.format = npy_file("|S3", "()", "csc"); }) ==
          "found a sparse matrix of the format 'csc', expected 'csr' (in SciPy x.tocsr())");
    CHECK(refused([](Csr& m) { m.format = npy_file("|O", "()", "csc"); }).find("at most 3 letters") !=
          std::string::npos);
    Csr csr;
    std::vector<Entry> entries = csr.entries();
    entries.erase(entries.begin());
    put(path, zip_file(entries));
    CHECK(refusal([&] { read_sparse_npz(path); }).find("found no indices.npy") != std::string::npos);
}

TEST_CASE("npz: one array alone is read, several are named")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.npz");
    const std::string array = npy_file("|u1", "(2, 2)", "\1\2\3\4");
    put(path, zip_file({{"arr_0.npy", array, true}}));
    CHECK(read_matrix(path).values == std::vector<float>{1, 2, 3, 4});
    put(path, zip_file({{"a.npy", array}, {"b.npy", array}}));
    CHECK(refusal([&] { read_matrix(path); }).find("found 2 arrays ('a.npy, b.npy'), expected one") !=
          std::string::npos);
    put(path, zip_file({}));
    CHECK(refusal([&] { read_matrix(path); }).find("found 0 arrays, expected one") != std::string::npos);
    put(path + ".gz", "");
    CHECK(refusal([&] { read_matrix(path + ".gz"); }).find("expected it without .gz") != std::string::npos);
}

TEST_CASE("zip: lies of an archive are refused before memory is taken")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.npz");
    const auto refused = [&](const std::string& bytes) {
        put(path, bytes);
        return refusal([&] { read_matrix(path); });
    };
    const std::string array = npy_file("|u1", "(2, 2)", "\1\2\3\4");
    CHECK(refused("").find("an empty file") != std::string::npos);
    CHECK(refused("1,2\n").find("no end record") != std::string::npos);
    CHECK(refused(zip_file({{"a.npy", array, true, false, 1u << 30u}})).find("1073741824 bytes in") !=
          std::string::npos);
    CHECK(refused(zip_file({{"a.npy", array, false, false, 1u << 30u}})).find("1073741824 bytes in") !=
          std::string::npos);
    CHECK(refused(zip_file({{"a.npy", array, true, false, array.size() + 1}})).find("where the directory says") !=
          std::string::npos);
    CHECK(refused(zip_file({{"a.npy", array, true, false, array.size() - 1}})).find("more than the") !=
          std::string::npos);
    CHECK(refused(zip_file({{"a.npy", array, true, true, std::uint64_t{1} << 60u}})).find("bytes in") !=
          std::string::npos);
    Entry bad{"a.npy", array, true};
    bad.crc_change = 1;
    CHECK(refused(zip_file({bad})).find("another checksum") != std::string::npos);
    bad = {"a.npy", array, true};
    bad.flags = 1;
    CHECK(refused(zip_file({bad})).find("encrypted") != std::string::npos);
    bad = {"a.npy", array, true};
    bad.method_change = 4;
    CHECK(refused(zip_file({bad})).find("method 12") != std::string::npos);
    // A header that claims more than the archive can hold, and one that the limit does not allow.
    CHECK(refused(zip_file({{"a.npy", npy_file("|u1", "(1000000, 1000)", "\1"), true}})).find("truncated") !=
          std::string::npos);
    const std::string zeros = npy_file("|u1", "(4000, 1000)", std::string(4000000, '\0'));
    const MemoryLimit limit(3000000);
    CHECK(refused(zip_file({{"a.npy", zeros, true}})) ==
          path +
              ": found an array of 4000 rows of 1000 values, which takes 4 MB of memory, expected at most the 3 MB of "
              "--most-memory");
}

TEST_CASE("zip: every truncation and every flipped bit of an archive is read the same or refused")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.npz");
    Csr csr;
    const std::string good = zip_file(csr.entries());
    const auto read = [&](const std::string& bytes) -> std::vector<float> {
        put(path, bytes);
        try {
            const std::optional<SparseRows> rows = read_sparse_npz(path);
            return rows && rows->rows() * rows->cols < 100 ? dense(*rows) : std::vector<float>{};
        } catch (const BadInput&) {
            return {};
        }
    };
    for (std::size_t length = 0; length < good.size(); length += 3) {
        CHECK(read(good.substr(0, length)).empty());
    }
    std::size_t refused = 0, wrong = 0;
    for (std::size_t bit = 0; bit < 8 * good.size(); bit += 5) {
        std::string damaged = good;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        const std::vector<float> values = read(damaged);
        refused += values.empty() ? 1 : 0;
        wrong += !values.empty() && values != csr_values ? 1 : 0;
    }
    CHECK(wrong == 0);
    CHECK(refused > good.size() / 2);
}

TEST_CASE("gzip: an array is judged by its header before it is unpacked")
{
    const TemporaryDirectory directory;
    const auto refused = [&](const std::string& name, const std::string& contents) {
        put(directory.file(name), deflated(contents, 31));
        return refusal([&] { read_matrix(directory.file(name)); });
    };
    const std::string zeros(20000000, '\0');
    const MemoryLimit limit(1000000);
    CHECK(refused("a.npy.gz", zeros).find("expected the NPY signature") != std::string::npos);
    CHECK(refused("a.idx.gz", zeros).find("IDX element type 0") != std::string::npos);
    CHECK(refused("a.csv.gz", zeros).find("found a zero at byte 1, expected text") != std::string::npos);
    CHECK(refused("a.svm.gz", zeros).find("found a zero at byte 1, expected text") != std::string::npos);
    CHECK(refused("a.csv.gz", std::string(5000000, '1')).find("expected at most the 1 MB of --most-memory") !=
          std::string::npos);
    CHECK(refused("a.npy.gz", npy_file("<f4", "(1000, 1000)", std::string(4000000, '\0'))) ==
          directory.file("a.npy.gz") + ": found an array of 1000 rows of 1000 values, which takes 4 MB of memory, "
                                       "expected at most the 1 MB of --most-memory");
    CHECK(refused("a.npy.gz", npy_file("|u1", "(1000000000000, 3)", "\1")).find("3 TB of memory") != std::string::npos);
    CHECK(refused("a.npy.gz", npy_file("|u1", "(9000000000, 3000000000)", "\1")).find("64 bits can count") !=
          std::string::npos);
    CHECK(
        refused("a.npy.gz", npy_file("|u1", "(100, 1000)", "\1")).find("(truncated), expected an array of 100 rows") !=
        std::string::npos);
    CHECK(refused("a.npy.gz", npy_file("|u1", "(1, 2)", "\1\2\3")).find("trailing bytes") != std::string::npos);
    CHECK(refused("a.npy.gz", npy_file("|u1", "(1, 2)", "\1\2")) == "accepted");
    const std::string idx = std::string("\0\0\x08\x03", 4) + std::string("\0\0\0\2\0\0\0\1\0\0\0\2", 12);
    CHECK(refused("a.idx.gz", idx + "\1\2\3\4") == "accepted");
    CHECK(refused("a.idx.gz", idx + "\1\2\3").find("truncated") != std::string::npos);
    CHECK(refused("a.idx.gz", idx.substr(0, 6)).find("expected 4 more bytes") != std::string::npos);
    CHECK(refused("a.idx.gz", std::string("\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16))
              .find("2^60") != std::string::npos);
}

TEST_CASE("limits hold for files that are not compressed, too")
{
    const TemporaryDirectory directory;
    const std::string npy = directory.file("a.npy"), csv = directory.file("a.csv");
    put(npy, npy_file("|u1", "(1000, 1000)", std::string(1000000, '\1')));
    put(csv, std::string(3000000, '1'));
    const MemoryLimit limit(2000000);
    // The text fits; its numbers beside it do not.
    std::string ones;
    for (int i = 0; i < 400000; ++i) {
        ones += "1,2\n";
    }
    put(directory.file("b.csv"), ones);
    CHECK(refusal([&] {
              read_matrix(directory.file("b.csv"));
          }).find("a table of some 8e+05 cells, which takes 4.8 MB") != std::string::npos);
    put(directory.file("b.csv"), ones.substr(0, ones.size() / 4));
    CHECK(read_matrix(directory.file("b.csv")).rows == 100000);
    // As floats it is 4 MB; in pieces it is none.
    CHECK(refusal([&] { read_matrix(npy); }).find("takes 4 MB of memory, expected at most the 2 MB") !=
          std::string::npos);
    CHECK(open_table(npy)->rows() == 1000);
    CHECK(refusal([&] { read_matrix(csv); }).find("found a file to be read whole, which takes 3 MB") !=
          std::string::npos);
}
