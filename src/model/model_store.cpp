#include "samara/model_store.hpp"

#include <cstring>

#include "model/slots.hpp"
#include "samara/memory.hpp"

namespace samara {

namespace {

using namespace detail;

constexpr SlotForm form{0x4c444d53, model_slot_header_bytes}; // "SMDL"

// Records behind the header, each in 32 bytes of its own: a header of another magic with the slot's sequence number, so
// that one of an earlier model is not taken for this one's. A trial has two, because the power may go while the first
// one is programmed, and then the trial has not begun.
enum class Mark : std::uint32_t { tried = 0, tried_again = 1, confirmed = 2, rejected = 3 };
constexpr std::uint32_t mark_magic = 0x304b4d53; // "SMK0", and then "SMK1" ...

constexpr std::size_t offset_of(Mark mark) noexcept { return slot_piece * (1 + static_cast<std::size_t>(mark)); }
constexpr std::uint32_t magic_of(Mark mark) noexcept { return mark_magic + (static_cast<std::uint32_t>(mark) << 24); }

// The slots as storage that is read by copying.
Storage storage_of(const ModelFlash& flash) noexcept
{
    return {const_cast<ModelFlash*>(&flash),
            flash.slot_bytes,
            flash.unit_bytes,
            [](void* f, unsigned slot) noexcept {
                const auto& driver = *static_cast<const ModelFlash*>(f);
                return driver.erase(driver.context, slot);
            },
            [](void* f, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept {
                const auto& driver = *static_cast<const ModelFlash*>(f);
                return driver.program(driver.context, slot, offset, bytes);
            },
            [](void* f, unsigned slot, std::size_t offset, std::span<std::byte> bytes) noexcept {
                std::memcpy(bytes.data(), static_cast<const ModelFlash*>(f)->slot[slot] + offset, bytes.size());
                return true;
            }};
}

enum class MarkState { blank, torn, set };

MarkState state_of(const ModelFlash& flash, unsigned slot, Mark mark, std::uint32_t sequence) noexcept
{
    const std::byte* const p = flash.slot[slot] + offset_of(mark);
    SlotHeader h;
    std::memcpy(&h, p, sizeof h);
    if (good_header(h, magic_of(mark)) && h.sequence == sequence)
        return MarkState::set;
    for (std::size_t i = 0; i < sizeof h; ++i)
        if (p[i] != std::byte{0xff})
            return MarkState::torn;
    return MarkState::blank;
}

bool set_mark(const ModelFlash& flash, unsigned slot, Mark mark, std::uint32_t sequence) noexcept
{
    SlotHeader h{};
    h.magic = magic_of(mark);
    h.sequence = sequence;
    return state_of(flash, slot, mark, sequence) == MarkState::blank && // nothing is programmed twice
           program_header(storage_of(flash), slot, offset_of(mark), h) &&
           state_of(flash, slot, mark, sequence) == MarkState::set;
}

// What is in a slot. `good`: a whole model, and no rollback was begun. `rejected`: one was, and was finished. `tried`:
// no trial is left to it.
struct Found {
    bool whole = false, good = false, rejected = false, confirmed = false, tried = false;
    Mark next_trial = Mark::tried;
    SlotHeader header{};
};

Found found_in(const ModelFlash& flash, unsigned slot) noexcept
{
    Found f;
    f.whole = whole_slot(storage_of(flash), slot, form, f.header);
    if (!f.whole)
        return f;
    const auto state = [&](Mark mark) { return state_of(flash, slot, mark, f.header.sequence); };
    // Only a rollback begins to write this mark, and only where there is a model to go back to: half of it is enough.
    f.good = state(Mark::rejected) == MarkState::blank;
    f.rejected = state(Mark::rejected) == MarkState::set;
    f.confirmed = state(Mark::confirmed) == MarkState::set;
    const bool torn = state(Mark::tried) == MarkState::torn;
    f.next_trial = torn ? Mark::tried_again : Mark::tried;
    f.tried = state(f.next_trial) != MarkState::blank;
    return f;
}

// Which of two slots holds the newer model of those that are good; 2 where there is none.
unsigned newest_good(const Found& first, const Found& second) noexcept
{
    if (!first.good || !second.good)
        return first.good ? 0 : second.good ? 1 : 2;
    return newer_slot({first.header, second.header});
}

std::span<const std::byte> contents(const ModelFlash& flash, unsigned slot, std::size_t length) noexcept
{
    return {flash.slot[slot] + model_slot_header_bytes, length};
}

} // namespace

Status ModelStore::start(std::span<const std::byte>& model) noexcept
{
    started_ = updating_ = trial_ = false;
    used_ = 2;
    if (!usable(storage_of(*flash_)) || flash_->slot_bytes < model_slot_bytes(1))
        return Status::small_workspace;
    for (const std::byte* slot : flash_->slot)
        if ((reinterpret_cast<std::uintptr_t>(slot) & 3u) != 0)
            return Status::misaligned;
    Found found[2] = {found_in(*flash_, 0), found_in(*flash_, 1)};
    // A rollback has another model to go back to. Where there is none, a bit was lost in the mark and not in the model.
    if (!found[0].good && !found[1].good)
        for (Found& f : found)
            f.good = f.whole && !f.rejected;
    started_ = true;
    const unsigned newest = newest_good(found[0], found[1]);
    if (newest == 2)
        return Status::no_checkpoint;
    const Found& n = found[newest];
    Status status = Status::ok;
    used_ = newest;
    if (found[1 - newest].good && !n.confirmed) {
        trial_ = !n.tried && set_mark(*flash_, newest, n.next_trial, n.header.sequence);
        if (!trial_) {
            status = n.tried ? Status::ok : Status::storage_failed;
            used_ = 1 - newest;
        }
    }
    model = contents(*flash_, used_, found[used_].header.length);
    return status;
}

Status ModelStore::confirm() noexcept
{
    if (used_ == 2 || !started_)
        return Status::not_open;
    const Found used = found_in(*flash_, used_);
    if (!used.whole) // it was whole when it was started
        return Status::storage_failed;
    if (!used.confirmed && !set_mark(*flash_, used_, Mark::confirmed, used.header.sequence))
        return Status::storage_failed;
    trial_ = false;
    return Status::ok;
}

Status ModelStore::rollback() noexcept
{
    if (used_ == 2 || !started_)
        return Status::not_open;
    const Found found[2] = {found_in(*flash_, 0), found_in(*flash_, 1)};
    if (!found[1 - used_].good || newest_good(found[0], found[1]) != used_)
        return Status::no_checkpoint;
    if (!set_mark(*flash_, used_, Mark::rejected, found[used_].header.sequence))
        return Status::storage_failed;
    // Now the other slot is the one to keep: an update may not begin before start() has seen that.
    started_ = updating_ = trial_ = false;
    return Status::ok;
}

Status ModelStore::begin(std::size_t model_bytes) noexcept
{
    if (!started_ || trial_)
        return Status::not_open;
    if (model_bytes == 0)
        return Status::wrong_length;
    if (model_bytes > flash_->slot_bytes || model_bytes > 0xffffffffu ||
        model_slot_bytes(model_bytes) > flash_->slot_bytes)
        return Status::small_workspace;
    written_ = 0;
    expected_ = model_bytes;
    crc_ = 0;
    updating_ = flash_->erase(flash_->context, used_ == 0 ? 1 : 0);
    return updating_ ? Status::ok : Status::storage_failed;
}

Status ModelStore::write(std::size_t offset, std::span<const std::byte> piece) noexcept
{
    if (!updating_)
        return Status::not_open;
    if (offset != written_ || piece.size() > expected_ - written_)
        return Status::wrong_length;
    crc_ = crc32(piece, crc_);
    while (!piece.empty()) {
        const std::size_t held = written_ % slot_piece, room = slot_piece - held;
        const std::size_t count = piece.size() < room ? piece.size() : room;
        std::memcpy(piece_ + held, piece.data(), count);
        piece = piece.subspan(count);
        written_ += count;
        if (held + count < slot_piece && written_ < expected_)
            break;
        // Full, or the last one.
        const std::size_t at = model_slot_header_bytes + written_ - (held + count);
        updating_ = program_piece(storage_of(*flash_), used_ == 0 ? 1 : 0, at,
                                  std::span<const std::byte>(piece_).first(held + count));
        if (!updating_)
            return Status::storage_failed;
    }
    return Status::ok;
}

Status ModelStore::finish(Check check, const void* context) noexcept
{
    if (!updating_)
        return Status::not_open;
    if (written_ != expected_)
        return Status::wrong_length;
    updating_ = false;
    const unsigned slot = used_ == 0 ? 1 : 0;
    const std::span<const std::byte> model = contents(*flash_, slot, expected_);
    if (crc32(model) != crc_)
        return Status::storage_failed;
    if (const Status status = check(context, model); status != Status::ok)
        return status;
    const Found other = found_in(*flash_, 1 - slot);
    SlotHeader h{};
    h.magic = form.magic;
    h.sequence = other.whole ? other.header.sequence + 1 : 1;
    h.length = static_cast<std::uint32_t>(expected_);
    h.crc = crc_;
    const bool programmed = program_header(storage_of(*flash_), slot, 0, h);
    const Found now = found_in(*flash_, slot);
    return programmed && now.good && now.header.sequence == h.sequence && now.header.crc == h.crc
               ? Status::ok
               : Status::storage_failed;
}

} // namespace samara
