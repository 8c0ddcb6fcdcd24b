// What checkpoints and stored models have in common: two slots, each with a header that is programmed last, of which
// the newest whole one counts. SPEC.md, section 23.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/checkpoint.hpp"

namespace samara::detail {

// Programmed last: without it there is nothing in the slot.
struct SlotHeader {
    std::uint32_t magic, sequence, length, crc; // crc: of the contents
    std::uint32_t unused[3];
    std::uint32_t header_crc; // of the 28 bytes before it
};
inline constexpr std::size_t slot_piece = 32; // bytes that are copied at a time: a multiple of every unit_bytes
static_assert(sizeof(SlotHeader) == checkpoint_header_bytes && checkpoint_header_bytes == slot_piece);

// What is in the slots: the magic, and where the contents begin.
struct SlotForm {
    std::uint32_t magic;
    std::size_t contents;

    constexpr std::size_t bytes(std::size_t length) const noexcept
    {
        return contents + (length + slot_piece - 1) / slot_piece * slot_piece;
    }
};

// Slots too short for a header hold nothing, and must not be read as if they did.
bool usable(const Storage& s) noexcept;

// Whether 32 bytes have this magic and end with their CRC.
bool good_header(const SlotHeader& h, std::uint32_t magic) noexcept;
// Whether a slot is whole; `h` is its header then.
bool whole_slot(const Storage& s, unsigned slot, const SlotForm& form, SlotHeader& h) noexcept;
// Which of two slots is the newer one, 0 or 1. Sequence numbers may wrap.
unsigned newer_slot(const SlotHeader (&h)[2]) noexcept;

// Programs 32 bytes: `h` with its CRC.
bool program_header(const Storage& s, unsigned slot, std::size_t offset, SlotHeader& h) noexcept;
// Programs up to 32 bytes of contents, filled with ff.
bool program_piece(const Storage& s, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept;

} // namespace samara::detail
