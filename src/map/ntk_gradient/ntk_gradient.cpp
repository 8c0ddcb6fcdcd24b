// Gradients of a finite network. SPEC.md, section 19.
#include "samara/map/ntk_gradient.hpp"

#include "map/engine/values.hpp"
#include "samara/kernel.hpp"
#include "samara/memory.hpp"
#include "stream/kernels.hpp"

namespace samara {

namespace {

using namespace engine;

// Row `row` of W(layer + 1). For layer = depth and row 0 these are the output weights w.
void fill_weights(const NtkGradientSpec& s, std::uint32_t layer, std::uint32_t row, std::uint32_t n,
                  float* out) noexcept
{
    const std::uint64_t index = (std::uint64_t{layer} << 32) | row;
    SAMARA_KERNEL(stream, fill_normals)(stream_key(s.seed, Domain::gradient_weights, index), out, n);
}

struct Buffers {
    float *hidden, *slope;  // of all layers: h(1) ... h(depth), and 1 where a unit is above 0, else 0
    float *gradient, *next; // df/dh of a layer and of the one below it
    float* row;             // of weights
};

std::uint32_t layer_inputs(const NtkGradientSpec& s, std::uint32_t layer) noexcept
{
    return layer == 0 ? s.inputs : s.width;
}

void forward(const NtkGradientSpec& s, const Buffers& w, const float* unit, float scale) noexcept
{
    const float* in = unit;
    for (std::uint32_t l = 0; l < s.depth; ++l) {
        const std::uint32_t n = layer_inputs(s, l);
        float *out = w.hidden + std::size_t{l} * s.width, *slope = w.slope + std::size_t{l} * s.width;
        for (std::uint32_t i = 0; i < s.width; ++i) {
            fill_weights(s, l, i, n, w.row);
            const float t = SAMARA_KERNEL(simd, dot)(w.row, in, n);
            slope[i] = t > 0.0f ? 1.0f : 0.0f;
            out[i] = t > 0.0f ? t * scale : 0.0f;
        }
        in = out;
    }
}

// df/dw = h(L); df/dW(l) = delta(l) h(l-1)', delta(l) = scale step(.) gradient, gradient of h(l-1) = W(l)' delta(l).
void backward(const NtkGradientSpec& s, const Buffers& w, const float* unit, float scale, float length,
              float* z) noexcept
{
    const auto hidden = [&](std::uint32_t l) { return w.hidden + std::size_t{l} * s.width; };
    SAMARA_KERNEL(simd, scaled_copy)(hidden(s.depth - 1), s.width, length, z);
    z += s.width;
    fill_weights(s, s.depth, 0, s.width, w.gradient);
    for (std::uint32_t l = s.depth; l-- > 0;) {
        const std::uint32_t n = layer_inputs(s, l);
        const float *in = l == 0 ? unit : hidden(l - 1), *slope = w.slope + std::size_t{l} * s.width;
        for (std::uint32_t i = 0; l > 0 && i < s.width; ++i)
            w.next[i] = 0.0f;
        for (std::uint32_t i = 0; i < s.width; ++i, z += n) {
            const float delta = slope[i] * w.gradient[i] * scale;
            SAMARA_KERNEL(simd, scaled_copy)(in, n, delta * length, z);
            if (l > 0) {
                fill_weights(s, l, i, n, w.row);
                SAMARA_KERNEL(simd, add_multiple)(delta, w.row, n, w.next);
            }
        }
        float* const previous = w.gradient;
        SAMARA_KERNEL(simd, scaled_copy)(w.next, l > 0 ? s.width : 0, 1.0f, previous);
    }
}

} // namespace

Status Map<NtkGradientSpec>::run(const NtkGradientSpec& s, const Code&, std::span<const float> x, std::span<float> z,
                                 std::size_t samples, std::span<std::byte> work) noexcept
{
    Bump bump(work);
    Buffers w{};
    w.hidden = bump.take<float>(std::size_t{s.depth} * s.width);
    w.slope = bump.take<float>(std::size_t{s.depth} * s.width);
    w.gradient = bump.take<float>(s.width);
    w.next = bump.take<float>(s.width);
    w.row = bump.take<float>(s.inputs > s.width ? s.inputs : s.width);
    float* unit = bump.take<float>(s.inputs);
    const float scale = SAMARA_ARCH::sqrt_scalar(2.0f / static_cast<float>(s.width));
    for (std::size_t k = 0; k < samples; ++k) {
        const std::span<float> out = z.subspan(k * s.features, s.features);
        for (float& v : out)
            v = 0.0f;
        const float length = unit_vector(x.data() + k * s.inputs, s.inputs, unit);
        if (length == 0.0f)
            continue;
        forward(s, w, unit, scale);
        backward(s, w, unit, scale, length, out.data());
    }
    return Status::ok;
}

double Map<NtkGradientSpec>::kernel(const NtkGradientSpec& s, std::span<const float> x,
                                    std::span<const float> y) noexcept
{
    return ntk_kernel(x, y, s.depth);
}

} // namespace samara
