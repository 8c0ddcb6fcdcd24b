#include "ports/host/data/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <streambuf>
#include <system_error>

#include "ports/host/data/csv.hpp"
#include "ports/host/data/npy.hpp"
#include "ports/host/data/output_place.hpp"
#include "ports/host/data/unfinished.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int code)
{
    throw BadInput(path + ": cannot " + what + ": " + std::generic_category().message(code));
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

// Owns the temporary until it has been renamed. `name` stands for the file in messages.
class TemporaryFile {
public:
    TemporaryFile(const std::string& path, const std::string& name)
        : path_(path), name_(name), temporary_(path + ".part" + std::to_string(::getpid())), on_signal_(temporary_)
    {
        // A leftover of this name can only be from a process that died: process numbers are used again,
        // in containers very soon. O_EXCL then keeps a planted link from being followed.
        ::unlink(temporary_.c_str());
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ < 0) {
            fail(name_, "open for writing", errno);
        }
        keep_mode();
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
            fail(name_, "write", errno);
        }
        const int closing = descriptor_;
        descriptor_ = -1;
        if (::close(closing) != 0) {
            fail(name_, "write", errno);
        }
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            fail(name_, "put the finished file in place", errno);
        }
        renamed_ = true;
    }

private:
    // Of the file that will be replaced. Its owner and group stay where the system lets them: mostly it does only for
    // the superuser, who must not take a file from its owner by writing to it.
    void keep_mode() const
    {
        struct stat old {};
        if (::stat(path_.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) {
            return;
        }
        static_cast<void>(::fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) == 0 &&
                          ::fchown(descriptor_, old.st_uid, static_cast<gid_t>(-1)) == 0);
        // Some file systems have no modes; the result is worth more than its mode.
        static_cast<void>(::fchmod(descriptor_, old.st_mode & 0777u));
    }

    std::string path_;
    std::string name_;
    std::string temporary_;
    RemovedOnSignal on_signal_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

void write_descriptor(int descriptor, const std::string& name, const std::function<void(std::ostream&)>& body)
{
    DescriptorBuffer buffer(descriptor);
    std::ostream out(&buffer);
    body(out);
    out.flush();
    if (!out) {
        fail(name, "write", buffer.error() != 0 ? buffer.error() : EIO);
    }
}

// A device or a pipe: written to, and never replaced by a file.
void write_directly(const std::string& path, const std::string& name, const std::function<void(std::ostream&)>& body)
{
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fail(name, "open for writing", errno);
    }
    try {
        write_descriptor(descriptor, name, body);
    } catch (...) {
        ::close(descriptor);
        throw;
    }
    if (::close(descriptor) != 0) {
        fail(name, "write", errno);
    }
}

template <typename T>
void write_any(const std::string& path, const Matrix<T>& matrix)
{
    const TableFormat format = output_format(path);
    write_file(path, [&](std::ostream& out) {
        if (format == TableFormat::npy) {
            write_npy(out, matrix);
        } else {
            write_csv(out, matrix);
        }
    });
}

} // namespace

void write_file(const std::string& path, const std::function<void(std::ostream&)>& body)
{
    const Place place = place_of(path);
    if (place.descriptor >= 0) {
        // What others have left in their buffers comes first.
        std::cout.flush();
        std::fflush(stdout);
        write_descriptor(place.descriptor, path == "-" ? place.path : path, body);
        return;
    }
    if (!is_replaced(place)) {
        write_directly(place.path, path, body);
        return;
    }
    TemporaryFile file(place.path, path);
    write_descriptor(file.descriptor(), path, body);
    file.put_in_place();
}

TableFormat output_format(const std::string& path)
{
    std::string suffix = std::filesystem::path(path).extension().string();
    const std::string shown = suffix;
    for (char& letter : suffix) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    if (suffix == ".npy") {
        return TableFormat::npy;
    }
    if (suffix == ".csv" || !is_replaced(place_of(path))) {
        return TableFormat::csv;
    }
    throw BadInput(path + ": found " + (shown.empty() ? "no suffix" : "the suffix " + quoted_text(shown)) +
                   ", expected '.npy' or '.csv'");
}

void write_matrix(const std::string& path, const MatrixF& matrix) { write_any(path, matrix); }

void write_matrix(const std::string& path, const MatrixD& matrix) { write_any(path, matrix); }

} // namespace samara::desk
