// Bytes that come one after the other and never twice: the contents of compressed files.
#pragma once

#include <array>
#include <cstddef>
#include <streambuf>

namespace samara::desk {

// Deflate's longest match is 258 bytes, and takes two bits at least: no file unpacks to more than so many times itself.
inline constexpr double most_expansion = 1032.0;

class ByteReader {
public:
    ByteReader() = default;
    ByteReader(const ByteReader&) = delete;
    ByteReader& operator=(const ByteReader&) = delete;
    virtual ~ByteReader() = default;

    // The next `count` bytes of the contents, fewer only where they end; returns how many.
    virtual std::size_t read(char* target, std::size_t count) = 0;

    // No more than so many bytes are in the contents: a claim beyond that is refused without reading on.
    virtual double most_bytes() const = 0;
};

// As a stream, which cannot seek. What read() throws passes through a stream that throws for std::ios::badbit.
class ReaderBuffer : public std::streambuf {
public:
    explicit ReaderBuffer(ByteReader& reader) : reader_(reader) {}

protected:
    int_type underflow() override
    {
        const std::size_t count = reader_.read(bytes_.data(), bytes_.size());
        setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
        return count == 0 ? traits_type::eof() : traits_type::to_int_type(bytes_[0]);
    }

private:
    ByteReader& reader_;
    std::array<char, 65536> bytes_{};
};

} // namespace samara::desk
