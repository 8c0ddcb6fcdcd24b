// Vibration of a machine's bearing as a sensor on its housing would give it, made by a formula: what the example
// streams, and what its model was trained on (bearings_data.cpp). Nothing here was recorded.
//
// 12,000 samples a second of one channel. A shaft of 30 turns a second shakes the housing a little. Where a race or a
// ball of the bearing has a pit, something strikes it at a rate that the bearing's geometry gives, and the housing
// rings for a few milliseconds, at about 3 kHz: 3.6 times a turn with a pit in the outer race; 5.4 times with one in
// the inner race, which turns through the load, so that strikes swell and fade with the shaft; 4.7 times with one in a
// ball, of which every second strike, on the other race, is weaker. Each recording has its own load, speed, noise and
// resonance.
#pragma once

#include <cstdint>

#include "samara/stream.hpp"

namespace example {

inline constexpr std::uint32_t bearing_count = 4;

class Vibration {
public:
    // kind: 0 a good bearing, 1 a pit in the outer race, 2 in the inner one, 3 in a ball.
    Vibration(std::uint32_t kind, std::uint32_t number)
        : words_(samara::stream_key(number, samara::Domain::user, 16 + kind)), kind_(kind), turn_(draw(160, 168)),
          noise_(draw(60, 180)), load_(draw(700, 2200)), ring_(draw(-2600, 2600)), phase_(draw(0, 65535)),
          until_(draw(0, 100) * 256)
    {}
    std::int16_t next()
    {
        phase_ += turn_; // of the shaft, 65,536 for a turn
        std::int32_t strike = 0;
        until_ -= 256;
        if (kind_ != 0 && until_ <= 0) {
            // 400 samples a turn; the balls slip a little.
            constexpr std::int32_t samples_between[bearing_count] = {0, 112 * 256, 74 * 256, 85 * 256};
            until_ += samples_between[kind_] + draw(-400, 400);
            strike = load_;
            if (kind_ == 2)
                strike = strike * (8192 + wave(phase_)) >> 13;
            if (kind_ == 3 && (second_ = !second_))
                strike = strike * 5 >> 3;
        }
        // A resonator: each value is 2 r cos w of the last one less r^2 of the one before.
        const std::int32_t now = ((ring_ * last_ - 14000 * before_) >> 14) + strike + draw(-noise_, noise_);
        before_ = last_;
        last_ = now;
        return static_cast<std::int16_t>(now + (wave(phase_) >> 5) + draw(-noise_, noise_));
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

    samara::Xoshiro words_;
    std::uint32_t kind_;
    std::int32_t turn_, noise_, load_, ring_, phase_, until_, last_ = 0, before_ = 0;
    bool second_ = false;
};

} // namespace example
