#include "samara/map/engine/rows.hpp"

namespace samara::engine {

// It is sqrt(k) Gamma(k/2) / (sqrt(pi) Gamma((k+1)/2)) with k = inputs; from k = 17 on it is computed by the asymptotic
// series, with an error below 4e-8.
float mean_magnitude_of_unit_rows(std::uint32_t inputs) noexcept
{
    constexpr float small[] = {1.0f,         0.900316316f, 0.866025404f, 0.848826363f, 0.838525492f, 0.831676588f,
                               0.826797285f, 0.823146346f, 0.8203125f,   0.818049416f, 0.816200632f, 0.814662033f,
                               0.813361665f, 0.812248214f, 0.811284109f, 0.810441208f};
    if (inputs <= 16)
        return small[inputs - 1];
    const float r = 1.0f / static_cast<float>(inputs);
    return 0.797884561f * (1.0f + r * (0.25f + r * (0.03125f - r * (0.0390625f + r * 0.0102539062f))));
}

} // namespace samara::engine
