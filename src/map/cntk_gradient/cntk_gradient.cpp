// Gradients of a finite convolutional network. SPEC.md, section 28.4.
#include "samara/map/cntk_gradient.hpp"

#include <utility>

#include "map/engine/values.hpp"
#include "samara/memory.hpp"
#include "stream/kernels.hpp"

namespace samara {

namespace {

using namespace engine;

// The weights of filter `filter` of W(layer + 1), in the order of the window's rows, its columns and the channels. For
// layer = depth and filter 0 these are the output weights w.
void fill_weights(const CntkGradientSpec& s, std::uint32_t layer, std::uint32_t filter, std::size_t n,
                  float* out) noexcept
{
    const std::uint64_t index = (std::uint64_t{layer} << 32) | filter;
    SAMARA_KERNEL(stream, fill_normals)(stream_key(s.seed, Domain::cntk_weights, index), out, n);
}

// Pixels in the rows [top, bottom) and the columns [left, right).
struct Box {
    std::uint32_t top, bottom, left, right;

    std::uint32_t pixels() const noexcept { return (bottom - top) * (right - left); }
};

// What the windows of a box's pixels see of the image.
Box windows_of(const CntkGradientSpec& s, const Box& box) noexcept
{
    const std::uint32_t r = s.patch / 2;
    return {box.top > r ? box.top - r : 0, s.height - box.bottom > r ? box.bottom + r : s.height,
            box.left > r ? box.left - r : 0, s.width - box.right > r ? box.right + r : s.width};
}

// Calls with each row of the window of a pixel that is inside the image, cut where the image ends: the first place in
// the window, the pixel that lies there, and how many of both follow each other.
template <class Call>
void each_window_row(const CntkGradientSpec& s, std::uint32_t row, std::uint32_t column, Call call) noexcept
{
    const std::uint32_t r = s.patch / 2, first = column < r ? r - column : 0;
    const std::uint32_t end = s.width - column <= r ? s.width - column + r : s.patch;
    for (std::uint32_t a = row < r ? r - row : 0; a < s.patch && row + a - r < s.height; ++a)
        call(std::size_t{a} * s.patch + first, std::size_t{row + a - r} * s.width + (column + first - r), end - first);
}

template <class Call>
void each_pixel(const CntkGradientSpec& s, const Box& box, Call call) noexcept
{
    for (std::uint32_t row = box.top; row < box.bottom; ++row)
        for (std::uint32_t column = box.left; column < box.right; ++column)
            call(row, column, std::size_t{row} * s.width + column);
}

struct Buffers {
    float* outputs;         // of all layers, x(1) ... x(depth): the filters of a pixel together
    float *gradient, *next; // df/dx of a layer and of the one below it
    float* weights;         // of a filter
    float* unit;            // x at length 1
};

void forward(const CntkGradientSpec& s, const Buffers& w, float scale) noexcept
{
    const Box image{0, s.height, 0, s.width};
    const float* in = w.unit;
    std::size_t n = s.channels;
    for (std::uint32_t layer = 0; layer < s.depth; ++layer) {
        float* const out = w.outputs + std::size_t{layer} * image.pixels() * s.filters;
        for (std::uint32_t filter = 0; filter < s.filters; ++filter) {
            fill_weights(s, layer, filter, std::size_t{s.patch} * s.patch * n, w.weights);
            each_pixel(s, image, [&](std::uint32_t row, std::uint32_t column, std::size_t pixel) {
                float t = 0.0f;
                each_window_row(s, row, column, [&](std::size_t place, std::size_t seen, std::size_t count) {
                    t = t + SAMARA_KERNEL(simd, dot)(w.weights + place * n, in + seen * n, count * n);
                });
                out[pixel * s.filters + filter] = t > 0.0f ? t * scale : 0.0f;
            });
        }
        in = out;
        n = s.filters;
    }
}

// df/dW(h) of a filter is the sum of delta(h) times the pixel's window of x(h-1), delta(h) = scale step(.) gradient;
// the gradient of x(h-1) is the sum of delta(h) times the filter where it lies. Returns behind the cell's features.
float* backward(const CntkGradientSpec& s, Buffers w, const Box& cell, float scale, float* z) noexcept
{
    const std::size_t n = s.filters, weights = std::size_t{s.patch} * s.patch * n;
    const std::size_t outputs = std::size_t{s.height} * s.width * n;
    const float share = 1.0f / static_cast<float>(cell.pixels());
    fill_weights(s, s.depth, 0, n, w.weights);
    each_pixel(s, cell, [&](std::uint32_t, std::uint32_t, std::size_t pixel) {
        SAMARA_KERNEL(simd, scaled_copy)(w.weights, n, share, w.gradient + pixel * n);
    });
    Box box = cell;
    for (std::uint32_t layer = s.depth - 1; layer > 0; --layer) {
        const float *out = w.outputs + layer * outputs, *in = out - outputs;
        const Box below = windows_of(s, box);
        const bool more = layer > 1;
        for (std::uint32_t row = below.top; row < below.bottom && more; ++row)
            for (std::size_t i = below.left * n; i < below.right * n; ++i)
                w.next[row * s.width * n + i] = 0.0f;
        for (std::uint32_t filter = 0; filter < s.filters; ++filter, z += weights) {
            if (more)
                fill_weights(s, layer, filter, weights, w.weights);
            each_pixel(s, box, [&](std::uint32_t row, std::uint32_t column, std::size_t pixel) {
                if (!(out[pixel * n + filter] > 0.0f))
                    return;
                const float delta = w.gradient[pixel * n + filter] * scale;
                each_window_row(s, row, column, [&](std::size_t place, std::size_t seen, std::size_t count) {
                    SAMARA_KERNEL(simd, add_multiple)(delta, in + seen * n, count * n, z + place * n);
                    if (more)
                        SAMARA_KERNEL(simd, add_multiple)(delta, w.weights + place * n, count * n, w.next + seen * n);
                });
            });
        }
        std::swap(w.gradient, w.next);
        box = below;
    }
    return z;
}

} // namespace

Status Map<CntkGradientSpec>::run(const CntkGradientSpec& s, const Code&, std::span<const float> x, std::span<float> z,
                                  std::size_t samples, std::span<std::byte> work) noexcept
{
    const CntkShape shape = cntk_shape(s);
    const std::size_t outputs = std::size_t{s.height} * s.width * s.filters;
    Bump bump(work);
    Buffers w{};
    w.outputs = bump.take<float>(s.depth * outputs);
    w.gradient = bump.take<float>(outputs);
    w.next = bump.take<float>(outputs);
    w.weights = bump.take<float>(std::size_t{s.patch} * s.patch * (s.channels > s.filters ? s.channels : s.filters));
    w.unit = bump.take<float>(s.inputs);
    const float scale = SAMARA_ARCH::sqrt_scalar(2.0f / static_cast<float>(s.filters * s.patch * s.patch));
    for (std::size_t k = 0; k < samples; ++k) {
        const std::span<float> out = z.subspan(k * s.features, s.features);
        for (float& v : out)
            v = 0.0f;
        const float length = unit_vector(x.data() + k * s.inputs, s.inputs, w.unit);
        if (length == 0.0f)
            continue;
        forward(s, w, scale);
        float* end = out.data();
        for (std::uint32_t i = 0; i < shape.cells_high; ++i)
            for (std::uint32_t j = 0; j < shape.cells_wide; ++j) {
                const Box cell{
                    cntk_cell_first(i, shape.cells_high, s.height), cntk_cell_first(i + 1, shape.cells_high, s.height),
                    cntk_cell_first(j, shape.cells_wide, s.width), cntk_cell_first(j + 1, shape.cells_wide, s.width)};
                end = backward(s, w, cell, scale, end);
            }
        SAMARA_KERNEL(simd, scaled_copy)(out.data(), static_cast<std::size_t>(end - out.data()), length, out.data());
    }
    return Status::ok;
}

} // namespace samara
