#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ports/host/data/npy.hpp"
#include "ports/host/text/error.hpp"

namespace {

using samara::desk::BadInput;
using samara::desk::Matrix;
using samara::desk::MatrixD;
using samara::desk::MatrixF;

constexpr std::string_view two_bytes("\x01\x02", 2);

// A file as another program might write it, header unpadded.
std::string npy_bytes(int version, const std::string& header, std::string_view data)
{
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    for (std::size_t index = 0; index < length_bytes; ++index) {
        bytes += static_cast<char>((header.size() >> (8 * index)) & 255u);
    }
    return bytes + header + std::string(data);
}

std::string dictionary(const std::string& descr, const std::string& shape, bool fortran_order = false)
{
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + shape +
           ", }\n";
}

MatrixF read(const std::string& bytes)
{
    std::istringstream in(bytes);
    return samara::desk::read_npy_f32(in, "a.npy");
}

MatrixF read(const std::string& descr, const std::string& shape, std::string_view data)
{
    return read(npy_bytes(1, dictionary(descr, shape), data));
}

std::string refusal(const std::string& bytes)
{
    try {
        read(bytes);
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

std::string refusal_of_header(const std::string& header, std::string_view data = two_bytes)
{
    return refusal(npy_bytes(1, header, data));
}

template <typename T>
std::string written(const Matrix<T>& matrix)
{
    std::ostringstream out;
    samara::desk::write_npy(out, matrix);
    return out.str();
}

} // namespace

TEST_CASE("npy: float32 survives the round trip bit for bit")
{
    const float infinity = std::numeric_limits<float>::infinity();
    const MatrixF matrix(2, 3, {1.0f, -0.0f, 1e-45f, 3.4028235e38f, -infinity, 0.1f});
    const MatrixF back = read(written(matrix));
    CHECK(back.rows == 2);
    CHECK(back.cols == 3);
    CHECK(back.values == matrix.values);
    CHECK(std::signbit(back.row(0)[1]));
}

TEST_CASE("npy: a matrix longer than one block survives the round trip")
{
    MatrixF matrix(701, 53);
    for (std::size_t index = 0; index < matrix.values.size(); ++index) {
        matrix.values[index] = static_cast<float>(index) * 0.37f;
    }
    CHECK(read(written(matrix)).values == matrix.values);
}

TEST_CASE("npy: the writer pads its header so that data start at a multiple of 64")
{
    for (const std::size_t rows : {1u, 9u, 10u, 99u, 100u, 12345u}) {
        const MatrixD matrix(rows, 1);
        const std::string bytes = written(matrix);
        CHECK((bytes.size() - rows * sizeof(double)) % 64 == 0);
        CHECK(bytes[bytes.size() - rows * sizeof(double) - 1] == '\n');
    }
    const std::string one = written(MatrixD(1, 1, {1.0}));
    CHECK(one.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    CHECK(one.find("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }") == 10);
    CHECK(one.substr(one.size() - 8) == std::string("\0\0\0\0\0\0\xf0\x3f", 8));
}

TEST_CASE("npy: versions 1, 2 and 3 are read and others refused")
{
    const std::string header = dictionary("|u1", "(1, 2)");
    for (const int version : {1, 2, 3}) {
        const MatrixF matrix = read(npy_bytes(version, header, two_bytes));
        CHECK(matrix.cols == 2);
        CHECK(matrix.values == std::vector<float>{1.0f, 2.0f});
    }
    CHECK(refusal(npy_bytes(4, header, two_bytes)) == "a.npy: found NPY format version 4.0, expected 1.0, 2.0 or 3.0");
    CHECK(refusal(npy_bytes(0, header, two_bytes)).find("version 0.0") != std::string::npos);
}

TEST_CASE("npy: every accepted element type, in both byte orders")
{
    CHECK(read("|b1", "(1, 2)", std::string_view("\0\1", 2)).values == std::vector<float>{0.0f, 1.0f});
    CHECK(read("|i1", "(1, 2)", "\xff\x7f").values == std::vector<float>{-1.0f, 127.0f});
    CHECK(read("<u2", "(1, 1)", two_bytes).values[0] == 513.0f);
    CHECK(read(">u2", "(1, 1)", two_bytes).values[0] == 258.0f);
    CHECK(read(">i2", "(1, 1)", "\xff\xfe").values[0] == -2.0f);
    CHECK(read("<i4", "(1, 1)", "\xfd\xff\xff\xff").values[0] == -3.0f);
    CHECK(read("<u4", "(1, 1)", "\xff\xff\xff\xff").values[0] == 4294967296.0f);
    CHECK(read(">i8", "(1, 1)", std::string_view("\x80\0\0\0\0\0\0\0", 8)).values[0] == -9223372036854775808.0f);
    CHECK(read("<u8", "(1, 1)", std::string_view("\0\0\0\0\0\0\0\x80", 8)).values[0] == 9223372036854775808.0f);
    CHECK(read(">f4", "(1, 1)", std::string_view("\xc0\x20\0\0", 4)).values[0] == -2.5f);
    CHECK(read("<f8", "(1, 1)", std::string_view("\0\0\0\0\0\0\x04\xc0", 8)).values[0] == -2.5f);
    CHECK(read(">f8", "(1, 1)", std::string_view("\xc0\x04\0\0\0\0\0\0", 8)).values[0] == -2.5f);
    // Half precision: one, the smallest subnormal, the largest, infinity.
    const MatrixF halves = read("<f2", "(1, 4)", std::string_view("\x00\x3c\x01\x80\xff\x7b\x00\xfc", 8));
    CHECK(halves.values[0] == 1.0f);
    CHECK(halves.values[1] == -std::ldexp(1.0f, -24));
    CHECK(halves.values[2] == 65504.0f);
    CHECK(halves.values[3] == -std::numeric_limits<float>::infinity());
}

TEST_CASE("npy: a float64 beyond float32 and a NaN are passed on for the caller to judge")
{
    const double big = 1e300;
    const MatrixF matrix = read(written(MatrixD(1, 2, {-big, std::nan("")})));
    CHECK(matrix.values[0] == -std::numeric_limits<float>::infinity());
    CHECK(std::isnan(matrix.values[1]));
}

TEST_CASE("npy: Fortran order is turned to rows")
{
    const std::string header = dictionary("|u1", "(2, 3)", true);
    const MatrixF matrix = read(npy_bytes(1, header, "\x01\x04\x02\x05\x03\x06"));
    CHECK(matrix.rows == 2);
    CHECK(matrix.values == std::vector<float>{1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
}

TEST_CASE("npy: Fortran order of every shape, longer than a piece and wider than one, gives the rows of C order")
{
    // (3, 2, 4) in both orders: a row holds its values with the last dimension's next to each other.
    std::string c_order, fortran;
    for (int i = 0; i < 24; ++i) {
        c_order += static_cast<char>(i);
    }
    for (int k = 0; k < 4; ++k) {
        for (int j = 0; j < 2; ++j) {
            for (int i = 0; i < 3; ++i) {
                fortran += static_cast<char>(8 * i + 4 * j + k);
            }
        }
    }
    const MatrixF images = read(npy_bytes(1, dictionary("|u1", "(3, 2, 4)"), c_order));
    CHECK(images.rows == 3);
    CHECK(images.cols == 8);
    CHECK(images.row(2)[7] == 23.0f);
    CHECK(read(npy_bytes(1, dictionary("|u1", "(3, 2, 4)", true), fortran)).values == images.values);
    // Two million values: more than are turned at once, of few and of many rows.
    for (const std::size_t rows : {std::size_t{2}, std::size_t{700000}}) {
        const std::size_t cols = 2100000 / rows;
        std::string by_columns;
        for (std::size_t j = 0; j < cols; ++j) {
            for (std::size_t i = 0; i < rows; ++i) {
                by_columns += static_cast<char>((i * 7 + j * 3) % 251);
            }
        }
        const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
        const MatrixF turned = read(npy_bytes(1, dictionary("|u1", shape, true), by_columns));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < cols; ++j) {
                wrong += turned.row(i)[j] == static_cast<float>((i * 7 + j * 3) % 251) ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("npy: Fortran order is read in few pieces, not one a column")
{
    // Counts what is asked of the stream: a seek a column made two rows of a million columns 300 times as slow.
    class CountingBuffer : public std::stringbuf {
    public:
        using std::stringbuf::stringbuf;
        std::size_t seeks = 0;

    protected:
        pos_type seekoff(off_type offset, std::ios_base::seekdir way, std::ios_base::openmode which) override
        {
            ++seeks;
            return std::stringbuf::seekoff(offset, way, which);
        }
        pos_type seekpos(pos_type place, std::ios_base::openmode which) override
        {
            ++seeks;
            return std::stringbuf::seekpos(place, which);
        }
    };
    CountingBuffer buffer(npy_bytes(1, dictionary("|u1", "(2, 50000)", true), std::string(100000, '\1')));
    std::istream in(&buffer);
    CHECK(samara::desk::read_npy_f32(in, "a.npy").cols == 50000);
    CHECK(buffer.seeks < 10);
}

TEST_CASE("npy: one dimension becomes a column")
{
    const MatrixF matrix = read("|u1", "(2,)", two_bytes);
    CHECK(matrix.rows == 2);
    CHECK(matrix.cols == 1);
    CHECK(read(npy_bytes(1, dictionary("|u1", "(2,)", true), two_bytes)).values == matrix.values);
}

TEST_CASE("npy: the header's dictionary may be written in other ways")
{
    const std::string other = "{\"shape\": ( 1L , 2L ) ,'fortran_order':False,\"descr\":'|u1'}   ";
    CHECK(read(npy_bytes(1, other, two_bytes)).cols == 2);
}

TEST_CASE("npy: other numbers of dimensions and empty arrays are refused with the shape")
{
    const std::string expected = ", expected one to four dimensions, the first of which counts rows";
    CHECK(refusal_of_header(dictionary("|u1", "()")) == "a.npy: found an array of shape '()'" + expected);
    CHECK(refusal_of_header(dictionary("|u1", "(1, 1, 1, 1, 2)")) ==
          "a.npy: found an array of shape '(1, 1, 1, 1, 2)'" + expected);
    CHECK(refusal_of_header(dictionary("|u1", "(2, 0, 3, 1)"), "").find("at least one value") != std::string::npos);
    CHECK(refusal_of_header(dictionary("|u1", "(0, 7)"), "") ==
          "a.npy: found an array of shape '(0, 7)', expected at least one value");
    CHECK(refusal_of_header(dictionary("|u1", "(18446744073709551615, 0)"), "").find("at least one value") !=
          std::string::npos);
}

TEST_CASE("npy: other dtypes are refused by name")
{
    for (const std::string descr : {"|O", "<c8", "<c16", "<f16", "<U3", "|S2", "<M8[ns]", "|V2", "f4", "", "<", "<f"}) {
        CAPTURE(descr);
        const std::string message = refusal_of_header(dictionary(descr, "(1, 2)"));
        CHECK(message.starts_with("a.npy: found dtype '" + descr + "', expected bool"));
    }
    const std::string structured = "{'descr': [('x', '<f4'), ('y', '<f4')], 'fortran_order': False, 'shape': (1,), }";
    const std::string message = refusal_of_header(structured);
    CHECK(message.starts_with("a.npy: found the structured dtype '[('x', '<f4'), ('y', '<f4')]"));
}

TEST_CASE("npy: the claimed size is held against the file before anything is allocated")
{
    CHECK(refusal_of_header(dictionary("<f4", "(4000000000, 4000000000)")).find("64000000000000000000") ==
          std::string::npos);
    CHECK(refusal_of_header(dictionary("<f4", "(4000000000, 4000000000)")) ==
          "a.npy: found 2 bytes of data, expected more than 64 bits can count for shape "
          "'(4000000000, 4000000000)'");
    CHECK(refusal_of_header(dictionary("|u1", "(1000000000, 1000000)")) ==
          "a.npy: found 2 bytes of data (truncated), expected 1000000000000000 for shape "
          "'(1000000000, 1000000)' and dtype '|u1'");
    CHECK(refusal_of_header(dictionary("|u1", "(1, 1)")) ==
          "a.npy: found 2 bytes of data (trailing bytes), expected 1 for shape '(1, 1)' and dtype '|u1'");
    CHECK(refusal_of_header(dictionary("|u1", "(99999999999999999999, 1)")).find("a dimension that fits 64 bits") !=
          std::string::npos);
    const std::string trillion = refusal_of_header(dictionary("<f8", "(1000000000000, 1)"));
    CHECK(trillion.find("found 2 bytes of data (truncated), expected 8000000000000") != std::string::npos);
    CHECK(refusal_of_header(dictionary("|u1", "(-1, 1)")).find("found '-1, 1)") != std::string::npos);
}

TEST_CASE("npy: a stream that cannot seek gives the same layout")
{
    const std::string bytes = npy_bytes(2, dictionary("<f4", "(3, 2, 4)"), std::string(96, '\0'));
    std::istringstream in(bytes);
    const samara::desk::ArrayLayout layout = samara::desk::npy_layout(in, samara::desk::unknown_size, "a.npy");
    CHECK(layout.rows == 3);
    CHECK(layout.cols == 8);
    CHECK(layout.row_shape == std::vector<std::uint64_t>{2, 4});
    CHECK(layout.offset == bytes.size() - 96);
    CHECK(static_cast<std::uint64_t>(in.tellg()) == layout.offset);
}

TEST_CASE("npy: words without dimensions")
{
    const auto word = [](const std::string& descr, std::string_view data, const std::string& shape = "()") {
        std::istringstream in(npy_bytes(1, dictionary(descr, shape), data));
        try {
            return samara::desk::npy_word(in, "a.npy");
        } catch (const BadInput& problem) {
            return std::string(problem.what());
        }
    };
    CHECK(word("|S3", "csr") == "csr");
    CHECK(word("<U3", std::string_view("c\0\0\0s\0\0\0c\0\0\0", 12)) == "csc");
    CHECK(word(">U1", std::string_view("\0\0\0x", 4)) == "x");
    CHECK(word("|S3", "cs").find("3 more bytes") != std::string::npos);
    CHECK(word("|S9", "csrcsrcsr").find("at most 3 letters") != std::string::npos);
    CHECK(word("<f4", "csr!").find("at most 3 letters") != std::string::npos);
    CHECK(word("|S3", "csr", "(1,)").find("at most 3 letters") != std::string::npos);
}

TEST_CASE("npy: malformed headers are refused")
{
    CHECK(refusal_of_header("{'descr': '|u1', 'fortran_order': False}") ==
          "a.npy: malformed NPY header: found no key 'shape', expected 'descr', 'fortran_order' and 'shape'");
    CHECK(refusal_of_header("{'fortran_order': False, 'shape': (2,)}").find("no key 'descr'") != std::string::npos);
    CHECK(refusal_of_header("{'descr': '|u1', 'shape': (2,)}").find("no key 'fortran_order'") != std::string::npos);
    CHECK(refusal_of_header("{'descr': '|u1', 'descr': '|u1'}").find("key 'descr'") != std::string::npos);
    CHECK(refusal_of_header("{'color': 'red'}").find("key 'color'") != std::string::npos);
    CHECK(refusal_of_header("").find("found the end of the header, expected '{'") != std::string::npos);
    CHECK(refusal_of_header("{'descr").find("a closing quote") != std::string::npos);
    CHECK(refusal_of_header("{'fortran_order': Maybe}").find("True or False") != std::string::npos);
    CHECK(refusal_of_header("{'shape': (2 3)}").find("',' or ')'") != std::string::npos);
    CHECK(refusal_of_header("{'shape': (2)}").find("a tuple") != std::string::npos);
    CHECK(refusal_of_header("{'shape': (").find("a dimension") != std::string::npos);
    CHECK(refusal_of_header(dictionary("|u1", "(2,)") + "x").find("nothing after") != std::string::npos);
}

TEST_CASE("npy: files that are not NPY or end early are refused")
{
    CHECK(refusal("") == "a.npy: found an empty file, expected the NPY signature");
    CHECK(refusal("PK\x03\x04") == "a.npy: found 'PK\\x03\\x04', expected the NPY signature");
    CHECK(refusal("\x93NUM").find("expected the NPY signature") != std::string::npos);
    CHECK(refusal("\x93NUMPY") == "a.npy: found a truncated NPY file of 6 bytes, expected at least 12");
    CHECK(refusal(std::string("\x93NUMPY\x01\x00\x08", 9)).find("at least 10") != std::string::npos);
    CHECK(refusal(std::string("\x93NUMPY\x01\x00\x08\x00{}", 12)) ==
          "a.npy: found a claimed NPY header of 8 bytes, expected at most 2");
    CHECK(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)) ==
          "a.npy: found a claimed NPY header of 4294967295 bytes, expected at most 2");
}

TEST_CASE("npy: every truncation and every flipped byte is either read or refused, nothing else")
{
    const std::string good = written(MatrixF(2, 2, {1.0f, 2.0f, 3.0f, 4.0f}));
    for (std::size_t length = 0; length < good.size(); ++length) {
        CAPTURE(length);
        CHECK_THROWS_AS(read(good.substr(0, length)), BadInput);
    }
    for (std::size_t place = 0; place < good.size(); ++place) {
        for (const unsigned flip : {0x01u, 0x10u, 0x80u}) {
            std::string bad = good;
            bad[place] = static_cast<char>(static_cast<unsigned char>(bad[place]) ^ flip);
            CAPTURE(place);
            CHECK_NOTHROW(refusal(bad));
        }
    }
}
