// Flash that loses power after a given number of bytes were erased or programmed, for tests of what is stored in it.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "samara/checkpoint.hpp"
#include "samara/model_store.hpp"

namespace samara::test {

// The byte where the power goes is torn.
template <std::size_t slot_size>
struct Flash {
    static constexpr std::size_t slot = slot_size;
    alignas(16) std::byte bytes[2][slot];
    std::size_t unit = 8;
    long left = -1; // bytes until the power goes; -1: never
    bool torn_ones = false;
    bool backwards = false; // erases from the last byte to the first
    bool broken_rules = false;
    long spent = 0, erases = 0;

    Flash() { std::memset(bytes, 0xff, sizeof bytes); }

    bool power()
    {
        ++spent;
        return left < 0 || left-- > 0;
    }
    static bool erase(void* context, unsigned s) noexcept
    {
        auto& f = *static_cast<Flash*>(context);
        ++f.erases;
        for (std::size_t i = 0; i < slot; ++i) {
            std::byte& b = f.bytes[s][f.backwards ? slot - 1 - i : i];
            if (!f.power()) {
                b = f.torn_ones ? b | std::byte{0x5a} : b & std::byte{0x3c};
                return false;
            }
            b = std::byte{0xff};
        }
        return true;
    }
    static bool program(void* context, unsigned s, std::size_t offset, std::span<const std::byte> data) noexcept
    {
        auto& f = *static_cast<Flash*>(context);
        if (offset % f.unit != 0 || data.size() % f.unit != 0 || offset + data.size() > slot)
            f.broken_rules = true;
        for (std::size_t i = 0; i < data.size(); ++i) {
            std::byte& b = f.bytes[s][offset + i];
            if (!f.power()) {
                b &= f.torn_ones ? data[i] | std::byte{0xf0} : data[i] & std::byte{0x0f};
                return false;
            }
            if (b != std::byte{0xff})
                f.broken_rules = true; // programmed twice without an erase
            b = data[i];
        }
        return true;
    }
    static bool read(void* context, unsigned s, std::size_t offset, std::span<std::byte> data) noexcept
    {
        auto& f = *static_cast<Flash*>(context);
        if (offset + data.size() > slot)
            return false;
        std::memcpy(data.data(), f.bytes[s] + offset, data.size());
        return true;
    }
    Storage storage() { return {this, slot, unit, erase, program, read}; }
    ModelFlash mapped() { return {this, {bytes[0], bytes[1]}, slot, unit, erase, program}; }
};

} // namespace samara::test
