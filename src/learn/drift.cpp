#include "samara/learn/drift.hpp"

#include <limits>

#include "learn/state.hpp"
#include "simd/scalar_math.hpp"

namespace samara {

Status Drift::open(const DriftSpec& spec) noexcept
{
    const SpecReport report = check(spec);
    if (report) {
        *this = Drift();
        spec_ = spec;
    }
    return report.status;
}

Status Drift::watch(float value) noexcept
{
    constexpr float farthest = 8.0f;
    if (!(detail::magnitude(value) <= std::numeric_limits<float>::max()))
        return Status::not_finite;
    // Two finite numbers may be infinitely far apart; that is far.
    float away = (value - spec_.mean) / spec_.spread;
    away = away > farthest ? farthest : away < -farthest ? -farthest : away;
    const float from_mean = away - mean_;
    mean_ = mean_ + from_mean / spec_.window;
    square_ = square_ + (from_mean * (away - mean_) - square_) / spec_.window;
    ++samples_;
    return Status::ok;
}

// The mean over a window that forgets, m' = m + (x - m) / W, has the variance of x divided by 2 W - 1.
float Drift::shift() const noexcept { return mean_ * SAMARA_ARCH::sqrt_scalar(2.0f * spec_.window - 1.0f); }

float Drift::spread() const noexcept { return SAMARA_ARCH::sqrt_scalar(square_); }

bool Drift::drifted(float limit) const noexcept
{
    return detail::magnitude(shift()) > limit || square_ > 4.0f || square_ < 0.25f;
}

float confidence(std::span<const float> scores) noexcept
{
    if (scores.size() < 2)
        return scores.empty() ? 0.0f : scores[0];
    const std::uint32_t best = best_of(scores);
    std::uint32_t second = best == 0 ? 1 : 0;
    for (std::uint32_t o = 0; o < scores.size(); ++o)
        if (o != best && scores[o] > scores[second])
            second = o;
    return scores[best] - scores[second];
}

} // namespace samara
