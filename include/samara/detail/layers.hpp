// The layers of nngp, ntk and ntk-sketch without the type of their specs: sizes, memory, and which code they need. Not
// for direct use.
#pragma once

#include "samara/map_arccos.hpp"
#include "samara/memory.hpp"
#include "samara/sketch/srht.hpp"
#include "samara/sketch/tensor.hpp"

namespace samara {

inline constexpr std::uint32_t most_layers = 16;

enum class NtkTensor : std::uint8_t { srht = 0, count = 1, none = 2 };

namespace detail {

// m1 (1 + m0 + ... + m0^(L-1)) + inputs m0^L, or 2^63 where it is more than that.
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

// A resolved spec of either map. tensor = 0: no psi (nngp), or none of it sketched (naive).
struct LayerPlan {
    std::uint32_t inputs, features, depth, step, relu, tensor, sweeps;
    Rows rows;
    NtkTensor sketch;
    bool exact, nngp;
    std::uint64_t seed;
    std::uint32_t pairs = 0; // products of two inputs that are carried exactly: all or none
};

// Numbers of phi and of psi that layer l (0 ...) sees: fewer than the features.
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

constexpr std::size_t rows_bytes(const LayerPlan& p, std::uint32_t l) noexcept
{
    const auto n = phi_size(p, l);
    const auto of = [&](Rows rows) {
        return rows_workspace_floats(rows, n) + (rows == Rows::hadamard ? 0 : std::size_t{n});
    };
    const std::size_t relu = of(p.rows), step = p.nngp ? 0 : of(step_rows(p.rows));
    return sizeof(float) * (relu > step ? relu : step);
}
constexpr std::size_t tensor_bytes(const LayerPlan& p, std::uint32_t l) noexcept
{
    const auto psi = psi_size(p, l), phi = phi_size(p, l);
    const auto of = [](std::uint32_t left, std::uint32_t right) {
        return workspace_bytes(TensorSrhtSpec{.left = left, .right = right});
    };
    std::size_t most = p.pairs != 0 ? of(phi, phi) : 0;
    if (p.tensor == 0)
        return most;
    const bool count = p.sketch == NtkTensor::count;
    for (const std::size_t bytes :
         {count ? TensorSketch::call_bytes({.size = p.tensor}) : of(psi, p.step), p.exact && !count ? of(psi, phi) : 0})
        most = bytes > most ? bytes : most;
    return most;
}

// Of the second sketch into the same numbers.
constexpr std::uint32_t second_size(const LayerPlan& p) noexcept
{
    return p.pairs != 0 && p.relu > p.tensor ? p.relu : p.tensor;
}

// Vectors that live through a sample: x at length 1, the phi that a layer sees, psi, the step features, a second
// sketch; then what a row or a sketch needs, one after the other.
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

// The code of a map, chosen by its spec while compiling where that is known: TensorSketch brings the FFT along.
struct LayerRun;
struct FeatureJob;
struct TensorJob;
struct LayerCode {
    MapCode step, relu; // of random rows
    Status (*layers)(const LayerRun&, float* z) noexcept;
    Status (*features)(const LayerRun&, const FeatureJob&) noexcept; // of layers_exact
    void (*prepare)(LayerRun&) noexcept;                             // may be null, as the next
    Status (*tensor)(const LayerRun&, const TensorJob&) noexcept;
};

Status layers_plain(const LayerRun&, float* z) noexcept;
Status layers_naive(const LayerRun&, float* z) noexcept;
// two: the quadratic order too.
template <bool two>
Status layers_exact(const LayerRun&, float* z) noexcept;
Status features_of_rows(const LayerRun&, const FeatureJob&) noexcept;
void prepare_count(LayerRun&) noexcept;
Status tensor_srht(const LayerRun&, const TensorJob&) noexcept;
Status tensor_count(const LayerRun&, const TensorJob&) noexcept;
// Of centred features, which see vectors of length 1.
void sample_length_one(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;
template <bool unit>
void sample_length_one_two(const RowMap&, const float*, std::uint32_t, SamplePlan&, float*, float*) noexcept;

constexpr LayerCode code_of(const LayerPlan& p) noexcept
{
    const auto rows = [](Rows kind) {
        return kind == Rows::hadamard ? rows_hadamard
               : kind == Rows::dense  ? rows_dense_normal
               : kind == Rows::unit   ? rows_unit
                                      : rows_gibbs;
    };
    const bool none = p.sketch == NtkTensor::none, count = p.sketch == NtkTensor::count, two = p.pairs != 0;
    return {
        {rows(step_rows(p.rows)), p.exact ? finish_sign : finish_step, p.exact ? sample_length_one : sample_arccos0},
        {rows(p.rows),
         two       ? finish_absolute_tail
         : p.exact ? finish_absolute
                   : finish_relu,
         two       ? (p.rows == Rows::unit ? sample_length_one_two<true> : sample_length_one_two<false>)
         : p.exact ? sample_length_one
                   : sample_arccos1},
        two       ? layers_exact<true>
        : p.exact ? layers_exact<false>
        : none    ? layers_naive
                  : layers_plain,
        features_of_rows,
        count ? prepare_count : nullptr,
        p.nngp || none ? nullptr
        : count        ? tensor_count
                       : tensor_srht};
}

} // namespace detail

} // namespace samara
