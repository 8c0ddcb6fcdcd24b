#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>

namespace samara::desk {

// Unpacks a gzip file in pieces, as they are asked for: only some ten kilobytes are in memory. Several members one
// after the other are joined, and zeros behind the last are passed over. Each member's length and CRC-32 are checked
// when its end is reached; anything wrong is BadInput, where `name` stands for the file.
class GzipReader {
public:
    GzipReader(std::unique_ptr<std::istream> compressed, std::string name);
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;
    ~GzipReader();

    // The next `count` bytes of the contents, fewer only where they end; returns how many.
    std::size_t read(char* target, std::size_t count);

    // All that read() has not given yet.
    std::string read_rest();

private:
    struct State; // zlib's

    bool fill();
    bool begin_member();
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

    std::unique_ptr<std::istream> compressed_;
    std::string name_;
    std::unique_ptr<State> state_;
};

} // namespace samara::desk
