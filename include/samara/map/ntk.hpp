// Random features of the kernels of fully connected ReLU networks, layer by layer.
//
// NngpSpec (map/nngp.hpp) estimates K_NNGP, NtkSpec K_NTK of `depth` hidden layers (kernel.hpp: nngp_kernel,
// ntk_kernel), for vectors of any length: both are |x||y| times a function of the cosine. With phi(0) = psi(0) = x,
// each layer has
//   phi_dot = m0 step features of phi    (their kernel is k0 of the cosine: arccos of order 0)
//   phi     = m1 relu features of phi    (k1: arccos of order 1)
//   psi     = phi (+) Q(phi_dot (x) psi) with Q a sketch of the tensor product to ms numbers;
// nngp is the last phi, ntk the last psi. Algorithm 1 of arXiv 2104.01351 with sketch count (TensorSketch), Algorithm 2
// of arXiv 2106.07880 with sketch srht (TensorSRHT; the dots that its text lost are restored), Eq. (12) of the first
// with sketch none: the tensor product itself, m1 (1 + m0 + ... + m0^(L-1)) + inputs m0^L features.
//
// orders one carries what is linear in the cosine exactly, at every layer. Let S and K be the NNGP kernel and the NTK
// of the layers so far. With k1(s) = 1/pi + s/2 + tail1(s) and k0(s) = 1/2 + s/pi + tail0(s) those of the next layer
// are
//   S' = 1/pi + S/2 + tail1(S)
//   K' = K (1/2 + S/pi + tail0(S)) + S'.
// So phi keeps a constant, x, and from each layer m1 features |z| - mu, whose weight each later layer halves; psi keeps
// those and from each layer ms sketched features. Let S = c + S~ and K = k + K~ with the constants c and k. The terms
// of K S / pi that are a multiple of K or of S~, or constant, need no sketch: they only change weights. K~ S~ / pi and
// K tail0(S) are sketched, and the two sketches are added into the same ms numbers. src/map/engine/layers_exact.cpp has
// the weights. The features are
//   a constant, x, (orders two) the products, m1 of each layer, then (ntk) ms of each layer.
// phi is brought to its exact length before it enters the next layer.
//
// orders two carries what is quadratic too, as the inputs (inputs + 1) / 2 products of x with itself; it is for few
// inputs. With k1(s) = 1/pi + s/2 + s^2/(2 pi) + tail1(s) the relu features are |z| less its parts up to z^2. Let b and
// w be the weights of the cosine in S and in K. Then b^2 cos^2 in S~^2 and b w cos^2 in K~ S~ are exact; what is left
// of S~^2 is sketched into the relu features, what is left of K~ S~ into the sketched ones. Relative Frobenius error on
// 300 random directions:
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
// x = 0 gives 0 everywhere. The layers see x / |x|, and the features are multiplied with |x| at the end. All features
// are one block. Memory: see vector_floats() and layers_workspace_bytes() in map/engine/layers.hpp; time: that of
// depth (m0 + m1) rows of m1 (or all kept) inputs, and of the sketches.
#pragma once

#include <utility>

#include "samara/map/engine/layers.hpp"
#include "samara/map/map.hpp"

namespace samara {

struct NtkSpec {
    std::uint32_t inputs = 0;
    // none: m1 + ms; one: 1 + inputs + depth (m1 + ms), two: inputs (inputs + 1) / 2 more; or up to depth - 1 more, 0
    std::uint32_t features = 1024;
    std::uint32_t depth = 1;
    std::uint32_t step = 0;   // m0, 0: chosen from the features, as the next two
    std::uint32_t relu = 0;   // m1
    std::uint32_t tensor = 0; // ms
    NtkTensor sketch = NtkTensor::srht;
    Rows rows = Rows::automatic; // unit and gibbs: of the relu features; the step features' rows are dense then
    Orders orders = Orders::automatic;
    std::uint32_t sweeps = 1;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NtkSpec&, const NtkSpec&) = default;
};

namespace engine {

// A map's sizes after those that were 0 have been chosen. One is still 0 where too few features are left for it.
struct NtkSizes {
    std::uint32_t step, relu, tensor;
    std::uint64_t features; // how many they make, with the exact ones
};

// sketch none. The largest step = relu that fits, or one equal to the other if only that is given.
constexpr NtkSizes unsketched_sizes(const NtkSpec& s) noexcept
{
    std::uint32_t step = s.step, relu = s.relu;
    if (step == 0 && relu == 0) {
        step = 1;
        while (naive_features(s.inputs, s.depth, step + 1, step + 1) <= s.features)
            ++step;
        relu = step;
    }
    step = step == 0 ? relu : step;
    relu = relu == 0 ? step : relu;
    return {step, relu, s.tensor, naive_features(s.inputs, s.depth, step, relu)};
}

// How many of a layer's random features are relu features; the others are sketched. resolve() says why.
constexpr std::uint32_t relu_share(Orders orders, std::uint32_t depth, std::uint32_t random) noexcept
{
    if (orders == Orders::two)
        return random / 8;
    const std::uint32_t twentieths = orders == Orders::none ? 8 : depth == 1 ? 5 : 6;
    return random * twentieths / 20;
}

// The number of step features costs time, not features: a power of two near that of the sketched ones, at least 64.
constexpr std::uint32_t step_size(Orders orders, std::uint32_t tensor) noexcept
{
    const std::uint32_t least = tensor < 64 ? 64 : tensor;
    return orders >= Orders::one ? std::bit_floor(least) : std::bit_ceil(least);
}

// Layers whose features are in the map's: with exact orders all of them, else the last one.
constexpr std::uint32_t layers_kept(const NtkSpec& s) noexcept { return s.orders >= Orders::one ? s.depth : 1; }

// sketch srht or count.
constexpr NtkSizes sketched_sizes(const NtkSpec& s) noexcept
{
    const std::uint32_t layers = layers_kept(s);
    const std::uint64_t exact = exact_part(s.orders, s.inputs);
    const std::uint32_t random = s.features > exact ? static_cast<std::uint32_t>(s.features - exact) / layers : 0;
    const auto beside = [random](std::uint32_t size) { return random > size ? random - size : 0; };

    std::uint32_t relu = s.relu, tensor = s.tensor;
    if (relu == 0)
        relu = tensor != 0 ? beside(tensor) : relu_share(s.orders, s.depth, random);
    if (tensor == 0)
        tensor = beside(relu);
    if (s.sketch == NtkTensor::count && s.relu == 0 && s.tensor == 0) {
        while (tensor > 4 && !fft_size_ok(tensor)) // the FFT takes some lengths alone
            --tensor;
        relu = beside(tensor);
    }
    return {s.step != 0 ? s.step : step_size(s.orders, tensor), relu, tensor,
            exact + std::uint64_t{layers} * (std::uint64_t{relu} + tensor)};
}

constexpr NtkSizes sizes_of(const NtkSpec& s) noexcept
{
    return s.sketch == NtkTensor::none ? unsketched_sizes(s) : sketched_sizes(s);
}

constexpr bool large_enough(const NtkSpec& s, const NtkSizes& z) noexcept
{
    return z.relu != 0 && z.tensor >= (s.sketch == NtkTensor::count ? 4u : 1u);
}

// The fewest features with which a map with the given sizes can be computed. A size of 0 is free; a few features a
// layer are enough for it.
constexpr std::uint64_t least_features(NtkSpec s) noexcept
{
    const std::uint32_t layers = layers_kept(s);
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

// Whether the map can be computed with these sizes. If not, the report's `nearest` is the value that would mend it; it
// may be a number of features that no map can have, above most_inputs.
constexpr SpecReport check_sizes_of(const NtkSpec& s) noexcept
{
    const NtkSizes z = sizes_of(s);
    const std::uint32_t layers = layers_kept(s);
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
// What orders=auto stands for: one, where that pays and the given sizes allow it.
constexpr Orders orders_of(const NtkSpec& s) noexcept
{
    if (s.orders != Orders::automatic)
        return s.orders;
    const bool possible = s.rows != Rows::gibbs && s.sketch != NtkTensor::none &&
                          exact_orders_pay(s.features, s.inputs, 8 * s.depth) &&
                          check_sizes_of(with_orders(s, Orders::one));
    return possible ? Orders::one : Orders::none;
}

} // namespace engine

template <>
struct Map<NtkSpec> : engine::LayerMap<NtkSpec> {
    static constexpr MapId id{6};
    static constexpr const char* name = "ntk";
    static constexpr const char* estimates[] = {
        "the Neural Tangent Kernel of fully connected ReLU networks: |x| |y| K(depth) with",
        "K(0) = S(0) = cos a, K(l) = K(l-1) k0(S(l-1)) + S(l), S as of nngp, k0 that of arccos of order 0; from",
        "depth 2 on with a bias of the order 1/relu"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.whole(16, "depth", s.depth, {1, most_layers}, "hidden layers");
        v.size(20, "step", s.step, {0, most_inputs}, "step features of a layer; 0: chosen from the features");
        v.size(24, "relu", s.relu, {0, most_inputs}, "relu features of a layer; 0: chosen from the features");
        v.size(28, "tensor", s.tensor, {0, most_inputs}, "sketched features of a layer; 0: chosen from the features");
        v.choice(12, "sketch", s.sketch, {NtkTensor::srht, NtkTensor::count, NtkTensor::none},
                 "of the tensor products: TensorSRHT, TensorSketch, or all of each product");
        v.choice(13, "rows", s.rows, {Rows::automatic, Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs},
                 automatic_rows_help);
        v.whole(32, "sweeps", s.sweeps, {0, most_sweeps}, "sweeps of the Gibbs sampler, for gibbs rows only");
        v.choice(
            14, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one, Orders::two},
            "low orders of each layer carried exactly (not for gibbs rows, sketch=none); auto: none, or 1 where it "
            "pays");
        v.features(s.features, most_inputs);
        v.seed(40, s.seed);
    }

    static constexpr SpecReport across(const NtkSpec& s) noexcept
    {
        if (const SpecReport orders = engine::check_layer_orders(s); !orders)
            return orders;
        if (s.orders >= Orders::one && s.sketch == NtkTensor::none)
            return {Status::bad_spec, "orders", "none, because sketch=none is the whole tensor product"};
        return engine::check_sizes_of(engine::with_orders(s, engine::orders_of(s)));
    }
    // Chooses what is automatic or 0.
    //   orders        one where at least 1/16 of the features, and 8 a layer, are left beside the exact ones.
    //   relu, tensor  relu takes this share of a layer's random features, tensor the rest:
    //                 .4 with orders none, .25 (depth 1) or .3 (deeper) with orders one, 1/8 with orders two.
    //                 That is near the least relative Frobenius error on 500 unit vectors (64 pixels; random
    //                 directions), 2,048 features, depths 1 to 4. Shares from .25 to .5 differ by a tenth or so.
    //   step          At least 64: the least power of two from tensor up, with orders one or two the largest up to it.
    //                 Twice as many lower the error by at most 4 in a hundred.
    //   sketch none   The largest step = relu that fits.
    // Features that are left over are 0.
    static constexpr NtkSpec resolve(NtkSpec s) noexcept
    {
        if (s.rows == Rows::automatic)
            s.rows = structured_rows(s.inputs);
        s.orders = engine::orders_of(s);
        if (s.rows != Rows::gibbs)
            s.sweeps = 0;
        const engine::NtkSizes z = engine::sizes_of(s);
        s.step = z.step;
        s.relu = z.relu;
        s.tensor = z.tensor;
        return s;
    }

    static constexpr engine::LayerPlan plan(const NtkSpec& s) noexcept
    {
        return {.inputs = s.inputs,
                .features = s.features,
                .depth = s.depth,
                .step = s.step,
                .relu = s.relu,
                .tensor = s.tensor,
                .sweeps = s.sweeps,
                .rows = s.rows,
                .sketch = s.sketch,
                .exact = s.orders >= Orders::one,
                .nngp = false,
                .seed = s.seed,
                .pairs = engine::pairs_of(s)};
    }
    static Status run(const NtkSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::size_t samples, std::span<std::byte> work) noexcept;
    static double kernel(const NtkSpec& s, std::span<const float> x, std::span<const float> y) noexcept;
};

using Ntk = NtkSpec;

} // namespace samara
