// Files as NumPy, SciPy and gzip write them, made byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

inline std::string little_bytes(std::uint64_t value, std::size_t count)
{
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) {
        bytes += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
    }
    return bytes;
}

inline std::string npy_file(const std::string& descr, const std::string& shape, std::string_view data,
                            bool fortran_order = false)
{
    const std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                               ", 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\x00", 8) + little_bytes(header.size(), 2) + header + std::string(data);
}

// windowBits of zlib: -15 deflate alone, 31 gzip.
inline std::string deflated(const std::string& data, int window = -15)
{
    z_stream stream{};
    ::deflateInit2(&stream, 9, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY);
    std::string packed(::deflateBound(&stream, data.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    ::deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    ::deflateEnd(&stream);
    return packed;
}

struct Entry {
    std::string name;
    std::string data;
    bool compressed = false;
    bool zip64 = false;                        // sizes in the further field, as NumPy writes them
    std::uint64_t claimed = ~std::uint64_t{0}; // bytes of the contents; else the truth
    std::uint32_t crc_change = 0, flags = 0, method_change = 0;
};

inline std::string zip_file(const std::vector<Entry>& entries, const std::string& comment = "", bool end64 = false)
{
    std::string file, directory;
    for (const Entry& entry : entries) {
        const std::string packed = entry.compressed ? deflated(entry.data) : entry.data;
        const auto crc = static_cast<std::uint32_t>(
            ::crc32(0, reinterpret_cast<const Bytef*>(entry.data.data()), static_cast<uInt>(entry.data.size())));
        const std::uint64_t size = entry.claimed == ~std::uint64_t{0} ? entry.data.size() : entry.claimed;
        const std::string common = little_bytes(45, 2) + little_bytes(entry.flags, 2) +
                                   little_bytes((entry.compressed ? 8u : 0u) + entry.method_change, 2) +
                                   little_bytes(0, 4) + little_bytes(crc ^ entry.crc_change, 4);
        const std::string sizes =
            entry.zip64 ? std::string(8, '\xff') : little_bytes(packed.size(), 4) + little_bytes(size, 4);
        std::string extra = little_bytes(0x7777, 2) + little_bytes(1, 2) + "?";
        if (entry.zip64) {
            extra += little_bytes(1, 2) + little_bytes(24, 2) + little_bytes(size, 8) + little_bytes(packed.size(), 8) +
                     little_bytes(file.size(), 8);
        }
        directory += "PK\x01\x02" + little_bytes(45, 2) + common + sizes + little_bytes(entry.name.size(), 2) +
                     little_bytes(extra.size(), 2) + little_bytes(3, 2) + little_bytes(0, 8) +
                     (entry.zip64 ? std::string(4, '\xff') : little_bytes(file.size(), 4)) + entry.name + extra + "why";
        file += "PK\x03\x04" + common + sizes + little_bytes(entry.name.size(), 2) + little_bytes(2, 2) + entry.name +
                "!!" + packed;
    }
    const std::uint64_t offset = file.size();
    file += directory;
    if (end64) {
        const std::uint64_t record = file.size();
        file += "PK\x06\x06" + little_bytes(44, 8) + little_bytes(45, 2) + little_bytes(45, 2) + little_bytes(0, 8) +
                little_bytes(entries.size(), 8) + little_bytes(entries.size(), 8) + little_bytes(directory.size(), 8) +
                little_bytes(offset, 8);
        file += "PK\x06\x07" + little_bytes(0, 4) + little_bytes(record, 8) + little_bytes(1, 4);
    }
    file += "PK\x05\x06" + little_bytes(0, 4);
    file += end64 ? std::string(12, '\xff')
                  : little_bytes(entries.size(), 2) + little_bytes(entries.size(), 2) +
                        little_bytes(directory.size(), 4) + little_bytes(offset, 4);
    return file + little_bytes(comment.size(), 2) + comment;
}
