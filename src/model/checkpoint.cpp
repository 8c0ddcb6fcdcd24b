#include "samara/checkpoint.hpp"

#include <bit>
#include <cstring>

#include "samara/memory.hpp"

namespace samara {

namespace {

// Programmed last: without it there is no state in the slot.
struct Header {
    std::uint32_t magic, sequence, length, crc; // crc: of the state
    std::uint32_t unused[3];
    std::uint32_t header_crc; // of the 28 bytes before it
};
static_assert(sizeof(Header) == checkpoint_header_bytes);

constexpr std::uint32_t magic = 0x504b4353; // "SCKP"
constexpr std::size_t piece = 32;           // bytes that are copied at a time: a multiple of every unit_bytes

std::uint32_t crc_of(const Header& h) noexcept
{
    return crc32(std::as_bytes(std::span<const Header>(&h, 1)).first(sizeof h - 4));
}

bool state_crc(const Storage& s, unsigned slot, std::size_t length, std::uint32_t& crc) noexcept
{
    std::byte bytes[piece];
    crc = 0;
    for (std::size_t at = 0; at < length; at += piece) {
        const std::size_t count = length - at < piece ? length - at : piece;
        if (!s.read(s.context, slot, checkpoint_header_bytes + at, std::span<std::byte>(bytes, piece)))
            return false;
        crc = crc32(std::span<const std::byte>(bytes).first(count), crc);
    }
    return true;
}

// Whether a slot holds a whole state.
bool whole(const Storage& s, unsigned slot, Header& h) noexcept
{
    std::uint32_t crc = 0;
    return s.read(s.context, slot, 0, std::as_writable_bytes(std::span<Header>(&h, 1))) && h.magic == magic &&
           h.header_crc == crc_of(h) && h.length <= s.slot_bytes && checkpoint_bytes(h.length) <= s.slot_bytes &&
           state_crc(s, slot, h.length, crc) && crc == h.crc;
}

// The slot with the newest whole state, 0 or 1, or 2 where there is none. Sequence numbers may wrap.
unsigned newest(const Storage& s, Header& found) noexcept
{
    Header h[2];
    const bool there[2] = {whole(s, 0, h[0]), whole(s, 1, h[1])};
    if (!there[0] && !there[1])
        return 2;
    const auto second_is_newer = [&] { return static_cast<std::int32_t>(h[1].sequence - h[0].sequence) > 0; };
    const unsigned slot = there[1] && (!there[0] || second_is_newer()) ? 1 : 0;
    found = h[slot];
    return slot;
}

// Slots too short for a header hold no state, and must not be read as if they did.
bool usable(const Storage& s) noexcept
{
    return std::has_single_bit(s.unit_bytes) && s.unit_bytes <= piece && s.slot_bytes >= checkpoint_header_bytes;
}

} // namespace

Status save(const Storage& s, std::span<const std::byte> state) noexcept
{
    if (!usable(s) || state.size() > 0xffffffffu || checkpoint_bytes(state.size()) > s.slot_bytes)
        return Status::small_workspace;
    Header last{};
    const unsigned from = newest(s, last);
    const unsigned slot = from == 0 ? 1 : 0;
    if (!s.erase(s.context, slot))
        return Status::storage_failed;
    for (std::size_t at = 0; at < state.size(); at += piece) {
        std::byte bytes[piece];
        const std::size_t count = state.size() - at < piece ? state.size() - at : piece;
        std::memcpy(bytes, state.data() + at, count);
        std::memset(bytes + count, 0xff, piece - count);
        if (!s.program(s.context, slot, checkpoint_header_bytes + at, std::span<const std::byte>(bytes, piece)))
            return Status::storage_failed;
    }
    Header h{};
    h.magic = magic;
    h.sequence = last.sequence + 1;
    h.length = static_cast<std::uint32_t>(state.size());
    h.crc = crc32(state);
    h.header_crc = crc_of(h);
    Header written{};
    if (!s.program(s.context, slot, 0, std::as_bytes(std::span<const Header>(&h, 1))) || !whole(s, slot, written) ||
        written.sequence != h.sequence || written.crc != h.crc)
        return Status::storage_failed;
    return Status::ok;
}

Status load(const Storage& s, std::span<std::byte> state) noexcept
{
    if (!usable(s))
        return Status::small_workspace;
    Header h{};
    const unsigned slot = newest(s, h);
    if (slot == 2)
        return Status::no_checkpoint;
    if (h.length != state.size())
        return Status::wrong_length;
    for (std::size_t at = 0; at < state.size(); at += piece) {
        std::byte bytes[piece];
        const std::size_t count = state.size() - at < piece ? state.size() - at : piece;
        if (!s.read(s.context, slot, checkpoint_header_bytes + at, std::span<std::byte>(bytes, piece)))
            return Status::storage_failed;
        std::memcpy(state.data() + at, bytes, count);
    }
    return crc32(state) == h.crc ? Status::ok : Status::storage_failed;
}

} // namespace samara
