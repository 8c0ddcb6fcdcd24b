// Gestures from a stream, on the board: samples of six channels, one after the other, and every half second the motion
// of the last two. In whole numbers, and in less memory than a window takes. A Cortex-M0+ prints what the desk prints.
#include "gestures.hpp"

#include "data/gestures_model.h"
#include "print.hpp"
#include "samara/samara.hpp"

namespace {

constexpr std::uint32_t hop = 25;
samara::FixedStream<gestures_model, hop> stream;
static_assert(stream.numbers == example::gesture_channels);

// The CRC-32 of all scores, in their order: those of a FixedWholePredictor for the same windows, as
// tests/model/test_local_stream.cpp makes them.
constexpr std::uint32_t crc_of_desk = 0xfaa9dddf;

} // namespace

SAMARA_EXAMPLE_MAIN
{
    constexpr std::uint32_t samples = 400; // of a motion, before the next one begins
    example::Meter meter;
    std::uint32_t crc = 0;
    unsigned right = 0, count = 0, between = 0;
    for (std::uint32_t i = 0; i < 12; ++i) {
        const std::uint32_t kind = i % example::gesture_count;
        example::Gesture gesture(kind, 1000 + i); // none that the model has seen
        for (std::uint32_t t = 1; t <= samples; ++t) {
            const example::GestureSample sample = gesture.next();
            meter.begin();
            samara::Status status = stream.push(std::span(sample));
            std::uint32_t found = 99;
            if (status == samara::Status::ok && stream.due())
                status = stream.predict(found);
            meter.end();
            if (status != samara::Status::ok)
                return 1;
            if (!stream.due())
                continue;
            crc = samara::crc32(std::as_bytes(stream.last_scores()), crc);
            // A window with two motions in it has no right answer.
            if (i != 0 && t < stream.plan.window) {
                ++between;
            } else {
                right += found == kind ? 1 : 0;
                ++count;
            }
        }
    }
    example::line("right", right);
    example::line("windows", count);
    example::line("between", between);
    example::print("crc ");
    example::print_hexadecimal(crc);
    example::print("\n");
    example::line("ram", sizeof stream);
    example::line("model", sizeof gestures_model);
    meter.report();
    if (crc == crc_of_desk)
        return 0;
    example::print("the desk's scores have other bits\n");
    return 1;
}
