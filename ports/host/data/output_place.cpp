#include "ports/host/data/output_place.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what, int code)
{
    throw BadInput(path + ": cannot " + what + ": " + std::generic_category().message(code));
}

std::string parent_of(const std::string& path)
{
    const fs::path parent = fs::path(path).parent_path();
    return parent.empty() ? "." : parent.string();
}

// What makes two names the same file, where it is an ordinary one: of others nothing is lost.
struct Identity {
    bool ordinary = false; // there, and a file
    dev_t device = 0;
    ino_t number = 0;
    std::string path; // of what is not there yet

    bool operator==(const Identity& other) const
    {
        return ordinary == other.ordinary && device == other.device && number == other.number && path == other.path &&
               (ordinary || !path.empty());
    }
};

Identity identity_of(const struct stat& found)
{
    return S_ISREG(found.st_mode) ? Identity{true, found.st_dev, found.st_ino, {}} : Identity{};
}

Identity identity_of_read(const std::string& path)
{
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? identity_of(found) : Identity{};
}

Identity identity_of_written(const std::string& path)
{
    const Place place = place_of(path);
    struct stat found {};
    if (place.descriptor >= 0) {
        // Two results in one stream would be mixed, whatever it leads to.
        const bool ordinary = ::fstat(place.descriptor, &found) == 0 && S_ISREG(found.st_mode);
        return ordinary ? identity_of(found) : Identity{false, 0, 0, "descriptor " + std::to_string(place.descriptor)};
    }
    if (::stat(place.path.c_str(), &found) == 0) {
        return identity_of(found);
    }
    std::error_code ignored;
    const fs::path parent = fs::weakly_canonical(parent_of(place.path), ignored);
    return {false, 0, 0, (parent / fs::path(place.path).filename()).string()};
}

} // namespace

Place place_of(const std::string& path)
{
    if (path == "-") {
        return {STDOUT_FILENO, "standard output"};
    }
    fs::path place(path);
    constexpr int most_links = 40; // as Linux has it
    for (int links = 0; links <= most_links; ++links) {
        // /dev/stdout is a link to the second of these. A file behind it is open already, perhaps half written by
        // others: it goes on where they are.
        for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"}) {
            const std::string& text = place.native();
            int descriptor = -1;
            if (text.starts_with(directory)) {
                const char* const end = text.data() + text.size();
                const auto [stop, status] = std::from_chars(text.data() + directory.size(), end, descriptor);
                if (status == std::errc() && stop == end && descriptor >= 0) {
                    return {descriptor, path};
                }
            }
        }
        std::error_code error;
        if (fs::symlink_status(place, error).type() != fs::file_type::symlink) {
            return {-1, place.string()};
        }
        const fs::path next = fs::read_symlink(place, error);
        if (error) {
            fail(path, "follow the link", error.value());
        }
        place = next.is_absolute() ? next : place.parent_path() / next;
    }
    fail(path, "follow the links", ELOOP);
}

bool is_replaced(const Place& place)
{
    if (place.descriptor >= 0) {
        return false;
    }
    std::error_code ignored;
    const fs::file_type kind = fs::status(place.path, ignored).type();
    // A directory is refused later, by the system's own words.
    return kind == fs::file_type::regular || kind == fs::file_type::not_found || kind == fs::file_type::directory ||
           kind == fs::file_type::none;
}

void require_writable(const std::string& path)
{
    const Place place = place_of(path);
    if (place.descriptor >= 0) {
        return;
    }
    std::error_code ignored;
    if (fs::is_directory(place.path, ignored)) {
        throw BadInput(path + ": found a directory, expected a file");
    }
    if (!is_replaced(place)) {
        if (::access(place.path.c_str(), W_OK) != 0) {
            fail(path, "open for writing", errno);
        }
    } else if (::access(parent_of(place.path).c_str(), W_OK | X_OK) != 0) {
        fail(path, "write in its directory", errno);
    }
}

void require_distinct(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written)
{
    const auto refuse = [](const NamedFile& target, const NamedFile& other, const char* why) {
        throw BadInput(target.source + (target.path.empty() ? "" : " ") + target.path + ": found the same file as " +
                       other.source + " " + other.path + ", expected another one, because " + why);
    };
    std::vector<NamedFile> targets = written;
    bool to_standard_output = false;
    for (const NamedFile& target : written) {
        to_standard_output = to_standard_output || place_of(target.path).descriptor == STDOUT_FILENO;
    }
    std::vector<Identity> identities;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        identities.push_back(identity_of_written(targets[i].path));
        for (std::size_t j = 0; j < i; ++j) {
            if (identities[i] == identities[j]) {
                refuse(targets[i], targets[j], "one of them would be lost");
            }
        }
    }
    // Commands that have no --out print.
    struct stat found {};
    if (!to_standard_output && ::fstat(STDOUT_FILENO, &found) == 0) {
        targets.push_back({"standard output", ""});
        identities.push_back(identity_of(found));
    }
    for (const NamedFile& source : read) {
        const Identity identity = identity_of_read(source.path);
        for (std::size_t i = 0; identity.ordinary && i < targets.size(); ++i) {
            if (identity == identities[i]) {
                refuse(targets[i], source, "the data would be lost");
            }
        }
    }
}

} // namespace samara::desk
