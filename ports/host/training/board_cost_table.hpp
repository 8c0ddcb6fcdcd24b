// Made by tests/bench/board_costs.py, which measures programs under QEMU and says how far these numbers are off.
#pragma once

#include <array>

#include "ports/host/training/board_cost.hpp"

namespace samara::desk {

// What one of each count takes.
struct BoardRates {
    std::array<double, board_counts> instructions, code;
    double stack;
};

inline constexpr const char* board_core_names[] = {"cortex-m4f"};
inline constexpr BoardRates board_rates[][board_families] = {{}};

} // namespace samara::desk
