// The directions along which constants and raw pixels stay exact. SPEC.md, section 28.2.
#include "map/cntk/orders_prepare.hpp"
#include "simd/scalar_math.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

// Along the roots of two shares.
void set_direction(float first, float second, float* out) noexcept
{
    const float sum = first + second;
    out[0] = sqrt_scalar(first / sum);
    out[1] = sqrt_scalar(second / sum);
}
// Along the roots of four shares, and the three directions orthogonal to it of the reflection that takes (1, 0, 0,
// 0) to it.
void set_directions(const float* shares, float (&out)[4][4]) noexcept
{
    const float sum = (shares[0] + shares[1]) + (shares[2] + shares[3]);
    float* const e = out[0];
    for (unsigned i = 0; i < 4; ++i)
        e[i] = sqrt_scalar(shares[i] / sum);
    const float factor = 1.0f / (1.0f + e[0]);
    for (unsigned k = 1; k < 4; ++k) {
        out[k][0] = -e[k];
        for (unsigned i = 1; i < 4; ++i)
            out[k][i] = (i == k ? 1.0f : 0.0f) - e[k] * e[i] * factor;
    }
}

} // namespace

// The shares of constants and of raw pixels in G (c, l) and in E (g, a) of a layer without borders whose windows
// are all alike choose the directions.
void prepare_directions(OrdersRun& r) noexcept
{
    float c = inverse_pi, l = 0.5f, g = inverse_pi, a = 0.5f, scale = r.over_patch;
    for (std::uint32_t h = 2; h <= r.plan.shape.depth; ++h) {
        OrdersLayer& layer = r.layers[h];
        layer.raw_scale = scale;
        scale *= r.over_patch;
        const float of_raw[4] = {a * 0.5f, a * c * inverse_pi, g * l * inverse_pi, l * 0.5f};
        const float of_eta[4] = {g * 0.5f, g * c * inverse_pi, inverse_pi, c * 0.5f};
        set_directions(of_raw, layer.raw_direction);
        set_directions(of_eta, layer.eta_direction);
        set_direction(of_eta[2], of_eta[3], layer.k_direction);
        set_direction(0.5f, c * inverse_pi, layer.omega_direction);
        const float share = 0.5f + c * inverse_pi;
        const float next_g = g * share + inverse_pi + c * 0.5f;
        a = a * share + g * l * inverse_pi + l * 0.5f;
        g = next_g;
        c = inverse_pi + c * 0.5f;
        l = l * 0.5f;
    }
}

} // namespace samara::engine
