#include "cycles.hpp"
#include "semihosting.hpp"

#include <cstdint>

/// The firmware's own code; its result is the exit status.
extern "C" int firmware_main();

// From the linker script. Only the addresses mean something.
extern "C" {
extern std::uint32_t data_begin[];
extern std::uint32_t data_end[];
extern const std::uint32_t data_source[];
extern std::uint32_t bss_begin[];
extern std::uint32_t bss_end[];
extern std::uint32_t stack_top[];
}

namespace {

[[maybe_unused]] volatile std::uint32_t& system_register(std::uintptr_t address)
{
    return *reinterpret_cast<volatile std::uint32_t*>(address);
}

constexpr std::uintptr_t configurable_fault_status = 0xe000ed28;
constexpr std::uintptr_t coprocessor_access = 0xe000ed88;

// What the core pushes when it takes an exception.
struct ExceptionFrame {
    std::uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
};

} // namespace

extern "C" {

// Apart from the reset handler because the compiler may use the registers of the floating-point unit
// anywhere in a function.
[[gnu::noinline]] static void start()
{
    const std::uint32_t* from = data_source;
    for (std::uint32_t* to = data_begin; to != data_end; ++to) {
        *to = *from++;
    }
    for (std::uint32_t* to = bss_begin; to != bss_end; ++to) {
        *to = 0;
    }
    samara::port::exit(firmware_main());
}

[[noreturn]] void reset_handler()
{
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    // Coprocessors 10 and 11 are the floating-point unit, and Helium where there is one.
    system_register(coprocessor_access) = system_register(coprocessor_access) | 0xfu << 20;
    asm volatile("dsb\n isb" ::: "memory");
#endif
    start();
    for (;;) {
    }
}

[[noreturn, gnu::used]] void report_fault(const ExceptionFrame* frame)
{
    using namespace samara::port;
    std::uint32_t exception;
    asm volatile("mrs %0, ipsr" : "=r"(exception));
    write("fault: exception ");
    write_decimal(exception);
    write(", pc ");
    write_hexadecimal(frame->pc);
    write(", lr ");
    write_hexadecimal(frame->lr);
#if __ARM_ARCH_PROFILE == 'M' && __ARM_ARCH >= 7
    write(", status ");
    write_hexadecimal(system_register(configurable_fault_status));
#endif
    write("\n");
    exit(1);
}

// Naked: the stack pointer must still be the one that the core left.
[[gnu::naked]] void fault_handler()
{
    asm volatile("mov r0, sp\n"
                 "ldr r1, =report_fault\n"
                 "bx r1\n");
}

// libgcc's long divisions name this function in their unwind tables; the real one brings in the unwinder.
// The tables are thrown away at link time, and nothing calls it.
void __aeabi_unwind_cpp_pr0() {}

} // extern "C"

namespace {

using Handler = void (*)();

struct VectorTable {
    const void* initial_stack;
    Handler handlers[15];
};

[[gnu::section(".vectors"), gnu::used]] const VectorTable vectors = {
    stack_top,
    {
        reset_handler,
        fault_handler, // non-maskable interrupt
        fault_handler, // hard fault
        fault_handler, // memory management
        fault_handler, // bus fault
        fault_handler, // usage fault
        fault_handler, // secure fault
        nullptr,
        nullptr,
        nullptr,
        fault_handler, // supervisor call
        fault_handler, // debug monitor
        nullptr,
        fault_handler, // pending service
        samara::port::systick_handler,
    },
};

} // namespace
