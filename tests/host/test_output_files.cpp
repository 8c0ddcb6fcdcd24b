#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "ports/host/data/files.hpp"
#include "ports/host/data/output_file.hpp"
#include "ports/host/data/output_place.hpp"
#include "ports/host/text/error.hpp"
#include "tests/host/temporary_directory.hpp"

namespace {

namespace fs = std::filesystem;
using samara::desk::BadInput;
using samara::desk::NamedFile;
using samara::desk::place_of;
using samara::desk::read_file;
using samara::desk::require_distinct;
using samara::desk::write_file;

void put(const std::string& path, const std::string& contents) { std::ofstream(path, std::ios::binary) << contents; }

void write_text(const std::string& path, const std::string& text)
{
    write_file(path, [&](std::ostream& out) { out << text; });
}

std::string refusal(const std::function<void()>& action)
{
    try {
        action();
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

mode_t mode_of(const std::string& path)
{
    struct stat found {};
    ::stat(path.c_str(), &found);
    return found.st_mode & 07777u;
}

// How a child that does `action` ends, as waitpid says.
int end_of_child(const std::function<void()>& action)
{
    // What is in buffers must not be written twice.
    std::cout.flush();
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        action();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

} // namespace

TEST_CASE("output files: a link stays a link, and what it points to is replaced")
{
    const TemporaryDirectory directory;
    fs::create_directory(directory.file("far"));
    const std::string target = directory.file("far/target.csv");
    put(target, "older");
    fs::create_symlink("far/target.csv", directory.file("near.csv"));
    fs::create_symlink(directory.file("near.csv"), directory.file("second.csv"));
    fs::create_symlink("far/new.csv", directory.file("dangling.csv"));
    write_text(directory.file("second.csv"), "newer");
    CHECK(read_file(target) == "newer");
    write_text(directory.file("dangling.csv"), "made");
    CHECK(read_file(directory.file("far/new.csv")) == "made");
    for (const char* link : {"near.csv", "second.csv", "dangling.csv"}) {
        CHECK(fs::is_symlink(directory.file(link)));
    }
    // A failure leaves the older contents, and no temporary on either side.
    CHECK_THROWS_AS(write_file(directory.file("near.csv"), [](std::ostream&) { throw BadInput("stopped"); }), BadInput);
    CHECK(read_file(target) == "newer");
    CHECK(directory.entries() == 4);
    CHECK(std::distance(fs::directory_iterator(directory.file("far")), fs::directory_iterator()) == 2);
    fs::create_symlink("loop.csv", directory.file("loop.csv"));
    CHECK(refusal([&] { write_text(directory.file("loop.csv"), "x"); }).find("cannot follow the links") !=
          std::string::npos);
}

TEST_CASE("output files: a file that is replaced keeps its mode, a new one has the usual one")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("a.bin");
    for (const mode_t mode : {0600u, 0640u, 0666u, 0755u, 0444u}) {
        CAPTURE(mode);
        put(path, "older");
        ::chmod(path.c_str(), mode);
        write_text(path, "newer");
        CHECK(mode_of(path) == mode);
        CHECK(read_file(path) == "newer");
        ::chmod(path.c_str(), 0600);
    }
    const mode_t mask = ::umask(022);
    write_text(directory.file("new.bin"), "x");
    ::umask(mask);
    CHECK(mode_of(directory.file("new.bin")) == 0644u);
}

TEST_CASE("output files: pipes and devices are written to and stay")
{
    const TemporaryDirectory directory;
    const std::string path = directory.file("pipe");
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    write_text(path, "through");
    char text[16] = {};
    CHECK(::read(reader, text, sizeof text) == 7);
    ::close(reader);
    CHECK(std::string(text) == "through");
    CHECK(fs::is_fifo(path));
    CHECK(directory.entries() == 1);
    if (fs::exists("/dev/null")) {
        write_text("/dev/null", "gone");
        CHECK_FALSE(fs::is_regular_file("/dev/null"));
        CHECK(samara::desk::output_format("/dev/null") == samara::desk::TableFormat::csv);
    }
}

TEST_CASE("output files: /dev/stdout is written to where it stands, also where it is a file")
{
    if (!fs::exists("/dev/stdout")) {
        return;
    }
    const TemporaryDirectory directory;
    const std::string path = directory.file("out");
    put(path, "before ");
    struct stat before {};
    ::stat(path.c_str(), &before);
    const int status = end_of_child([&] {
        const int file = ::open(path.c_str(), O_WRONLY | O_APPEND);
        ::dup2(file, STDOUT_FILENO);
        for (const char* name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"}) {
            write_text(name, "x");
        }
    });
    CHECK(status == 0);
    CHECK(read_file(path) == "before xxxx");
    struct stat after {};
    ::stat(path.c_str(), &after);
    CHECK(before.st_ino == after.st_ino);
    CHECK(place_of("/dev/stdout").descriptor == STDOUT_FILENO);
    CHECK(place_of("/dev/fd/17").descriptor == 17);
    CHECK(place_of("/dev/fd/x").descriptor == -1);
}

TEST_CASE("output files: signals that end the program leave no temporary")
{
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ}) {
        CAPTURE(number);
        const TemporaryDirectory directory;
        const std::string path = directory.file("a.bin");
        put(path, "older");
        const int status = end_of_child([&] {
            std::signal(number, SIG_DFL);
            write_file(path, [&](std::ostream& out) {
                out << "half" << std::flush;
                ::raise(number);
            });
        });
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == number);
        CHECK(read_file(path) == "older");
        CHECK(directory.entries() == 1);
    }
    // The system's own: a file that grows beyond the limit.
    const TemporaryDirectory directory;
    const int status = end_of_child([&] {
        std::signal(SIGXFSZ, SIG_DFL);
        const rlimit limit{4096, 4096};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        write_text(directory.file("a.bin"), std::string(200000, 'x'));
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGXFSZ);
    CHECK(directory.entries() == 0);
}

TEST_CASE("output files: what was ignored stays ignored, and handlers are put back")
{
    const TemporaryDirectory directory;
    const int status = end_of_child([&] {
        std::signal(SIGHUP, SIG_IGN);
        std::signal(SIGQUIT, SIG_DFL); // a test in the background may have it ignored
        write_file(directory.file("a.bin"), [&](std::ostream& out) {
            ::raise(SIGHUP);
            out << "whole";
        });
        struct sigaction action {};
        ::sigaction(SIGHUP, nullptr, &action);
        const bool ignored = action.sa_handler == SIG_IGN;
        ::sigaction(SIGQUIT, nullptr, &action);
        ::_exit(ignored && action.sa_handler == SIG_DFL ? 0 : 1);
    });
    CHECK(status == 0);
    CHECK(read_file(directory.file("a.bin")) == "whole");
}

TEST_CASE("output files: no result is written over data or over another result, whatever they are called")
{
    const TemporaryDirectory directory;
    const std::string x = directory.file("x.csv"), y = directory.file("y.csv"), none = directory.file("none.csv");
    put(x, "1\n");
    put(y, "2\n");
    fs::create_symlink("x.csv", directory.file("soft.csv"));
    fs::create_hard_link(x, directory.file("hard.csv"));
    fs::create_symlink("none.csv", directory.file("dangling.csv"));
    const std::string dotted = directory.file("./x.csv");
    for (const std::string& out : {x, dotted, directory.file("soft.csv"), directory.file("hard.csv")}) {
        CHECK(refusal([&] {
                  require_distinct({{"--in", y}, {"--target", x}}, {{"--out", out}});
              }) == "--out " + out + ": found the same file as --target " + x +
                        ", expected another one, because the data would be lost");
    }
    for (const auto& [first, second] :
         {std::pair(x, directory.file("hard.csv")), std::pair(none, none),
          std::pair(none, directory.file("./none.csv")), std::pair(none, directory.file("dangling.csv")),
          std::pair(std::string("-"), std::string("-"))}) {
        const std::string message = refusal([&] { require_distinct({}, {{"--out", first}, {"--state-out", second}}); });
        CHECK(message == "--state-out " + second + ": found the same file as --out " + first +
                             ", expected another one, because one of them would be lost");
    }
    CHECK_NOTHROW(require_distinct({{"--in", x}, {"--target", x}}, {{"--out", y}, {"--state-out", none}}));
    CHECK_NOTHROW(require_distinct({{"--in", "/dev/null"}}, {{"--out", "/dev/null"}, {"--state-out", "/dev/null"}}));
    CHECK_NOTHROW(require_distinct({{"--target", "column:-1"}}, {{"--out", "column:-1"}}));
    // Standard output that was sent to the data.
    const int status = end_of_child([&] {
        const int file = ::open(x.c_str(), O_WRONLY | O_APPEND);
        ::dup2(file, STDOUT_FILENO);
        const bool printed = refusal([&] {
                                 require_distinct({{"--in", x}}, {});
                             }).starts_with("standard output: found");
        const bool asked = refusal([&] { require_distinct({{"--in", x}}, {{"--out", "-"}}); }).starts_with("--out -:");
        ::_exit(printed && asked ? 0 : 1);
    });
    CHECK(status == 0);
}
