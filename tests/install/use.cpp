// A user's program, compiled against an installed or embedded samara with flags that the core is never given.
#include <samara/status.hpp>
#include <samara/version.hpp>

#include <cstdio>

int main()
{
    std::printf("samara %s: %s\n", samara::version, samara::text(samara::Status::ok));
    return 0;
}
