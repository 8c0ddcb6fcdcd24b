// The convolutional NTK with exact low orders: an image, row by row. SPEC.md, section 28.2.
#include "samara/map/cntk.hpp"

#include "map/cntk/orders.hpp"
#include "map/engine/values.hpp"
#include "simd/scalar_math.hpp"

namespace samara {

SAMARA_KERNEL_TABLES(cntk, SAMARA_CNTK_KERNELS)

namespace {

using namespace engine;
using SAMARA_ARCH::sqrt_scalar;

// v[i mod n] += the numbers, with signs; goes on from place and sign `at`.
void add_signed(const float* numbers, std::size_t count, const std::uint32_t* signs, std::size_t& at, float* v,
                std::uint32_t n) noexcept
{
    for (std::size_t i = 0; i < count; ++i, ++at)
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there are outputs
        v[at % n] += (signs[at / 32] >> (at % 32) & 1u) != 0 ? -numbers[i] : numbers[i];
}

// The features of a cell from its sums.
void finish_cell(const OrdersRun& r, std::uint32_t cell, float scale, float* z) noexcept
{
    const CntkPlan& p = r.plan;
    const CellSums sums = sums_of(r, cell);
    const OrdersLayer& layer = r.layers[p.shape.depth];
    const std::uint32_t channels = p.shape.channels, raw = p.raw(p.shape.depth);
    *z++ = sums.constants[0] * scale;
    *z++ = sums.constants[1] * scale;
    // Of the raw pixels the part along the roots of the ways to them; what is left stays in the sums.
    const std::uint32_t places = layer.reach.places();
    float squares = 0.0f;
    for (std::uint32_t i = 0; i < places; ++i)
        squares += layer.roots[i] * layer.roots[i];
    const float inverse = 1.0f / sqrt_scalar(squares);
    for (std::uint32_t kind = 0; kind < 3; ++kind) {
        for (std::uint32_t ch = 0; ch < channels; ++ch) {
            float* const v = sums.raw + std::size_t{kind} * raw + ch;
            float along = 0.0f;
            for (std::uint32_t i = 0; i < places; ++i)
                along += layer.roots[i] * inverse * v[std::size_t{i} * channels];
            for (std::uint32_t i = 0; i < places; ++i)
                v[std::size_t{i} * channels] -= along * (layer.roots[i] * inverse);
            *z++ = along * scale;
        }
    }
    const float random_scale = sqrt_scalar(0.5f / static_cast<float>(p.outputs)) / static_cast<float>(p.shape.patch);
    for (std::uint32_t i = 0; i < p.outputs; ++i)
        z[i] = sums.random[i] * random_scale;
    std::size_t at = 0;
    add_signed(sums.folded, p.random, r.last_signs, at, z, p.outputs);
    add_signed(sums.windows, 3 * std::size_t{p.window}, r.last_signs, at, z, p.outputs);
    add_signed(sums.raw, 3 * std::size_t{raw}, r.last_signs, at, z, p.outputs);
    for (std::uint32_t i = 0; i < p.outputs; ++i)
        z[i] *= scale;
}

// Begins and ends the sums of a row of cells as the last layer's rows come.
class Cells {
public:
    Cells(const OrdersRun& r, int exponent, float* z) noexcept : r_(r), s_(r.plan.shape), exponent_(exponent), z_(z) {}

    void begin_row(std::uint32_t row) const noexcept
    {
        if (row != cntk_cell_first(cntk_cell_of(row, s_.cells_high, s_.height), s_.cells_high, s_.height))
            return;
        for (std::size_t i = 0; i < s_.cells_wide * cntk_sums(r_.plan); ++i)
            r_.sums[i] = 0.0f;
    }
    void end_row(std::uint32_t row) const noexcept
    {
        const std::uint32_t cell = cntk_cell_of(row, s_.cells_high, s_.height);
        const std::uint32_t first = cntk_cell_first(cell, s_.cells_high, s_.height),
                            next = cntk_cell_first(cell + 1, s_.cells_high, s_.height);
        if (row + 1 != next)
            return;
        for (std::uint32_t i = 0; i < s_.cells_wide; ++i) {
            const std::uint32_t wide =
                cntk_cell_first(i + 1, s_.cells_wide, s_.width) - cntk_cell_first(i, s_.cells_wide, s_.width);
            const float scale = power_of_two(exponent_) / static_cast<float>((next - first) * wide);
            finish_cell(r_, i, scale, z_ + (std::size_t{cell} * s_.cells_wide + i) * r_.plan.cell);
        }
    }

private:
    const OrdersRun& r_;
    const CntkShape& s_;
    int exponent_;
    float* z_;
};

void one_image(OrdersRun& r, const float* x, std::uint32_t inputs, std::span<float> z) noexcept
{
    for (float& v : z)
        v = 0.0f;
    const std::uint32_t largest = SAMARA_KERNEL(simd, largest_magnitude_bits)(x, inputs);
    if (largest == 0)
        return;
    const int exponent = exponent_of(largest);
    const CntkShape& s = r.plan.shape;
    r.x = x;
    r.factor = power_of_two(-exponent);
    const Cells cells(r, exponent, z.data());
    // A layer is as many rows behind the one below as the window reaches ahead.
    const std::uint32_t ahead = r.window.y;
    for (std::uint32_t step = 0; step < s.height + (s.depth - 1) * ahead; ++step) {
        if (step < s.height)
            first_row(r, step);
        for (std::uint32_t h = 2; h <= s.depth; ++h) {
            const std::uint32_t behind = (h - 1) * ahead;
            if (step < behind || step - behind >= s.height)
                continue;
            const std::uint32_t row = step - behind;
            if (h == s.depth)
                cells.begin_row(row);
            layer_row(r, h, row);
            if (h == s.depth)
                cells.end_row(row);
        }
    }
}

} // namespace

void engine::copy_cntk_block(std::span<const float> made, const ChosenRows& kept, std::uint32_t exact, std::uint32_t k,
                             std::span<float> z) noexcept
{
    if (k == 0 || kept.all()) {
        const std::size_t first = k == 0 ? 0 : exact + std::size_t{k - 1} * cntk_block_rows;
        for (std::size_t i = 0; i < z.size(); ++i)
            z[i] = made[first + i];
        return;
    }
    const auto rows = static_cast<float>(made.size() - exact);
    const float amplitude = sqrt_scalar(rows / static_cast<float>(kept.count()));
    const std::uint32_t first = kept.position_of((k - 1) * cntk_block_rows);
    for (std::uint32_t i = 0; i < z.size(); ++i)
        z[i] = made[exact + kept.row(first + i)] * amplitude;
}

Status engine::run_cntk_orders(const CntkSpec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                               std::span<std::byte> work) noexcept
{
    OrdersRun r{};
    prepare_orders(r, s, work);
    for (std::size_t i = 0; i < samples; ++i)
        one_image(r, x.data() + i * s.inputs, s.inputs, z.subspan(i * s.features, s.features));
    return Status::ok;
}

} // namespace samara
