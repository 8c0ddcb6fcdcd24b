#include "model/slots.hpp"

#include <bit>
#include <cstring>

#include "samara/memory.hpp"

namespace samara::detail {

namespace {

std::uint32_t crc_of(const SlotHeader& h) noexcept
{
    return crc32(std::as_bytes(std::span<const SlotHeader>(&h, 1)).first(sizeof h - 4));
}

bool contents_crc(const Storage& s, unsigned slot, const SlotForm& form, std::size_t length,
                  std::uint32_t& crc) noexcept
{
    std::byte bytes[slot_piece];
    crc = 0;
    for (std::size_t at = 0; at < length; at += slot_piece) {
        const std::size_t count = length - at < slot_piece ? length - at : slot_piece;
        if (!s.read(s.context, slot, form.contents + at, std::span<std::byte>(bytes, slot_piece)))
            return false;
        crc = crc32(std::span<const std::byte>(bytes).first(count), crc);
    }
    return true;
}

} // namespace

bool usable(const Storage& s) noexcept
{
    return std::has_single_bit(s.unit_bytes) && s.unit_bytes <= slot_piece && s.slot_bytes >= slot_piece;
}

bool good_header(const SlotHeader& h, std::uint32_t magic) noexcept
{
    return h.magic == magic && h.header_crc == crc_of(h);
}

bool whole_slot(const Storage& s, unsigned slot, const SlotForm& form, SlotHeader& h) noexcept
{
    std::uint32_t crc = 0;
    return s.read(s.context, slot, 0, std::as_writable_bytes(std::span<SlotHeader>(&h, 1))) &&
           good_header(h, form.magic) && h.length <= s.slot_bytes && form.bytes(h.length) <= s.slot_bytes &&
           contents_crc(s, slot, form, h.length, crc) && crc == h.crc;
}

unsigned newer_slot(const SlotHeader (&h)[2]) noexcept
{
    return static_cast<std::int32_t>(h[1].sequence - h[0].sequence) > 0 ? 1 : 0;
}

bool program_header(const Storage& s, unsigned slot, std::size_t offset, SlotHeader& h) noexcept
{
    h.header_crc = crc_of(h);
    return s.program(s.context, slot, offset, std::as_bytes(std::span<const SlotHeader>(&h, 1)));
}

bool program_piece(const Storage& s, unsigned slot, std::size_t offset, std::span<const std::byte> contents) noexcept
{
    std::byte bytes[slot_piece];
    std::memcpy(bytes, contents.data(), contents.size());
    std::memset(bytes + contents.size(), 0xff, slot_piece - contents.size());
    return s.program(s.context, slot, offset, std::span<const std::byte>(bytes, slot_piece));
}

} // namespace samara::detail
