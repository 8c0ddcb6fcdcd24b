// One source for the desk and for the board: where lines go, and what a board can measure.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(SAMARA_BOARD_HERTZ)
#include "cycles.hpp"
#include "semihosting.hpp"
#include "stack.hpp"
#else
#include <cinttypes>
#include <cstdio>
#endif

namespace example {

#if defined(SAMARA_BOARD_HERTZ)

inline void print(const char* text) { samara::port::write(text); }
inline void print_number(std::uint64_t value) { samara::port::write_decimal(value); }
inline void print_hexadecimal(std::uint32_t value) { samara::port::write_hexadecimal(value); }

// Instructions are right when the emulator runs with -icount shift=6.
class Meter {
public:
    Meter()
    {
        samara::port::start_ticks();
        const std::uint64_t before = samara::port::ticks();
        of_the_clock_ = samara::port::ticks() - before;
        samara::port::paint_stack();
    }
    void begin() { before_ = samara::port::ticks(); }
    void end()
    {
        taken_ += samara::port::ticks() - before_ - of_the_clock_;
        ++times_;
    }
    void report() const
    {
        const std::size_t stack = samara::port::worst_stack_use();
        print("stack ");
        print_number(stack);
        print("\ninstructions ");
        print_number(samara::port::instructions(taken_, 6) / times_);
        print("\n");
    }

private:
    std::uint64_t of_the_clock_ = 0, before_ = 0, taken_ = 0;
    std::uint32_t times_ = 0;
};

#define SAMARA_EXAMPLE_MAIN extern "C" int firmware_main()

#else

inline void print(const char* text) { std::fputs(text, stdout); }
inline void print_number(std::uint64_t value) { std::printf("%" PRIu64, value); }
inline void print_hexadecimal(std::uint32_t value) { std::printf("%08" PRIx32, value); }

struct Meter {
    void begin() {}
    void end() {}
    void report() const {}
};

#define SAMARA_EXAMPLE_MAIN int main()

#endif

inline void line(const char* what, std::uint64_t value)
{
    print(what);
    print(" ");
    print_number(value);
    print("\n");
}

} // namespace example
