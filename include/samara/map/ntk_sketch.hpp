// NTKSketch: the Neural Tangent Kernel by sketches of Taylor series, Algorithm 1 of arXiv 2106.07880.
//
// orders none is the published form. For x/|x|, with PolySketch prefixes Z_j of degree 2p + 2 and Y_j of degree 2p' + 1
// (sketch/poly.hpp), c_j and b_j the coefficients of k1 and k0 (kernel.hpp: ntk_taylor_kernel), and T, W, R, V, Q1
// SRHTs:
//   phi(0) = Q1 x to r numbers, psi(0) = V phi(0) to s
//   phi     = T (+) sqrt(c_j) Z_j(phi) to r           lines 7, 8; Z_j of m numbers, Y_j of n1, the power 0 is one
//   phi_dot = W (+) sqrt(b_j) Y_j(phi) to s
//   psi     = R (Q2(psi (x) phi_dot) (+) phi) to s    line 9, Q2 a TensorSRHT
// and the features are |x| G psi, the entries of G normal (rows dense), or Hadamard rows (project.hpp), E[g g'] = I.
//
// orders one is the form of `ntk` with orders one (map/ntk.hpp); the series from the power 2 on take the place of its
// random features. A constant and x itself are carried exactly, and terms that are a multiple of a layer's kernel need
// no sketch. There is no Q1, V, R or G; the features are a constant, x, r of each layer, then s of each layer.
//
// What it estimates is not K_NTK but the kernel with both series cut off, ntk_taylor_kernel(): to that it converges as
// the sizes grow. fix_diagonal (the default) adds the coefficients that were cut off to the highest ones, so that the
// diagonal is exact, and brings phi to its exact length 1 at each layer. Without it the estimate is the published one,
// and for depths above 1 a few seeds in a hundred are far off, because phi's length enters the next layer to the power
// 4p + 4. Variance O(1/size) for each of the sizes, constants growing like 3^degree. All features are one block.
//
// Memory: phi, phi_dot, psi and the vectors beside them; one series at a time, m (2p + 2) or n1 (2p' + 1) numbers; and
// the largest sketch. Time of a sample: for each layer, prefixes of degrees 2p + 2 and 2p' + 1 and SRHTs of p + 2 and
// p' + 1 times their sizes. Zeros of the input cost nothing with base osnap and orders none. If a power or a product of
// sketches leaves the range of floats, or of inputs, the status is overflow and z is all zeros. With fix_diagonal this
// is known only for data that are made for a seed; without it, it may happen for a few seeds in a hundred.
#pragma once

#include <utility>

#include "samara/map/engine/layers.hpp"
#include "samara/map/engine/series.hpp"
#include "samara/map/map.hpp"

namespace samara {

struct NtkSketchSpec {
    std::uint32_t inputs = 0;
    std::uint32_t features = 1024; // none: s*; one: 1 + inputs + depth (r + s), or up to depth - 1 more, 0
    std::uint32_t depth = 1;
    std::uint32_t relu_degree = 4; // p
    std::uint32_t step_degree = 4; // p'; orders one: from 1 on
    std::uint32_t relu = 0;        // r, of phi; this and the next three at least 4, or 0: chosen from the features
    std::uint32_t tensor = 0;      // s, of psi and phi_dot
    std::uint32_t relu_powers = 0; // m, of each power for phi
    std::uint32_t step_powers = 0; // n1, of each power for phi_dot
    bool fix_diagonal = true;
    PolyBase base = PolyBase::srht; // of the PolySketches, and of Q1
    Rows rows = Rows::automatic;    // of G: hadamard or dense; resolved to hadamard where there is none
    Orders orders = Orders::automatic;
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const NtkSketchSpec&, const NtkSketchSpec&) = default;
};

namespace engine {

// Chooses the sizes that are 0, as far as that is possible.
constexpr NtkSketchSpec with_sizes(NtkSketchSpec s) noexcept
{
    if (s.orders == Orders::one) {
        const std::uint32_t exact = s.inputs + 1;
        const std::uint32_t each = s.features > exact ? (s.features - exact) / s.depth : 0;
        const auto rest = [&](std::uint32_t other) { return each > other ? each - other : 0; };
        if (s.relu == 0)
            s.relu = s.tensor != 0 ? rest(s.tensor) : each * 6 / 20;
        if (s.tensor == 0)
            s.tensor = rest(s.relu);
        const std::uint32_t larger = s.relu > s.tensor ? s.relu : s.tensor;
        const std::uint32_t powers = larger > most_sketch ? most_sketch : std::bit_ceil(larger == 0 ? 1u : larger);
        s.relu_powers = s.relu_powers == 0 ? powers : s.relu_powers;
        s.step_powers = s.step_powers == 0 ? powers : s.step_powers;
        return s;
    }
    for (std::uint32_t* size : {&s.relu, &s.tensor, &s.relu_powers, &s.step_powers})
        *size = *size == 0 ? s.features : *size;
    return s;
}

constexpr SpecReport check_sizes_of(const NtkSketchSpec& request) noexcept
{
    const NtkSketchSpec s = with_sizes(request);
    if (s.orders == Orders::one) {
        const std::uint64_t exact = std::uint64_t{s.inputs} + 1;
        if (s.relu < least_sketch || s.tensor < least_sketch) {
            // Where both are chosen, relu is 4 of the 14 features of a layer (its share is .3).
            const std::uint64_t each = request.relu == 0 && request.tensor == 0
                                           ? 14
                                           : std::uint64_t{request.relu == 0 ? least_sketch : request.relu} +
                                                 (request.tensor == 0 ? least_sketch : request.tensor);
            const std::uint64_t least = exact + s.depth * each;
            return {Status::bad_spec, "features", "enough for every layer's relu and tensor features",
                    least > most_inputs ? 0 : least};
        }
        const std::uint64_t made = exact + std::uint64_t{s.depth} * (std::uint64_t{s.relu} + s.tensor);
        if (made > s.features || s.features - made >= s.depth)
            return {Status::bad_spec, "features", "what the sizes relu and tensor make", made > most_inputs ? 0 : made};
    }
    for (const auto& [field, size] : {std::pair{"relu", s.relu},
                                      {"tensor", s.tensor},
                                      {"relu-powers", s.relu_powers},
                                      {"step-powers", s.step_powers}})
        if (size < least_sketch || size > most_sketch)
            return {Status::bad_spec, field, "4 to 32768, because the features leave no such size for 0",
                    size < least_sketch ? least_sketch : most_sketch};
    return {};
}

constexpr NtkSketchSpec with_orders(NtkSketchSpec s, Orders orders) noexcept
{
    s.orders = orders;
    return s;
}
constexpr Orders orders_of(const NtkSketchSpec& s) noexcept
{
    if (s.orders != Orders::automatic)
        return s.orders;
    const bool possible = s.fix_diagonal && s.step_degree >= 1 && s.rows != Rows::dense &&
                          exact_orders_pay(s.features, s.inputs, 16 * s.depth) &&
                          check_sizes_of(with_orders(s, Orders::one));
    return possible ? Orders::one : Orders::none;
}

// The series of k1 has the powers 1, 2, 4, ..., that of k0 1, 3, 5, ...; both without 1 where it is carried exactly.
constexpr SeriesPlan relu_series(const NtkSketchSpec& s) noexcept
{
    const bool exact = s.orders == Orders::one;
    return {2 * s.relu_degree + 2, s.relu_degree + (exact ? 1 : 2), s.relu_powers, !exact, s.base};
}
constexpr SeriesPlan step_series(const NtkSketchSpec& s) noexcept
{
    const bool exact = s.orders == Orders::one;
    return {2 * s.step_degree + 1, s.step_degree + (exact ? 0 : 1), s.step_powers, !exact, s.base};
}
constexpr std::size_t both_series_bytes(const NtkSketchSpec& s, std::uint32_t inputs) noexcept
{
    return greatest({series_bytes(relu_series(s), inputs, s.relu), series_bytes(step_series(s), inputs, s.tensor)});
}

// What a sample of orders none needs from its first layer to its last: x / |x|, phi, phi_dot, psi, and the sketched
// product with the next phi behind it.
constexpr std::size_t sketch_floats(const NtkSketchSpec& s) noexcept
{
    return s.inputs + 2 * std::size_t{s.relu} + 3 * std::size_t{s.tensor};
}

// The cost of a sample: each layer's two series and its sketches of products; in the published form a projection too.
constexpr std::uint64_t series_map_operations(const NtkSketchSpec& s, const LayerPlan& p) noexcept
{
    const bool exact = s.orders == Orders::one;
    std::uint64_t sum = 0;
    for (std::uint32_t l = 0; l < s.depth; ++l) {
        const std::uint32_t phi = exact ? phi_size(p, l) : s.relu;
        sum += series_operations(relu_series(s), phi) + series_operations(step_series(s), phi);
        if (exact)
            sum += tensor_operations(p, psi_size(p, l), p.step) + tensor_operations(p, psi_size(p, l), phi);
        else
            sum += tensor_operations(p, s.tensor, s.tensor) + transform_operations(s.tensor + s.relu);
    }
    if (exact)
        return sum + s.features;
    return sum + transform_operations(s.inputs) + transform_operations(s.relu) +
           layer_row_operations(s.rows, s.tensor, s.features, 0);
}

// The code of the published form's last projection.
struct SeriesCode {
    RowFunction rows = nullptr;

    constexpr bool complete() const noexcept { return rows != nullptr; }
};

} // namespace engine

template <>
struct Map<NtkSketchSpec> : WholeMap<NtkSketchSpec> {
    static constexpr MapId id{7};
    static constexpr const char* name = "ntk-sketch";
    static constexpr const char* estimates[] = {
        "the Neural Tangent Kernel as ntk does, but with the Taylor series of k1 and k0, cut off, sketched"};

    template <class V, class S>
    static constexpr void fields(V& v, S& s)
    {
        v.inputs(s.inputs, most_inputs);
        v.whole(16, "depth", s.depth, {1, most_layers}, "hidden layers");
        v.whole(20, "relu-degree", s.relu_degree, {0, most_taylor_order},
                "p: the relu's series ends with the power 2 p + 2");
        v.whole(24, "step-degree", s.step_degree, {0, most_taylor_order},
                "p': the step's series ends with the power 2 p' + 1");
        v.size(28, "relu", s.relu, {0, engine::most_sketch},
               "numbers of each layer's relu sketch; 0: chosen from the features, as the next three");
        v.size(32, "tensor", s.tensor, {0, engine::most_sketch}, "numbers of each layer's sketch of the products");
        v.size(36, "relu-powers", s.relu_powers, {0, engine::most_sketch},
               "numbers of each power for the relu's series");
        v.size(40, "step-powers", s.step_powers, {0, engine::most_sketch},
               "numbers of each power for the step's series");
        v.choice(13, "fix-diagonal", s.fix_diagonal, {true, false},
                 "yes: what the series leave out goes to their last terms, so that K(x,x) is exact");
        v.choice(12, "base", s.base, {PolyBase::srht, PolyBase::osnap}, "osnap: every factor is hashed first");
        v.choice(14, "rows", s.rows, {Rows::automatic, Rows::hadamard, Rows::dense},
                 "of the last projection, which orders=1 does not have; auto: hadamard");
        v.choice(15, "orders", s.orders, {Orders::automatic, Orders::none, Orders::one},
                 "low orders of each layer carried exactly (not for fix-diagonal=no); auto: 1 where it pays");
        v.features(s.features, most_inputs);
        v.seed(48, s.seed);
    }

    static constexpr SpecReport across(const NtkSketchSpec& s) noexcept
    {
        if (s.orders == Orders::one) {
            if (!s.fix_diagonal)
                return {Status::bad_spec, "orders", "none, because fix-diagonal=no is the text's own form"};
            if (s.step_degree < 1)
                return {Status::bad_spec, "step-degree", "1 to 15, because the linear order is carried exactly", 1};
            if (s.rows == Rows::dense)
                return {Status::bad_spec, "rows", "auto or hadamard, because orders=1 has no last projection"};
        }
        for (const auto& [field, size] : {std::pair{"relu", s.relu},
                                          {"tensor", s.tensor},
                                          {"relu-powers", s.relu_powers},
                                          {"step-powers", s.step_powers}})
            if (size != 0 && size < engine::least_sketch)
                return {Status::bad_spec, field, "4 to 32768, or 0", engine::least_sketch};
        return engine::check_sizes_of(engine::with_orders(s, engine::orders_of(s)));
    }
    // rows: hadamard. orders: one, if the diagonal is fixed and at least 1/16 of the features, and 16 a layer, are left
    // beside the exact ones. Sizes with orders none: as many as features, all of them. With orders one: relu has the
    // share .3 of a layer's features; relu_powers and step_powers are the least power of two from the larger of relu
    // and tensor up.
    static constexpr NtkSketchSpec resolve(NtkSketchSpec s) noexcept
    {
        s.orders = engine::orders_of(s);
        s.rows = s.rows == Rows::automatic ? Rows::hadamard : s.rows;
        return engine::with_sizes(s);
    }

    static constexpr engine::LayerPlan plan(const NtkSketchSpec& s) noexcept
    {
        return {.inputs = s.inputs,
                .features = s.features,
                .depth = s.depth,
                .step = s.tensor,
                .relu = s.relu,
                .tensor = s.tensor,
                .sweeps = 0,
                .rows = Rows::hadamard,
                .sketch = NtkTensor::srht,
                .exact = true,
                .nngp = false,
                .seed = s.seed};
    }
    static constexpr std::size_t workspace_bytes(const NtkSketchSpec& s) noexcept
    {
        using namespace engine;
        if (s.orders == Orders::one) {
            const LayerPlan p = plan(s);
            std::size_t most = 0;
            for (std::uint32_t l = 0; l < s.depth; ++l)
                most = greatest({most, both_series_bytes(s, phi_size(p, l)), tensor_bytes(p, l)});
            return sizeof(float) * vector_floats(p) + piece_bytes(most);
        }
        const auto srht = [](std::uint32_t inputs, std::uint32_t features) {
            return samara::workspace_bytes(SrhtSpec{.inputs = inputs, .features = features});
        };
        const TensorSrhtSpec tensor{.left = s.tensor, .right = s.tensor, .features = s.tensor};
        return sizeof(float) * sketch_floats(s) +
               piece_bytes(greatest({srht(s.inputs, s.relu), srht(s.relu, s.tensor), srht(s.tensor + s.relu, s.tensor),
                                     samara::workspace_bytes(tensor), both_series_bytes(s, s.relu),
                                     sizeof(float) * rows_workspace_floats(s.rows, s.tensor)}));
    }
    using Code = engine::SeriesCode;
    template <Kinds kinds>
    static constexpr Code code(const NtkSketchSpec& s) noexcept
    {
        return {kinds.has(s.orders) ? engine::normal_rows<kinds.among(Rows::hadamard, Rows::dense)>(s.rows) : nullptr};
    }
    static Status run(const NtkSketchSpec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::size_t samples, std::span<std::byte> work) noexcept;
    // The Neural Tangent Kernel itself; ntk_taylor_kernel(x, y, depth, relu_degree, step_degree, fix_diagonal) is what
    // the features converge to.
    static double kernel(const NtkSketchSpec& s, std::span<const float> x, std::span<const float> y) noexcept;
    static constexpr std::uint64_t operations(const NtkSketchSpec& s, NoData) noexcept
    {
        return engine::series_map_operations(s, plan(s));
    }
};

using NtkSketch = NtkSketchSpec;

} // namespace samara
