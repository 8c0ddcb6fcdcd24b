// Feature maps of dot-product kernels, by sketches of the tensor powers of x.
//
//   PolynomialSpec  (scale <x,y> + offset)^degree
//   DotSpec         sum of c_j <x,y>^j, c_j >= 0, j = 0 ... count - 1
//
// sketch srht: PolySketch (degree 2: a TensorSRHT of x (x) x). sketch count: TensorSketch, whose size is the largest
// one that its FFT takes within the features it gets. orders none: a polynomial is one sketch, of degree `degree`, of x
// scale^(1/2) with offset^(1/2) appended; in a sum of powers the constant is a feature of its own and the other powers
// with c_j > 0 get equal shares, all from one pass. orders one: constant and x itself first, exactly, without the
// variance that sketches give them; the powers from 2 on share the rest equally. Features that no share reaches are 0.
//
// E <z(x), z(y)> = K(x, y). x = 0 gives the constant alone. Inputs as in map.hpp; where a power of an input within 2^40
// leaves the range of floats the status is overflow and z is all zeros. Small powers fade into subnormals and 0.
//
// All features are one block: every one of them may depend on all of the sketch, so that a predictor cannot fold them
// piece by piece, and its memory grows with their number. There are no rows to choose from.
//
// Memory of one sample: that of the sketch, shares * (its powers) floats where there are several, inputs + 1 floats
// for a polynomial with orders none. One sample by sketch=count makes the FFT's tables anew, which takes longer than
// the sketch: batches make them once.
#pragma once

#include "samara/map_whole.hpp"
#include "samara/memory.hpp"
#include "samara/sketch/poly.hpp"
#include "samara/sketch/tensor.hpp"

namespace samara {

enum class PowerSketch : std::uint8_t { srht = 0, count = 1 };

struct PolynomialSpec {
    std::uint32_t inputs = 0;      // 1 ... 2^20 - 1
    std::uint32_t features = 1024; // 1 ... 2^20
    std::uint32_t degree = 2;      // 1 ... 32
    PowerSketch sketch = PowerSketch::srht;
    Orders orders = Orders::automatic; // one where there is an offset and the random features left are enough
    float scale = 1;                   // 2^-30 ... 2^30
    float offset = 1;                  // 0, or 2^-30 ... 2^30
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const PolynomialSpec&, const PolynomialSpec&) = default;
};

struct DotSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    PowerSketch sketch = PowerSketch::srht;
    Orders orders = Orders::automatic;
    Coefficients coefficients = {}; // each 0, or 2^-60 ... 2^60; at least one above 0, and the last one
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const DotSpec&, const DotSpec&) = default;
};

namespace detail {

// Which powers a map has, as bits.
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
    std::uint64_t powers;  // of the shares
    std::uint32_t highest; // of them
    bool appended;         // one sketch of x with a constant appended
};

template <class Spec>
constexpr bool appends(const Spec&) noexcept
{
    return false;
}
constexpr bool appends(const PolynomialSpec& s) noexcept { return s.orders != Orders::one && !is_zero(s.offset); }

template <class Spec>
constexpr PowerLayout layout_of(const Spec& s) noexcept
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
constexpr std::uint64_t least_features(const Spec& s) noexcept
{
    const PowerLayout l = layout_of(s);
    const std::uint64_t least = std::uint64_t{l.constant} + l.linear + std::uint64_t{l.shares} * least_share(s.sketch);
    return least == 0 ? 1 : least;
}

template <class Spec>
constexpr SpecReport check_powers(const Spec& s) noexcept
{
    if (s.inputs < 1 || s.inputs >= most_inputs)
        return {Status::bad_spec, "inputs", "1 to 1048575", s.inputs < 1 ? 1u : most_inputs - 1};
    if (s.features < 1 || s.features > most_inputs)
        return {Status::bad_spec, "features", "1 to 1048576", s.features < 1 ? 1u : most_inputs};
    if (s.sketch > PowerSketch::count)
        return {Status::bad_spec, "sketch", "srht or count"};
    if (s.orders > Orders::one)
        return {Status::bad_spec, "orders", "auto, none or 1"};
    return {};
}
template <class Spec>
constexpr SpecReport check_layout(const Spec& s) noexcept
{
    if (s.orders == Orders::one && (powers_of(s) & 3u) == 0)
        return {Status::bad_spec, "orders", "none, because the kernel has no orders 0 and 1"};
    if (s.features < least_features(s))
        return {Status::bad_spec, "features", "enough for the exact orders and each sketched one", least_features(s)};
    return {};
}

} // namespace detail

namespace detail {

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

} // namespace detail

constexpr SpecReport check(const PolynomialSpec& s) noexcept
{
    if (const SpecReport common = detail::check_powers(s); !common)
        return common;
    if (s.degree < 1 || s.degree > most_map_degree)
        return {Status::bad_spec, "degree", "1 to 32", s.degree < 1 ? 1u : most_map_degree};
    if (!detail::bandwidth_ok(s.scale))
        return {Status::bad_spec, "scale", "2^-30 to 2^30"};
    if (!detail::zero_or_within(s.offset, 0x30800000u, 0x4e800000u))
        return {Status::bad_spec, "offset", "0, or 2^-30 to 2^30"};
    if (!detail::coefficients_fit(s))
        return {Status::bad_spec,
                std::bit_cast<std::uint32_t>(s.scale) >= std::bit_cast<std::uint32_t>(s.offset) ? "scale" : "offset",
                "less, or a lower degree, so that no coefficient leaves the range of floats"};
    return detail::check_layout(s);
}
constexpr SpecReport check(const DotSpec& s) noexcept
{
    if (const SpecReport common = detail::check_powers(s); !common)
        return common;
    const Coefficients& k = s.coefficients;
    if (k.count < 1 || k.count > most_map_degree + 1)
        return {Status::bad_spec, "coefficients", "1 to 33 of them", k.count < 1 ? 0u : most_map_degree + 1};
    for (std::uint32_t j = 0; j <= most_map_degree; ++j)
        if (!(j < k.count ? detail::coefficient_ok(k.c[j]) : detail::is_zero(k.c[j])))
            return {Status::bad_spec, "coefficients", "each 0, or 2^-60 to 2^60"};
    if (detail::is_zero(k.c[k.count - 1]))
        return {Status::bad_spec, "coefficients", "the last one above 0", k.count - 1};
    return detail::check_layout(s);
}

namespace detail {

// Exact orders where they can be had and leave enough random features.
template <class Spec>
constexpr Spec resolve_powers(Spec s) noexcept
{
    if (!check(s) || s.orders != Orders::automatic)
        return s;
    Spec one = s;
    one.orders = Orders::one;
    const PowerLayout l = layout_of(one);
    const std::uint32_t random = s.features - (check(one) ? l.constant + l.linear : 0);
    s.orders = check(one) && (l.shares == 0 || random >= s.features / 16) ? Orders::one : Orders::none;
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
    const PowerLayout l = layout_of(s);
    if (l.shares == 0)
        return 0;
    const std::size_t sketch = s.sketch == PowerSketch::count ? workspace_bytes(tensor_sketch_of(s, l))
                                                              : workspace_bytes(poly_sketch_of(s, l));
    const std::size_t powers = l.shares > 1 ? std::size_t{l.highest} * l.width : 0;
    return piece_bytes(sketch) + 4 * (powers + (l.appended ? sketch_inputs(s.inputs, l) : 0));
}

} // namespace detail

template <>
inline constexpr bool whole_map<PolynomialSpec> = true;
template <>
inline constexpr bool whole_map<DotSpec> = true;

constexpr PolynomialSpec resolve(const PolynomialSpec& s) noexcept { return detail::resolve_powers(s); }
constexpr DotSpec resolve(const DotSpec& s) noexcept { return detail::resolve_powers(s); }
constexpr bool resolved(const PolynomialSpec& s) noexcept { return check(s) && s.orders != Orders::automatic; }
constexpr bool resolved(const DotSpec& s) noexcept { return check(s) && s.orders != Orders::automatic; }

constexpr std::size_t workspace_bytes(const PolynomialSpec& s) noexcept { return detail::power_workspace_bytes(s); }
constexpr std::size_t workspace_bytes(const DotSpec& s) noexcept { return detail::power_workspace_bytes(s); }

// The kernels, exactly, as in kernel.hpp.
double kernel(const PolynomialSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;
double kernel(const DotSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;

} // namespace samara
