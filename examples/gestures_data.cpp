// The training data of examples/data/gestures_model.h: 100 samples of six channels a line, channel by channel, and the
// motion. data/README.md has the command.
#include <cstdio>
#include <vector>

#include "gestures.hpp"

int main()
{
    constexpr std::uint32_t length = 100, recordings = 100;
    for (std::uint32_t number = 0; number < recordings; ++number) {
        for (std::uint32_t kind = 0; kind < example::gesture_count; ++kind) {
            example::Gesture gesture(kind, number);
            std::vector<example::GestureSample> samples(length);
            for (example::GestureSample& sample : samples)
                sample = gesture.next();
            for (std::uint32_t c = 0; c < example::gesture_channels; ++c)
                for (const example::GestureSample& sample : samples)
                    std::printf("%d,", sample[c]);
            std::printf("%u\n", static_cast<unsigned>(kind));
        }
    }
}
