// The state of a bearing from its raw vibration, on the board: 12,000 samples a second of one channel, and after every
// 256 what the last 1,024 say. A Cortex-M0+ prints what the desk prints.
#include "vibration.hpp"

#include "data/bearings_model.h"
#include "print.hpp"
#include "samara/samara.hpp"

namespace {

constexpr std::uint32_t hop = 256;
samara::FixedStream<bearings_model, hop> stream;
static_assert(stream.numbers == 1);

// The CRC-32 of all scores, in their order: those of a FixedWholePredictor for the same windows, as
// tests/model/test_local_stream.cpp makes them.
constexpr std::uint32_t crc_of_desk = 0xb6981f74;

} // namespace

SAMARA_EXAMPLE_MAIN
{
    constexpr std::uint32_t samples = 12 * hop; // of a recording
    example::Meter meter;
    std::uint32_t crc = 0;
    unsigned right = 0, count = 0;
    for (std::uint32_t i = 0; i < 12; ++i) {
        const std::uint32_t kind = i % example::bearing_count;
        example::Vibration vibration(kind, 20000 + i); // none that the model has seen
        stream.reset();
        for (std::uint32_t t = 0; t < samples; ++t) {
            const std::int16_t sample = vibration.next();
            meter.begin();
            samara::Status status = stream.push(std::span(&sample, 1));
            std::uint32_t found = 99;
            if (status == samara::Status::ok && stream.due())
                status = stream.predict(found);
            meter.end();
            if (status != samara::Status::ok)
                return 1;
            if (!stream.due())
                continue;
            crc = samara::crc32(std::as_bytes(stream.last_scores()), crc);
            right += found == kind ? 1 : 0;
            ++count;
        }
    }
    example::line("right", right);
    example::line("windows", count);
    example::print("crc ");
    example::print_hexadecimal(crc);
    example::print("\n");
    example::line("ram", sizeof stream);
    example::line("model", sizeof bearings_model);
    meter.report();
    if (crc == crc_of_desk)
        return 0;
    example::print("the desk's scores have other bits\n");
    return 1;
}
