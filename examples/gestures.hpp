// Motions of a wrist as a sensor on it would give them, made by a formula: what the example streams, and what its model
// was trained on (gestures_data.cpp). Nothing here was recorded.
//
// 50 samples a second of six channels: acceleration along x, y and z, 4,096 for g, and turns about x, y and z, 16 for a
// degree a second. Four motions: rest; shaking along x; circles of the hand one way round; the same the other way
// round, which differ from the former in the sign of a quarter of a turn between two channels and in nothing else. Each
// recording has its own tempo, strength, tilt and noise.
#pragma once

#include <array>
#include <cstdint>

#include "samara/stream.hpp"

namespace example {

inline constexpr std::uint32_t gesture_channels = 6, gesture_count = 4;
using GestureSample = std::array<std::int16_t, gesture_channels>;

class Gesture {
public:
    // kind: 0 rest, 1 shaking, 2 and 3 circles.
    Gesture(std::uint32_t kind, std::uint32_t number)
        : words_(samara::stream_key(number, samara::Domain::user, kind)), kind_(kind),
          turn_(draw(1400, 2600)), // a period of 25 to 47 samples
          phase_(draw(0, 65535)), strength_(draw(90, 160)), noise_(draw(40, 200)), tilt_x_(draw(0, 2000) - 1000),
          tilt_y_(draw(0, 2000) - 1000)
    {}
    GestureSample next()
    {
        phase_ += turn_ + draw(0, 400) - 200; // no hand is a clock
        constexpr std::int32_t quarter = 16384;
        std::int32_t x = 0, y = 0, about_y = 0, about_z = 0;
        if (kind_ == 1) {
            x = 2 * wave(phase_);
            about_z = wave(phase_ + quarter) / 2;
        } else if (kind_ != 0) {
            x = wave(phase_);
            y = wave(kind_ == 2 ? phase_ + quarter : phase_ - quarter);
            about_y = wave(phase_) / 4;
            about_z = 1500;
        }
        return {with_noise(x, tilt_x_),     with_noise(y, tilt_y_), with_noise(0, 4096),
                with_noise(about_y / 8, 0), with_noise(about_y, 0), with_noise(about_z, 0)};
    }

private:
    // 16 bits of a word times the range, without a division.
    std::int32_t draw(std::int32_t least, std::int32_t most)
    {
        return least +
               static_cast<std::int32_t>((words_.word() >> 16) * static_cast<std::uint32_t>(most - least + 1) >> 16);
    }
    // Two parabolas in place of a sine: 65,536 for a period, from -8,192 to 8,192.
    static std::int32_t wave(std::int32_t phase)
    {
        const std::int32_t p = static_cast<std::int16_t>(phase);
        return p * (32768 - (p < 0 ? -p : p)) >> 15;
    }
    std::int16_t with_noise(std::int32_t v, std::int32_t offset)
    {
        return static_cast<std::int16_t>((v * strength_ >> 8) + offset + draw(-noise_, noise_));
    }

    samara::Xoshiro words_;
    std::uint32_t kind_;
    std::int32_t turn_, phase_, strength_, noise_, tilt_x_, tilt_y_;
};

} // namespace example
