// The rows of pixels of the first layer. SPEC.md, section 28.2.
#include "map/cntk/orders_pixel.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

// The raw pixel at (y, x), or null outside the image.
const float* pixel_at(const OrdersRun& r, std::int64_t y, std::int64_t x) noexcept
{
    const CntkShape& s = r.plan.shape;
    if (y < 0 || x < 0 || y >= s.height || x >= s.width)
        return nullptr;
    return r.x + (static_cast<std::size_t>(y) * s.width + static_cast<std::size_t>(x)) * s.channels;
}

} // namespace

void first_row(const OrdersRun& r, std::uint32_t row) noexcept
{
    const CntkPlan& p = r.plan;
    const CntkShape& s = p.shape;
    const auto patch = static_cast<float>(s.patch);
    CntkFirstArgs a{};
    a.inputs = p.window * s.channels;
    a.log2_size = static_cast<unsigned>(std::countr_zero(p.first));
    for (unsigned i = 0; i < 3; ++i)
        a.signs[i] = r.signs + r.first.round[i];
    a.y = r.y;
    a.norms = r.norms;
    a.normals = r.layers[1].normals;
    const float each = 1.0f / sqrt_scalar(static_cast<float>(a.inputs));
    a.count = p.random;
    float* const window = r.left; // it has room: a window's pixels are among the exact numbers
    for (std::uint32_t column = 0; column < s.width; ++column) {
        const RingPixel out = ring_pixel(r, 1, row, column);
        float* to = window;
        for (std::uint32_t i = 0; i < r.window.high(); ++i) {
            for (std::uint32_t j = 0; j < r.window.wide(); ++j, to += s.channels) {
                const float* const pixel =
                    pixel_at(r, std::int64_t{row} + i - r.window.y, std::int64_t{column} + j - r.window.x);
                for (std::uint32_t ch = 0; ch < s.channels; ++ch)
                    to[ch] = pixel != nullptr ? pixel[ch] * r.factor : 0.0f;
            }
        }
        const float n = SAMARA_KERNEL(simd, sum_of_squares)(window, a.inputs, 1.0f);
        if (!(n > 0.0f)) {
            zero_pixel(r, 1, row, column);
            continue;
        }
        const float root = sqrt_scalar(n);
        SAMARA_KERNEL(simd, scaled_copy)(window, a.inputs, 1.0f / root, window);
        out.head[0] = n;
        out.head[1] = root / patch * sqrt_scalar(0.318309886f);
        a.window = window;
        // What all pixels and channels of the window have in common is a coordinate of its own.
        float sum = 0.0f;
        for (std::uint32_t i = 0; i < a.inputs; ++i)
            sum += window[i];
        a.common = sum * each;
        for (std::uint32_t i = 0; i < a.inputs; ++i)
            window[i] -= a.common * each;
        a.amplitude = root / patch * sqrt_scalar(0.5f / static_cast<float>(p.random));
        a.out = out.tau;
        a.part = out.part;
        SAMARA_KERNEL(cntk, cntk_first)(a);
    }
}

} // namespace samara::engine
