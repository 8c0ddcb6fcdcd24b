// The rows of pixels of each layer. SPEC.md, section 28.2.
#include "map/cntk/orders.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

constexpr float inverse_eight = 0.125f; // a transform of 64 points keeps lengths with it
static_assert(cntk_mix == 64 && cntk_part == 64);

// The raw pixel at (y, x), or null outside the image.
const float* pixel_at(const OrdersRun& r, std::int64_t y, std::int64_t x) noexcept
{
    const CntkShape& s = r.plan.shape;
    if (y < 0 || x < 0 || y >= s.height || x >= s.width)
        return nullptr;
    return r.x + (static_cast<std::size_t>(y) * s.width + static_cast<std::size_t>(x)) * s.channels;
}

// Mixes numbers in blocks, times factor: signs, a transform, lengths as before.
void mix(const float* v, std::uint32_t used, std::uint32_t n, const std::uint32_t* signs, float factor,
         float* out) noexcept
{
    SAMARA_KERNEL(cntk, cntk_mix)({v, used, n, signs, inverse_eight * factor, false, out, cntk_part, n});
}

// Mixes n numbers and writes them, block by block, to random ones, whose parts are `part` numbers apart; or adds them.
void fold(const OrdersRun& r, const float* v, std::uint32_t used, std::uint32_t n, const std::uint32_t* signs,
          float* out, std::size_t part, bool add) noexcept
{
    SAMARA_KERNEL(cntk, cntk_mix)({v, used, n, signs, inverse_eight, add, out, part, r.plan.random});
}

void zero(float* v, std::size_t n) noexcept
{
    for (std::size_t i = 0; i < n; ++i)
        v[i] = 0.0f;
}

void zero_pixel(const OrdersRun& r, std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
{
    const RingPixel pixel = ring_pixel(r, h, row, column);
    zero(pixel.head, cntk_head(r.plan, h));
    for (std::uint32_t i = 0; i < r.plan.random / cntk_part; ++i) {
        zero(pixel.tau + i * pixel.part, cntk_part);
        if (h > 1)
            zero(pixel.omega + i * pixel.part, cntk_part);
    }
}

// The rows of the layer below that a window sees: their first pixels' numbers, null outside the image.
struct Rows {
    const float* at[most_patch] = {};
    std::size_t record = 0; // from pixel to pixel
};

// One pixel of a layer from the second on.
class Pixel {
public:
    Pixel(const OrdersRun& r, const Rows& rows, std::uint32_t h, std::uint32_t row, std::uint32_t column) noexcept
        : r_(r), p_(r.plan), s_(r.plan.shape), layer_(r.layers[h]), below_(r.layers[h - 1]), rows_(rows), h_(h),
          row_(row), column_(column)
    {
        const std::uint32_t far = r.window.x, left = s_.width - 1 - column;
        begin_ = column < far ? far - column : 0;
        end_ = left < far ? far + left + 1 : r.window.wide();
    }

    // tau and omega: the filters' results, which it adds to.
    void compute(float* tau, float* omega) noexcept
    {
        const bool last = h_ == s_.depth;
        const float n = sum_of(0) * r_.square_over_patch;
        if (!(n > 0.0f)) {
            if (!last)
                zero_pixel(r_, h_, row_, column_);
            return;
        }
        norm_ = n;
        root_ = sqrt_scalar(n);
        inverse_ = 1.0f / root_;
        constants();
        look_around();
        weigh_raw();
        if (at_border()) {
            border_of_raw(tau);
            if (h_ > 2)
                border_of_products(omega);
        }
        const std::uint32_t places = layer_.reach.places();
        float *const of_raw = r_.rest_exact + p_.window, *const of_products = r_.left_exact + p_.window;
        SAMARA_KERNEL(cntk, cntk_weigh)(r_.around, r_.raw_weights, places, s_.channels, of_raw);
        SAMARA_KERNEL(cntk, cntk_weigh)(r_.around, r_.product_weights, places, s_.channels, of_products);
        if (last)
            finish(tau, omega);
        else
            hand_on(tau, omega);
    }

private:
    // Calls visit(row, column, record) for the places of the window that are in the image.
    template <class Visit>
    void each_place(Visit visit) const noexcept
    {
        for (std::uint32_t a = 0; a < r_.window.high(); ++a) {
            if (rows_.at[a] == nullptr)
                continue;
            const float* record = rows_.at[a] + (std::size_t{column_} + begin_ - r_.window.x) * rows_.record;
            for (std::uint32_t b = begin_; b < end_; ++b, record += rows_.record)
                visit(a, b, record);
        }
    }
    float sum_of(std::uint32_t number) const noexcept
    {
        float sum = 0.0f;
        each_place([&](std::uint32_t, std::uint32_t, const float* record) { sum += record[number]; });
        return sum;
    }
    // What a number of all places has in common; the rest of each place goes to `rest`.
    float common(std::uint32_t number, float* rest) const noexcept
    {
        const float value = sum_of(number) * r_.window_root;
        const float each = value * r_.window_root;
        for (std::uint32_t i = 0; i < p_.window; ++i)
            rest[i] = -each;
        each_place([&](std::uint32_t a, std::uint32_t b, const float* record) {
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
                zero(to, std::size_t{reach.wide()} * channels);
            if (inside)
                SAMARA_KERNEL(simd, scaled_copy)
            (r_.x + (std::size_t{row_ + i - reach.y} * s_.width + (column_ + begin - reach.x)) * channels,
             std::size_t{end - begin} * channels, r_.factor, to + std::size_t{begin} * channels);
        }
    }

    // The weights of the raw pixels in reach: in G by the ways to them, in E by those of the layer below.
    void weigh_raw() const noexcept
    {
        const CntkReach reach = layer_.reach, below = below_.reach;
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
        zero(r_.product_weights, reach.places());
        each_place([&](std::uint32_t a, std::uint32_t b, const float* record) {
            const Part rows = part(a, r_.window.y, reach.y, below.y),
                       columns_of = part(b, r_.window.x, reach.x, below.x);
            for (std::int32_t i = rows.begin; i < rows.end; ++i) {
                float* const to =
                    r_.product_weights + static_cast<std::size_t>(i + rows.shift) * reach.wide() + columns_of.shift;
                const float* const from = record + 3 + static_cast<std::size_t>(i) * below.wide();
                if (columns_of.begin == 0 && columns_of.end == 5) // windows of three pixels on windows of three
                    for (unsigned j = 0; j < 5; ++j)
                        to[j] += from[j];
                else
                    for (std::int32_t j = columns_of.begin; j < columns_of.end; ++j)
                        to[j] += from[j];
            }
        });
        for (std::uint32_t i = 0; i < reach.places(); ++i)
            r_.product_weights[i] *= layer_.inverses[i];
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
        each_place([&](std::uint32_t a, std::uint32_t b, const float* record) {
            const Part rows = part(a, r_.window.y, reach.y, below.y), columns = part(b, r_.window.x, reach.x, below.x);
            const float* const signs = table.signs + std::size_t{a * r_.window.wide() + b} * below.places();
            for (std::int32_t i = rows.begin; i < rows.end; ++i) {
                const auto from = static_cast<std::uint32_t>(i) * below.wide();
                const RowBelow row = row_below(record, a, b, static_cast<std::uint32_t>(i));
                float* const to = lost + static_cast<std::size_t>(i + rows.shift) * reach.wide() + columns.shift;
                for (std::int32_t j = columns.begin; j < columns.end; ++j)
                    to[j] += signs[from + static_cast<std::uint32_t>(j)] * row.factor * row.numbers[j];
            }
        });
        SAMARA_KERNEL(cntk, cntk_weigh)(r_.around, lost, reach.places(), s_.channels, r_.folded);
        fold(r_, r_.folded, p_.raw(h_), p_.border(h_), mix_signs, random, cntk_part, true);
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
        mix(r_.rest_exact, exact, mixed, r_.signs + at.rest_mix, 1.0f, r_.y + p_.random);
        zero(r_.y + p_.random + mixed, p_.inner - mixed - p_.random);
        SAMARA_KERNEL(cntk, cntk_transform)
        (tau, p_.random, r_.y, levels, r_.signs + at.rest + block * at.per_block);

        if (block == 0)
            mix(r_.left_exact, exact, mixed, r_.signs + at.left_mix, 1.0f, r_.left_exact);
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
        const RingPixel out = ring_pixel(r_, h_, row_, column_);
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
        fold(r_, v, p_.window + 1, p_.relu_fold(), r_.signs + layer_.signs.relu_fold, out.tau, out.part, false);
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
        fold(r_, r_.folded, 3 * p_.window + 3 + 3 * p_.raw(h_), p_.product_fold(h_),
             r_.signs + layer_.signs.product_fold, out.omega, out.part, false);
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

    const OrdersRun& r_;
    const CntkPlan& p_;
    const CntkShape& s_;
    const OrdersLayer &layer_, &below_;
    const Rows& rows_;
    std::uint32_t h_, row_, column_;
    std::uint32_t begin_, end_; // columns of the window that are in the image
    float norm_ = 0, root_ = 0, inverse_ = 0;
    float kappa_ = 0, chi_ = 0;
    float raw_ = 0, products_ = 0; // raw pixels' parts along the common direction, in the rest of G and in that of E
    float scaled_ = 0;             // chi / (sqrt(N) sqrt(pi) q)
    float of_kappa_ = 0;           // kappa / (sqrt(pi) q)
};

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

void layer_row(const OrdersRun& r, std::uint32_t h, std::uint32_t row) noexcept
{
    const CntkPlan& p = r.plan;
    const CntkShape& s = p.shape;
    const OrdersLayer &layer = r.layers[h], &below = r.layers[h - 1];
    const Axis axis{s.height, r.window.y};
    ways_from(axis, h, row, layer.rows, layer.reach.y, r.row_ways);
    Rows rows, taus, omegas;
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
