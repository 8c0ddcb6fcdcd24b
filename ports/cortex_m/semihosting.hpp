#pragma once

namespace samara::port {

/// Writes text to the debugger or emulator that the core runs under.
/// Without one, the first call is a hard fault: these functions are for tests and benchmarks.
void write(const char* text);
void write(char character);

/// Writes a number without needing any of the C library's formatting.
void write_decimal(unsigned long long number);
void write_hexadecimal(unsigned number);

/// Ends the program; the emulator exits with `status`.
[[noreturn]] void exit(int status);

} // namespace samara::port
