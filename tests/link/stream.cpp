// A stream of a sealed model that is known when this is compiled: samples of a series or rows of an image, and nothing
// else. A step of the measuring program is a hop: its samples, and the answer.
#ifdef SAMARA_TEST_ROWS
#include "digits_local_model.h"
#define SAMARA_TEST_MODEL digits_local_model
#else
#include "gestures_model.h"
#define SAMARA_TEST_MODEL gestures_model
#endif
#include "measure.hpp"
#include "samara/fixed.hpp"

namespace {

samara::FixedStream<SAMARA_TEST_MODEL, SAMARA_TEST_FEATURES, samara::StreamForm::SAMARA_TEST_FORM> stream;

// Small numbers, where the measuring program has floats: different ones for several steps.
constexpr unsigned different = 17;
std::int16_t samples[different][stream.numbers];
unsigned next = 0;

bool push()
{
    const std::span<const std::int16_t> sample = samples[next];
    next = next == different - 1 ? 0 : next + 1;
    return stream.push(sample) == samara::Status::ok;
}

bool step(const float*)
{
    std::uint32_t output = 0;
    for (unsigned i = 0; i < stream.plan.hop; ++i)
        if (!push())
            return false;
    return stream.predict(output) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main()
{
    // 7 i modulo 17, without a division: this image shows that a stream brings in none.
    unsigned value = 0;
    for (auto& sample : samples) {
        for (std::int16_t& number : sample) {
            number = static_cast<std::int16_t>(value);
            value = value < 10 ? value + 7 : value - 10;
        }
        value = value < 13 ? value + 4 : value - 13;
    }
    // The first window, but for a hop.
    for (unsigned i = stream.plan.hop; i < stream.plan.window; ++i)
        if (!push())
            return 1;
    return samara::test::measure(sizeof stream, step);
}
