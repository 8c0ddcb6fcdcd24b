// The training data of examples/data/bearings_model.h: 1,024 samples a line, and the state of the bearing.
// data/README.md has the command; with an argument, other recordings to test on.
#include <cstdio>

#include "vibration.hpp"

int main(int arguments, char**)
{
    constexpr std::uint32_t length = 1024, recordings = 400;
    const std::uint32_t first = arguments > 1 ? 10000 : 0;
    for (std::uint32_t number = first; number < first + recordings; ++number) {
        for (std::uint32_t kind = 0; kind < example::bearing_count; ++kind) {
            example::Vibration vibration(kind, number);
            for (std::uint32_t i = 0; i < 400; ++i) // until it rings
                static_cast<void>(vibration.next());
            for (std::uint32_t i = 0; i < length; ++i)
                std::printf("%d,", vibration.next());
            std::printf("%u\n", static_cast<unsigned>(kind));
        }
    }
}
