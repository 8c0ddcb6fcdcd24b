#include "samara/checkpoint.hpp"

#include <cstring>

#include "model/slots.hpp"
#include "samara/memory.hpp"

namespace samara {

namespace {

using namespace detail;

constexpr SlotForm form{0x504b4353, checkpoint_header_bytes}; // "SCKP"

// The slot with the newest whole state, 0 or 1, or 2 where there is none.
unsigned newest(const Storage& s, SlotHeader& found) noexcept
{
    SlotHeader h[2];
    const bool there[2] = {whole_slot(s, 0, form, h[0]), whole_slot(s, 1, form, h[1])};
    if (!there[0] && !there[1])
        return 2;
    const unsigned slot = there[1] && (!there[0] || newer_slot(h) == 1) ? 1 : 0;
    found = h[slot];
    return slot;
}

} // namespace

Status save(const Storage& s, std::span<const std::byte> state) noexcept
{
    if (!usable(s) || state.size() > 0xffffffffu || checkpoint_bytes(state.size()) > s.slot_bytes)
        return Status::small_workspace;
    SlotHeader last{};
    const unsigned from = newest(s, last);
    const unsigned slot = from == 0 ? 1 : 0;
    if (!s.erase(s.context, slot))
        return Status::storage_failed;
    for (std::size_t at = 0; at < state.size(); at += slot_piece) {
        const std::size_t count = state.size() - at < slot_piece ? state.size() - at : slot_piece;
        if (!program_piece(s, slot, checkpoint_header_bytes + at, state.subspan(at, count)))
            return Status::storage_failed;
    }
    SlotHeader h{};
    h.magic = form.magic;
    h.sequence = last.sequence + 1;
    h.length = static_cast<std::uint32_t>(state.size());
    h.crc = crc32(state);
    SlotHeader written{};
    if (!program_header(s, slot, 0, h) || !whole_slot(s, slot, form, written) || written.sequence != h.sequence ||
        written.crc != h.crc)
        return Status::storage_failed;
    return Status::ok;
}

Status load(const Storage& s, std::span<std::byte> state) noexcept
{
    if (!usable(s))
        return Status::small_workspace;
    SlotHeader h{};
    const unsigned slot = newest(s, h);
    if (slot == 2)
        return Status::no_checkpoint;
    if (h.length != state.size())
        return Status::wrong_length;
    for (std::size_t at = 0; at < state.size(); at += slot_piece) {
        std::byte bytes[slot_piece];
        const std::size_t count = state.size() - at < slot_piece ? state.size() - at : slot_piece;
        if (!s.read(s.context, slot, checkpoint_header_bytes + at, std::span<std::byte>(bytes, slot_piece)))
            return Status::storage_failed;
        std::memcpy(state.data() + at, bytes, count);
    }
    return crc32(state) == h.crc ? Status::ok : Status::storage_failed;
}

} // namespace samara
