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

// The functions of a flash driver. They return false on failure. `slot` is 0 or 1. Offsets and lengths are multiples of
// unit_bytes; what a state leaves over is filled with ff. Each byte is programmed once after an erase.
struct Storage {
    void* context;
    std::size_t slot_bytes;
    std::size_t unit_bytes; // what can be programmed at once: a power of two, 1 ... 32
    bool (*erase)(void* context, unsigned slot) noexcept;
    bool (*program)(void* context, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept;
    bool (*read)(void* context, unsigned slot, std::size_t offset, std::span<std::byte> bytes) noexcept;
};

inline constexpr std::size_t checkpoint_header_bytes = 32;

// How many bytes a slot must have for a state.
constexpr std::size_t checkpoint_bytes(std::size_t state_bytes) noexcept
{
    return checkpoint_header_bytes + (state_bytes + 31) / 32 * 32;
}

// Returns small_workspace if a slot is too short, and storage_failed if a function failed or what was written does not
// read back. The earlier state is still there then.
Status save(const Storage& storage, std::span<const std::byte> state) noexcept;

// Loads the newest whole state, whose length must be that of `state`. small_workspace (slots that have no room for a
// header), no_checkpoint and wrong_length leave `state` untouched; storage_failed may not.
Status load(const Storage& storage, std::span<std::byte> state) noexcept;

} // namespace samara
