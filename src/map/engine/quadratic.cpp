#include "map/engine/quadratic.hpp"

#include "simd/vectors.hpp"

namespace samara::engine {

void all_products(const float* x, std::uint32_t n, float down, float slope, float* out) noexcept
{
    for (std::uint32_t i = 0; i < n; ++i) {
        const float factor = x[i] * down * slope;
        *out++ = x[i] * factor;
        SAMARA_KERNEL(simd, scaled_copy)(x + i + 1, n - i - 1, factor * 1.41421354f, out);
        out += n - i - 1;
    }
}

} // namespace samara::engine
