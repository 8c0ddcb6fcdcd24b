// What a run needs that no sample changes: random signs, normals, filters, ways between pixels. SPEC.md, section 28.2.
#include "map/cntk/orders.hpp"
#include "samara/memory.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"
#include "stream/kernels.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

// Streams of signs. Numbers are part of the format.
enum class SignUse : std::uint64_t {
    round = 0, // and 1, 2
    rest_mix = 3,
    left_mix = 4,
    rest = 5,
    left = 6,
    product = 7,
    turned = 8,
    scaled = 9,
    relu = 10,
    both = 11,
    relu_fold = 12,
    product_fold = 13,
    relu_border = 14,
    product_border = 15,
    tau_filter = 16,
    omega_filter = 17,
    last_fold = 18,
    raw_border = 19,
    weight_border = 20
};

constexpr std::uint64_t index_of(std::uint32_t block, std::uint32_t layer, std::uint64_t use) noexcept
{
    return std::uint64_t{block} << 16 | std::uint64_t{layer} << 8 | use;
}

constexpr float inverse_pi = 0.318309886f;

// The fractional part of the square root of the k-th prime (2 is the 0th), in units of 2^-32: multiples of these are
// spread evenly between 0 and 1, and those of several primes are so together.
constexpr std::uint32_t root_of_prime(std::uint32_t k) noexcept
{
    std::uint32_t prime = 2;
    for (std::uint32_t candidate = 3; k > 0; ++candidate) {
        bool is_prime = true;
        for (std::uint32_t d = 2; d * d <= candidate && is_prime; ++d)
            is_prime = candidate % d != 0;
        if (is_prime) {
            prime = candidate;
            --k;
        }
    }
    // Bit by bit: the root of prime 2^64 has 32 bits behind the point.
    std::uint64_t root = 0, rest = 0;
    for (int bit = 30; bit >= -64; bit -= 2) {
        const std::uint64_t next = bit >= 0 ? prime >> bit & 3u : 0;
        rest = rest << 2 | next;
        const std::uint64_t trial = root << 2 | 1u;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1u;
        }
    }
    return static_cast<std::uint32_t>(root);
}
static_assert(root_of_prime(0) == 0x6a09e667u && root_of_prime(3) == 0xa54ff53au);

// What is spread evenly in a layer, each by a prime of its own.
enum class Even : std::uint32_t {
    normals = 0,
    raw = 1,
    products = 2,
    tail = 3,
    turned = 4,
    scaled = 5,
    relu = 6,
    both = 7
};

constexpr std::uint32_t evens_of_layer = 8;

class Preparation {
public:
    Preparation(OrdersRun& r, std::span<std::byte> work) noexcept : r_(r), p_(r.plan), bump_(work) {}

    // What loops over packs read comes first, in pieces of whole packs, so that the processor finds each within a line
    // of its cache.
    void all() noexcept
    {
        const auto over = reinterpret_cast<std::uintptr_t>(floats(0)) / sizeof(float) % cntk_line;
        floats(over != 0 ? cntk_line - over : 0);
        vectors();
        normals();
        filters();
        rings();
        signs();
        ways();
        directions();
    }

private:
    float* floats(std::size_t n) noexcept { return bump_.take<float>(n); }

    void fill(std::uint32_t* words, std::size_t at, std::uint64_t count, std::uint64_t index) noexcept
    {
        fill_sign_words(stream_key(p_.seed, Domain::cntk_signs, index),
                        {words + at, static_cast<std::size_t>(blocks_of(count, 32))});
    }

    void signs() noexcept
    {
        const std::uint32_t depth = p_.shape.depth;
        CntkSignWords taken;
        r_.first = first_signs(p_, taken);
        for (std::uint32_t h = 2; h <= depth; ++h)
            r_.layers[h].signs = layer_signs(p_, h, taken);
        std::uint32_t* const words = bump_.take<std::uint32_t>(taken.total);
        r_.signs = words;
        for (std::uint32_t i = 0; i < 3; ++i)
            fill(words, r_.first.round[i], padded_to(p_.random, p_.first), index_of(0, 1, i));
        for (std::uint32_t h = 2; h <= depth; ++h)
            layer(words, h);
        std::uint32_t* const last = bump_.take<std::uint32_t>(static_cast<std::size_t>(blocks_of(p_.last_fold(), 32)));
        r_.last_signs = last;
        even_signs(last, depth, Even::relu, p_.last_fold());
    }

    void layer(std::uint32_t* words, std::uint32_t h) noexcept
    {
        const CntkLayerSigns& at = r_.layers[h].signs;
        const bool last = h == p_.shape.depth;
        const auto use = [&](SignUse what, std::size_t place, std::uint64_t count, std::uint32_t block = 0) {
            fill(words, place, count, index_of(block, h, static_cast<std::uint64_t>(what)));
        };
        use(SignUse::rest_mix, at.rest_mix, p_.mixed(h));
        use(SignUse::left_mix, at.left_mix, p_.mixed(h));
        for (std::uint32_t b = 0; b < (last ? p_.last_blocks() : 1); ++b) {
            use(SignUse::rest, at.rest + b * at.per_block, p_.inner, b);
            use(SignUse::left, at.left + b * at.per_block, p_.inner, b);
        }
        even_signs(words + at.turned, h, Even::turned, p_.random);
        even_signs(words + at.scaled, h, Even::scaled, p_.random);
        even_signs(words + at.product, h, Even::tail, last ? p_.padded_outputs() : p_.random);
        use(SignUse::relu_border, at.relu_border, p_.border(h));
        if (h > 2)
            use(SignUse::product_border, at.product_border, p_.border(h));
        if (last)
            return;
        even_signs(words + at.relu, h, Even::relu, p_.random);
        even_signs(words + at.both, h, Even::both, p_.random);
        use(SignUse::relu_fold, at.relu_fold, p_.relu_fold());
        use(SignUse::product_fold, at.product_fold, p_.product_fold(h));
    }

    // A walk over the words that is spread evenly, from a random one.
    struct Walk {
        std::uint32_t start, step;
    };
    Walk walk(std::uint32_t h, Even use) const noexcept
    {
        const auto number = static_cast<std::uint32_t>(use);
        Xoshiro words(stream_key(p_.seed, Domain::cntk_rows, index_of(0, h, number)));
        return {words.word(), root_of_prime(evens_of_layer * (h - 1) + number)};
    }
    // Normals that are spread evenly over all rows of a layer: what is common to all pixels then varies little.
    const float* even_normals(std::uint32_t h, Even use, std::uint32_t count) noexcept
    {
        float* const out = floats(count);
        const Walk w = walk(h, use);
        SAMARA_KERNEL(cntk, cntk_normals)(w.start, w.step, count, out);
        return out;
    }
    // Signs that are spread evenly: the walk's highest bits.
    void even_signs(std::uint32_t* words, std::uint32_t h, Even use, std::uint64_t count) const noexcept
    {
        const Walk w = walk(h, use);
        std::uint32_t at = w.start;
        for (std::uint64_t i = 0; i < padded_to(count, 32); ++i, at += w.step) {
            const std::uint32_t bit = at >> 31;
            words[i / 32] = i % 32 == 0 ? bit : words[i / 32] | bit << (i % 32);
        }
    }
    void normals() noexcept
    {
        const std::uint32_t depth = p_.shape.depth;
        r_.layers[1].normals = even_normals(1, Even::normals, p_.random);
        for (std::uint32_t h = 2; h <= depth; ++h) {
            const std::uint32_t count = h == depth ? p_.padded_outputs() : p_.random;
            r_.layers[h].normals = even_normals(h, Even::normals, count);
            r_.layers[h].of_raw = even_normals(h, Even::raw, count);
            r_.layers[h].of_products = even_normals(h, Even::products, count);
        }
        float* const norms = floats(p_.random);
        fill_chi(stream_key(p_.seed, Domain::cntk_rows, index_of(0, 1, 255)), p_.first, {norms, p_.random});
        const auto size = static_cast<float>(p_.first);
        const float inverse = 1.0f / (size * sqrt_scalar(size)); // of three transforms
        for (std::uint32_t i = 0; i < p_.random; ++i)
            norms[i] *= inverse;
        r_.norms = norms;
    }

    float* random_signs(std::size_t count, std::uint32_t h, SignUse use) noexcept
    {
        float* const out = floats(count);
        Xoshiro words(stream_key(p_.seed, Domain::cntk_signs, index_of(0, h, static_cast<std::uint64_t>(use))));
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < count; ++i) {
            word = i % 32 == 0 ? words.word() : word >> 1;
            out[i] = (word & 1u) != 0 ? -1.0f : 1.0f;
        }
        return out;
    }
    BorderTable border_table(std::uint32_t h, SignUse use, bool products) noexcept
    {
        const OrdersLayer &layer = r_.layers[h], &below = r_.layers[h - 1];
        const CntkReach reach = layer.reach, from = below.reach;
        float* const signs = random_signs(std::size_t{p_.window} * from.places(), h, use);
        float* const given = floats(reach.places());
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
    // Signs E of all places, with the part along (1, ..., 1)/root made 1: E + (1 - sum of E / root) / root.
    const float* filter(std::uint32_t h, SignUse use) noexcept
    {
        float* const out = random_signs(std::size_t{p_.window} * p_.random, h, use);
        float* const part = r_.y;
        for (std::uint32_t j = 0; j < p_.random; ++j)
            part[j] = 0.0f;
        for (std::uint32_t a = 0; a < p_.window; ++a)
            SAMARA_KERNEL(simd, add_multiple)(1.0f, out + std::size_t{a} * p_.random, p_.random, part);
        for (std::uint32_t j = 0; j < p_.random; ++j)
            part[j] = (1.0f - part[j] * r_.window_root) * r_.window_root;
        for (std::uint32_t a = 0; a < p_.window; ++a)
            SAMARA_KERNEL(simd, add_multiple)(1.0f, part, p_.random, out + std::size_t{a} * p_.random);
        return out;
    }
    void filters() noexcept
    {
        for (std::uint32_t h = 2; h <= p_.shape.depth; ++h) {
            r_.layers[h].tau_filter = filter(h, SignUse::tau_filter);
            r_.layers[h].omega_filter = h > 2 ? filter(h, SignUse::omega_filter) : nullptr;
        }
    }

    // The numbers of ways along an axis without borders.
    Ways free_ways(const Axis& axis, std::uint32_t windows, std::uint32_t reach) noexcept
    {
        // Both of them 2 reach + 1 numbers, one after the other. Counts first, window by window.
        const std::uint32_t size = 2 * reach + 1;
        float *const root = floats(size), *const inverse = floats(size);
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
        float* const out = floats(std::size_t{places} * channels);
        float squares = 0.0f;
        for (std::uint32_t i = 0; i < places; ++i)
            squares += roots[i] * roots[i];
        const float inverse = 1.0f / sqrt_scalar(squares * static_cast<float>(channels));
        for (std::uint32_t i = 0; i < places * channels; ++i)
            out[i] = roots[i / channels] * inverse;
        return out;
    }
    void ways() noexcept
    {
        const CntkShape& s = p_.shape;
        const Axis rows{s.height, r_.window.y}, columns{s.width, r_.window.x};
        for (std::uint32_t h = 1; h <= s.depth; ++h) {
            OrdersLayer& layer = r_.layers[h];
            layer.reach = cntk_reach(s, h);
            layer.rows = free_ways(rows, h, layer.reach.y);
            layer.columns = free_ways(columns, h, layer.reach.x);
            float *const roots = floats(layer.reach.places()), *const inverses = floats(layer.reach.places());
            for (std::uint32_t i = 0; i < layer.reach.places(); ++i) {
                // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a reach is at least one wide
                const std::uint32_t row = i / layer.reach.wide(), column = i % layer.reach.wide();
                roots[i] = layer.rows.root[row] * layer.columns.root[column];
                inverses[i] = layer.rows.inverse[row] * layer.columns.inverse[column];
            }
            layer.common = h > 1 ? common(layer, roots) : nullptr;
            layer.roots = roots;
            layer.inverses = inverses;
            float* const at = floats(std::size_t{s.width} * layer.reach.wide());
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
        r_.around = floats(p_.raw(s.depth));
        r_.raw_weights = floats(places);
        r_.product_weights = floats(places);
        r_.border_weights = floats(places);
        r_.row_ways = floats((r_.window.high() + 1) * std::size_t{r_.layers[s.depth].reach.high()});
    }

    // Along the roots of two shares.
    static void set_direction(float first, float second, float* out) noexcept
    {
        const float sum = first + second;
        out[0] = sqrt_scalar(first / sum);
        out[1] = sqrt_scalar(second / sum);
    }
    // Along the roots of four shares, and the three directions orthogonal to it of the reflection that takes (1, 0, 0,
    // 0) to it.
    static void set_directions(const float* shares, float (&out)[4][4]) noexcept
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
    // The shares of constants and of raw pixels in G (c, l) and in E (g, a) of a layer without borders whose windows
    // are all alike choose the directions.
    void directions() noexcept
    {
        float c = inverse_pi, l = 0.5f, g = inverse_pi, a = 0.5f, scale = r_.over_patch;
        for (std::uint32_t h = 2; h <= p_.shape.depth; ++h) {
            OrdersLayer& layer = r_.layers[h];
            layer.raw_scale = scale;
            scale *= r_.over_patch;
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

    void rings() noexcept
    {
        for (std::uint32_t h = 1; h < p_.shape.depth; ++h)
            r_.layers[h].ring = floats(std::size_t{r_.window.high()} * p_.shape.width * cntk_record(p_, h));
    }

    void vectors() noexcept
    {
        const CntkShape& s = p_.shape;
        r_.folded = floats(p_.longest_fold());
        r_.rest_exact = floats(p_.mixed(s.depth));
        r_.left_exact = floats(p_.mixed(s.depth));
        r_.y = floats(p_.inner);
        r_.left = floats(p_.inner);
        const std::size_t group = std::size_t{s.width < cntk_group ? s.width : cntk_group} * p_.random;
        r_.tau = floats(group);
        r_.omega = s.depth > 2 ? floats(group) : nullptr;
        r_.sums = floats(std::size_t{s.cells_wide} * cntk_sums(p_));
    }

    OrdersRun& r_;
    const CntkPlan& p_;
    Bump bump_;
};

} // namespace

CellSums sums_of(const OrdersRun& r, std::uint32_t cell) noexcept
{
    const CntkPlan& p = r.plan;
    CellSums at{};
    at.random = r.sums + cell * cntk_sums(p);
    at.folded = at.random + p.padded_outputs();
    at.windows = at.folded + p.random;
    at.raw = at.windows + 3 * std::size_t{p.window};
    at.constants = at.raw + 3 * std::size_t{p.raw(p.shape.depth)};
    return at;
}

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

void prepare_orders(OrdersRun& r, const CntkSpec& s, std::span<std::byte> work) noexcept
{
    r.plan = cntk_plan(s);
    r.window = cntk_reach(r.plan.shape, 1);
    const auto patch = static_cast<float>(s.patch);
    r.window_root = 1.0f / sqrt_scalar(static_cast<float>(r.plan.window));
    r.over_patch = sqrt_scalar(0.5f) / patch;
    r.square_over_patch = 1.0f / (patch * patch);
    r.pi_over_patch = sqrt_scalar(inverse_pi) / patch;
    Preparation(r, work).all();
}

} // namespace samara::engine
