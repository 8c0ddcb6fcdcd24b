// The raw pixels in a pixel's reach, which every layer carries exactly, and what they lose at borders. SPEC.md, section
// 28.2.
#include "map/cntk/orders_pixel.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

class RawPixels {
public:
    explicit RawPixels(const PixelPlace& place) noexcept
        : place_(place), r_(place.r), p_(r_.plan), s_(p_.shape), layer_(r_.layers[place.h]),
          below_(r_.layers[place.h - 1]), h_(place.h), row_(place.row), column_(place.column)
    {}

    void see(float* tau, float* omega) const noexcept
    {
        look_around();
        weigh_raw();
        if (at_border()) {
            border_of_raw(tau);
            if (h_ > 2)
                border_of_products(omega);
        }
        const std::uint32_t places = layer_.reach.places();
        SAMARA_KERNEL(cntk, cntk_weigh)
        (r_.around, r_.raw_weights, places, s_.channels, r_.rest_exact + p_.window);
        SAMARA_KERNEL(cntk, cntk_weigh)
        (r_.around, r_.product_weights, places, s_.channels, r_.left_exact + p_.window);
    }

private:
    // The raw pixels in reach.
    void look_around() const noexcept
    {
        const CntkReach reach = layer_.reach;
        const std::uint32_t left = s_.width - 1 - column_, channels = s_.channels;
        const std::uint32_t begin = column_ < reach.x ? reach.x - column_ : 0,
                            end = left < reach.x ? reach.x + left + 1 : reach.wide();
        float* to = r_.around;
        for (std::uint32_t i = 0; i < reach.high(); ++i, to += std::size_t{reach.wide()} * channels) {
            const bool inside = row_ + i >= reach.y && row_ + i - reach.y < s_.height;
            if (!inside || begin != 0 || end != reach.wide())
                set_to_zero(to, std::size_t{reach.wide()} * channels);
            if (inside)
                SAMARA_KERNEL(simd, scaled_copy)
            (r_.x + (std::size_t{row_ + i - reach.y} * s_.width + (column_ + begin - reach.x)) * channels,
             std::size_t{end - begin} * channels, r_.factor, to + std::size_t{begin} * channels);
        }
    }

    // The weights of the raw pixels in reach: in G by the ways to them, in E by those of the layer below.
    void weigh_raw() const noexcept
    {
        const CntkReach reach = layer_.reach;
        const float* const columns = layer_.at_column + std::size_t{column_} * reach.wide();
        for (std::uint32_t i = 0; i < reach.high(); ++i) {
            const float of_row = r_.row_ways[i] * layer_.raw_scale;
            float* const weights = r_.raw_weights + std::size_t{i} * reach.wide();
            for (std::uint32_t j = 0; j < reach.wide(); ++j)
                weights[j] = of_row * columns[j];
        }
        if (h_ == 2) {
            for (std::uint32_t i = 0; i < reach.places(); ++i)
                r_.product_weights[i] = r_.raw_weights[i];
            return;
        }
        if (windows_of_three_upon_two())
            add_weights_of_three();
        else
            add_weights();
        for (std::uint32_t i = 0; i < reach.places(); ++i)
            r_.product_weights[i] *= layer_.inverses[i];
    }
    // The weights of the layer below, each where the raw pixel is in reach of this layer.
    void add_weights() const noexcept
    {
        const CntkReach reach = layer_.reach, below = below_.reach;
        set_to_zero(r_.product_weights, reach.places());
        place_.each_place([&](std::uint32_t a, std::uint32_t b, const float* record) {
            const Part rows = part(a, r_.window.y, reach.y, below.y), columns = part(b, r_.window.x, reach.x, below.x);
            for (std::int32_t i = rows.begin; i < rows.end; ++i) {
                float* const to =
                    r_.product_weights + static_cast<std::size_t>(i + rows.shift) * reach.wide() + columns.shift;
                const float* const from = record + 3 + static_cast<std::size_t>(i) * below.wide();
                each_of(columns, [&](std::int32_t j) { to[j] += from[j]; });
            }
        });
    }
    // The most frequent of cases, with the same sums: windows of three pixels that are in the image, upon two such
    // windows. A row of sums stays in registers.
    bool windows_of_three_upon_two() const noexcept
    {
        const auto square = [](const CntkReach& reach, std::uint32_t side) {
            return reach.high() == side && reach.wide() == side;
        };
        return square(r_.window, 3) && square(below_.reach, 5) && square(layer_.reach, 7) && place_.begin == 0 &&
               place_.end == 3 && place_.rows.at[0] != nullptr && place_.rows.at[2] != nullptr;
    }
    void add_weights_of_three() const noexcept
    {
        const std::size_t record = place_.rows.record;
        for (std::uint32_t row = 0; row < 7; ++row) {
            float sums[7] = {};
            const std::uint32_t first = row < 4 ? 0 : row - 4, end = row < 2 ? row + 1 : 3;
            for (std::uint32_t a = first; a < end; ++a) {
                const float* const from = place_.rows.at[a] + std::size_t{column_ - 1} * record + 3 + 5 * (row - a);
#pragma GCC unroll 3
                for (unsigned b = 0; b < 3; ++b)
#pragma GCC unroll 5
                    for (unsigned j = 0; j < 5; ++j)
                        sums[b + j] += from[b * record + j];
            }
            for (unsigned j = 0; j < 7; ++j)
                r_.product_weights[row * 7 + j] = sums[j];
        }
    }
    // Along one axis: place i of the layer below, seen from place `at` of the window, is place i + shift in reach;
    // begin and end say which of them are. The others are farther away than the image is long.
    struct Part {
        std::int32_t begin, end, shift;
    };
    static Part part(std::uint32_t at, std::uint32_t window, std::uint32_t reach, std::uint32_t below) noexcept
    {
        const auto shift = static_cast<std::int32_t>(at + reach - window - below);
        const auto size = static_cast<std::int32_t>(2 * below + 1),
                   room = static_cast<std::int32_t>(2 * reach + 1) - shift;
        return {shift < 0 ? -shift : 0, room < size ? room : size, shift};
    }
    // Calls add(j) for the columns of a part. Of windows of three pixels on one or two others most parts are whole.
    template <class Add>
    static void each_of(const Part& columns, Add add) noexcept
    {
        if (columns.begin == 0 && columns.end == 5) {
            for (std::int32_t j = 0; j < 5; ++j)
                add(j);
        } else if (columns.begin == 0 && columns.end == 3) {
            for (std::int32_t j = 0; j < 3; ++j)
                add(j);
        } else {
            for (std::int32_t j = columns.begin; j < columns.end; ++j)
                add(j);
        }
    }
    // Whether there are ways that leave the image.
    bool at_border() const noexcept
    {
        const auto near = [&](std::uint32_t at, std::uint32_t length, std::uint32_t half) {
            return half != 0 && (at < h_ * half || length - 1 - at < h_ * half);
        };
        return near(row_, s_.height, r_.window.y) || near(column_, s_.width, r_.window.x);
    }
    // What the one direction that raw pixels keep loses where ways leave the image: for each place of the window, and
    // each pixel in the reach of the layer below from there, its weight there less what this layer's gives back. Each
    // has a random sign, and those of one raw pixel are added. row_below(record, a, b, i): at place (a, b) of the
    // window the weights of row i in that reach, a factor and numbers; table.signs multiplies them.
    struct RowBelow {
        float factor;
        const float* numbers;
    };
    template <class Below>
    void border(const float* weights, const BorderTable& table, const std::uint32_t* mix_signs, float* random,
                Below row_below) const noexcept
    {
        const CntkReach reach = layer_.reach, below = below_.reach;
        float* const lost = r_.border_weights;
        for (std::uint32_t i = 0; i < reach.places(); ++i)
            lost[i] = -weights[i] * table.given_back[i];
        place_.each_place([&](std::uint32_t a, std::uint32_t b, const float* record) {
            const Part rows = part(a, r_.window.y, reach.y, below.y), columns = part(b, r_.window.x, reach.x, below.x);
            const float* const signs = table.signs + std::size_t{a * r_.window.wide() + b} * below.places();
            for (std::int32_t i = rows.begin; i < rows.end; ++i) {
                const auto from = static_cast<std::uint32_t>(i) * below.wide();
                const RowBelow row = row_below(record, a, b, static_cast<std::uint32_t>(i));
                float* const to = lost + static_cast<std::size_t>(i + rows.shift) * reach.wide() + columns.shift;
                const float* const sign = signs + from;
                each_of(columns, [&](std::int32_t j) { to[j] += sign[j] * row.factor * row.numbers[j]; });
            }
        });
        SAMARA_KERNEL(cntk, cntk_weigh)(r_.around, lost, reach.places(), s_.channels, r_.folded);
        fold_blocks(r_, r_.folded, p_.raw(h_), p_.border(h_), mix_signs, random, cntk_part, true);
    }
    void border_of_raw(float* tau) const noexcept
    {
        const CntkReach below = below_.reach;
        const float* const rows = r_.row_ways + layer_.reach.high();
        border(r_.raw_weights, layer_.raw_border, r_.signs + layer_.signs.relu_border, tau,
               [&](const float*, std::uint32_t a, std::uint32_t b, std::uint32_t i) {
                   return RowBelow{rows[a * below.high() + i] * layer_.raw_scale,
                                   below_.at_column + (std::size_t{column_} + b - r_.window.x) * below.wide()};
               });
    }
    void border_of_products(float* omega) const noexcept
    {
        const CntkReach below = below_.reach;
        border(r_.product_weights, layer_.product_border, r_.signs + layer_.signs.product_border, omega,
               [&](const float* record, std::uint32_t, std::uint32_t, std::uint32_t i) {
                   return RowBelow{1.0f, record + 3 + i * below.wide()};
               });
    }

    const PixelPlace& place_;
    const OrdersRun& r_;
    const CntkPlan& p_;
    const CntkShape& s_;
    const OrdersLayer &layer_, &below_;
    std::uint32_t h_, row_, column_;
};

} // namespace

void see_raw_pixels(const PixelPlace& place, float* tau, float* omega) noexcept { RawPixels(place).see(tau, omega); }

} // namespace samara::engine
