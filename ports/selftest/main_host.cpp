#include <cstdio>

#include "../host/commands/choose_simd.hpp"
#include "selftest.hpp"

int main()
{
    const std::string problem = samara::desk::choose_simd();
    if (!problem.empty()) {
        std::fprintf(stderr, "selftest: %s\n", problem.c_str());
        return 2;
    }
    const int failed = samara_selftest([](const char* line) { std::puts(line); });
    return failed == 0 ? 0 : 1;
}
