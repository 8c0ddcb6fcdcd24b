// The rows of pixels of each layer. SPEC.md, section 28.2.
#include "map/cntk/orders.hpp"
#include "map/engine/magnitude.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

constexpr float inverse_eight = 0.125f; // a transform of 64 points keeps lengths with it
static_assert(cntk_mix == 64);
constexpr unsigned mix_levels = 6;

// The raw pixel at (y, x), or null outside the image.
const float* pixel_at(const OrdersRun& r, std::int64_t y, std::int64_t x) noexcept
{
    const CntkShape& s = r.plan.shape;
    if (y < 0 || x < 0 || y >= s.height || x >= s.width)
        return nullptr;
    return r.x + (static_cast<std::size_t>(y) * s.width + static_cast<std::size_t>(x)) * s.channels;
}

// Mixes whole blocks of numbers in place: signs, a transform, lengths as before.
void mix_blocks(float* v, std::uint32_t n, const std::uint32_t* signs) noexcept
{
    for (std::uint32_t at = 0; at < n; at += cntk_mix)
        SAMARA_KERNEL(cntk, signed_transform)(v + at, mix_levels, signs + at / 32);
    SAMARA_KERNEL(simd, scaled_copy)(v, n, inverse_eight, v);
}

// Adds n numbers, mixed, block by block to `random` ones.
void fold(const OrdersRun& r, float* v, std::uint32_t used, std::uint32_t n, const std::uint32_t* signs,
          float* out) noexcept
{
    for (std::uint32_t i = used; i < n; ++i)
        v[i] = 0.0f;
    for (std::uint32_t at = 0; at < n; at += cntk_mix) {
        SAMARA_KERNEL(cntk, signed_transform)(v + at, mix_levels, signs + at / 32);
        SAMARA_KERNEL(simd, add_multiple)(inverse_eight, v + at, cntk_mix, out + at % r.plan.random);
    }
}

void zero(float* v, std::size_t n) noexcept
{
    for (std::size_t i = 0; i < n; ++i)
        v[i] = 0.0f;
}

// One pixel of a layer from the second on.
class Pixel {
public:
    Pixel(const OrdersRun& r, std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
        : r_(r), p_(r.plan), s_(r.plan.shape), layer_(r.layers[h]), below_(r.layers[h - 1]), h_(h), row_(row),
          column_(column), record_(cntk_record(r.plan, h - 1))
    {}

    // tau and omega: the filters' results, which it adds to.
    void compute(float* tau, float* omega) noexcept
    {
        const bool last = h_ == s_.depth;
        const float n = sum_of(0) * r_.square_over_patch;
        if (!(n > 0.0f)) {
            if (!last)
                zero(out(), cntk_record(p_, h_));
            return;
        }
        norm_ = n;
        root_ = sqrt_scalar(n);
        inverse_ = 1.0f / root_;
        constants();
        weigh_raw();
        if (at_border()) {
            border_of_raw(tau);
            if (h_ > 2)
                border_of_products(omega);
        }
        write_raw(r_.raw_weights, r_.rest_exact + p_.window);
        write_raw(r_.product_weights, r_.left_exact + p_.window);
        if (last)
            finish(tau, omega);
        else
            hand_on(tau, omega);
    }

private:
    float* out() const noexcept { return ring_row(r_, h_, row_) + std::size_t{column_} * cntk_record(p_, h_); }
    // Calls visit(place, record) for the places of the window, row by row; record is null outside the image.
    template <class Visit>
    void each_place(Visit visit) const noexcept
    {
        std::uint32_t place = 0;
        for (std::uint32_t a = 0; a < r_.window.high(); ++a) {
            const std::int64_t y = std::int64_t{row_} + a - r_.window.y;
            const float* const row =
                y < 0 || y >= s_.height ? nullptr : ring_row(r_, h_ - 1, static_cast<std::uint32_t>(y));
            for (std::uint32_t b = 0; b < r_.window.wide(); ++b, ++place) {
                const std::int64_t x = std::int64_t{column_} + b - r_.window.x;
                visit(place,
                      row == nullptr || x < 0 || x >= s_.width ? nullptr : row + static_cast<std::size_t>(x) * record_);
            }
        }
    }
    float sum_of(std::uint32_t number) const noexcept
    {
        float sum = 0.0f;
        each_place([&](std::uint32_t, const float* record) { sum += record != nullptr ? record[number] : 0.0f; });
        return sum;
    }
    // What a number of all places has in common; the rest of each place goes to `rest`.
    float common(std::uint32_t number, float* rest) const noexcept
    {
        const float value = sum_of(number) * r_.window_root;
        const float each = value * r_.window_root;
        each_place([&](std::uint32_t place, const float* record) {
            rest[place] = (record != nullptr ? record[number] : 0.0f) - each;
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

    // The weights of the raw pixels in reach: in G by the ways to them, in E by those of the layer below.
    void weigh_raw() noexcept
    {
        const CntkReach reach = layer_.reach;
        const float* const columns = layer_.at_column + std::size_t{column_} * reach.wide();
        for (std::uint32_t i = 0; i < reach.high(); ++i) {
            const float of_row = r_.row_ways[i] * layer_.raw_scale;
            for (std::uint32_t j = 0; j < reach.wide(); ++j)
                r_.raw_weights[i * reach.wide() + j] = of_row * columns[j];
        }
        if (h_ == 2) {
            for (std::uint32_t i = 0; i < reach.places(); ++i)
                r_.product_weights[i] = r_.raw_weights[i];
            return;
        }
        zero(r_.product_weights, reach.places());
        each_place([&](std::uint32_t place, const float* record) {
            if (record == nullptr)
                return;
            each_below(place,
                       [&](std::uint32_t at, std::uint32_t from) { r_.product_weights[at] += record[3 + from]; });
        });
        for (std::uint32_t i = 0; i < reach.high(); ++i)
            for (std::uint32_t j = 0; j < reach.wide(); ++j)
                r_.product_weights[i * reach.wide() + j] *= layer_.rows.inverse[i] * layer_.columns.inverse[j];
    }
    // Calls visit(place in reach, place in the reach of the layer below) for what a place of the window sees; those
    // that are farther than the image is long are not in reach.
    template <class Visit>
    void each_below(std::uint32_t place, Visit visit) const noexcept
    {
        const CntkReach reach = layer_.reach, below = below_.reach;
        // Place (i, j) of the layer below is (i, j) + (y, x) of this one.
        const std::int64_t y = std::int64_t{place / r_.window.wide()} - r_.window.y + reach.y - below.y;
        const std::int64_t x = std::int64_t{place % r_.window.wide()} - r_.window.x + reach.x - below.x;
        for (std::uint32_t i = 0; i < below.high(); ++i) {
            if (y + i < 0 || y + i >= reach.high())
                continue;
            const std::size_t to = static_cast<std::size_t>(y + i) * reach.wide();
            for (std::uint32_t j = 0; j < below.wide(); ++j)
                if (x + j >= 0 && x + j < reach.wide())
                    visit(static_cast<std::uint32_t>(to + static_cast<std::size_t>(x + j)), i * below.wide() + j);
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
    // each pixel in the reach of the layer below from there, its weight there less what this layer's gives back.
    template <class Weight>
    void border(const float* weights, Weight weight_below, const std::uint32_t* signs, float* random) noexcept
    {
        const CntkReach reach = layer_.reach, below = below_.reach;
        std::uint32_t n = 0;
        for (std::uint32_t place = 0; place < p_.window; ++place) {
            const std::int64_t a = std::int64_t{place / r_.window.wide()} - r_.window.y,
                               b = std::int64_t{place % r_.window.wide()} - r_.window.x;
            const std::int64_t y = a + reach.y - below.y, x = b + reach.x - below.x;
            for (std::uint32_t i = 0; i < below.high(); ++i) {
                for (std::uint32_t j = 0; j < below.wide(); ++j, n += s_.channels) {
                    const float* const pixel =
                        pixel_at(r_, std::int64_t{row_} + a + i - below.y, std::int64_t{column_} + b + j - below.x);
                    float weight = 0.0f;
                    if (pixel != nullptr) {
                        const auto row = static_cast<std::size_t>(y + i), column = static_cast<std::size_t>(x + j);
                        const float share = layer_.rows.inverse[row] * below_.rows.root[i] *
                                            (layer_.columns.inverse[column] * below_.columns.root[j]);
                        weight = weight_below(place, i, j) - share * weights[row * reach.wide() + column];
                    }
                    for (std::uint32_t ch = 0; ch < s_.channels; ++ch)
                        r_.folded[n + ch] = pixel != nullptr ? pixel[ch] * r_.factor * weight : 0.0f;
                }
            }
        }
        fold(r_, r_.folded, n, p_.border(h_), signs, random);
    }
    void border_of_raw(float* tau) noexcept
    {
        const CntkReach below = below_.reach;
        const float* const rows = r_.row_ways + layer_.reach.high();
        border(
            r_.raw_weights,
            [&](std::uint32_t place, std::uint32_t i, std::uint32_t j) {
                const std::uint32_t a = place / r_.window.wide();
                const std::int64_t x = std::int64_t{column_} + place % r_.window.wide() - r_.window.x;
                const std::int64_t y = std::int64_t{row_} + a - r_.window.y;
                if (x < 0 || x >= s_.width || y < 0 || y >= s_.height)
                    return 0.0f;
                return rows[a * below.high() + i] * layer_.raw_scale *
                       below_.at_column[static_cast<std::size_t>(x) * below.wide() + j];
            },
            r_.signs + layer_.signs.relu_border, tau);
    }
    void border_of_products(float* omega) noexcept
    {
        const CntkReach below = below_.reach;
        border(
            r_.product_weights,
            [&](std::uint32_t place, std::uint32_t i, std::uint32_t j) {
                const std::int64_t x = std::int64_t{column_} + place % r_.window.wide() - r_.window.x;
                const std::int64_t y = std::int64_t{row_} + place / r_.window.wide() - r_.window.y;
                if (x < 0 || x >= s_.width || y < 0 || y >= s_.height)
                    return 0.0f;
                const float* const record =
                    ring_row(r_, h_ - 1, static_cast<std::uint32_t>(y)) + static_cast<std::size_t>(x) * record_;
                return record[3 + i * below.wide() + j] * (below_.rows.inverse[i] * below_.columns.inverse[j]);
            },
            r_.signs + layer_.signs.product_border, omega);
    }

    // The raw pixels in reach times their weights.
    void write_raw(const float* weights, float* to) const noexcept
    {
        const CntkReach reach = layer_.reach;
        for (std::uint32_t i = 0; i < reach.high(); ++i) {
            for (std::uint32_t j = 0; j < reach.wide(); ++j, ++weights, to += s_.channels) {
                const float* const pixel =
                    pixel_at(r_, std::int64_t{row_} + i - reach.y, std::int64_t{column_} + j - reach.x);
                for (std::uint32_t ch = 0; ch < s_.channels; ++ch)
                    to[ch] = pixel != nullptr ? pixel[ch] * r_.factor * *weights : 0.0f;
            }
        }
    }

    // y: the rows' products with all that this layer sees of G, at length 1 with kappa; left: with what it sees of E.
    void project(const float* tau, const float* omega, std::uint32_t block) const noexcept
    {
        const std::uint32_t mixed = p_.mixed(h_), exact = p_.window + p_.raw(h_);
        const CntkLayerSigns& at = layer_.signs;
        const unsigned levels = static_cast<unsigned>(std::countr_zero(p_.inner));
        SAMARA_KERNEL(simd, scaled_copy)(r_.rest_exact, exact, inverse_, r_.y);
        zero(r_.y + exact, mixed - exact);
        mix_blocks(r_.y, mixed, r_.signs + at.rest_mix);
        SAMARA_KERNEL(simd, scaled_copy)(tau, p_.random, inverse_, r_.y + mixed);
        zero(r_.y + mixed + p_.random, p_.inner - mixed - p_.random);
        SAMARA_KERNEL(cntk, signed_transform)(r_.y, levels, r_.signs + at.rest + block * at.per_block);

        if (block == 0) {
            zero(r_.left_exact + exact, mixed - exact);
            mix_blocks(r_.left_exact, mixed, r_.signs + at.left_mix);
        }
        // Exact numbers are apart here, sixteen at a time: products of rows see pairs of places by the exclusive or of
        // their numbers, and exact numbers that are together in both would meet in a few of these only.
        constexpr std::uint32_t some = 16;
        const std::uint32_t places = p_.inner / some, exact_places = mixed / some, step = places / exact_places;
        std::uint32_t used = 0, random = 0;
        for (std::uint32_t place = 0; place < places; ++place) {
            float* const to = r_.left + std::size_t{place} * some;
            const float* from = nullptr;
            if (place % step == 0 && used < exact_places) {
                from = r_.left_exact + std::size_t{used++} * some;
            } else if (random < p_.random) {
                from = omega + random;
                random += some;
            }
            for (std::uint32_t i = 0; i < some; ++i)
                to[i] = from != nullptr ? from[i] : 0.0f;
        }
        SAMARA_KERNEL(cntk, signed_transform)(r_.left, levels, r_.signs + at.left + block * at.per_block);
    }

    // The part of omega along its direction, and the part across.
    void split_omega(float& straight, float& across) const noexcept
    {
        straight = layer_.of_omega[0] * r_.over_patch + layer_.of_omega[1] * of_kappa_;
        across = layer_.of_omega[0] * of_kappa_ - layer_.of_omega[1] * r_.over_patch;
    }

    void hand_on(const float* tau, const float* omega) noexcept
    {
        float* const record = out();
        float* const tau_out = record + cntk_head(p_, h_);
        float* const omega_out = tau_out + p_.random;
        zero(tau_out, 2 * std::size_t{p_.random});
        record[0] = norm_;
        fold_relu(record, tau_out);
        fold_products(record, omega_out);
        project(tau, omega, 0);
        const CntkLayerSigns& at = layer_.signs;
        CntkInnerArgs a{};
        a.y = r_.y;
        a.left = r_.left;
        a.normals = layer_.normals;
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
        a.tau_out = tau_out;
        a.omega_out = omega_out;
        a.count = p_.random;
        SAMARA_KERNEL(cntk, cntk_inner)(a);
    }

    // k, and what it leaves, with the deviations within the window.
    void fold_relu(float* record, float* tau_out) noexcept
    {
        const float one = root_ * r_.pi_over_patch, two = root_ * kappa_ * r_.over_patch;
        const float k = one * layer_.of_k[0] + two * layer_.of_k[1];
        record[1] = k;
        float* const v = r_.folded;
        for (std::uint32_t i = 0; i < p_.window; ++i)
            v[i] = r_.rest_exact[i] * r_.over_patch;
        v[p_.window] = one - k * layer_.of_k[0];
        v[p_.window + 1] = two - k * layer_.of_k[1];
        fold(r_, v, p_.window + 2, p_.relu_fold(), r_.signs + layer_.signs.relu_fold, tau_out);
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
    void fold_products(float* record, float* omega_out) noexcept
    {
        float* v = r_.folded;
        write_windows(v);
        v += 3 * std::size_t{p_.window};
        const float constants[4] = {chi_ * r_.over_patch, chi_ * of_kappa_, root_ * r_.pi_over_patch,
                                    root_ * kappa_ * r_.over_patch};
        float eta = 0.0f;
        for (unsigned i = 0; i < 4; ++i)
            eta += constants[i] * layer_.of_eta[i];
        record[2] = eta;
        for (unsigned i = 0; i < 4; ++i)
            *v++ = constants[i] - eta * layer_.of_eta[i];

        const CntkReach reach = layer_.reach;
        const float* const e = layer_.of_raw;
        const float of_products = e[0] * r_.over_patch + e[1] * of_kappa_,
                    of_raw = e[2] * scaled_ + e[3] * r_.over_patch;
        const std::size_t raw = p_.raw(h_);
        for (std::uint32_t i = 0; i < reach.high(); ++i) {
            for (std::uint32_t j = 0; j < reach.wide(); ++j) {
                const std::uint32_t at = i * reach.wide() + j;
                const float product = r_.product_weights[at], way = r_.raw_weights[at];
                const float kept = product * of_products + way * of_raw;
                record[3 + at] = kept * (layer_.rows.root[i] * layer_.columns.root[j]);
                const float left[4] = {product * r_.over_patch - e[0] * kept, product * of_kappa_ - e[1] * kept,
                                       way * scaled_ - e[2] * kept, way * r_.over_patch - e[3] * kept};
                const float* const pixel =
                    pixel_at(r_, std::int64_t{row_} + i - reach.y, std::int64_t{column_} + j - reach.x);
                for (std::uint32_t ch = 0; ch < s_.channels; ++ch) {
                    const float x = pixel != nullptr ? pixel[ch] * r_.factor : 0.0f;
                    for (unsigned k = 0; k < 4; ++k)
                        v[k * raw + std::size_t{at} * s_.channels + ch] = x * left[k];
                }
            }
        }
        fold(r_, r_.folded, 3 * p_.window + 4 + 4 * p_.raw(h_), p_.product_fold(h_),
             r_.signs + layer_.signs.product_fold, omega_out);
    }

    // The last layer adds to the sums of its cell.
    void finish(const float* tau, const float* omega) noexcept
    {
        const CellSums sums = sums_of(r_, cntk_cell_of(column_, s_.cells_wide, s_.width));
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
            a.normals = layer_.normals + std::size_t{b} * p_.inner;
            a.product = r_.signs + layer_.signs.product + b * layer_.signs.per_block;
            a.kappa = kappa_;
            a.chi = chi_;
            const std::uint32_t first = b * p_.inner, left = p_.padded_outputs() - first;
            a.sums = sums.random + first;
            a.count = left < p_.inner ? left : p_.inner;
            SAMARA_KERNEL(cntk, cntk_last)(a);
        }
    }

    const OrdersRun& r_;
    const CntkPlan& p_;
    const CntkShape& s_;
    const OrdersLayer &layer_, &below_;
    std::uint32_t h_, row_, column_;
    std::size_t record_; // of the layer below
    float norm_ = 0, root_ = 0, inverse_ = 0;
    float kappa_ = 0, chi_ = 0;
    float scaled_ = 0;   // chi / (sqrt(N) sqrt(pi) q)
    float of_kappa_ = 0; // kappa / (sqrt(pi) q)
};

} // namespace

void first_row(const OrdersRun& r, std::uint32_t row) noexcept
{
    const CntkPlan& p = r.plan;
    const CntkShape& s = p.shape;
    const float mean = mean_magnitude_of_unit_rows(p.first);
    const auto patch = static_cast<float>(s.patch);
    CntkFirstArgs a{};
    a.inputs = p.window * s.channels;
    a.log2_size = static_cast<unsigned>(std::countr_zero(p.first));
    for (unsigned i = 0; i < 3; ++i)
        a.signs[i] = r.signs + r.first.round[i];
    a.y = r.y;
    a.centre = mean;
    a.count = p.random;
    float* const window = r.left; // it has room: a window's pixels are among the exact numbers
    for (std::uint32_t column = 0; column < s.width; ++column) {
        float* const record = ring_row(r, 1, row) + std::size_t{column} * cntk_record(p, 1);
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
            zero(record, cntk_record(p, 1));
            continue;
        }
        const float root = sqrt_scalar(n);
        SAMARA_KERNEL(simd, scaled_copy)(window, a.inputs, 1.0f / root, window);
        record[0] = n;
        record[1] = root / patch * (mean * sqrt_scalar(0.5f));
        a.window = window;
        a.amplitude = root / patch * sqrt_scalar(0.5f / static_cast<float>(p.random));
        a.out = record + cntk_head(p, 1);
        SAMARA_KERNEL(cntk, cntk_first)(a);
    }
}

void layer_row(const OrdersRun& r, std::uint32_t h, std::uint32_t row) noexcept
{
    const CntkPlan& p = r.plan;
    const CntkShape& s = p.shape;
    const OrdersLayer &layer = r.layers[h], &below = r.layers[h - 1];
    const Axis axis{s.height, r.window.y};
    ways_from(axis, h, row, layer.rows, layer.reach.y, r.row_ways);
    const float* taus[most_patch] = {};
    const float* omegas[most_patch] = {};
    for (std::uint32_t a = 0; a < r.window.high(); ++a) {
        const std::int64_t y = std::int64_t{row} + a - r.window.y;
        if (y < 0 || y >= s.height)
            continue;
        const auto at = static_cast<std::uint32_t>(y);
        ways_from(axis, h - 1, at, below.rows, below.reach.y, r.row_ways + layer.reach.high() + a * below.reach.high());
        taus[a] = ring_row(r, h - 1, at) + cntk_head(p, h - 1);
        omegas[a] = taus[a] + p.random;
    }
    CntkFilterArgs f{};
    f.high = r.window.high();
    f.wide = r.window.wide();
    f.stride = cntk_record(p, h - 1);
    f.width = s.width;
    f.numbers = p.random;
    for (std::uint32_t first = 0; first < s.width; first += cntk_group) {
        f.first = first;
        f.count = s.width - first < cntk_group ? s.width - first : cntk_group;
        f.rows = taus;
        f.filter = layer.tau_filter;
        f.out = r.tau;
        SAMARA_KERNEL(cntk, cntk_filter)(f);
        if (h > 2) {
            f.rows = omegas;
            f.filter = layer.omega_filter;
            f.out = r.omega;
            SAMARA_KERNEL(cntk, cntk_filter)(f);
        }
        for (std::uint32_t i = 0; i < f.count; ++i) {
            float* const tau = r.tau + std::size_t{i} * p.random;
            float* const omega = h > 2 ? r.omega + std::size_t{i} * p.random : tau;
            Pixel(r, h, row, first + i).compute(tau, omega);
        }
    }
}

} // namespace samara::engine
