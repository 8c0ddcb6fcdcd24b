// Zip archives, as NumPy writes them: members that are stored or deflated, also with 64-bit sizes (Zip64). Every number
// in the file is held against the file before it is used; a member's CRC-32 is checked when its end is reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "ports/host/data/byte_reader.hpp"

namespace samara::desk {

struct ZipMember {
    std::string name;
    bool deflated = false;
    std::uint32_t crc = 0;
    std::uint64_t packed_bytes = 0, bytes = 0;
    std::uint64_t header = 0; // its offset in the file
};

// In the order of the archive's directory. BadInput with `name` for anything that is no whole archive of files in those
// two forms.
std::vector<ZipMember> zip_members(std::istream& archive, const std::string& name);

// Unpacks one member in pieces; only some ten kilobytes are in memory. The archive outlives it, and is not read by
// others meanwhile.
class ZipReader : public ByteReader {
public:
    ZipReader(std::istream& archive, const ZipMember& member, const std::string& name);
    ~ZipReader() override;

    std::size_t read(char* target, std::size_t count) override;
    double most_bytes() const override { return static_cast<double>(bytes_); }

private:
    struct State; // zlib's

    std::size_t read_packed(char* target, std::size_t count);
    std::size_t inflate(char* target, std::size_t count);
    [[noreturn]] void refuse(const std::string& found) const;

    std::istream& archive_;
    std::string name_;
    bool deflated_;
    std::uint32_t expected_crc_;
    std::uint64_t bytes_, left_, packed_left_;
    std::unique_ptr<State> state_;
};

} // namespace samara::desk
