// Random features of the kernels of fully connected ReLU networks, layer by layer.
//
// NngpSpec estimates K_NNGP, NtkSpec K_NTK of `depth` hidden layers (kernel.hpp: nngp_kernel, ntk_kernel), for vectors
// of any length: both are |x||y| times a function of the cosine. With phi(0) = psi(0) = x, each layer has
//   phi_dot = m0 step features of phi    (their kernel is k0 of the cosine: arccos of order 0)
//   phi     = m1 relu features of phi    (k1: arccos of order 1)
//   psi     = phi (+) Q(phi_dot (x) psi) with Q a sketch of the tensor product to ms numbers;
// nngp is the last phi, ntk the last psi. Algorithm 1 of arXiv 2104.01351 with sketch count (TensorSketch), Algorithm 2
// of arXiv 2106.07880 with sketch srht (TensorSRHT; the dots that its text lost are restored), Eq. (12) of the first
// with sketch none: the tensor product itself, m1 (1 + m0 + ... + m0^(L-1)) + inputs m0^L features.
//
// orders one carries what is linear in the cosine exactly, at every layer. With k1(s) = 1/pi + s/2 + tail1(s) and
// k0(s) = 1/2 + s/pi + tail0(s) a layer's kernels are
//   S' = 1/pi + S/2 + tail1(S)
//   K' = K (1/2 + S/pi + tail0(S)) + S'.
// So phi keeps a constant, x, and m1 new features |z| - mu a layer, each worth 1/2 of what it was in the layer before;
// psi keeps those and ms sketched features a layer. Of K S / pi, S = c + S~ and K = k + K~ by their constants, what is
// a multiple of K, of S~ or constant passes through without a sketch; K~ S~ / pi and K tail0(S) are sketched, and the
// two sketches are added into the same ms numbers. The features are
//   a constant, x, (orders two) the products, m1 of each layer, then (ntk) ms of each layer.
// phi is brought to its exact length |x| before it enters the next layer.
//
// orders two carries what is quadratic too, as the inputs (inputs + 1) / 2 products of x with itself; it is for few
// inputs. With k1(s) = 1/pi + s/2 + s^2/(2 pi) + tail1(s) the relu features are |z| less its parts up to z^2. Where x
// weighs b in S and w in K, b^2 cos^2 of S~^2 and b w cos^2 of K~ S~ are exact; what is left of the first is sketched
// into the relu features, of the second into the sketched ones. Relative Frobenius error on 300 random directions:
//                            depth 1           depth 2           depth 3
//                          none  one   two   none  one   two   none  one   two
//   9 inputs, ntk,  256    .264  .080  .029  .404  .122  .079  .415  .145  .104
//                 2,048    .097  .026  .010  .129  .041  .025  .149  .051  .034
//            nngp,  256    .172  .034  .0049 .211  .039  .012  .273  .050  .014
//  64 inputs, ntk, 4,096         .026  .013        .034  .029        .038  .037
//
// Error: without bias for depth 1; from depth 2 on the next layer sees estimated cosines, and there is a bias of
// O(1/m1): of orthogonal vectors K_NNGP of two layers, .494, comes out .074 too small with m1 = 4, .016 with 16.
// Standard deviation O(1/sqrt(m1) + 1/sqrt(m0) + 1/sqrt(ms)). m0 costs time and memory, not features. If only
// `features` is given, the sizes are those of the table at resolve().
//
// x = 0 gives 0 everywhere; vectors are brought to length 1 on the way in and to |x| on the way out. All features are
// one block. Memory: see vector_floats() and layers_workspace_bytes() in detail/layers.hpp; time: that of depth (m0 +
// m1) rows of m1 (or all kept) inputs, and of the sketches.
#pragma once

#include <utility>

#include "samara/detail/layers.hpp"
#include "samara/map_whole.hpp"

namespace samara {

struct NngpSpec {
    std::uint32_t inputs = 0;      // 1 ... 2^20
    std::uint32_t features = 1024; // 1 ... 2^20
    std::uint32_t depth = 1;       // 1 ... 16
    Rows rows = Rows::automatic;   // hadamard, dense, unit or gibbs
    Orders orders = Orders::automatic;
    std::uint32_t sweeps = 1; // of gibbs rows
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NngpSpec&, const NngpSpec&) = default;
};

struct NtkSpec {
    std::uint32_t inputs = 0;
    // none: m1 + ms; one: 1 + inputs + depth (m1 + ms), two: inputs (inputs + 1) / 2 more; or up to depth - 1 more, 0
    std::uint32_t features = 1024;
    std::uint32_t depth = 1;
    std::uint32_t step = 0;   // m0, 0: chosen from the features
    std::uint32_t relu = 0;   // m1
    std::uint32_t tensor = 0; // ms
    NtkTensor sketch = NtkTensor::srht;
    Rows rows = Rows::automatic; // unit and gibbs: of the relu features; the step features' rows are dense then
    Orders orders = Orders::automatic;
    std::uint32_t sweeps = 1;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NtkSpec&, const NtkSpec&) = default;
};

template <>
inline constexpr bool whole_map<NngpSpec> = true;
template <>
inline constexpr bool whole_map<NtkSpec> = true;

namespace detail {

template <class Spec>
constexpr SpecReport check_layers(const Spec& s) noexcept
{
    if (s.inputs < 1 || s.inputs > most_inputs)
        return {Status::bad_spec, "inputs", "1 to 1048576", s.inputs < 1 ? 1u : most_inputs};
    if (s.features < 1 || s.features > most_inputs)
        return {Status::bad_spec, "features", "1 to 1048576", s.features < 1 ? 1u : most_inputs};
    if (s.depth < 1 || s.depth > most_layers)
        return {Status::bad_spec, "depth", "1 to 16", s.depth < 1 ? 1u : most_layers};
    if (s.rows > Rows::gibbs || s.rows == Rows::fastfood || s.rows == Rows::quasi)
        return {Status::bad_spec, "rows", "auto, hadamard, dense, unit or gibbs"};
    if (s.orders > Orders::two)
        return {Status::bad_spec, "orders", "auto, none, 1 or 2"};
    if (s.orders >= Orders::one && s.rows == Rows::gibbs)
        return {Status::bad_spec, "orders", "none, because gibbs rows are not isotropic"};
    if (s.orders == Orders::two && exact_part(s.orders, s.inputs) >= most_inputs)
        return {Status::bad_spec, "orders", "auto, none or 1, because the products of so many inputs are too many"};
    if (s.sweeps > 1000)
        return {Status::bad_spec, "sweeps", "0 to 1000", 1000};
    return {};
}

// The sizes of a map with what was 0 chosen; still 0 where too few features are left.
struct NtkSizes {
    std::uint32_t step, relu, tensor;
    std::uint64_t features; // that they make, with the exact ones
};

// The relu features' share of the random ones: see resolve(NtkSpec).
constexpr std::uint32_t relu_share(Orders orders, std::uint32_t depth, std::uint32_t each) noexcept
{
    if (orders == Orders::two)
        return each / 8;
    return each * (orders == Orders::none ? 8u : depth == 1 ? 5u : 6u) / 20;
}

constexpr NtkSizes sizes_of(const NtkSpec& s) noexcept
{
    NtkSizes z{s.step, s.relu, s.tensor, 0};
    if (s.sketch == NtkTensor::none) {
        if (z.step == 0 && z.relu == 0) {
            std::uint32_t k = 1;
            while (naive_features(s.inputs, s.depth, k + 1, k + 1) <= s.features)
                ++k;
            z.step = z.relu = k;
        }
        z.step = z.step == 0 ? z.relu : z.step;
        z.relu = z.relu == 0 ? z.step : z.relu;
        z.features = naive_features(s.inputs, s.depth, z.step, z.relu);
        return z;
    }
    const std::uint32_t layers = s.orders >= Orders::one ? s.depth : 1;
    const std::uint64_t exact = exact_part(s.orders, s.inputs);
    const std::uint32_t each = s.features > exact ? static_cast<std::uint32_t>(s.features - exact) / layers : 0;
    if (z.relu == 0)
        z.relu = z.tensor != 0 ? (each > z.tensor ? each - z.tensor : 0) : relu_share(s.orders, s.depth, each);
    if (z.tensor == 0) {
        z.tensor = each > z.relu ? each - z.relu : 0;
        if (s.sketch == NtkTensor::count && s.tensor == 0 && s.relu == 0) {
            // the nearest length that the FFT takes, the relu features take what it leaves
            while (z.tensor > 4 && !fft_size_ok(z.tensor))
                --z.tensor;
            z.relu = each > z.tensor ? each - z.tensor : 0;
        }
    }
    if (z.step == 0) {
        const std::uint32_t power = std::uint32_t{1} << padded_log2(z.tensor < 64 ? 64 : z.tensor);
        z.step = s.orders >= Orders::one && power > z.tensor && power > 64 ? power / 2 : power;
    }
    z.features = exact + std::uint64_t{layers} * (std::uint64_t{z.relu} + z.tensor);
    return z;
}

constexpr bool large_enough(const NtkSpec& s, const NtkSizes& z) noexcept
{
    return z.relu != 0 && z.tensor >= (s.sketch == NtkTensor::count ? 4u : 1u);
}

// The fewest features for the sizes that are given, as far as they are: a few more a layer than those are enough.
constexpr std::uint64_t least_features(NtkSpec s) noexcept
{
    const std::uint32_t layers = s.orders >= Orders::one ? s.depth : 1;
    const std::uint64_t exact = exact_part(s.orders, s.inputs), given = std::uint64_t{s.relu} + s.tensor;
    for (std::uint64_t each = given;; ++each) {
        const std::uint64_t least = exact + layers * each;
        if (least > most_inputs || each > given + 64)
            return least;
        s.features = static_cast<std::uint32_t>(least);
        if (large_enough(s, sizes_of(s)))
            return least;
    }
}

// Whether the sizes are such that the map can be computed: the report's `nearest` is what would mend it, or more than
// most_inputs: how many features it would need.
constexpr SpecReport check_sizes_of(const NtkSpec& s) noexcept
{
    const NtkSizes z = sizes_of(s);
    const std::uint32_t layers = s.orders >= Orders::one ? s.depth : 1;
    if (s.sketch == NtkTensor::none) {
        if (s.tensor != 0)
            return {Status::bad_spec, "tensor", "0, because sketch=none has none", 0};
        if (z.features > s.features)
            return {Status::bad_spec, "features", "at least relu (1 + step + ... ) + inputs step^depth for sketch=none",
                    z.features};
        return {};
    }
    if (!large_enough(s, z))
        return {Status::bad_spec, "features", "enough for every layer's relu and tensor features", least_features(s)};
    if (z.features > s.features || s.features - z.features >= layers)
        return {Status::bad_spec, "features", "what the sizes relu and tensor make", z.features};
    if (z.step > most_inputs)
        return {Status::bad_spec, "step", "0 to 1048576", most_inputs};
    if (s.sketch == NtkTensor::count && !fft_size_ok(z.tensor))
        return {Status::bad_spec, "tensor", "even, with half of it without prime factors above 5, for sketch=count",
                nearest_fft_size(z.tensor)};
    return {};
}

constexpr NtkSpec with_orders(NtkSpec s, Orders orders) noexcept
{
    s.orders = orders;
    return s;
}
// What orders=auto stands for: exact ones where they pay and the sizes, as far as they are given, allow them.
constexpr Orders orders_of(const NtkSpec& s) noexcept
{
    if (s.orders != Orders::automatic)
        return s.orders;
    const bool possible = s.rows != Rows::gibbs && s.sketch != NtkTensor::none &&
                          exact_orders_pay(s.features, s.inputs, 8 * s.depth) &&
                          check_sizes_of(with_orders(s, Orders::one));
    return possible ? Orders::one : Orders::none;
}

} // namespace detail

constexpr SpecReport check(const NngpSpec& s) noexcept
{
    if (const SpecReport layers = detail::check_layers(s); !layers)
        return layers;
    const std::uint64_t least = detail::exact_part(s.orders, s.inputs) + s.depth;
    if (s.orders == Orders::one && s.features < least)
        return {Status::bad_spec, "features", "at least inputs + 1 + depth for orders=1", least};
    if (s.orders == Orders::two && s.features < least)
        return {Status::bad_spec, "features", "at least inputs (inputs + 3) / 2 + 1 + depth for orders=2", least};
    return {};
}
constexpr SpecReport check(const NtkSpec& s) noexcept
{
    if (const SpecReport layers = detail::check_layers(s); !layers)
        return layers;
    if (s.sketch > NtkTensor::none)
        return {Status::bad_spec, "sketch", "srht, count or none"};
    for (const auto& [field, size] : {std::pair{"step", s.step}, {"relu", s.relu}, {"tensor", s.tensor}})
        if (size > most_inputs)
            return {Status::bad_spec, field, "0 to 1048576", most_inputs};
    if (s.orders >= Orders::one && s.sketch == NtkTensor::none)
        return {Status::bad_spec, "orders", "none, because sketch=none is the whole tensor product"};
    return detail::check_sizes_of(detail::with_orders(s, detail::orders_of(s)));
}

// Rows: hadamard from 16 inputs on, else dense. orders: one where at least 1/16 of the features are left beside them,
// 8 and more a layer. Sizes: of the random features (of a layer, with orders one) the share relu has is
//   orders none  .4             orders one  .25 for depth 1, .3 for more             orders two  1/8
// which is near the least relative Frobenius error on 500 unit vectors (64 pixels; random directions), 2,048 features,
// depths 1 ... 4; between .25 and .5 the error changes by a tenth or so. step, at least 64: the least power of two from
// tensor up, with orders one the largest up to it (twice as many lower the error by 0 to 4 in a hundred). sketch none:
// the largest step = relu that fits. Features left over are 0.
constexpr NngpSpec resolve(NngpSpec s) noexcept
{
    if (!check(s))
        return s;
    if (s.rows == Rows::automatic)
        s.rows = s.inputs >= 16 ? Rows::hadamard : Rows::dense;
    if (s.orders == Orders::automatic)
        s.orders = s.rows != Rows::gibbs && detail::exact_orders_pay(s.features, s.inputs, 8 * s.depth) ? Orders::one
                                                                                                        : Orders::none;
    if (s.rows != Rows::gibbs)
        s.sweeps = 0;
    return s;
}
constexpr NtkSpec resolve(NtkSpec s) noexcept
{
    if (!check(s))
        return s;
    if (s.rows == Rows::automatic)
        s.rows = s.inputs >= 16 ? Rows::hadamard : Rows::dense;
    s.orders = detail::orders_of(s);
    if (s.rows != Rows::gibbs)
        s.sweeps = 0;
    const detail::NtkSizes z = detail::sizes_of(s);
    s.step = z.step;
    s.relu = z.relu;
    s.tensor = z.tensor;
    return s;
}

namespace detail {

template <class Spec>
constexpr bool resolved_layers(const Spec& s) noexcept
{
    return check(s) && s.rows != Rows::automatic && s.orders != Orders::automatic &&
           (s.rows == Rows::gibbs || s.sweeps == 0);
}

} // namespace detail

constexpr bool resolved(const NngpSpec& s) noexcept { return detail::resolved_layers(s); }
constexpr bool resolved(const NtkSpec& s) noexcept
{
    return detail::resolved_layers(s) && s.step != 0 && s.relu != 0 && (s.tensor != 0) == (s.sketch != NtkTensor::none);
}

namespace detail {

template <class Spec>
constexpr std::uint32_t pairs_of(const Spec& s) noexcept
{
    return s.orders == Orders::two ? static_cast<std::uint32_t>(all_pairs(s.inputs)) : 0;
}

constexpr LayerPlan layer_plan(const NngpSpec& s) noexcept
{
    const bool exact = s.orders >= Orders::one;
    const auto carried = static_cast<std::uint32_t>(exact_part(s.orders, s.inputs));
    const std::uint32_t relu = exact ? (s.features - carried) / s.depth : s.features;
    return {s.inputs, s.features,      s.depth, 0,    relu,   0,          s.sweeps,
            s.rows,   NtkTensor::srht, exact,   true, s.seed, pairs_of(s)};
}
constexpr LayerPlan layer_plan(const NtkSpec& s) noexcept
{
    return {s.inputs, s.features, s.depth,    s.step,   s.relu,
            s.tensor, s.sweeps,   s.rows,     s.sketch, s.orders >= Orders::one,
            false,    s.seed,     pairs_of(s)};
}

constexpr LayerCode code_of(const NngpSpec& s) noexcept { return code_of(layer_plan(s)); }
constexpr LayerCode code_of(const NtkSpec& s) noexcept { return code_of(layer_plan(s)); }

// The spec is resolved: whoever calls has made sure.
template <class Spec>
concept LayerSpec = std::same_as<Spec, NngpSpec> || std::same_as<Spec, NtkSpec>;
template <LayerSpec Spec>
Status run(const Spec&, const LayerCode&, std::span<const float> x, std::span<float> z, std::size_t samples,
           std::span<std::byte> work) noexcept;

} // namespace detail

constexpr std::size_t workspace_bytes(const NngpSpec& s) noexcept
{
    return detail::layers_workspace_bytes(detail::layer_plan(s));
}
constexpr std::size_t workspace_bytes(const NtkSpec& s) noexcept
{
    return detail::layers_workspace_bytes(detail::layer_plan(s));
}

double kernel(const NngpSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;
double kernel(const NtkSpec& spec, std::span<const float> x, std::span<const float> y) noexcept;

} // namespace samara
