// Runs a program that was compiled for one back end, unless this processor lacks its instructions: then
// the status is 77, which Meson counts as skipped. The check cannot be in the program itself, because
// its global constructors would already have run.
#include <cstdio>
#include <cstring>

#include <unistd.h>

namespace {

bool supported(const char* back_end)
{
#if defined(__x86_64__)
    if (std::strcmp(back_end, "avx2") == 0) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    }
    if (std::strcmp(back_end, "avx512") == 0) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    }
#else
    static_cast<void>(back_end);
#endif
    return true;
}

} // namespace

int main(int count, char** arguments)
{
    if (count < 3) {
        std::fputs("usage: only_if_supported BACK-END PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    if (!supported(arguments[1])) {
        std::fprintf(stderr, "this processor has no %s\n", arguments[1]);
        return 77;
    }
    execv(arguments[2], arguments + 2);
    std::perror(arguments[2]);
    return 1;
}
