// The ways between pixels, what borders take of them, and the directions that stay exact. SPEC.md, section 28.2.
#include "map/cntk/orders_prepare.hpp"
#include "simd/scalar_math.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

class WaysOfLayers {
public:
    explicit WaysOfLayers(Preparation& to) noexcept : to_(to), r_(to.r), p_(to.r.plan) {}

    void ways() noexcept
    {
        const CntkShape& s = p_.shape;
        const Axis rows{s.height, r_.window.y}, columns{s.width, r_.window.x};
        for (std::uint32_t h = 1; h <= s.depth; ++h) {
            OrdersLayer& layer = r_.layers[h];
            layer.reach = cntk_reach(s, h);
            layer.rows = free_ways(rows, h, layer.reach.y);
            layer.columns = free_ways(columns, h, layer.reach.x);
            float *const roots = to_.floats(layer.reach.places()), *const inverses = to_.floats(layer.reach.places());
            for (std::uint32_t i = 0; i < layer.reach.places(); ++i) {
                // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a reach is at least one wide
                const std::uint32_t row = i / layer.reach.wide(), column = i % layer.reach.wide();
                roots[i] = layer.rows.root[row] * layer.columns.root[column];
                inverses[i] = layer.rows.inverse[row] * layer.columns.inverse[column];
            }
            layer.common = h > 1 ? common(layer, roots) : nullptr;
            layer.roots = roots;
            layer.inverses = inverses;
            float* const at = to_.floats(std::size_t{s.width} * layer.reach.wide());
            for (std::uint32_t i = 0; i < s.width; ++i)
                ways_from(columns, h, i, layer.columns, layer.reach.x, at + std::size_t{i} * layer.reach.wide());
            layer.at_column = at;
        }
        for (std::uint32_t h = 2; h <= s.depth; ++h) {
            r_.layers[h].raw_border = border_table(h, SignUse::raw_border, false);
            if (h > 2)
                r_.layers[h].product_border = border_table(h, SignUse::weight_border, true);
        }
        const std::size_t places = r_.layers[s.depth].reach.places();
        r_.around = to_.floats(p_.raw(s.depth));
        r_.raw_weights = to_.floats(places);
        r_.product_weights = to_.floats(places);
        r_.border_weights = to_.floats(places);
        r_.row_ways = to_.floats((r_.window.high() + 1) * std::size_t{r_.layers[s.depth].reach.high()});
    }

private:
    BorderTable border_table(std::uint32_t h, SignUse use, bool products) noexcept
    {
        const OrdersLayer &layer = r_.layers[h], &below = r_.layers[h - 1];
        const CntkReach reach = layer.reach, from = below.reach;
        float* const signs = random_signs(to_, std::size_t{p_.window} * from.places(), h, use);
        float* const given = to_.floats(reach.places());
        for (std::uint32_t i = 0; i < reach.places(); ++i)
            given[i] = 0.0f;
        for (std::uint32_t place = 0; place < p_.window; ++place) {
            // As signed numbers: where place (0, 0) of the layer below is in reach.
            const std::uint32_t y = place / r_.window.wide() + reach.y - r_.window.y - from.y,
                                x = place % r_.window.wide() + reach.x - r_.window.x - from.x;
            float* const of_place = signs + std::size_t{place} * from.places();
            for (std::uint32_t i = 0; i < from.places(); ++i) {
                const std::uint32_t row = y + i / from.wide(), column = x + i % from.wide();
                if (row < reach.high() && column < reach.wide()) {
                    const std::uint32_t at = row * reach.wide() + column;
                    given[at] += of_place[i] * below.roots[i] * layer.inverses[at];
                }
                if (products)
                    of_place[i] *= below.inverses[i];
            }
        }
        return {signs, given};
    }
    // The numbers of ways along an axis without borders.
    Ways free_ways(const Axis& axis, std::uint32_t windows, std::uint32_t reach) noexcept
    {
        // Both of them 2 reach + 1 numbers, one after the other. Counts first, window by window.
        const std::uint32_t size = 2 * reach + 1;
        float *const root = to_.floats(size), *const inverse = to_.floats(size);
        for (std::uint32_t i = 0; i < size; ++i)
            root[i] = i == reach ? 1.0f : 0.0f;
        for (std::uint32_t k = 1; k <= windows; ++k)
            add_window(axis.far, size, root, inverse);
        for (std::uint32_t i = 0; i < size; ++i) {
            root[i] = sqrt_scalar(root[i]);
            inverse[i] = 1.0f / root[i];
        }
        return {root, inverse};
    }
    // counts[i] = sum of counts[i + a] for |a| <= far.
    static void add_window(std::uint32_t far, std::uint32_t size, float* counts, float* other) noexcept
    {
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t begin = i < far ? 0 : i - far, end = i + far < size ? i + far + 1 : size;
            float sum = 0.0f;
            for (std::uint32_t j = begin; j < end; ++j)
                sum += counts[j];
            other[i] = sum;
        }
        for (std::uint32_t i = 0; i < size; ++i)
            counts[i] = other[i];
    }
    const float* common(const OrdersLayer& layer, const float* roots) noexcept
    {
        const std::uint32_t places = layer.reach.places(), channels = p_.shape.channels;
        float* const out = to_.floats(std::size_t{places} * channels);
        float squares = 0.0f;
        for (std::uint32_t i = 0; i < places; ++i)
            squares += roots[i] * roots[i];
        const float inverse = 1.0f / sqrt_scalar(squares * static_cast<float>(channels));
        for (std::uint32_t i = 0; i < places * channels; ++i)
            out[i] = roots[i / channels] * inverse;
        return out;
    }

    Preparation& to_;
    OrdersRun& r_;
    const CntkPlan& p_;
};

} // namespace

void ways_from(const Axis& axis, std::uint32_t windows, std::uint32_t pixel, const Ways& free, std::uint32_t reach,
               float* out) noexcept
{
    const std::uint32_t size = 2 * reach + 1;
    // Place i is pixel + i - reach; ways that leave the image end there.
    const auto inside = [&](std::uint32_t i) { return pixel + i >= reach && pixel + i - reach < axis.length; };
    for (std::uint32_t i = 0; i < size; ++i)
        out[i] = i == reach ? 1.0f : 0.0f;
    for (std::uint32_t k = 0; k < windows; ++k) {
        // In place, from left to right: the sum over the window moves on by one, and needs the numbers that it drops.
        float behind[most_patch / 2 + 1] = {};
        for (std::uint32_t i = 0; i < size; ++i) {
            float sum = out[i];
            for (std::uint32_t j = 1; j <= axis.far; ++j) {
                sum += j <= i ? behind[(i - j) % (axis.far + 1)] : 0.0f;
                sum += i + j < size ? out[i + j] : 0.0f;
            }
            behind[i % (axis.far + 1)] = out[i];
            out[i] = inside(i) ? sum : 0.0f;
        }
    }
    for (std::uint32_t i = 0; i < size; ++i)
        out[i] *= free.inverse[i];
}

void prepare_ways(Preparation& to) noexcept { WaysOfLayers(to).ways(); }

} // namespace samara::engine
