// Random features of the kernel of a network at initialisation: K_NNGP of fully connected ReLU networks of `depth`
// hidden layers. What nngp and ntk share, orders and errors included, is said in map/ntk.hpp.
#pragma once

#include "samara/map/engine/layers.hpp"
#include "samara/map/map.hpp"

namespace samara {

struct NngpSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024;
    std::uint32_t depth = 1;
    Rows rows = Rows::automatic; // structured_rows(inputs)
    Orders orders = Orders::automatic;
    std::uint32_t sweeps = 1; // of gibbs rows
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NngpSpec&, const NngpSpec&) = default;
};

template <>
struct Map<NngpSpec> : engine::LayerMap<NngpSpec> {
    static constexpr MapId id{5};
    static constexpr const char* name = "nngp";
    static constexpr const char* estimates[] = {
        "the NNGP kernel of fully connected ReLU networks: |x| |y| S(depth) with",
        "S(0) = cos a, S(l) = k1(S(l-1)), a the angle between x and y, k1 that of arccos of order 1; from depth 2 on",
        "with a bias of the order 1/features"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.whole(16, "depth", s.depth, {1, most_layers}, "hidden layers");
        v.choice(12, "rows", s.rows, {Rows::automatic, Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs},
                 automatic_rows_help);
        v.whole(20, "sweeps", s.sweeps, {0, most_sweeps}, "sweeps of the Gibbs sampler, for gibbs rows only");
        v.choice(13, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one, Orders::two},
                 "low orders of each layer carried exactly (not for gibbs rows); auto: none, or 1 where it pays");
        v.features(s.features, most_inputs);
        v.seed(24, s.seed);
    }

    static constexpr SpecReport across(const NngpSpec& s) noexcept
    {
        if (const SpecReport orders = engine::check_layer_orders(s); !orders)
            return orders;
        const std::uint64_t least = engine::exact_part(s.orders, s.inputs) + s.depth;
        if (s.orders == Orders::one && s.features < least)
            return {Status::bad_spec, "features", "at least inputs + 1 + depth for orders=1", least};
        if (s.orders == Orders::two && s.features < least)
            return {Status::bad_spec, "features", "at least inputs (inputs + 3) / 2 + 1 + depth for orders=2", least};
        return {};
    }
    static constexpr NngpSpec resolve(NngpSpec s) noexcept
    {
        if (s.rows == Rows::automatic)
            s.rows = structured_rows(s.inputs);
        if (s.orders == Orders::automatic)
            s.orders = s.rows != Rows::gibbs && engine::exact_orders_pay(s.features, s.inputs, 8 * s.depth)
                           ? Orders::one
                           : Orders::none;
        if (s.rows != Rows::gibbs)
            s.sweeps = 0;
        return s;
    }

    static constexpr engine::LayerPlan plan(const NngpSpec& s) noexcept
    {
        const bool exact = s.orders >= Orders::one;
        const auto carried = static_cast<std::uint32_t>(engine::exact_part(s.orders, s.inputs));
        return {.inputs = s.inputs,
                .features = s.features,
                .depth = s.depth,
                .step = 0,
                .relu = exact ? (s.features - carried) / s.depth : s.features,
                .tensor = 0,
                .sweeps = s.sweeps,
                .rows = s.rows,
                .sketch = NtkTensor::srht,
                .exact = exact,
                .nngp = true,
                .seed = s.seed,
                .pairs = engine::pairs_of(s)};
    }
    static Status run(const NngpSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::size_t samples, std::span<std::byte> work) noexcept;
    static double kernel(const NngpSpec& s, std::span<const float> x, std::span<const float> y) noexcept;
};

using Nngp = NngpSpec;

} // namespace samara
