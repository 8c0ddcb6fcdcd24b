// Features of a few digits on a microcontroller: their digest, which is the desk's, and what each map takes.
//
// Lines are "MAP WHAT VALUE". Instructions are right when the emulator runs with -icount shift=6.
#include "cycles.hpp"
#include "digits.hpp"
#include "semihosting.hpp"
#include "stack.hpp"

namespace {

using namespace samara::port;

constexpr unsigned icount_shift = 6;

void line(const char* map, const char* what, std::uint64_t value)
{
    write(map);
    write(what);
    write_decimal(value);
    write("\n");
}

template <auto spec>
bool run(const char* name)
{
    static samara::Fixed<spec> map; // all that the map needs; nothing is allocated, and no weight is stored
    static float x[spec.inputs], z[spec.features];

    std::uint64_t taken = 0;
    std::uint32_t crc = 0;
    const std::uint64_t begun = ticks();
    const std::uint64_t of_the_clock = ticks() - begun;
    paint_stack();
    for (const auto& image : digits::pixels) {
        digits::read(image, x);
        const std::uint64_t before = ticks();
        if (map.features(x, z) != samara::Status::ok)
            return false;
        taken += ticks() - before - of_the_clock;
        crc = samara::crc32(std::as_bytes(std::span(z)), crc);
    }
    const std::size_t stack = worst_stack_use();

    write(name);
    write(" crc ");
    write_hexadecimal(crc);
    write("\n");
    line(name, " ram ", sizeof map);
    line(name, " stack ", stack);
    line(name, " instructions ", instructions(taken, icount_shift) / std::size(digits::pixels));
    return true;
}

} // namespace

extern "C" int firmware_main()
{
    start_ticks();
    return run<digits::rff>("rff") && run<digits::arccos>("arccos") ? 0 : 1;
}
