#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>

#include "ports/host/data/byte_reader.hpp"

namespace samara::desk {

// Unpacks a gzip file in pieces, as they are asked for: only some ten kilobytes are in memory. Several members one
// after the other are joined, and zeros behind the last are passed over. Each member's length and CRC-32 are checked
// when its end is reached; anything wrong is BadInput, where `name` stands for the file.
class GzipReader : public ByteReader {
public:
    GzipReader(std::unique_ptr<std::istream> compressed, std::string name);
    ~GzipReader() override;

    std::size_t read(char* target, std::size_t count) override;
    double most_bytes() const override { return most_bytes_; }

    // All that read() has not given yet, behind what is in `text`: at most most_memory() together.
    void append_rest(std::string& text);
    std::string read_rest();

private:
    struct State; // zlib's

    bool fill();
    bool begin_member();
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

    std::unique_ptr<std::istream> compressed_;
    std::string name_;
    double most_bytes_;
    std::unique_ptr<State> state_;
};

} // namespace samara::desk
