// What the steps of a layer with exact orders share: where a pixel is, its window in the layer below, and how numbers
// are mixed. SPEC.md, section 28.2.
#pragma once

#include "map/cntk/orders.hpp"

namespace samara::engine {

inline constexpr float inverse_eight = 0.125f; // a transform of 64 points keeps lengths with it
static_assert(cntk_mix == 64 && cntk_part == 64);

// Mixes numbers in blocks, times factor: signs, a transform, lengths as before.
inline void mix_blocks(const float* v, std::uint32_t used, std::uint32_t n, const std::uint32_t* signs, float factor,
                       float* out) noexcept
{
    SAMARA_KERNEL(cntk, cntk_mix)({v, used, n, signs, inverse_eight * factor, false, out, cntk_part, n});
}

// Mixes n numbers and writes them, block by block, to random ones, whose parts are `part` numbers apart; or adds them.
inline void fold_blocks(const OrdersRun& r, const float* v, std::uint32_t used, std::uint32_t n,
                        const std::uint32_t* signs, float* out, std::size_t part, bool add) noexcept
{
    SAMARA_KERNEL(cntk, cntk_mix)({v, used, n, signs, inverse_eight, add, out, part, r.plan.random});
}

inline void set_to_zero(float* v, std::size_t n) noexcept
{
    for (std::size_t i = 0; i < n; ++i)
        v[i] = 0.0f;
}

inline void zero_pixel(const OrdersRun& r, std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
{
    const RingPixel pixel = ring_pixel(r, h, row, column);
    set_to_zero(pixel.head, cntk_head(r.plan, h));
    for (std::uint32_t i = 0; i < r.plan.random / cntk_part; ++i) {
        set_to_zero(pixel.tau + i * pixel.part, cntk_part);
        if (h > 1)
            set_to_zero(pixel.omega + i * pixel.part, cntk_part);
    }
}

// The rows of the layer below that a window sees: their first pixels' numbers, null outside the image.
struct RowsBelow {
    const float* at[most_patch] = {};
    std::size_t record = 0; // from pixel to pixel
};

// Pixel (row, column) of layer h, from 2 on.
struct PixelPlace {
    const OrdersRun& r;
    const RowsBelow& rows;
    std::uint32_t h, row, column;
    std::uint32_t begin, end; // columns of the window that are in the image

    PixelPlace(const OrdersRun& run, const RowsBelow& below, std::uint32_t layer, std::uint32_t at_row,
               std::uint32_t at_column) noexcept
        : r(run), rows(below), h(layer), row(at_row), column(at_column)
    {
        const std::uint32_t far = r.window.x, width = r.plan.shape.width, left = width - 1 - column;
        begin = column < far ? far - column : 0;
        end = left < far ? far + left + 1 : r.window.wide();
    }

    // Calls visit(row, column, record) for the places of the window that are in the image.
    template <class Visit>
    void each_place(Visit visit) const noexcept
    {
        for (std::uint32_t a = 0; a < r.window.high(); ++a) {
            if (rows.at[a] == nullptr)
                continue;
            const float* record = rows.at[a] + (std::size_t{column} + begin - r.window.x) * rows.record;
            for (std::uint32_t b = begin; b < end; ++b, record += rows.record)
                visit(a, b, record);
        }
    }
};

// The raw pixels in reach, with the weights that they have in G and in E: behind the window's constants in r.rest_exact
// and in r.left_exact. The weights stay in r.raw_weights and r.product_weights. What the directions that are exact lose
// where ways leave the image is added to tau and omega.
void see_raw_pixels(const PixelPlace& place, float* tau, float* omega) noexcept;

} // namespace samara::engine
