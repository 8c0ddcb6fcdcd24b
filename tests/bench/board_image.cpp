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

    bool step(const float*)
    {
        for (unsigned i = 0; first && i < count; ++i)
            x[i] = static_cast<std::uint8_t>(i * 7 % 17);
        first = false;
        std::uint32_t output = 0;
        return predictor.predict(std::span<const std::uint8_t, count>(x), output) == samara::Status::ok;
    }
    bool first = true;
};

Program<Known::whole, measured_model> program;

bool step(const float* x) { return program.step(x); }

} // namespace

extern "C" int firmware_main() { return samara::test::measure(sizeof program.predictor, step); }
