#include "ports/host/data/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <streambuf>
#include <system_error>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/npy.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

enum class Format { npy, csv };

[[noreturn]] void fail(const std::string& path, const std::string& what, int code)
{
    throw BadInput(path + ": cannot " + what + ": " + std::generic_category().message(code));
}

Format format_of(const std::string& path)
{
    const std::string suffix = std::filesystem::path(path).extension().string();
    std::string lower = suffix;
    for (char& letter : lower) {
        if (letter >= 'A' && letter <= 'Z') {
            letter = static_cast<char>(letter - 'A' + 'a');
        }
    }
    if (lower == ".npy") {
        return Format::npy;
    }
    if (lower == ".csv") {
        return Format::csv;
    }
    throw BadInput(path + ": found " + (suffix.empty() ? "no suffix" : "the suffix " + quoted_text(suffix)) +
                   ", expected '.npy' or '.csv'");
}

// std::ofstream forgets why a write failed; this buffer keeps the reason and lets the data be synced.
class DescriptorBuffer : public std::streambuf {
public:
    explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor)
    {
        setp(bytes_.data(), bytes_.data() + bytes_.size());
    }

    int error() const { return error_; }

protected:
    int_type overflow(int_type character) override
    {
        if (!drain()) {
            return traits_type::eof();
        }
        if (!traits_type::eq_int_type(character, traits_type::eof())) {
            *pptr() = traits_type::to_char_type(character);
            pbump(1);
        }
        return traits_type::not_eof(character);
    }

    int sync() override { return drain() ? 0 : -1; }

private:
    bool drain()
    {
        const char* next = pbase();
        while (error_ == 0 && next < pptr()) {
            const ssize_t written = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
            if (written > 0) {
                next += written;
            } else if (written == 0) {
                error_ = EIO;
            } else if (errno != EINTR) {
                error_ = errno;
            }
        }
        setp(bytes_.data(), bytes_.data() + bytes_.size());
        return error_ == 0;
    }

    int descriptor_;
    int error_ = 0;
    std::array<char, 65536> bytes_{};
};

// What an interrupt must remove: a path in fixed memory, because a signal handler can use little else.
std::array<char, 4096> unfinished{};
volatile std::sig_atomic_t unfinished_is_set = 0;
constexpr std::array<int, 3> interrupts = {SIGINT, SIGTERM, SIGHUP};

extern "C" void remove_unfinished(int number)
{
    if (unfinished_is_set != 0) {
        ::unlink(unfinished.data());
    }
    std::signal(number, SIG_DFL);
    std::raise(number);
}

// While it lives, an interrupt removes the file before it ends the program. One at a time.
class RemovedOnInterrupt {
public:
    explicit RemovedOnInterrupt(const std::string& path)
    {
        if (unfinished_is_set != 0 || path.size() >= unfinished.size()) {
            return;
        }
        path.copy(unfinished.data(), path.size());
        unfinished[path.size()] = '\0';
        unfinished_is_set = 1;
        mine_ = true;
        for (std::size_t i = 0; i < interrupts.size(); ++i) {
            before_[i] = std::signal(interrupts[i], remove_unfinished);
            if (before_[i] == SIG_IGN) {
                std::signal(interrupts[i], SIG_IGN);
            }
        }
    }
    RemovedOnInterrupt(const RemovedOnInterrupt&) = delete;
    RemovedOnInterrupt& operator=(const RemovedOnInterrupt&) = delete;
    ~RemovedOnInterrupt()
    {
        if (!mine_) {
            return;
        }
        for (std::size_t i = 0; i < interrupts.size(); ++i) {
            std::signal(interrupts[i], before_[i] == SIG_ERR ? SIG_DFL : before_[i]);
        }
        unfinished_is_set = 0;
    }

private:
    std::array<void (*)(int), interrupts.size()> before_{};
    bool mine_ = false;
};

// Owns the temporary until it has been renamed.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& path)
        : path_(path), temporary_(path + ".part" + std::to_string(::getpid())), on_interrupt_(temporary_)
    {
        // A leftover of this name can only be from a process that died: process numbers are used again,
        // in containers very soon. O_EXCL then keeps a planted link from being followed.
        ::unlink(temporary_.c_str());
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ < 0) {
            fail(path_, "open for writing", errno);
        }
    }

    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    ~TemporaryFile()
    {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        if (!renamed_) {
            ::unlink(temporary_.c_str());
        }
    }

    int descriptor() const { return descriptor_; }

    void put_in_place()
    {
        // Some file systems cannot sync and say EINVAL; that is no loss of data.
        if (::fsync(descriptor_) != 0 && errno != EINVAL) {
            fail(path_, "write", errno);
        }
        const int closing = descriptor_;
        descriptor_ = -1;
        if (::close(closing) != 0) {
            fail(path_, "write", errno);
        }
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            fail(path_, "put the finished file in place", errno);
        }
        renamed_ = true;
    }

private:
    std::string path_;
    std::string temporary_;
    RemovedOnInterrupt on_interrupt_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

void write_descriptor(int descriptor, const std::string& path, const std::function<void(std::ostream&)>& body)
{
    DescriptorBuffer buffer(descriptor);
    std::ostream out(&buffer);
    body(out);
    out.flush();
    if (!out) {
        fail(path, "write", buffer.error() != 0 ? buffer.error() : EIO);
    }
}

template <typename T>
void write_any(const std::string& path, const Matrix<T>& matrix)
{
    const Format format = path == "-" ? Format::csv : format_of(path);
    write_file(path, [&](std::ostream& out) {
        if (format == Format::npy) {
            write_npy(out, matrix);
        } else {
            write_csv(out, matrix);
        }
    });
}

} // namespace

std::ifstream open_input(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw BadInput(path + ": found a directory, expected a file");
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        fail(path, "open for reading", errno != 0 ? errno : EIO);
    }
    return in;
}

std::string read_file(const std::string& path)
{
    std::ifstream in = open_input(path);
    std::string text;
    std::array<char, 65536> block;
    errno = 0;
    while (in) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) {
        fail(path, "read", errno != 0 ? errno : EIO);
    }
    return text;
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& body)
{
    if (path == "-") {
        // What others have left in their buffers comes first.
        std::cout.flush();
        std::fflush(stdout);
        write_descriptor(STDOUT_FILENO, "standard output", body);
        return;
    }
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found &&
        kind != std::filesystem::file_type::directory && kind != std::filesystem::file_type::none) {
        // A device or a pipe is written to, and never replaced by a file.
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) {
            fail(path, "open for writing", errno);
        }
        try {
            write_descriptor(descriptor, path, body);
        } catch (...) {
            ::close(descriptor);
            throw;
        }
        if (::close(descriptor) != 0) {
            fail(path, "write", errno);
        }
        return;
    }
    TemporaryFile file(path);
    write_descriptor(file.descriptor(), path, body);
    file.put_in_place();
}

MatrixF read_matrix(const std::string& path, CsvHeader header)
{
    return format_of(path) == Format::npy ? read_npy_f32(path) : read_csv(path, header);
}

void write_matrix(const std::string& path, const MatrixF& matrix) { write_any(path, matrix); }

void write_matrix(const std::string& path, const MatrixD& matrix) { write_any(path, matrix); }

void require_finite(const MatrixF& matrix, const std::string& path)
{
    constexpr float limit = 1099511627776.0f;
    for (std::size_t index = 0; index < matrix.values.size(); ++index) {
        const float value = matrix.values[index];
        // Written so that NaN, which fails every comparison, is caught too.
        if (!(std::fabs(value) <= limit)) {
            throw BadInput(path + ": row " + std::to_string(index / matrix.cols + 1) + ", column " +
                           std::to_string(index % matrix.cols + 1) + ": found " + number_text(value) +
                           (std::isfinite(value) ? ", expected a magnitude of at most 2^40 (about 1.1e12)"
                                                 : ", expected a finite number"));
        }
    }
}

} // namespace samara::desk
