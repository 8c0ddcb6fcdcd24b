// What is random in a run with exact orders and no sample changes: signs, normals, filters. SPEC.md, section 28.2.
#include "map/cntk/orders_prepare.hpp"
#include "simd/scalar_math.hpp"
#include "simd/vectors.hpp"
#include "stream/kernels.hpp"

namespace samara::engine {

namespace {

using SAMARA_ARCH::sqrt_scalar;

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

class Randomness {
public:
    explicit Randomness(Preparation& to) noexcept : to_(to), r_(to.r), p_(to.r.plan) {}

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
        float* const norms = to_.floats(p_.random);
        fill_chi(stream_key(p_.seed, Domain::cntk_rows, index_of(0, 1, 255)), p_.first, {norms, p_.random});
        const auto size = static_cast<float>(p_.first);
        const float inverse = 1.0f / (size * sqrt_scalar(size)); // of three transforms
        for (std::uint32_t i = 0; i < p_.random; ++i)
            norms[i] *= inverse;
        r_.norms = norms;
    }

    void filters() noexcept
    {
        for (std::uint32_t h = 2; h <= p_.shape.depth; ++h) {
            r_.layers[h].tau_filter = filter(h, SignUse::tau_filter);
            r_.layers[h].omega_filter = h > 2 ? filter(h, SignUse::omega_filter) : nullptr;
        }
    }

    void signs() noexcept
    {
        const std::uint32_t depth = p_.shape.depth;
        CntkSignWords taken;
        r_.first = first_signs(p_, taken);
        for (std::uint32_t h = 2; h <= depth; ++h)
            r_.layers[h].signs = layer_signs(p_, h, taken);
        std::uint32_t* const words = to_.bump.take<std::uint32_t>(taken.total);
        r_.signs = words;
        for (std::uint32_t i = 0; i < 3; ++i)
            fill(words, r_.first.round[i], padded_to(p_.random, p_.first), index_of(0, 1, i));
        for (std::uint32_t h = 2; h <= depth; ++h)
            layer(words, h);
        std::uint32_t* const last =
            to_.bump.take<std::uint32_t>(static_cast<std::size_t>(blocks_of(p_.last_fold(), 32)));
        r_.last_signs = last;
        even_signs(last, depth, Even::relu, p_.last_fold());
    }

private:
    void fill(std::uint32_t* words, std::size_t at, std::uint64_t count, std::uint64_t index) noexcept
    {
        fill_sign_words(stream_key(p_.seed, Domain::cntk_signs, index),
                        {words + at, static_cast<std::size_t>(blocks_of(count, 32))});
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
        float* const out = to_.floats(count);
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
    // Signs E of all places, with the part along (1, ..., 1)/root made 1: E + (1 - sum of E / root) / root.
    const float* filter(std::uint32_t h, SignUse use) noexcept
    {
        float* const out = random_signs(to_, std::size_t{p_.window} * p_.random, h, use);
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

    Preparation& to_;
    OrdersRun& r_;
    const CntkPlan& p_;
};

} // namespace

float* random_signs(Preparation& to, std::size_t count, std::uint32_t h, SignUse use) noexcept
{
    float* const out = to.floats(count);
    Xoshiro words(stream_key(to.r.plan.seed, Domain::cntk_signs, index_of(0, h, static_cast<std::uint64_t>(use))));
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
        word = i % 32 == 0 ? words.word() : word >> 1;
        out[i] = (word & 1u) != 0 ? -1.0f : 1.0f;
    }
    return out;
}

void prepare_normals(Preparation& to) noexcept { Randomness(to).normals(); }
void prepare_filters(Preparation& to) noexcept { Randomness(to).filters(); }
void prepare_signs(Preparation& to) noexcept { Randomness(to).signs(); }

} // namespace samara::engine
