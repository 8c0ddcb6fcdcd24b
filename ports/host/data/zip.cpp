#include "ports/host/data/zip.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string_view>

#include <zlib.h>

#include "ports/host/data/array_file.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

constexpr std::uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50, end64_locator_signature = 0x07064b50,
                        directory_signature = 0x02014b50, local_signature = 0x04034b50;
constexpr std::size_t end_bytes = 22, end64_bytes = 56, end64_locator_bytes = 20, directory_bytes = 46,
                      local_bytes = 30;
constexpr std::uint64_t in_zip64_16 = 0xFFFF, in_zip64_32 = 0xFFFFFFFF;

// A plain .npz has a member an array. So many keep a forged directory from becoming an allocation.
constexpr std::uint64_t most_members = 4096;

[[noreturn]] void refuse_archive(const std::string& name, const std::string& found)
{
    throw BadInput(name + ": found " + found + ", expected a zip archive as NumPy writes them");
}

std::uint64_t little(std::string_view bytes, std::size_t offset, std::size_t count)
{
    std::uint64_t value = 0;
    for (std::size_t i = count; i > 0; --i) {
        value = value << 8u | static_cast<unsigned char>(bytes[offset + i - 1]);
    }
    return value;
}

// The bytes [offset, offset + count) of the archive; BadInput where it has fewer.
std::string bytes_at(std::istream& archive, std::uint64_t size, std::uint64_t offset, std::uint64_t count,
                     const std::string& name, const char* what)
{
    if (offset > size || count > size - offset) {
        refuse_archive(name, std::string(what) + " beyond the end of the file");
    }
    std::string bytes(static_cast<std::size_t>(count), '\0');
    archive.clear();
    archive.seekg(static_cast<std::streamoff>(offset), std::ios::beg);
    read_exactly(archive, bytes.data(), bytes.size(), name);
    return bytes;
}

struct Directory {
    std::uint64_t members = 0, bytes = 0, offset = 0;
};

Directory find_directory(std::istream& archive, std::uint64_t size, const std::string& name)
{
    // The end record is the last thing but for a comment of 64 KiB at most.
    const std::uint64_t tail_bytes = std::min<std::uint64_t>(size, end_bytes + 65535);
    const std::string tail = bytes_at(archive, size, size - tail_bytes, tail_bytes, name, "an end record");
    const std::string_view view(tail);
    std::size_t place = std::string_view::npos;
    for (std::size_t i = tail.size() >= end_bytes ? tail.size() - end_bytes + 1 : 0; i > 0; --i) {
        if (little(view, i - 1, 4) == end_signature && i - 1 + end_bytes + little(view, i - 1 + 20, 2) == tail.size()) {
            place = i - 1;
            break;
        }
    }
    if (place == std::string_view::npos) {
        refuse_archive(name, size == 0 ? "an empty file" : "no end record of a zip archive (truncated?)");
    }
    if (little(view, place + 4, 2) != little(view, place + 6, 2) && little(view, place + 4, 2) != in_zip64_16) {
        refuse_archive(name, "one part of several");
    }
    Directory directory{little(view, place + 10, 2), little(view, place + 12, 4), little(view, place + 16, 4)};
    if (directory.members == in_zip64_16 || directory.bytes == in_zip64_32 || directory.offset == in_zip64_32) {
        const std::uint64_t end = size - tail_bytes + place;
        if (end < end64_locator_bytes) {
            refuse_archive(name, "64-bit sizes without their record");
        }
        const std::string locator =
            bytes_at(archive, size, end - end64_locator_bytes, end64_locator_bytes, name, "a record");
        if (little(locator, 0, 4) != end64_locator_signature) {
            refuse_archive(name, "64-bit sizes without their record");
        }
        const std::string record = bytes_at(archive, size, little(locator, 8, 8), end64_bytes, name, "a record");
        if (little(record, 0, 4) != end64_signature) {
            refuse_archive(name, "64-bit sizes without their record");
        }
        directory = {little(record, 32, 8), little(record, 40, 8), little(record, 48, 8)};
    }
    if (directory.members > most_members || directory.members * directory_bytes > directory.bytes) {
        refuse_archive(name, "a directory that claims " + std::to_string(directory.members) + " members in " +
                                 std::to_string(directory.bytes) + " bytes");
    }
    // A name, a comment and further fields of 64 KiB each.
    constexpr std::uint64_t most_entry_bytes = directory_bytes + 3 * std::uint64_t{65535};
    if (directory.bytes > directory.members * most_entry_bytes) {
        refuse_archive(name, "a directory of " + std::to_string(directory.bytes) + " bytes for " +
                                 std::to_string(directory.members) + " members");
    }
    return directory;
}

// Numbers that did not fit their 32 bits are in a further field, in a fixed order.
void read_zip64(std::string_view extra, ZipMember& member, const std::string& name)
{
    std::uint64_t* const wide[] = {&member.bytes, &member.packed_bytes, &member.header};
    bool needed = false;
    for (const std::uint64_t* number : wide) {
        needed = needed || *number == in_zip64_32;
    }
    for (std::size_t place = 0; needed && place + 4 <= extra.size();) {
        const std::uint64_t id = little(extra, place, 2);
        const std::size_t length = static_cast<std::size_t>(little(extra, place + 2, 2));
        place += 4;
        if (length > extra.size() - place) {
            break;
        }
        if (id == 1) {
            std::size_t at = place;
            for (std::uint64_t* number : wide) {
                if (*number == in_zip64_32) {
                    if (at + 8 > place + length) {
                        refuse_archive(name, "64-bit sizes cut short");
                    }
                    *number = little(extra, at, 8);
                    at += 8;
                }
            }
            return;
        }
        place += length;
    }
    if (needed) {
        refuse_archive(name, "64-bit sizes without their field");
    }
}

} // namespace

std::vector<ZipMember> zip_members(std::istream& archive, const std::string& name)
{
    const std::uint64_t size = stream_size(archive, name);
    const Directory directory = find_directory(archive, size, name);
    const std::string bytes =
        bytes_at(archive, size, directory.offset, directory.bytes, name, "a directory of the archive");
    const std::string_view view(bytes);
    std::vector<ZipMember> members;
    std::size_t place = 0;
    for (std::uint64_t i = 0; i < directory.members; ++i) {
        if (bytes.size() - place < directory_bytes || little(view, place, 4) != directory_signature) {
            refuse_archive(name, "a damaged directory of the archive");
        }
        const std::uint64_t flags = little(view, place + 8, 2), method = little(view, place + 10, 2);
        const auto name_bytes = static_cast<std::size_t>(little(view, place + 28, 2));
        const auto extra_bytes = static_cast<std::size_t>(little(view, place + 30, 2));
        const auto comment_bytes = static_cast<std::size_t>(little(view, place + 32, 2));
        if (bytes.size() - place - directory_bytes < name_bytes + extra_bytes + comment_bytes) {
            refuse_archive(name, "a damaged directory of the archive");
        }
        ZipMember member;
        member.name = view.substr(place + directory_bytes, name_bytes);
        member.crc = static_cast<std::uint32_t>(little(view, place + 16, 4));
        member.packed_bytes = little(view, place + 20, 4);
        member.bytes = little(view, place + 24, 4);
        member.header = little(view, place + 42, 4);
        read_zip64(view.substr(place + directory_bytes + name_bytes, extra_bytes), member, name);
        constexpr std::uint64_t encrypted = 1, deflate = 8;
        if ((flags & encrypted) != 0 || (method != 0 && method != deflate)) {
            refuse_archive(name, quoted_text(member.name) + ((flags & encrypted) != 0
                                                                 ? " encrypted"
                                                                 : " packed by method " + std::to_string(method)));
        }
        member.deflated = method == deflate;
        const bool believable = member.deflated ? static_cast<double>(member.bytes) <=
                                                      most_expansion * static_cast<double>(member.packed_bytes)
                                                : member.bytes == member.packed_bytes;
        if (!believable || member.packed_bytes > size) {
            refuse_archive(name, quoted_text(member.name) + " of " + std::to_string(member.bytes) + " bytes in " +
                                     std::to_string(member.packed_bytes));
        }
        members.push_back(std::move(member));
        place += directory_bytes + name_bytes + extra_bytes + comment_bytes;
    }
    return members;
}

struct ZipReader::State {
    z_stream stream{};
    uLong crc = ::crc32(0, nullptr, 0);
    std::array<char, 16384> piece;
    bool ended = false;
};

ZipReader::ZipReader(std::istream& archive, const ZipMember& member, const std::string& name)
    : archive_(archive), name_(name + ": " + member.name), deflated_(member.deflated), expected_crc_(member.crc),
      bytes_(member.bytes), left_(member.bytes), packed_left_(member.packed_bytes), state_(std::make_unique<State>())
{
    const std::uint64_t size = stream_size(archive, name);
    const std::string header = bytes_at(archive, size, member.header, local_bytes, name, "a member");
    const std::uint64_t names = little(header, 26, 2) + little(header, 28, 2);
    const std::uint64_t begin = member.header + local_bytes + names;
    if (little(header, 0, 4) != local_signature || begin > size || packed_left_ > size - begin) {
        refuse("a member that is not where the directory says");
    }
    archive_.seekg(static_cast<std::streamoff>(begin), std::ios::beg);
    if (deflated_ && ::inflateInit2(&state_->stream, -MAX_WBITS) != Z_OK) {
        throw std::bad_alloc();
    }
}

ZipReader::~ZipReader()
{
    if (deflated_) {
        ::inflateEnd(&state_->stream);
    }
}

void ZipReader::refuse(const std::string& found) const
{
    throw BadInput(name_ + ": found " + found + ", expected a whole member of a zip archive");
}

std::size_t ZipReader::read_packed(char* target, std::size_t count)
{
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, packed_left_));
    read_exactly(archive_, target, wanted, name_);
    packed_left_ -= wanted;
    return wanted;
}

std::size_t ZipReader::inflate(char* target, std::size_t count)
{
    z_stream& stream = state_->stream;
    std::size_t done = 0;
    while (done < count && !state_->ended) {
        if (stream.avail_in == 0) {
            stream.avail_in = static_cast<uInt>(read_packed(state_->piece.data(), state_->piece.size()));
            stream.next_in = reinterpret_cast<Bytef*>(state_->piece.data());
            if (stream.avail_in == 0) {
                refuse("compressed data that end early");
            }
        }
        const std::size_t asked = std::min<std::size_t>(count - done, std::numeric_limits<uInt>::max());
        stream.next_out = reinterpret_cast<Bytef*>(target + done);
        stream.avail_out = static_cast<uInt>(asked);
        const int status = ::inflate(&stream, Z_NO_FLUSH);
        done += asked - stream.avail_out;
        if (status == Z_STREAM_END) {
            state_->ended = true;
        } else if (status == Z_MEM_ERROR) {
            throw std::bad_alloc();
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            refuse(std::string("damaged compressed data (") + (stream.msg != nullptr ? stream.msg : "unknown") + ")");
        }
    }
    return done;
}

std::size_t ZipReader::read(char* target, std::size_t count)
{
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    if (wanted == 0) {
        return 0;
    }
    const std::size_t done = deflated_ ? inflate(target, wanted) : read_packed(target, wanted);
    if (done != wanted) {
        refuse(std::to_string(bytes_ - left_ + done) + " bytes where the directory says " + std::to_string(bytes_));
    }
    for (std::size_t first = 0; first < done;) {
        const auto part = static_cast<uInt>(std::min<std::size_t>(done - first, 1u << 30u));
        state_->crc = ::crc32(state_->crc, reinterpret_cast<const Bytef*>(target + first), part);
        first += part;
    }
    left_ -= done;
    if (left_ == 0) {
        char more = 0;
        if (deflated_ && inflate(&more, 1) != 0) {
            refuse("more than the " + std::to_string(bytes_) + " bytes that the directory says");
        }
        if (state_->crc != expected_crc_) {
            refuse("contents with another checksum than the directory says");
        }
    }
    return done;
}

} // namespace samara::desk
