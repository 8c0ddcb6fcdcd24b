// Notices without labels that a device no longer sees what its model was trained on: the running mean and spread of one
// number a sample, against what they were in training. Which number is the program's choice: the confidence of a
// prediction, a score, the length of z.
//
//   Drift drift;
//   drift.open({.mean = 0.71f, .spread = 0.24f});    // as the model has them sealed
//   drift.watch(confidence(scores));                 // at each prediction
//   if (drift.drifted()) ...                         // ask for labels, and learn
//
// A Drift is a plain value: to keep it over a reset, copy it.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "samara/learn/specs.hpp"
#include "samara/status.hpp"

namespace samara {

struct DriftSpec {
    float mean = 0;   // of the watched number in training; finite
    float spread = 1; // its standard deviation there; positive
    // How many samples the running numbers look back over: 2 ... 2^20. From 20 on the spread of so few is no drift by
    // itself; with 2 it is for a fifth of the time.
    float window = 64;
    friend constexpr bool operator==(const DriftSpec&, const DriftSpec&) = default;
};

constexpr SpecReport check(const DriftSpec& s) noexcept
{
    if ((std::bit_cast<std::uint32_t>(s.mean) & 0x7f800000u) == 0x7f800000u)
        return {Status::bad_spec, "mean", "a finite number"};
    if (!detail::between(1e-18f, s.spread, 1e18f))
        return {Status::bad_spec, "spread", "1e-18 to 1e18"};
    if (!detail::between(2.0f, s.window, 0x1p20f))
        return {Status::bad_spec, "window", "2 to 2^20"};
    return {};
}

class Drift {
public:
    // Begins where training ended, so that there is no time to warm up.
    Status open(const DriftSpec& spec) noexcept;
    // Takes one number in. not_finite is refused; what is more than 8 spreads away from the mean counts as 8 away, so
    // that one wild sample is no drift.
    Status watch(float value) noexcept;

    // How far the running mean is away from that of training, in the standard deviations that it would have if samples
    // came by themselves: below 4 nearly always while nothing drifts. Samples that resemble the one before, as those of
    // a sensor that is read often, need a larger window.
    float shift() const noexcept;
    // The running standard deviation divided by that of training.
    float spread() const noexcept;
    // Whether the mean is more than `limit` away, or the spread twice or half what it was.
    bool drifted(float limit = 6) const noexcept;
    std::uint64_t samples() const noexcept { return samples_; }

private:
    DriftSpec spec_;
    // In units of training's spread, from its mean.
    float mean_ = 0, square_ = 1;
    std::uint64_t samples_ = 0;
};

// How sure a prediction is: the largest score less the second. Of one output it is the score.
float confidence(std::span<const float> scores) noexcept;

} // namespace samara
