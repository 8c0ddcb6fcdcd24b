// What the maps of networks (ntk, nngp, ntk-sketch) share, whatever the type of their spec: sizes, memory, the choice
// of code, and costs.
#pragma once

#include "samara/map/arccos.hpp"
#include "samara/memory.hpp"
#include "samara/sketch/srht.hpp"
#include "samara/sketch/tensor.hpp"

namespace samara {

inline constexpr std::uint32_t most_layers = 16;

// How a layer's tensor product is sketched; none: it is carried whole. Numbers are part of the format.
enum class NtkTensor : std::uint8_t { srht = 0, count = 1, none = 2 };

constexpr const char* word(NtkTensor sketch) noexcept
{
    return sketch == NtkTensor::srht ? "srht" : sketch == NtkTensor::count ? "count" : "none";
}

namespace engine {

// The features of sketch none, m1 (1 + m0 + ... + m0^(L-1)) + inputs m0^L with m0 step and m1 relu features a layer, or
// 2^63 where that is far too many.
constexpr std::uint64_t naive_features(std::uint32_t inputs, std::uint32_t depth, std::uint32_t m0,
                                       std::uint32_t m1) noexcept
{
    std::uint64_t power = 1, sum = 0;
    for (std::uint32_t l = 0; l < depth; ++l) {
        sum += m1 * power;
        if (power > (std::uint64_t{1} << 40) / (m0 == 0 ? 1 : m0))
            return std::uint64_t{1} << 63;
        power *= m0;
    }
    return sum + inputs * power;
}

// The resolved spec of any of these maps.
struct LayerPlan {
    std::uint32_t inputs, features, depth;
    std::uint32_t step, relu; // random features of a layer
    std::uint32_t tensor;     // size of a sketch; 0 for nngp, which has no psi, and for sketch none
    std::uint32_t sweeps;
    Rows rows;
    NtkTensor sketch;
    bool exact, nngp;
    std::uint64_t seed;
    std::uint32_t pairs = 0; // how many products x_i x_j are carried exactly: with orders two all, else 0
};

// The lengths of the vectors phi and psi that layer l = 0, 1, ... sees. Each is below the number of features.
constexpr std::uint32_t phi_size(const LayerPlan& p, std::uint32_t l) noexcept
{
    return l == 0 ? p.inputs : p.exact ? 1 + p.inputs + p.pairs + l * p.relu : p.relu;
}
constexpr std::uint32_t psi_size(const LayerPlan& p, std::uint32_t l) noexcept
{
    if (l == 0)
        return p.inputs;
    if (p.sketch == NtkTensor::none)
        return static_cast<std::uint32_t>(naive_features(p.inputs, l, p.step, p.relu));
    return phi_size(p, l) + (p.exact ? l : 1) * p.tensor;
}

constexpr Rows step_rows(Rows rows) noexcept { return rows == Rows::hadamard ? Rows::hadamard : Rows::dense; }

// The workspace of a layer's rows and of its sketches. All of these use it one after the other.
constexpr std::size_t rows_bytes(const LayerPlan& p, std::uint32_t l) noexcept
{
    const std::uint32_t phi = phi_size(p, l);
    const auto floats_of = [phi](Rows rows) {
        return rows_workspace_floats(rows, phi) + (rows == Rows::hadamard ? 0 : std::size_t{phi});
    };
    const std::size_t relu = floats_of(p.rows), step = p.nngp ? 0 : floats_of(step_rows(p.rows));
    return sizeof(float) * (relu > step ? relu : step);
}
constexpr std::size_t tensor_bytes(const LayerPlan& p, std::uint32_t l) noexcept
{
    const std::uint32_t psi = psi_size(p, l), phi = phi_size(p, l);
    std::size_t most = 0;
    const auto need = [&most](std::size_t bytes) { most = bytes > most ? bytes : most; };
    const auto need_srht = [&need](std::uint32_t left, std::uint32_t right) {
        need(workspace_bytes(TensorSrhtSpec{.left = left, .right = right}));
    };
    if (p.pairs != 0)
        need_srht(phi, phi);
    if (p.tensor == 0)
        return most;
    if (p.sketch == NtkTensor::count) {
        need(TensorSketch::call_bytes({.size = p.tensor}));
        return most;
    }
    need_srht(psi, p.step);
    if (p.exact)
        need_srht(psi, phi);
    return most;
}

// Memory of a sketch that is added to a layer's tensor features or, with orders two, to its relu features.
constexpr std::uint32_t second_size(const LayerPlan& p) noexcept
{
    return p.pairs != 0 && p.relu > p.tensor ? p.relu : p.tensor;
}

// What a sample needs from its first layer to its last: x / |x|, the phi and psi that a layer sees, the step features,
// and the sketch that is added. What rows and sketches need shares the memory behind that: see layers_workspace_bytes.
constexpr std::size_t vector_floats(const LayerPlan& p) noexcept
{
    const std::uint32_t last = p.depth - 1;
    std::size_t n = p.inputs;
    if (p.exact)
        // Each of them is among the features, so that 32 bits hold them.
        n += static_cast<std::size_t>(phi_size(p, last) + (p.nngp ? 0 : psi_size(p, last)) + second_size(p));
    else if (p.depth > 1)
        n += p.features;
    return n + (p.nngp ? 0 : p.step);
}
constexpr std::size_t layers_workspace_bytes(const LayerPlan& p) noexcept
{
    std::size_t most = 0;
    for (std::uint32_t l = 0; l < p.depth; ++l)
        for (const std::size_t bytes : {rows_bytes(p, l), tensor_bytes(p, l)})
            most = bytes > most ? bytes : most;
    const std::size_t tables =
        p.sketch == NtkTensor::count && p.tensor != 0 ? TensorSketch::bytes({.size = p.tensor}) : 0;
    return sizeof(float) * vector_floats(p) + tables + piece_bytes(most);
}

// The functions that a map needs, so that only those are linked: TensorSketch alone brings the FFT along.
struct LayerRun;
struct FeatureJob;
struct TensorJob;
struct LayerCode {
    RowCode step, relu;                                                        // where features come from random rows
    Status (*layers)(const LayerRun&, float* z) noexcept = nullptr;            // all layers of one sample
    Status (*features)(const LayerRun&, const FeatureJob&) noexcept = nullptr; // of one layer, for layers_exact
    void (*prepare)(LayerRun&) noexcept = nullptr; // once for all samples; null: there is nothing to prepare
    Status (*tensor)(const LayerRun&, const TensorJob&) noexcept = nullptr; // null: nothing is sketched

    constexpr bool complete() const noexcept { return layers != nullptr; }
};

Status layers_plain(const LayerRun&, float* z) noexcept;
Status layers_naive(const LayerRun&, float* z) noexcept;
// orders one; with `two`, orders two.
template <bool two>
Status layers_exact(const LayerRun&, float* z) noexcept;
Status features_of_rows(const LayerRun&, const FeatureJob&) noexcept;
void prepare_count(LayerRun&) noexcept;
Status tensor_srht(const LayerRun&, const TensorJob&) noexcept;
Status tensor_count(const LayerRun&, const TensorJob&) noexcept;
// Plans of features of layers_exact, whose input phi always has length 1.
void plan_length_one(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;
template <bool unit>
void plan_length_one_two(const RowMap&, const float*, std::uint32_t, SamplePlan&) noexcept;

template <Kinds kinds>
constexpr LayerCode layer_code(const LayerPlan& p) noexcept
{
    LayerCode code;
    constexpr Kinds own = kinds.among(Rows::hadamard, Rows::dense, Rows::unit, Rows::gibbs);
    code.step.rows = normal_rows<own>(step_rows(p.rows));
    code.relu.rows = normal_rows<own>(p.rows);
    code.relu.mean_magnitude = mean_function<own>(p.rows);
    if ((!p.nngp && !own.has(step_rows(p.rows))) || !own.has(p.rows))
        return code;
    code.features = features_of_rows;
    if (!p.nngp && p.sketch == NtkTensor::srht) {
        code.tensor = tensor_srht;
    } else if (!p.nngp && p.sketch == NtkTensor::count) {
        code.prepare = prepare_count;
        code.tensor = tensor_count;
    }
    if constexpr (kinds.has(Orders::none)) {
        if (!p.exact) {
            code.step.finish = finish_step;
            code.step.plan = plan_arccos0;
            code.relu.finish = finish_relu;
            code.relu.plan = plan_arccos1;
            code.layers = p.sketch == NtkTensor::none ? layers_naive : layers_plain;
        }
    }
    if constexpr (kinds.has(Orders::one) || kinds.has(Orders::two)) {
        if (p.exact) {
            code.step.finish = finish_sign;
            code.step.plan = plan_length_one;
        }
    }
    const bool two = p.pairs != 0;
    if constexpr (kinds.has(Orders::one)) {
        if (p.exact && !two) {
            code.relu.finish = finish_absolute;
            code.relu.plan = plan_length_one;
            code.layers = layers_exact<false>;
        }
    }
    if constexpr (kinds.has(Orders::two)) {
        if (two) {
            code.relu.finish = finish_absolute_tail;
            code.relu.plan = p.rows == Rows::unit ? plan_length_one_two<true> : plan_length_one_two<false>;
            code.layers = layers_exact<true>;
        }
    }
    return code;
}

// The checks of rows and orders that nngp and ntk have in common.
template <class Spec>
constexpr SpecReport check_layer_orders(const Spec& s) noexcept
{
    if (s.orders >= Orders::one && s.rows == Rows::gibbs)
        return {Status::bad_spec, "orders", "none, because gibbs rows are not isotropic"};
    if (s.orders == Orders::two && exact_part(s.orders, s.inputs) >= most_inputs)
        return {Status::bad_spec, "orders", "auto, none or 1, because the products of so many inputs are too many"};
    return {};
}
template <class Spec>
constexpr std::uint32_t pairs_of(const Spec& s) noexcept
{
    return s.orders == Orders::two ? static_cast<std::uint32_t>(all_pairs(s.inputs)) : 0;
}

// Costs, as estimates. Whatever is called costs some operations before it does anything.
inline constexpr std::uint32_t call_operations = 200;
// Of `count` rows and the features that are made of them.
constexpr std::uint64_t layer_row_operations(Rows kind, std::uint32_t inputs, std::uint32_t count,
                                             std::uint32_t sweeps) noexcept
{
    return call_operations + rows_operations(kind, inputs, count, sweeps) + finish_operations * count;
}
// The cost of one sketch of the tensor product of two vectors, to m numbers. Their rows are paired in blocks.
constexpr std::uint64_t tensor_srht_operations(std::uint32_t left, std::uint32_t right, std::uint64_t m) noexcept
{
    const std::uint32_t shorter = left < right ? left : right;
    return std::uint64_t{call_operations} + transform_operations(left) + transform_operations(right) +
           (4 + 40 / shorter) * m;
}
constexpr std::uint64_t tensor_operations(const LayerPlan& p, std::uint32_t left, std::uint32_t right) noexcept
{
    return p.sketch == NtkTensor::srht
               ? tensor_srht_operations(left, right, p.tensor)
               : 12 * (std::uint64_t{left} + right) + std::uint64_t{15} * p.tensor * std::bit_width(p.tensor) / 2;
}
// How many sketches make_tensor() in layers_exact.cpp adds to that of psi and the step features.
constexpr std::uint32_t added_sketches(const LayerPlan& p, std::uint32_t layer) noexcept
{
    if (!p.exact)
        return 0;
    if (p.pairs == 0)
        return 1;
    return layer == 0 ? 0 : 2;
}
// The cost of a sample: each layer's relu features; for ntk also its step features and its sketches, or the whole
// product.
constexpr std::uint64_t layer_operations(const LayerPlan& p) noexcept
{
    // The tables of the FFTs are made once a sample.
    std::uint64_t sum = (p.sketch == NtkTensor::count ? std::uint64_t{64} * p.tensor : 0) + p.pairs;
    for (std::uint32_t l = 0; l < p.depth; ++l) {
        const std::uint32_t phi = phi_size(p, l);
        const bool squares = p.pairs != 0 && l > 0;
        sum += layer_row_operations(p.rows, phi, p.relu, p.sweeps) + 3 * std::uint64_t{phi};
        sum += squares ? tensor_srht_operations(phi, phi, p.relu) : 0;
        if (p.nngp)
            continue;
        const std::uint32_t psi = psi_size(p, l);
        sum += layer_row_operations(step_rows(p.rows), phi, p.step, 0);
        if (p.sketch == NtkTensor::none) {
            sum += std::uint64_t{psi} * p.step;
        } else {
            sum += tensor_operations(p, psi, p.step) + added_sketches(p, l) * tensor_operations(p, psi, phi);
        }
    }
    return sum + p.features;
}

// What maps of layers have in common, from their plan(spec).
template <class Spec>
struct LayerMap : WholeMap<Spec> {
    using Code = LayerCode;

    template <Kinds kinds>
    static constexpr Code code(const Spec& s) noexcept
    {
        return layer_code<kinds>(Map<Spec>::plan(s));
    }
    static constexpr std::size_t workspace_bytes(const Spec& s) noexcept
    {
        return layers_workspace_bytes(Map<Spec>::plan(s));
    }
    static constexpr std::uint64_t operations(const Spec& s, NoData) noexcept
    {
        return layer_operations(Map<Spec>::plan(s));
    }
};

} // namespace engine

} // namespace samara
