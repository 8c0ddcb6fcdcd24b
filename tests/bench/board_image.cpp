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

// Bytes from 0 to 16, where the other programs have floats.
template <const auto& bytes>
struct Program<true, bytes> {
    samara::FixedWholePredictor<bytes> predictor;
    std::uint8_t x[count];

    void fill()
    {
        std::uint8_t value = 0;
        for (std::uint8_t& number : x) {
            number = value;
            value = static_cast<std::uint8_t>(value < 10 ? value + 7 : value - 10);
        }
    }
    bool step(const float*)
    {
        std::uint32_t output = 0;
        return predictor.predict(std::span<const std::uint8_t, count>(x), output) == samara::Status::ok;
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
