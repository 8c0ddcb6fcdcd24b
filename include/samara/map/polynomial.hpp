// Feature maps of dot-product kernels, by sketches of the tensor powers of x.
//
//   PolynomialSpec  (scale <x,y> + offset)^degree
//   DotSpec         sum of c_j <x,y>^j, c_j >= 0, j = 0 ... count - 1
//
// sketch srht: PolySketch (degree 2: a TensorSRHT of x (x) x). sketch count: TensorSketch, with the largest size that
// the FFT takes and the features leave. orders none: a polynomial is one sketch of degree `degree`, of x scale^(1/2)
// with offset^(1/2) appended; in a sum of powers the constant is one feature, and the other powers with c_j > 0 get
// equal shares of the others, all from one pass. orders one: constant and x itself come first, exactly, without the
// variance of sketches; the powers from 2 on share the rest equally. Features that are left over are 0.
//
// E <z(x), z(y)> = K(x, y). x = 0 gives the constant alone. If a power of an input within 2^40 leaves the range of
// floats, or x scale^(1/2) that of a sketch's inputs, the status is overflow and z is all zeros. Small powers become
// subnormal or 0.
//
// numbers int8 (polynomial of degree 1 and 2, orders none): inputs are rounded to whole numbers from -127 to 127,
// features are whole numbers of the same range, and everything between is exact arithmetic of integers, without a
// multiplication for degree 1 and with one of 16 bits a feature for degree 2 (project/integer_powers.hpp). sketch srht:
// rows of two rounds of signs and transforms in int16, for degree 2 a TensorSRHT, which takes three transforms a sample
// whatever the features are; at most D features for degree 1 and D^2 for degree 2, with which the kernel is exact but
// for rounding, D the inputs padded to a power of two of 64 or more. sketch count (degree 1): a CountSketch of a power
// of two of features. The scale is 1, and the offset is in the units of whole inputs, whose squared length is about
// 1024 inputs: what is appended is a whole number of the products' unit, so that the offset is rounded. <z(x), z(y)>
// estimates the kernel times features (r 4^-h)^degree 4^-s, for sketch=count times 4^-s, h = integer_halvings(inputs),
// r = integer_row_square(inputs) and s the features' shift: kernel() has that factor, and the offset as it was rounded.
// For other degrees, and the product of two count sketches, which is a convolution, there are floats.
//
// All features are one block (map/engine/whole.hpp). Those of whole numbers come in blocks of D, for sketch=count in
// one, and some of them can be kept.
//
// Memory of one sample: that of the sketch; where there are several shares, `highest` times the width of one (see
// PowerLayout); inputs + 1 floats for a polynomial with orders none. A single sample with sketch=count makes the FFT's
// tables anew, which takes longer than the sketch; batches make them once.
#pragma once

#include "samara/map/engine/orders.hpp"
#include "samara/map/map.hpp"
#include "samara/memory.hpp"
#include "samara/project/integer_powers.hpp"
#include "samara/sketch/poly.hpp"
#include "samara/sketch/tensor.hpp"

namespace samara {

// Numbers are part of the format.
enum class PowerSketch : std::uint8_t { srht = 0, count = 1 };

constexpr const char* word(PowerSketch sketch) noexcept { return sketch == PowerSketch::srht ? "srht" : "count"; }

struct PolynomialSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    std::uint32_t degree = 2;
    PowerSketch sketch = PowerSketch::srht;
    Orders orders = Orders::automatic; // one where there is an offset and the random features left are enough
    float scale = 1;
    float offset = 1;
    Numbers numbers = Numbers::float32;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const PolynomialSpec&, const PolynomialSpec&) = default;
};

struct DotSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    PowerSketch sketch = PowerSketch::srht;
    Orders orders = Orders::automatic;
    Coefficients coefficients = {}; // at least one above 0, and the last one
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const DotSpec&, const DotSpec&) = default;
};

namespace engine {

// The powers that a kernel has: bit j for power j.
constexpr std::uint64_t powers_of(const PolynomialSpec& s) noexcept
{
    const std::uint64_t last = std::uint64_t{1} << s.degree;
    return is_zero(s.offset) ? last : 2 * last - 1;
}
constexpr std::uint64_t powers_of(const DotSpec& s) noexcept
{
    std::uint64_t powers = 0;
    for (std::uint32_t j = 0; j < s.coefficients.count; ++j)
        powers |= is_zero(s.coefficients.c[j]) ? 0u : std::uint64_t{1} << j;
    return powers;
}

constexpr std::uint32_t least_share(PowerSketch sketch) noexcept { return sketch == PowerSketch::count ? 4 : 1; }

// How a map's features are laid out: the constant, x, then `shares` sketches of `width`.
struct PowerLayout {
    std::uint32_t constant, linear, shares, width;
    std::uint64_t powers;  // those that are sketched, as bits; each has a share
    std::uint32_t highest; // of these powers
    bool appended;         // there is one share: the sketch of x with a constant appended
};

template <class Spec>
constexpr bool appends(const Spec&) noexcept
{
    return false;
}
constexpr bool appends(const PolynomialSpec& s) noexcept { return s.orders != Orders::one && !is_zero(s.offset); }

template <class Spec>
constexpr PowerLayout power_layout(const Spec& s) noexcept
{
    PowerLayout l{};
    const std::uint64_t all = powers_of(s);
    l.powers = all & ~std::uint64_t{1};
    l.appended = appends(s);
    if (l.appended) {
        l.powers = std::bit_floor(all); // the degree alone
    } else {
        l.constant = static_cast<std::uint32_t>(all & 1u);
        if (s.orders == Orders::one && (all & 2u) != 0) {
            l.linear = s.inputs;
            l.powers &= ~std::uint64_t{2};
        }
    }
    l.shares = static_cast<std::uint32_t>(std::popcount(l.powers));
    l.highest = l.shares == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(l.powers)) - 1;
    const std::uint64_t exact = std::uint64_t{l.constant} + l.linear;
    if (l.shares != 0 && s.features > exact) {
        l.width = (s.features - static_cast<std::uint32_t>(exact)) / l.shares;
        if (s.sketch == PowerSketch::count)
            while (l.width >= 4 && !fft_size_ok(l.width))
                --l.width;
    }
    return l;
}

template <class Spec>
constexpr std::uint64_t least_power_features(const Spec& s) noexcept
{
    const PowerLayout l = power_layout(s);
    const std::uint64_t least = std::uint64_t{l.constant} + l.linear + std::uint64_t{l.shares} * least_share(s.sketch);
    return least == 0 ? 1 : least;
}

template <class Spec>
constexpr SpecReport check_power_layout(const Spec& s) noexcept
{
    if (s.orders == Orders::one && (powers_of(s) & 3u) == 0)
        return {Status::bad_spec, "orders", "none, because the kernel has no orders 0 and 1"};
    if (s.features < least_power_features(s))
        return {Status::bad_spec, "features", "enough for the exact orders and each sketched one",
                least_power_features(s)};
    return {};
}

// An upper bound of log2 of a float above 0, in units of 2^-23, from its bits: the mantissa taken for its own logarithm
// is at most .0861 too little.
constexpr std::int64_t log2_bound(float v) noexcept
{
    return static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(v)) - (std::int64_t{127} << 23) + 722250;
}

// Whether all coefficients binomial(p, j) scale^j offset^(p-j) are well within the range of floats.
constexpr bool coefficients_fit(const PolynomialSpec& s) noexcept
{
    const std::int64_t scale = log2_bound(s.scale), offset = log2_bound(s.offset);
    std::uint64_t binomial = 1;
    for (std::uint32_t j = 0; j <= s.degree; ++j) {
        const std::int64_t bits = static_cast<std::int64_t>(std::bit_width(binomial)) << 23;
        if ((j == s.degree || !is_zero(s.offset)) &&
            bits + j * scale + (s.degree - j) * (is_zero(s.offset) ? 0 : offset) > std::int64_t{127} << 23)
            return false;
        binomial = binomial * (s.degree - j) / (j + 1);
    }
    return true;
}

// orders=auto: one, if the kernel has orders 0 or 1 and they take few enough of the features; else none.
template <class Spec>
constexpr Spec resolve_powers(Spec s) noexcept
{
    if (s.orders != Orders::automatic)
        return s;
    Spec one = s;
    one.orders = Orders::one;
    const PowerLayout l = power_layout(one);
    const bool few = l.shares == 0 || l.constant + l.linear <= most_exact_features(s.features);
    s.orders = check(one) && few ? Orders::one : Orders::none;
    return s;
}

constexpr std::uint32_t sketch_inputs(std::uint32_t inputs, const PowerLayout& l) noexcept
{
    return inputs + (l.appended ? 1 : 0);
}

template <class Spec>
constexpr PolySketchSpec poly_sketch_of(const Spec& s, const PowerLayout& l) noexcept
{
    return {.inputs = sketch_inputs(s.inputs, l), .degree = l.highest, .features = l.width, .seed = s.seed};
}
template <class Spec>
constexpr TensorSketchSpec tensor_sketch_of(const Spec& s, const PowerLayout& l) noexcept
{
    return {.size = l.width, .degree = l.highest, .seed = s.seed};
}

template <class Spec>
constexpr std::size_t power_workspace_bytes(const Spec& s) noexcept
{
    const PowerLayout l = power_layout(s);
    if (l.shares == 0)
        return 0;
    const std::size_t sketch = s.sketch == PowerSketch::count ? workspace_bytes(tensor_sketch_of(s, l))
                                                              : workspace_bytes(poly_sketch_of(s, l));
    const std::size_t powers = l.shares > 1 ? std::size_t{l.highest} * l.width : 0;
    return piece_bytes(sketch) + 4 * (powers + (l.appended ? sketch_inputs(s.inputs, l) : 0));
}

// The sketch that a map needs, so that only that one is linked: TensorSketch alone brings the FFT along.
struct PowerRun;
struct PowerCode {
    Status (*run)(const PowerRun&) noexcept = nullptr;
    // Of numbers=int8, in its place: makes the products or sums of a sample, in the workspace, and from there features
    // first ... first + z.size() - 1.
    void (*begin)(const IntegerRows&, const IntegerPowers&, const float* x,
                  std::span<std::byte> work) noexcept = nullptr;
    void (*make)(const IntegerRows&, const IntegerPowers&, std::uint32_t first, std::span<float> z,
                 std::span<std::byte> work) noexcept = nullptr;

    constexpr bool complete() const noexcept { return run != nullptr || begin != nullptr; }
};
Status run_powers_srht(const PowerRun&) noexcept;
Status run_powers_count(const PowerRun&) noexcept;
template <PowerForm form>
void begin_integer_powers(const IntegerRows&, const IntegerPowers&, const float* x, std::span<std::byte> work) noexcept;
template <PowerForm form>
void make_integer_powers(const IntegerRows&, const IntegerPowers&, std::uint32_t first, std::span<float> z,
                         std::span<std::byte> work) noexcept;

template <PowerForm form>
constexpr PowerCode integer_power_code() noexcept
{
    return {nullptr, begin_integer_powers<form>, make_integer_powers<form>};
}

template <Kinds kinds, class Spec>
constexpr PowerCode power_code(const Spec& s) noexcept
{
    const bool opened = kinds.has(s.orders);
    return {.run = !opened ? nullptr : s.sketch == PowerSketch::srht ? run_powers_srht : run_powers_count};
}

// The cost of all powers of x up to p by PolySketch: p signed transforms of x and 2 (p - 2) of products. Rows are
// paired in blocks as long as x.
constexpr std::uint64_t power_operations(std::uint64_t p, std::uint32_t inputs, std::uint32_t size) noexcept
{
    return p * transform_operations(inputs) + p / 2 * 40 * (size / std::bit_ceil(inputs)) +
           (p > 2 ? 2 * (p - 2) : 0) * transform_operations(size) + 4 * p * size;
}

// The cost of a sample: a sketch of the highest power by transforms, or by p hashed vectors and FFTs with their tables.
template <class Spec>
constexpr std::uint64_t power_map_operations(const Spec& s) noexcept
{
    const PowerLayout l = power_layout(s);
    if (l.shares == 0)
        return 0;
    const std::uint64_t p = l.highest, m = l.width;
    const std::uint64_t sketch = s.sketch == PowerSketch::srht
                                     ? power_operations(p, s.inputs, l.width)
                                     : p * 12 * s.inputs + (p + 1) * 5 * m * std::bit_width(l.width) / 2 + 64 * m;
    return sketch * (l.shares > 1 ? 2 : 1) + s.features;
}

// What both maps have in common.
template <class Spec>
struct PowerMap : WholeMap<Spec> {
    using Code = PowerCode;
    template <Kinds kinds>
    static constexpr Code code(const Spec& s) noexcept
    {
        return power_code<kinds>(s);
    }
    static constexpr Spec resolve(const Spec& s) noexcept { return resolve_powers(s); }
    static constexpr std::size_t workspace_bytes(const Spec& s) noexcept { return power_workspace_bytes(s); }
    static constexpr std::uint64_t operations(const Spec& s, NoData) noexcept { return power_map_operations(s); }

protected:
    template <class V, class S>
    static constexpr void common_fields(V& v, S& s, std::uint32_t sketch_at, std::uint32_t orders_at)
    {
        v.choice(sketch_at, "sketch", s.sketch, {PowerSketch::srht, PowerSketch::count},
                 "of the powers of x: PolySketch or TensorSketch");
        v.choice(orders_at, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one},
                 "low orders carried exactly; auto: 1 where it pays");
        v.features(s.features, most_inputs);
        v.seed(24, s.seed);
    }
};

} // namespace engine

template <>
struct Map<PolynomialSpec> : engine::PowerMap<PolynomialSpec> {
    static constexpr MapId id{3};
    static constexpr const char* name = "polynomial";
    static constexpr const char* estimates[] = {"(s <x,y> + o)^degree, s the scale and o the offset"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs - 1);
        v.small(12, "degree", s.degree, {1, most_map_degree}, "the power");
        v.real(16, "scale", s.scale, scale_range, "of the product of x and y");
        v.real(20, "offset", s.offset, offset_range, "added to it; 0: only the highest power is left");
        v.choice(15, "numbers", s.numbers, {Numbers::float32, Numbers::int8},
                 "int8: whole numbers throughout, of inputs from -127 to 127; degree 1 or 2");
        common_fields(v, s, 13, 14);
    }
    static constexpr SpecReport across(const PolynomialSpec& s) noexcept
    {
        if (s.numbers == Numbers::int8)
            return across_integer(s);
        if (!engine::coefficients_fit(s))
            return {Status::bad_spec,
                    std::bit_cast<std::uint32_t>(s.scale) >= std::bit_cast<std::uint32_t>(s.offset) ? "scale"
                                                                                                    : "offset",
                    "less, or a lower degree, so that no coefficient leaves the range of floats"};
        return engine::check_power_layout(s);
    }
    static constexpr PolynomialSpec resolve(PolynomialSpec s) noexcept
    {
        if (s.numbers != Numbers::int8)
            return engine::resolve_powers(s);
        s.orders = Orders::none;
        return s;
    }

    // Whether it computes with whole numbers, and what of.
    static constexpr bool is_whole(const PolynomialSpec& s) noexcept { return s.numbers == Numbers::int8; }
    static constexpr bool negative_features = true;
    static constexpr IntegerRows integer_rows(const PolynomialSpec& s) noexcept
    {
        const Domain domain = s.sketch == PowerSketch::srht ? Domain::hadamard_signs : Domain::count_hash;
        return {stream_prefix(s.seed, static_cast<std::uint64_t>(domain)), s.inputs, s.features};
    }
    static constexpr IntegerPowers integer_powers(const PolynomialSpec& s) noexcept
    {
        const auto offset = std::bit_cast<std::uint32_t>(s.offset);
        return s.sketch == PowerSketch::srht ? integer_powers_of_rows(s.inputs, s.degree, offset)
                                             : integer_powers_of_sums(s.inputs, s.features, offset);
    }

    template <Kinds kinds>
    static constexpr engine::PowerCode code(const PolynomialSpec& s) noexcept
    {
        if (s.numbers != Numbers::int8)
            return engine::power_code<kinds>(s);
        if constexpr (kinds.has(Numbers::int8) && kinds.has(Orders::none))
            return s.sketch == PowerSketch::count ? engine::integer_power_code<PowerForm::counted>()
                   : s.degree == 2                ? engine::integer_power_code<PowerForm::square>()
                                                  : engine::integer_power_code<PowerForm::linear>();
        else
            return {};
    }

    // Features of whole numbers are rows, in blocks of D; of counted sums all are one block. Of floats there are none.
    static constexpr bool has_rows(const PolynomialSpec& s) noexcept { return is_whole(s); }
    static constexpr std::uint32_t features_per_row(const PolynomialSpec&) noexcept { return 1; }
    static constexpr std::uint32_t exact_features(const PolynomialSpec& s) noexcept
    {
        return is_whole(s) ? 0 : s.features;
    }
    static constexpr std::uint32_t block_rows(const PolynomialSpec& s) noexcept
    {
        return is_whole(s) && s.sketch == PowerSketch::srht ? std::uint32_t{1} << block_log2(s.inputs) : s.features;
    }
    static constexpr std::size_t block_workspace_bytes(const PolynomialSpec& s) noexcept { return workspace_bytes(s); }

    using Data = ChosenRows;
    static Status begin(const PolynomialSpec& s, const Code& code, const ChosenRows&, std::span<const float> x,
                        std::span<std::byte> work, Sample& sample) noexcept
    {
        sample = {x, work};
        const Status status = engine::check_call(s.inputs, s.features, workspace_bytes(s), x, s.features, 1, work);
        if (status == Status::ok && code.begin != nullptr)
            code.begin(integer_rows(s), integer_powers(s), x.data(), work);
        return status;
    }
    // Where rows are kept, z has room for the whole block.
    static Status block(const PolynomialSpec& s, const Code& code, const ChosenRows& kept, const Sample& sample,
                        std::uint32_t k, std::span<float> z) noexcept
    {
        return code.begin == nullptr ? run(s, code, sample.x, z, 1, sample.work)
                                     : integer_block(s, code, kept, sample, k, z);
    }
    static Status one(const PolynomialSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::span<std::byte> work) noexcept
    {
        return batch(s, code, x, z, 1, work);
    }
    static Status batch(const PolynomialSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                        std::size_t samples, std::span<std::byte> work) noexcept
    {
        const Status status = engine::check_call(s.inputs, s.features, workspace_bytes(s), x, z.size(), samples, work);
        return status == Status::ok ? run(s, code, x, z, samples, work) : status;
    }
    static constexpr std::size_t workspace_bytes(const PolynomialSpec& s) noexcept
    {
        return s.numbers == Numbers::int8 ? integer_power_bytes(integer_rows(s), integer_powers(s))
                                          : engine::power_workspace_bytes(s);
    }
    static constexpr std::uint64_t operations(const PolynomialSpec& s, const ChosenRows&) noexcept
    {
        if (s.numbers != Numbers::int8)
            return engine::power_map_operations(s);
        return std::uint64_t{s.sketch == PowerSketch::count ? 12 * s.inputs
                                                            : (1 + s.degree) * transform_operations(s.inputs)} +
               std::uint64_t{4} * s.features;
    }
    static Status run(const PolynomialSpec& s, const engine::PowerCode& code, std::span<const float> x,
                      std::span<float> z, std::size_t samples, std::span<std::byte> work) noexcept;
    static double kernel(const PolynomialSpec& s, std::span<const float> x, std::span<const float> y) noexcept;

private:
    static Status integer_block(const PolynomialSpec& s, const engine::PowerCode& code, const ChosenRows& kept,
                                const Sample& sample, std::uint32_t k, std::span<float> z) noexcept;
    static constexpr SpecReport across_integer(const PolynomialSpec& s) noexcept
    {
        const bool counted = s.sketch == PowerSketch::count;
        if (s.degree > 2)
            return {Status::bad_spec, "degree", "1 or 2 with numbers=int8", 2};
        if (s.degree == 2 && counted)
            return {Status::bad_spec, "sketch", "srht with numbers=int8 and degree=2"};
        if (s.orders == Orders::one)
            return {Status::bad_spec, "orders", "auto or none with numbers=int8"};
        if (s.inputs > most_integer_inputs)
            return {Status::bad_spec, "inputs", "at most 16384 with numbers=int8", most_integer_inputs};
        if (std::bit_cast<std::uint32_t>(s.scale) != 0x3f800000u)
            return {Status::bad_spec, "scale", "1 with numbers=int8, in the units of whole inputs", 1};
        const auto offset = std::bit_cast<std::uint32_t>(s.offset);
        if (counted && offset > most_counted_offset)
            return {Status::bad_spec, "offset",
                    "at most 16129 with numbers=int8 and sketch=count, in the units of whole inputs", 16129};
        if (!counted && offset > most_integer_offset)
            return {Status::bad_spec, "offset", "at most 33554432 with numbers=int8, in the units of whole inputs",
                    33554432};
        if (counted && (!std::has_single_bit(s.features) || s.features > most_counted_places))
            return {Status::bad_spec, "features", "a power of two up to 65536 with numbers=int8 and sketch=count",
                    s.features > most_counted_places ? most_counted_places : std::bit_floor(s.features)};
        if (const std::uint32_t most = most_integer_power_features(s.inputs, s.degree); !counted && s.features > most)
            return {Status::bad_spec, "features",
                    s.degree == 1
                        ? "with numbers=int8 and degree=1 at most the inputs, padded to a power of two of 64 or "
                          "more"
                        : "with numbers=int8 at most the square of the inputs, padded to a power of two of 64 "
                          "or more",
                    most};
        return {};
    }
};

template <>
struct Map<DotSpec> : engine::PowerMap<DotSpec> {
    static constexpr MapId id{4};
    static constexpr const char* name = "dot";
    static constexpr const char* estimates[] = {
        "sum of c_j <x,y>^j, c_j the coefficients; for instance coefficients=1;1;0.5"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs - 1);
        v.coefficients(14, 32, s.coefficients, CoefficientsFrom::user);
        common_fields(v, s, 12, 13);
    }
    static constexpr SpecReport across(const DotSpec& s) noexcept { return engine::check_power_layout(s); }
    static Status run(const DotSpec& s, const engine::PowerCode& code, std::span<const float> x, std::span<float> z,
                      std::size_t samples, std::span<std::byte> work) noexcept;
    static double kernel(const DotSpec& s, std::span<const float> x, std::span<const float> y) noexcept;
};

using Polynomial = PolynomialSpec;
using Dot = DotSpec;

} // namespace samara
