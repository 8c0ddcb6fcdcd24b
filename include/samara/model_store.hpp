// Models that come over the air: two slots of flash that is read as memory. The newest whole model is used where it
// lies; the other slot takes the next one. SPEC.md, section 23, has the format.
//
//   samara::ModelStore store(flash);
//   std::span<const std::byte> model;
//   if (store.start(model) == samara::Status::ok && predictor.open(model, rules) == samara::Status::ok) ...
//
//   store.begin(size); store.write(offset, piece); ...       // an update, while the model above goes on predicting
//   store.finish<decltype(predictor)>(rules);                // it becomes the newest if it opens, and never otherwise
//   if (works) store.confirm(); else store.rollback();       // after the start that follows
//
// Power may go at any byte. What is written becomes the newest by its header, which is programmed last; until then, and
// whenever a CRC is wrong, the slot counts as empty. A new model is on trial: the start after finish() uses it, and the
// start after that goes back to the earlier one unless confirm() was called in between. The bytes that start() gave
// stay where they are until the begin() after another start().
//
// Not promised: a CRC is no signature, so let rules.verify check one where flash or radio can be written by others.
// Wear: an update erases one slot once, and slots take turns; a trial and its end program 32 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/model.hpp"
#include "samara/status.hpp"

namespace samara {

// The functions of a flash driver. They return false on failure. `slot` is 0 or 1. Offsets and lengths are multiples of
// unit_bytes, and each byte is programmed once after an erase. When program() returns, the bytes must be seen in
// memory: drivers of processors with a cache invalidate it.
struct ModelFlash {
    void* context;
    const std::byte* slot[2]; // where the slots begin, at multiples of 4 bytes
    std::size_t slot_bytes;
    std::size_t unit_bytes; // what can be programmed at once: a power of two, 1 ... 32
    bool (*erase)(void* context, unsigned slot) noexcept;
    bool (*program)(void* context, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept;
};

// The header, and the records of trials, confirmation and rejection.
inline constexpr std::size_t model_slot_header_bytes = 160;

// How many bytes a slot must have for a model, signature and what else lies behind it included.
constexpr std::size_t model_slot_bytes(std::size_t model_bytes) noexcept
{
    return model_slot_header_bytes + (model_bytes + 31) / 32 * 32;
}

class ModelStore {
public:
    // The flash is kept by reference.
    explicit ModelStore(const ModelFlash& flash) noexcept : flash_(&flash) {}

    // To call once after a reset, before all else: gives the model to use, and if it is new marks that its trial has
    // begun. A new model whose trial ended without confirm() is passed over where there is another. no_checkpoint:
    // neither slot holds a whole model that was not rolled back; an update can begin all the same. storage_failed: the
    // mark could not be written, and the earlier model is given. small_workspace: slots or units are not of a size that
    // is possible; misaligned: slots do not begin at a multiple of 4. `model` is untouched by these four but
    // storage_failed. Reads both slots.
    Status start(std::span<const std::byte>& model) noexcept;
    // Whether the model that start() gave is new, not yet confirmed, and there is another to go back to.
    bool on_trial() const noexcept { return trial_; }
    // The model that start() gave stays. not_open: there is none. storage_failed: the next start() goes back.
    Status confirm() noexcept;
    // The model before the one that start() gave becomes the newest, and the next start() gives it, which has to come
    // before anything else. no_checkpoint: there is none before it that is whole; nothing changes then.
    Status rollback() noexcept;

    // Erases the slot that is not in use. small_workspace: a slot is too short for so many bytes; wrong_length: of 0
    // bytes; not_open: start() was not called, or its model is on trial and the other slot is what it may have to go
    // back to. An update that was begun before is given up.
    Status begin(std::size_t model_bytes) noexcept;
    // The next piece, of any length. `offset` is written(), so that what a radio lost or repeated is noticed:
    // wrong_length else, and where there are more bytes than begin() said; nothing changes then. not_open: no update
    // was begun, or it failed.
    Status write(std::size_t offset, std::span<const std::byte> piece) noexcept;
    std::size_t written() const noexcept { return written_; }
    // Reads back what was written, lets a predictor of this type open it by the rules, and only then programs the
    // header. Returns what open() does; the slot stays without a model, and a new update has to begin, if that is not
    // ok. wrong_length: bytes are missing, and may still be written. The predictor is on the stack.
    template <class AnyPredictor>
    Status finish(const OpenRules& rules = {}) noexcept
    {
        return finish(
            [](const void* demanded, std::span<const std::byte> model) noexcept {
                AnyPredictor predictor;
                return predictor.open(model, *static_cast<const OpenRules*>(demanded));
            },
            &rules);
    }
    // The same with a check of the caller's: the model is taken if it returns ok.
    using Check = Status (*)(const void* context, std::span<const std::byte> model) noexcept;
    Status finish(Check check, const void* context) noexcept;

private:
    const ModelFlash* flash_;
    unsigned used_ = 2; // the slot that start() gave; 2: none
    bool started_ = false, trial_ = false, updating_ = false;
    std::uint32_t crc_ = 0; // of what was written
    std::size_t expected_ = 0, written_ = 0;
    alignas(4) std::byte piece_[32] = {}; // what does not fill 32 bytes yet
};

} // namespace samara
