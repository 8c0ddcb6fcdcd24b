// The caller's bytes: a bump allocator over them, their checksum, and little-endian numbers in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/status.hpp" // says what is wrong below C++20

namespace samara {

// Every piece starts at a multiple of 4 bytes relative to an aligned base.
constexpr std::size_t piece_bytes(std::size_t bytes) noexcept { return (bytes + 3) & ~std::size_t{3}; }

// Takes pieces from the caller's bytes, one after the other. Nothing is ever freed; a request that fails changes
// nothing.
class Bump {
public:
    explicit Bump(std::span<std::byte> bytes) noexcept : next_(bytes.data()), left_(bytes.size()) {}

    bool aligned() const noexcept { return (reinterpret_cast<std::uintptr_t>(next_) & 3u) == 0; }
    std::size_t left() const noexcept { return left_; }

    // nullptr if fewer than count * sizeof(T) bytes are left.
    template <class T>
    T* take(std::size_t count) noexcept
    {
        static_assert(alignof(T) <= 4);
        if (count > left_ / sizeof(T) || piece_bytes(count * sizeof(T)) > left_)
            return nullptr;
        T* piece = reinterpret_cast<T*>(next_);
        next_ += piece_bytes(count * sizeof(T));
        left_ -= piece_bytes(count * sizeof(T));
        return piece;
    }

private:
    std::byte* next_;
    std::size_t left_;
};

namespace detail {

// The bytes of the largest of some types.
template <class First, class... Rest>
constexpr std::size_t largest_of() noexcept
{
    std::size_t size = sizeof(First);
    ((size = sizeof(Rest) > size ? sizeof(Rest) : size), ...);
    return size;
}

} // namespace detail

// Little-endian numbers at any byte, also while compiling.
template <class Byte>
constexpr std::uint32_t read_u8(const Byte* p) noexcept
{
    return static_cast<std::uint8_t>(*p);
}
template <class Byte>
constexpr std::uint32_t read_u16(const Byte* p) noexcept
{
    return read_u8(p) | read_u8(p + 1) << 8;
}
template <class Byte>
constexpr std::uint32_t read_u32(const Byte* p) noexcept
{
    return read_u16(p) | read_u16(p + 2) << 16;
}
template <class Byte>
constexpr std::uint64_t read_u64(const Byte* p) noexcept
{
    return read_u32(p) | std::uint64_t{read_u32(p + 4)} << 32;
}
constexpr void write_u16(std::byte* p, std::uint32_t v) noexcept
{
    p[0] = static_cast<std::byte>(v & 255u);
    p[1] = static_cast<std::byte>(v >> 8 & 255u);
}
constexpr void write_u32(std::byte* p, std::uint32_t v) noexcept
{
    write_u16(p, v);
    write_u16(p + 2, v >> 16);
}
constexpr void write_u64(std::byte* p, std::uint64_t v) noexcept
{
    write_u32(p, static_cast<std::uint32_t>(v));
    write_u32(p + 4, static_cast<std::uint32_t>(v >> 32));
}

// CRC-32 (reflected polynomial edb88320, as in zlib). Pass the result so far to go on with more bytes.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t so_far = 0) noexcept;

} // namespace samara
