#include "measure.hpp"

#include "cycles.hpp"
#include "semihosting.hpp"
#include "stack.hpp"

namespace samara::test {

namespace {

constexpr unsigned icount_shift = 6;
constexpr unsigned samples = 4;

float x[inputs];

// No arithmetic: on a core without floating point it would bring into the empty image what belongs to the maps.
constexpr float levels[] = {0.0f, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f};

void fill(unsigned sample)
{
    unsigned state = 1 + sample;
    for (float& value : x) {
        state = state * 1664525u + 1013904223u;
        value = levels[state >> 29];
    }
}

void line(const char* what, unsigned long long value)
{
    port::write(what);
    port::write(" ");
    port::write_decimal(value);
    port::write("\n");
}

} // namespace

int measure(std::size_t ram, Step step)
{
    port::start_ticks();
    const auto begun = port::ticks();
    const auto of_the_clock = port::ticks() - begun;
    unsigned long long taken = 0;
    port::paint_stack();
    for (unsigned sample = 0; sample < samples; ++sample) {
        fill(sample);
        const auto before = port::ticks();
        if (!step(x))
            return 1;
        taken += port::ticks() - before - of_the_clock;
    }
    const std::size_t stack = port::worst_stack_use();
    line("ram", ram);
    line("stack", stack);
    line("instructions", port::instructions(taken, icount_shift) / samples);
    return 0;
}

} // namespace samara::test
