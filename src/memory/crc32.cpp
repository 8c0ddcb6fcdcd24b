#include "samara/memory.hpp"

namespace samara {

// Four bits at a time: sixteen table words instead of 256.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t so_far) noexcept
{
    constexpr std::uint32_t table[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
                                         0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                                         0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
    std::uint32_t crc = ~so_far;
    for (const std::byte b : bytes) {
        crc ^= std::to_integer<std::uint32_t>(b);
        crc = (crc >> 4) ^ table[crc & 15u];
        crc = (crc >> 4) ^ table[crc & 15u];
    }
    return ~crc;
}

} // namespace samara
