#include "ports/host/data/files.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "ports/host/data/memory_limit.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int code)
{
    throw BadInput(path + ": cannot " + what + ": " + std::generic_category().message(code));
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
    // A file's size is known at once; that of a pipe or a device only as it comes.
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) {
        const std::uintmax_t bytes = std::filesystem::file_size(path, ignored);
        if (!ignored) {
            require_memory(path, "a file to be read whole", static_cast<double>(bytes));
            text.reserve(static_cast<std::size_t>(bytes));
        }
    }
    const std::uint64_t most = most_memory();
    std::array<char, 65536> block;
    errno = 0;
    while (in) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > most) {
            require_memory(path, "a stream that goes on", static_cast<double>(text.size()));
        }
    }
    if (in.bad()) {
        fail(path, "read", errno != 0 ? errno : EIO);
    }
    return text;
}

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
