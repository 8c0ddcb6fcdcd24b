// One prediction of any sealed model, in the program that costs least: what tests/bench/board_costs.py measures.
#include <cstddef>
#include <cstdint>
#include <span>

#include "measure.hpp"
#include "measured_model.h"
#include "samara/fixed.hpp"

namespace {

using Known = samara::FixedPredictor<measured_model>;
constexpr std::size_t count = Known::inputs;
static_assert(count <= samara::test::inputs);

template <bool whole, const auto& bytes>
struct Program {
    samara::FixedPredictor<bytes> predictor;

    void fill() {}

    bool step(const float* x)
    {
        std::uint32_t output = 0;
        return predictor.predict(std::span<const float, count>(x, count), output) == samara::Status::ok;
    }
};

// Bytes from 0 to 16, where the other programs have floats. Several samples, because some of what a local map does
// depends on what it finds.
template <const auto& bytes>
struct Program<true, bytes> {
    static constexpr std::size_t samples = 4;
    samara::FixedWholePredictor<bytes> predictor;
    std::uint8_t x[samples * count];
    const std::uint8_t* next;

    void fill()
    {
        std::uint32_t state = 1;
        for (std::uint8_t& number : x) {
            state = state * 1664525u + 1013904223u;
            number = static_cast<std::uint8_t>((state >> 24) * 17 >> 8);
        }
        next = x;
    }
    bool step(const float*)
    {
        std::uint32_t output = 0;
        const std::span<const std::uint8_t, count> sample(next, count);
        next = next != x + (samples - 1) * count ? next + count : x;
        return predictor.predict(sample, output) == samara::Status::ok;
    }
};

Program<Known::whole, measured_model> program;

bool step(const float* x) { return program.step(x); }

} // namespace

extern "C" int firmware_main()
{
    program.fill();
    return samara::test::measure(sizeof program.predictor, step);
}
