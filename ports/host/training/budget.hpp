// What a model may cost on a board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ports/host/training/board_cost.hpp"

namespace samara::desk {

struct Budget {
    std::optional<std::uint64_t> flash, ram; // bytes
    std::optional<std::uint64_t> instructions;
    std::size_t core = 0; // of board_cores()

    bool any() const { return flash || ram || instructions; }
    bool allows(const BoardCost& cost) const
    {
        return (!flash || cost.flash <= *flash) && (!ram || cost.ram <= *ram) &&
               (!instructions || cost.instructions <= *instructions);
    }
};

// "8,192 bytes of flash, 2,048 bytes of RAM and 50,000 instructions on a cortex-m0plus"
std::string text_of(const Budget& budget);
std::string text_of(const BoardCost& cost, std::size_t core);

} // namespace samara::desk
