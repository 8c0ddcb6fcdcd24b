// A learner's state in storage that can lose power at any moment: two slots, written in turn, so that the last whole
// state is always there. SPEC.md, section 23, has the format.
//
//   save(storage, learner.state());                       // into the slot that does not hold the newest state
//   if (load(storage, learner.memory()) == Status::ok) learner.resume();
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/status.hpp"

namespace samara {

// What the flash driver does. Functions return false on failure. `slot` is 0 or 1; offsets are multiples of unit_bytes,
// lengths too (what is left over is filled with ff); each byte is programmed once after an erase.
struct Storage {
    void* context;
    std::size_t slot_bytes;
    std::size_t unit_bytes; // what can be programmed at once: a power of two, 1 ... 32
    bool (*erase)(void* context, unsigned slot) noexcept;
    bool (*program)(void* context, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept;
    bool (*read)(void* context, unsigned slot, std::size_t offset, std::span<std::byte> bytes) noexcept;
};

inline constexpr std::size_t checkpoint_header_bytes = 32;

// Bytes that a slot must have for a state.
constexpr std::size_t checkpoint_bytes(std::size_t state_bytes) noexcept
{
    return checkpoint_header_bytes + (state_bytes + 31) / 32 * 32;
}

// small_workspace if a slot is too short, storage_failed if a function failed or what was written does not read back;
// the earlier state is still there then.
Status save(const Storage& storage, std::span<const std::byte> state) noexcept;

// The newest whole state; its length must be that of `state`. no_checkpoint leaves `state` untouched, as does
// wrong_length; storage_failed may not.
Status load(const Storage& storage, std::span<std::byte> state) noexcept;

} // namespace samara
