#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/data_file.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "tests/host/temporary_directory.hpp"

namespace {

namespace fs = std::filesystem;
using samara::desk::BadInput;
using samara::desk::MatrixD;
using samara::desk::MatrixF;
using samara::desk::read_file;
using samara::desk::read_matrix;
using samara::desk::require_finite;
using samara::desk::write_file;
using samara::desk::write_matrix;

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

// Standard output goes to `path` while this lives.
class RedirectedOutput {
public:
    explicit RedirectedOutput(const std::string& path)
    {
        std::fflush(stdout);
        saved_ = ::dup(STDOUT_FILENO);
        const int target = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
        ::dup2(target, STDOUT_FILENO);
        ::close(target);
    }
    RedirectedOutput(const RedirectedOutput&) = delete;
    RedirectedOutput& operator=(const RedirectedOutput&) = delete;
    ~RedirectedOutput()
    {
        ::dup2(saved_, STDOUT_FILENO);
        ::close(saved_);
    }

private:
    int saved_ = -1;
};

// Writes fail beyond this many bytes while this lives, as they do on a full disk.
class LimitedFileSize {
public:
    explicit LimitedFileSize(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &saved_);
        rlimit limit = saved_;
        limit.rlim_cur = bytes;
        previous_ = std::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    LimitedFileSize(const LimitedFileSize&) = delete;
    LimitedFileSize& operator=(const LimitedFileSize&) = delete;
    ~LimitedFileSize()
    {
        ::setrlimit(RLIMIT_FSIZE, &saved_);
        std::signal(SIGXFSZ, previous_);
    }

private:
    rlimit saved_{};
    void (*previous_)(int) = SIG_DFL;
};

} // namespace

TEST_CASE("files: both formats survive the round trip and leave nothing else behind")
{
    const TemporaryDirectory directory;
    MatrixF matrix(300, 200);
    for (std::size_t index = 0; index < matrix.values.size(); ++index) {
        matrix.values[index] = static_cast<float>(index) / 7.0f - 1000.0f;
    }
    for (const std::string name : {"a.npy", "a.csv", "B.NPY", "B.Csv"}) {
        CAPTURE(name);
        write_matrix(directory.file(name), matrix);
        const MatrixF back = read_matrix(directory.file(name));
        CHECK(back.rows == matrix.rows);
        CHECK(back.cols == matrix.cols);
        CHECK(back.values == matrix.values);
    }
    CHECK(directory.entries() == 4);
    CHECK(read_file(directory.file("B.NPY")).starts_with("\x93NUMPY"));

    write_matrix(directory.file("d.npy"), MatrixD(1, 2, {0.25, -3.0}));
    CHECK(read_matrix(directory.file("d.npy")).values == std::vector<float>{0.25f, -3.0f});
}

TEST_CASE("files: an older file is replaced whole")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("a.csv");
    put(path, std::string(5000, '7'));
    write_matrix(path, MatrixF(1, 1, {2.0f}));
    CHECK(read_file(path) == "2\n");
    CHECK(directory.entries() == 1);
}

TEST_CASE("files: other suffixes are refused in both directions, before anything is touched")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("a.txt");
    CHECK(
        refusal([&] { read_matrix(path); }).starts_with(path + ": found the name 'a.txt', expected one that ends in"));
    CHECK(refusal([&] { write_matrix(path, MatrixF(1, 1)); }).find("'.txt'") != std::string::npos);
    CHECK(refusal([&] { read_matrix("table"); }).starts_with("table: found the name 'table', expected one that ends"));
    CHECK(refusal([&] { write_matrix(directory.file("table"), MatrixF(1, 1)); }).find("found no suffix") !=
          std::string::npos);
    CHECK(directory.entries() == 0);
}

TEST_CASE("files: missing files and directories are refused with the path")
{
    const TemporaryDirectory directory;
    for (const std::string name : {"none.csv", "none.npy"}) {
        const std::string path = directory.file(name);
        CHECK(refusal([&] { read_matrix(path); }) == path + ": cannot open for reading: No such file or directory");
    }
    for (const std::string name : {"folder.csv", "folder.npy"}) {
        const std::string path = directory.file(name);
        fs::create_directory(path);
        CHECK(refusal([&] { read_matrix(path); }) == path + ": found a directory, expected a file");
        const std::string message = refusal([&] { write_matrix(path, MatrixF(1, 1)); });
        CHECK(message.starts_with(path + ": cannot put the finished file in place: "));
    }
    CHECK(directory.entries() == 2);
    const std::string inside = directory.file("none/a.csv");
    CHECK(refusal([&] { write_matrix(inside, MatrixF(1, 1)); }) ==
          inside + ": cannot open for writing: No such file or directory");
}

TEST_CASE("files: a lack of permission is named")
{
    // The superuser is refused nothing.
    if (::geteuid() != 0) {
        const TemporaryDirectory directory;
        const std::string path = directory.file("a.csv");
        put(path, "1\n");
        fs::permissions(path, fs::perms::none);
        CHECK(refusal([&] { read_matrix(path); }) == path + ": cannot open for reading: Permission denied");
    }
}

TEST_CASE("files: a write that fails half way leaves the older file and no temporary")
{
    const TemporaryDirectory directory;
    const MatrixF matrix(100, 1000);
    for (const std::string name : {"a.npy", "a.csv"}) {
        CAPTURE(name);
        const std::string path = directory.file(name);
        put(path, "older");
        std::string message;
        {
            const LimitedFileSize limit(4096);
            message = refusal([&] { write_matrix(path, matrix); });
        }
        CHECK(message == path + ": cannot write: File too large");
        CHECK(read_file(path) == "older");
    }
    CHECK(directory.entries() == 2);
}

TEST_CASE("files: a failure of the body passes through and leaves nothing")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("a.bin");
    CHECK_THROWS_AS(write_file(path,
                               [](std::ostream& out) {
                                   out << "half";
                                   throw std::logic_error("stopped");
                               }),
                    std::logic_error);
    CHECK(directory.entries() == 0);
    CHECK(refusal([&] {
              write_file(path, [](std::ostream& out) { out.setstate(std::ios::failbit); });
          }).starts_with(path + ": cannot write: "));
    CHECK(directory.entries() == 0);
}

TEST_CASE("files: a leftover temporary of a dead process is no obstacle and a link there is not followed")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("a.csv");
    put(directory.file("victim"), "untouched");
    fs::create_symlink(directory.file("victim"), path + ".part" + std::to_string(::getpid()));
    write_matrix(path, MatrixF(1, 1, {3.0f}));
    CHECK(read_file(path) == "3\n");
    CHECK(read_file(directory.file("victim")) == "untouched");
    CHECK(directory.entries() == 2);
}

TEST_CASE("files: a dash writes CSV to standard output")
{
    const TemporaryDirectory directory;
    {
        const RedirectedOutput output(directory.file("out"));
        write_matrix("-", MatrixF(2, 1, {1.0f, 0.5f}));
    }
    CHECK(read_file(directory.file("out")) == "1\n0.5\n");
}

TEST_CASE("files: a full disk is reported")
{
    if (fs::exists("/dev/full")) {
        std::string message;
        {
            const RedirectedOutput output("/dev/full");
            message = refusal([] { write_matrix("-", MatrixF(1, 1, {1.0f})); });
        }
        CHECK(message == "standard output: cannot write: No space left on device");
    }
}

TEST_CASE("files: require_finite names the first bad place, counted from 1")
{
    MatrixF matrix(3, 2, {1.0f, -1099511627776.0f, 1099511627776.0f, 4.0f, 5.0f, 6.0f});
    CHECK_NOTHROW(require_finite(matrix, "a.csv"));
    matrix.values[5] = std::nanf("");
    CHECK(refusal([&] { require_finite(matrix, "a.csv"); }) ==
          "a.csv: row 3, column 2: found nan, expected a finite number");
    matrix.values[4] = -std::numeric_limits<float>::infinity();
    CHECK(refusal([&] { require_finite(matrix, "a.csv"); }) ==
          "a.csv: row 3, column 1: found -inf, expected a finite number");
    matrix.values[1] = -std::nextafter(1099511627776.0f, 2e12f);
    CHECK(refusal([&] { require_finite(matrix, "a.csv"); }).find("row 1, column 2: found -1099511") !=
          std::string::npos);
    CHECK(refusal([&] { require_finite(matrix, "a.csv"); }).find("2^40") != std::string::npos);
}
