#pragma once

#include <cstdint>

namespace samara::port {

/// Starts the SysTick timer, which runs at the core's clock. Its 24 bits are extended by an interrupt at
/// each wrap, so interrupts must stay enabled and SysTick must not be in other use.
void start_ticks();

/// Ticks of the core's clock since `start_ticks`.
///
/// On a real core these are cycles. An emulator has no cycles: under QEMU's `-icount shift=N` every
/// instruction takes 2^N nanoseconds of the emulated clock. At `shift=0` an instruction is 1 ns, so
/// a tick of a 25 MHz board stands for 40 instructions and a result is as coarse as that; `shift=6` gives 1.6
/// ticks an instruction. Either way two runs of one image give the same number.
std::uint64_t ticks();

#if defined(SAMARA_BOARD_HERTZ)
/// The clock of the board that this firmware is linked for.
inline constexpr std::uint32_t board_hertz = SAMARA_BOARD_HERTZ;

/// Instructions that `elapsed` ticks stand for under `-icount shift=SHIFT`.
constexpr std::uint64_t instructions(std::uint64_t elapsed, unsigned shift = 0)
{
    return elapsed * 1000000u / (board_hertz / 1000u) >> shift;
}
#endif

/// The interrupt handler, for the vector table.
void systick_handler();

} // namespace samara::port
