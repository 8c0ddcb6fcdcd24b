// The rows of pixels of each layer from the second on. SPEC.md, section 28.2.
#include "map/cntk/orders_pixel.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

// One pixel of a layer from the second on.
class Pixel {
public:
    Pixel(const OrdersRun& r, const RowsBelow& rows, std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
        : place_(r, rows, h, row, column), r_(r), p_(r.plan), s_(r.plan.shape), layer_(r.layers[h]), h_(h)
    {}

    // tau and omega: the filters' results, which it adds to.
    void compute(float* tau, float* omega) noexcept
    {
        const bool last = h_ == s_.depth;
        const float n = sum_of(0) * r_.square_over_patch;
        if (!(n > 0.0f)) {
            if (!last)
                zero_pixel(r_, h_, place_.row, place_.column);
            return;
        }
        norm_ = n;
        root_ = sqrt_scalar(n);
        inverse_ = 1.0f / root_;
        constants();
        see_raw_pixels(place_, tau, omega);
        if (last)
            finish(tau, omega);
        else
            hand_on(tau, omega);
    }

private:
    float sum_of(std::uint32_t number) const noexcept
    {
        float sum = 0.0f;
        place_.each_place([&](std::uint32_t, std::uint32_t, const float* record) { sum += record[number]; });
        return sum;
    }
    // What a number of all places has in common; the rest of each place goes to `rest`.
    float common(std::uint32_t number, float* rest) const noexcept
    {
        const float value = sum_of(number) * r_.window_root;
        const float each = value * r_.window_root;
        for (std::uint32_t i = 0; i < p_.window; ++i)
            rest[i] = -each;
        place_.each_place([&](std::uint32_t a, std::uint32_t b, const float* record) {
            rest[a * r_.window.wide() + b] = record[number] - each;
        });
        return value;
    }
    void constants() noexcept
    {
        const float k = common(1, r_.rest_exact);
        if (h_ > 2) {
            chi_ = common(2, r_.left_exact);
        } else {
            chi_ = k;
            for (std::uint32_t i = 0; i < p_.window; ++i)
                r_.left_exact[i] = r_.rest_exact[i];
        }
        kappa_ = k * inverse_;
        scaled_ = chi_ * inverse_ * r_.pi_over_patch;
        of_kappa_ = kappa_ * r_.pi_over_patch;
    }

    // y: the rows' products with all that this layer sees of G, at length 1 with kappa; left: with what it sees of E.
    void project(const float* tau, const float* omega, std::uint32_t block) noexcept
    {
        const std::uint32_t mixed = p_.mixed(h_), exact = p_.window + p_.raw(h_);
        if (block == 0) {
            const float along = take_common(r_.rest_exact + p_.window);
            raw_ = along * inverse_;
            if (h_ > 2) {
                products_ = take_common(r_.left_exact + p_.window);
            } else { // the same numbers
                products_ = along;
                for (std::uint32_t i = 0; i < exact; ++i)
                    r_.left_exact[i] = r_.rest_exact[i];
            }
        }
        const CntkLayerSigns& at = layer_.signs;
        const unsigned levels = static_cast<unsigned>(std::countr_zero(p_.inner));
        mix_blocks(r_.rest_exact, exact, mixed, r_.signs + at.rest_mix, 1.0f, r_.y + p_.random);
        set_to_zero(r_.y + p_.random + mixed, p_.inner - mixed - p_.random);
        SAMARA_KERNEL(cntk, cntk_transform)
        (tau, p_.random, r_.y, levels, r_.signs + at.rest + block * at.per_block);

        if (block == 0)
            mix_blocks(r_.left_exact, exact, mixed, r_.signs + at.left_mix, 1.0f, r_.left_exact);
        // Exact numbers are apart here, sixteen at a time: products of rows see pairs of places by the exclusive or of
        // their numbers, and exact numbers that are together in both would meet in a few of these only.
        CntkSpreadArgs spread{};
        spread.exact = r_.left_exact;
        spread.random = omega;
        spread.exact_packs = mixed / 16;
        spread.random_packs = p_.random / 16;
        spread.packs = p_.inner / 16;
        spread.step = spread.packs / spread.exact_packs;
        spread.out = r_.left;
        SAMARA_KERNEL(cntk, cntk_spread)(spread);
        SAMARA_KERNEL(cntk, signed_transform)(r_.left, levels, r_.signs + at.left + block * at.per_block);
    }

    // Takes from raw pixels what they have along the common direction.
    float take_common(float* v) const noexcept
    {
        const std::uint32_t raw = p_.raw(h_);
        const float along = SAMARA_KERNEL(simd, dot)(v, layer_.common, raw);
        SAMARA_KERNEL(simd, add_multiple)(-along, layer_.common, raw, v);
        return along;
    }

    // The part of omega along its direction, and the part across.
    void split_omega(float& straight, float& across) const noexcept
    {
        straight = layer_.omega_direction[0] * r_.over_patch + layer_.omega_direction[1] * of_kappa_;
        across = layer_.omega_direction[0] * of_kappa_ - layer_.omega_direction[1] * r_.over_patch;
    }

    void hand_on(const float* tau, const float* omega) noexcept
    {
        const RingPixel out = ring_pixel(r_, h_, place_.row, place_.column);
        const auto begun = [&](std::uint32_t n) { return n < p_.random ? n : p_.random; };
        CntkInnerArgs a{};
        a.tau_begun = begun(p_.relu_fold());
        a.omega_begun = begun(p_.product_fold(h_));
        out.head[0] = norm_;
        fold_relu(out);
        fold_products(out);
        project(tau, omega, 0);
        const CntkLayerSigns& at = layer_.signs;
        a.y = r_.y;
        a.left = r_.left;
        a.normals = layer_.normals;
        a.of_raw = layer_.of_raw;
        a.of_products = layer_.of_products;
        a.raw = raw_;
        a.products = products_;
        a.inverse = inverse_;
        a.tau = tau;
        a.omega = omega;
        a.product = r_.signs + at.product;
        a.turned = r_.signs + at.turned;
        a.scaled = r_.signs + at.scaled;
        a.relu = r_.signs + at.relu;
        a.both = r_.signs + at.both;
        a.kappa = kappa_;
        a.chi = chi_;
        a.product_scale = sqrt_scalar(0.5f / static_cast<float>(p_.random)) / static_cast<float>(s_.patch);
        a.relu_scale = a.product_scale * root_;
        split_omega(a.straight, a.across);
        a.tau_scale = scaled_;
        a.pass = r_.over_patch;
        a.tau_out = out.tau;
        a.omega_out = out.omega;
        a.part = out.part;
        a.count = p_.random;
        SAMARA_KERNEL(cntk, cntk_inner)(a);
    }

    // k, and what it leaves, with the deviations within the window.
    void fold_relu(const RingPixel& out) const noexcept
    {
        const float one = root_ * r_.pi_over_patch, two = root_ * kappa_ * r_.over_patch;
        const float k = one * layer_.k_direction[0] + two * layer_.k_direction[1];
        out.head[1] = k;
        float* const v = r_.folded;
        for (std::uint32_t i = 0; i < p_.window; ++i)
            v[i] = r_.rest_exact[i] * r_.over_patch;
        v[p_.window] = one * layer_.k_direction[1] - two * layer_.k_direction[0];
        fold_blocks(r_, v, p_.window + 1, p_.relu_fold(), r_.signs + layer_.signs.relu_fold, out.tau, out.part, false);
    }
    // The three vectors of deviations that E has.
    void write_windows(float* v) const noexcept
    {
        for (std::uint32_t i = 0; i < p_.window; ++i) {
            v[i] = r_.rest_exact[i] * scaled_;
            v[p_.window + i] = r_.left_exact[i] * r_.over_patch;
            v[2 * p_.window + i] = r_.left_exact[i] * of_kappa_;
        }
    }
    // eta, the weights of raw pixels in E, and what they leave.
    void fold_products(const RingPixel& out) const noexcept
    {
        float* v = r_.folded;
        write_windows(v);
        v += 3 * std::size_t{p_.window};
        const float constants[4] = {chi_ * r_.over_patch, chi_ * of_kappa_, root_ * r_.pi_over_patch,
                                    root_ * kappa_ * r_.over_patch};
        for (unsigned k = 0; k < 4; ++k) {
            const float* const e = layer_.eta_direction[k];
            const float along =
                (constants[0] * e[0] + constants[1] * e[1]) + (constants[2] * e[2] + constants[3] * e[3]);
            if (k == 0)
                out.head[2] = along;
            else
                *v++ = along;
        }

        // Four terms: raw pixels of E times 1/sqrt(2) and kappa/sqrt(pi), those of G times chi/sqrt(N pi) and
        // 1/sqrt(2).
        const auto of_products = [&](const float* e) { return e[0] * r_.over_patch + e[1] * of_kappa_; };
        const auto of_raw = [&](const float* e) { return e[2] * scaled_ + e[3] * r_.over_patch; };
        CntkLeaveArgs a{};
        for (unsigned k = 0; k < 3; ++k) {
            a.of_products[k] = of_products(layer_.raw_direction[k + 1]);
            a.of_raw[k] = of_raw(layer_.raw_direction[k + 1]);
        }
        a.products = r_.left_exact + p_.window;
        a.raw = r_.rest_exact + p_.window;
        a.count = p_.raw(h_);
        a.out = v;
        SAMARA_KERNEL(cntk, cntk_leave)(a);
        const float products = of_products(layer_.raw_direction[0]), raw = of_raw(layer_.raw_direction[0]);
        for (std::uint32_t i = 0; i < layer_.reach.places(); ++i)
            out.head[3 + i] = (r_.product_weights[i] * products + r_.raw_weights[i] * raw) * layer_.roots[i];
        fold_blocks(r_, r_.folded, 3 * p_.window + 3 + 3 * p_.raw(h_), p_.product_fold(h_),
                    r_.signs + layer_.signs.product_fold, out.omega, out.part, false);
    }

    // The last layer adds to the sums of its cell.
    void finish(const float* tau, const float* omega) noexcept
    {
        const CellSums sums = sums_of(r_, cntk_cell_of(place_.column, s_.cells_wide, s_.width));
        sums.constants[0] += chi_ * r_.over_patch;
        sums.constants[1] += chi_ * of_kappa_;
        float* const windows = r_.folded;
        write_windows(windows);
        SAMARA_KERNEL(simd, add_multiple)(1.0f, windows, 3 * p_.window, sums.windows);
        const std::uint32_t raw = p_.raw(h_);
        const float *const of_products = r_.left_exact + p_.window, *const of_raw = r_.rest_exact + p_.window;
        SAMARA_KERNEL(simd, add_multiple)(r_.over_patch, of_products, raw, sums.raw);
        SAMARA_KERNEL(simd, add_multiple)(of_kappa_, of_products, raw, sums.raw + raw);
        SAMARA_KERNEL(simd, add_multiple)(scaled_, of_raw, raw, sums.raw + 2 * std::size_t{raw});
        CntkCarryArgs c{};
        c.tau = tau;
        c.omega = omega;
        c.turned = r_.signs + layer_.signs.turned;
        c.scaled = r_.signs + layer_.signs.scaled;
        split_omega(c.straight, c.across);
        c.tau_scale = scaled_;
        c.sums = sums.folded;
        c.count = p_.random;
        SAMARA_KERNEL(cntk, cntk_carry)(c);
        for (std::uint32_t b = 0; b < p_.last_blocks(); ++b) {
            project(tau, omega, b);
            CntkLastArgs a{};
            a.y = r_.y;
            a.left = r_.left;
            const std::size_t at = std::size_t{b} * p_.inner;
            a.normals = layer_.normals + at;
            a.of_raw = layer_.of_raw + at;
            a.of_products = layer_.of_products + at;
            a.raw = raw_;
            a.products = products_;
            a.inverse = inverse_;
            a.product = r_.signs + layer_.signs.product + at / 32;
            a.kappa = kappa_;
            a.chi = chi_;
            const std::uint32_t first = b * p_.inner, left = p_.padded_outputs() - first;
            a.sums = sums.random + first;
            a.count = left < p_.inner ? left : p_.inner;
            SAMARA_KERNEL(cntk, cntk_last)(a);
        }
    }

    PixelPlace place_;
    const OrdersRun& r_;
    const CntkPlan& p_;
    const CntkShape& s_;
    const OrdersLayer& layer_;
    std::uint32_t h_;
    float norm_ = 0, root_ = 0, inverse_ = 0;
    float kappa_ = 0, chi_ = 0;
    float raw_ = 0, products_ = 0; // raw pixels' parts along the common direction, in the rest of G and in that of E
    float scaled_ = 0;             // chi / (sqrt(N) sqrt(pi) q)
    float of_kappa_ = 0;           // kappa / (sqrt(pi) q)
};

} // namespace

void layer_row(const OrdersRun& r, std::uint32_t h, std::uint32_t row) noexcept
{
    const CntkPlan& p = r.plan;
    const CntkShape& s = p.shape;
    const OrdersLayer &layer = r.layers[h], &below = r.layers[h - 1];
    const Axis axis{s.height, r.window.y};
    ways_from(axis, h, row, layer.rows, layer.reach.y, r.row_ways);
    RowsBelow rows, taus, omegas;
    rows.record = cntk_head(p, h - 1);
    for (std::uint32_t a = 0; a < r.window.high(); ++a) {
        const std::int64_t y = std::int64_t{row} + a - r.window.y;
        if (y < 0 || y >= s.height)
            continue;
        const auto at = static_cast<std::uint32_t>(y);
        ways_from(axis, h - 1, at, below.rows, below.reach.y, r.row_ways + layer.reach.high() + a * below.reach.high());
        const RingPixel first = ring_pixel(r, h - 1, at, 0);
        rows.at[a] = first.head;
        taus.at[a] = first.tau;
        omegas.at[a] = first.omega;
    }
    CntkFilterArgs f{};
    f.high = r.window.high();
    f.wide = r.window.wide();
    f.part = std::size_t{s.width} * cntk_part;
    f.width = s.width;
    f.numbers = p.random;
    for (std::uint32_t first = 0; first < s.width; first += cntk_group) {
        f.first = first;
        f.count = s.width - first < cntk_group ? s.width - first : cntk_group;
        f.rows = taus.at;
        f.filter = layer.tau_filter;
        f.out = r.tau;
        SAMARA_KERNEL(cntk, cntk_filter)(f);
        if (h > 2) {
            f.rows = omegas.at;
            f.filter = layer.omega_filter;
            f.out = r.omega;
            SAMARA_KERNEL(cntk, cntk_filter)(f);
        }
        for (std::uint32_t i = 0; i < f.count; ++i) {
            float* const tau = r.tau + std::size_t{i} * p.random;
            float* const omega = h > 2 ? r.omega + std::size_t{i} * p.random : tau;
            Pixel(r, rows, h, row, first + i).compute(tau, omega);
        }
    }
}

} // namespace samara::engine
