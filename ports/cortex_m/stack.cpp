#include "stack.hpp"

#include <cstdint>

extern "C" {
extern std::uint32_t stack_limit[];
}

namespace samara::port {
namespace {

constexpr std::uint32_t paint = 0x5ca1ab1e;

std::uint32_t* painted_up_to;

} // namespace

// One piece of assembly, because the compiler may move the stack pointer anywhere between two.
[[gnu::noinline]] void paint_stack()
{
    std::uint32_t* word = stack_limit;
    asm volatile(".syntax unified\n"
                 "mov %0, sp\n"
                 "1: cmp %1, %0\n"
                 "bhs 2f\n"
                 "str %2, [%1]\n"
                 "adds %1, #4\n"
                 "b 1b\n"
                 "2:\n"
                 : "=&l"(painted_up_to), "+l"(word)
                 : "l"(paint)
                 : "cc", "memory");
}

[[gnu::noinline]] std::size_t worst_stack_use()
{
    const volatile std::uint32_t* word = stack_limit;
    while (word < painted_up_to && *word == paint) {
        ++word;
    }
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(painted_up_to) -
                                    reinterpret_cast<std::uintptr_t>(word));
}

} // namespace samara::port
