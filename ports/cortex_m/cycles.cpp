#include "cycles.hpp"

namespace samara::port {
namespace {

constexpr std::uintptr_t control = 0xe000e010;
constexpr std::uintptr_t reload = 0xe000e014;
constexpr std::uintptr_t current = 0xe000e018;

// Bits of the control register: on, interrupt at zero, the core's clock.
constexpr std::uint32_t enable = 1u;
constexpr std::uint32_t interrupt = 2u;
constexpr std::uint32_t core_clock = 4u;

constexpr std::uint32_t period = 1u << 24;

volatile std::uint32_t wraps;

volatile std::uint32_t& timer(std::uintptr_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }

} // namespace

void systick_handler() { wraps = wraps + 1; }

void start_ticks()
{
    timer(control) = 0;
    wraps = 0;
    timer(reload) = period - 1;
    timer(current) = 0; // any value written clears it, and the first tick loads the period
    timer(control) = enable | interrupt | core_clock;
    while (timer(current) == 0) {
    }
}

std::uint64_t ticks()
{
    // The counter may wrap between the two reads; the same number of wraps before and after says that it did
    // not.
    for (;;) {
        const std::uint32_t before = wraps;
        const std::uint32_t left = timer(current);
        asm volatile("" ::: "memory");
        if (wraps == before) {
            return std::uint64_t{before} * period + (period - 1 - left);
        }
    }
}

} // namespace samara::port
