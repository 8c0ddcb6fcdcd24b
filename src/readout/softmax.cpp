// Probabilities of classes. SPEC.md, section 20.6.
#include "samara/readout.hpp"
#include "simd/math.hpp"

namespace samara {

void softmax(std::span<float> scores, float scale) noexcept
{
    if (scores.empty())
        return;
    float top = scores[0], sum = 0.0f;
    for (const float s : scores)
        top = s > top ? s : top;
    // Products that leave the range of floats are negative, and exp() of them is 0.
    for (float& s : scores) {
        s = SAMARA_ARCH::exp_scalar(scale * (s - top));
        sum = sum + s;
    }
    for (float& s : scores)
        s = s / sum;
}

} // namespace samara
