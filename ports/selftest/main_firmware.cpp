#include "selftest.hpp"
#include "semihosting.hpp"

extern "C" int firmware_main()
{
    const int failed = samara_selftest([](const char* line) {
        samara::port::write(line);
        samara::port::write("\n");
    });
    return failed == 0 ? 0 : 1;
}
