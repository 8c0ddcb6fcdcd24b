// Numbers of kept rows in the few bits that samara::CodedRows reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "samara/map/data.hpp"

namespace samara::desk {

// How many there are, a byte for the width of the fields, and the code. `rows` ascend. A field costs a device a dozen
// instructions, so that a byte more is taken where it saves sixteen of them.
inline std::vector<std::byte> coded_rows(const std::vector<std::uint16_t>& rows)
{
    const auto code = [&](std::uint32_t width) {
        std::vector<std::byte> bytes(5);
        write_u32(bytes.data(), static_cast<std::uint32_t>(rows.size()));
        bytes[4] = static_cast<std::byte>(width);
        const std::uint32_t more = (1u << width) - 1;
        std::uint32_t bits = 0, held = 0, next = 0;
        std::size_t fields = 0;
        const auto put = [&](std::uint32_t field) {
            ++fields;
            bits |= field << held;
            for (held += width; held >= 8; held -= 8, bits >>= 8u) {
                bytes.push_back(static_cast<std::byte>(bits & 255u));
            }
        };
        for (const std::uint32_t row : rows) {
            std::uint32_t gap = row - next;
            for (; gap >= more; gap -= more) {
                put(more);
            }
            put(gap);
            next = row + 1;
        }
        if (held != 0) {
            bytes.push_back(static_cast<std::byte>(bits));
        }
        const std::size_t cost = bytes.size() + fields / 16;
        return std::pair(cost, std::move(bytes));
    };
    auto best = code(1);
    for (std::uint32_t width = 2; width <= most_code_width; ++width) {
        if (auto other = code(width); other.first < best.first) {
            best = std::move(other);
        }
    }
    return best.second;
}

} // namespace samara::desk
