#include "semihosting.hpp"

#include <cstdint>

namespace samara::port {
namespace {

// Operation numbers from "Semihosting for AArch32 and AArch64".
constexpr std::uintptr_t write_character = 0x03;
constexpr std::uintptr_t write_text = 0x04;
constexpr std::uintptr_t exit_simple = 0x18;
constexpr std::uintptr_t exit_with_status = 0x20;

// Reasons of the two exits.
constexpr std::uintptr_t application_exit = 0x20026;
constexpr std::uintptr_t runtime_error = 0x20023;

std::uintptr_t call(std::uintptr_t operation, std::uintptr_t argument)
{
    register std::uintptr_t r0 asm("r0") = operation;
    register std::uintptr_t r1 asm("r1") = argument;
    // The debugger reads memory behind the compiler's back, hence the clobber.
    asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

} // namespace

void write(const char* text) { call(write_text, reinterpret_cast<std::uintptr_t>(text)); }

void write(char character) { call(write_character, reinterpret_cast<std::uintptr_t>(&character)); }

void write_decimal(unsigned long long number)
{
    char digits[21];
    char* first = digits + sizeof digits - 1;
    *first = '\0';
    do {
        *--first = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    write(first);
}

void write_hexadecimal(unsigned number)
{
    char digits[9];
    for (int place = 0; place < 8; ++place) {
        digits[place] = "0123456789abcdef"[number >> (28 - 4 * place) & 15u];
    }
    digits[8] = '\0';
    write(digits);
}

void exit(int status)
{
    const std::uintptr_t block[2] = {application_exit, static_cast<std::uintptr_t>(status)};
    call(exit_with_status, reinterpret_cast<std::uintptr_t>(block));
    // Debuggers that do not know the call above return from it; the older one tells only good from bad.
    call(exit_simple, status == 0 ? application_exit : runtime_error);
    for (;;) {
    }
}

} // namespace samara::port
