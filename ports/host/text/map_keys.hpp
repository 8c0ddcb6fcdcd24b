// The keys of every map, listed once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ports/host/text/error.hpp"
#include "ports/host/text/map_text.hpp"

namespace samara::desk {

template <class T>
struct Word {
    const char* text;
    T value;
};
template <class T>
using Choices = std::initializer_list<Word<std::type_identity_t<T>>>;

template <class Keys>
void visit_orders(Keys& keys, Orders& orders, const char* meaning)
{
    keys.choice("orders", orders, {{"auto", Orders::automatic}, {"none", Orders::none}, {"1", Orders::one}}, meaning);
}
template <class Keys>
void visit_orders_to_two(Keys& keys, Orders& orders, const char* meaning)
{
    keys.choice("orders", orders,
                {{"auto", Orders::automatic}, {"none", Orders::none}, {"1", Orders::one}, {"2", Orders::two}}, meaning);
}

// The keys of each map are listed once, here; what happens to them (set, print, describe) is the visitor's part.
template <class Keys>
void visit_keys(Keys& keys, RffSpec& spec)
{
    keys.choice("kernel", spec.kernel,
                {{"gaussian", Kernel::gaussian}, {"laplacian", Kernel::laplacian}, {"cauchy", Kernel::cauchy}},
                "the kernel to estimate");
    keys.bandwidth(spec);
    keys.choice("form", spec.form, {{"pair", Form::pair}, {"phase", Form::phase}},
                "cosine and sine of each row, or one cosine with a random phase");
    keys.choice("rows", spec.rows,
                {{"auto", Rows::automatic},
                 {"hadamard", Rows::hadamard},
                 {"dense", Rows::dense},
                 {"fastfood", Rows::fastfood},
                 {"quasi", Rows::quasi}},
                "random rows; auto: hadamard for the gaussian kernel from 16 inputs on, else dense");
    visit_orders(keys, spec.orders,
                 "low orders carried exactly (1: gaussian kernel and pairs only); auto: 1 where it pays");
    keys.sizes_and_seed(spec);
}

template <class Keys>
void visit_keys(Keys& keys, ArcCosSpec& spec)
{
    keys.choice("order", spec.order, {{"1", 1u}, {"0", 0u}}, "1: relu features, 0: step features");
    keys.choice("rows", spec.rows,
                {{"auto", Rows::automatic},
                 {"hadamard", Rows::hadamard},
                 {"dense", Rows::dense},
                 {"unit", Rows::unit},
                 {"gibbs", Rows::gibbs}},
                "random rows; auto: hadamard from 16 inputs on, else dense");
    keys.whole("sweeps", spec.sweeps, 0, 1000, "sweeps of the Gibbs sampler, for gibbs rows only");
    visit_orders_to_two(
        keys, spec.orders,
        "low orders carried exactly (not for gibbs rows; 2: for order=1 only); auto: none, or 1 where it pays");
    keys.whole("pairs", spec.pairs, 0, most_features,
               "features of order 2, for orders=2; all d (d+1) / 2 are exact, fewer a sketch; 0: all if there is room");
    keys.sizes_and_seed(spec);
}

template <class Keys, class Spec>
void visit_sketch_keys(Keys& keys, Spec& spec)
{
    keys.choice("sketch", spec.sketch, {{"srht", PowerSketch::srht}, {"count", PowerSketch::count}},
                "of the powers of x: PolySketch or TensorSketch");
    visit_orders(keys, spec.orders, "low orders carried exactly; auto: 1 where it pays");
    keys.sizes_and_seed(spec);
}

template <class Keys>
void visit_keys(Keys& keys, PolynomialSpec& spec)
{
    keys.whole("degree", spec.degree, 1, most_map_degree, "the power");
    keys.real("scale", spec.scale, detail::bandwidth_ok, "2^-30 to 2^30", "of the product of x and y");
    keys.real(
        "offset", spec.offset, [](float v) { return detail::is_zero(v) || detail::bandwidth_ok(v); },
        "0, 2^-30 to 2^30", "added to it; 0: only the highest power is left");
    visit_sketch_keys(keys, spec);
}

template <class Keys>
void visit_keys(Keys& keys, DotSpec& spec)
{
    keys.coefficients(spec.coefficients);
    visit_sketch_keys(keys, spec);
}

// Of the maps that go layer by layer.
template <class Keys, class Spec>
void visit_layer_rows(Keys& keys, Spec& spec, const char* rows)
{
    keys.choice("rows", spec.rows,
                {{"auto", Rows::automatic},
                 {"hadamard", Rows::hadamard},
                 {"dense", Rows::dense},
                 {"unit", Rows::unit},
                 {"gibbs", Rows::gibbs}},
                rows);
    keys.whole("sweeps", spec.sweeps, 0, 1000, "sweeps of the Gibbs sampler, for gibbs rows only");
}

inline constexpr const char* layers_meaning = "hidden layers";

template <class Keys>
void visit_keys(Keys& keys, NngpSpec& spec)
{
    keys.whole("depth", spec.depth, 1, most_layers, layers_meaning);
    visit_layer_rows(keys, spec, "random rows; auto: hadamard from 16 inputs on, else dense");
    visit_orders_to_two(
        keys, spec.orders,
        "low orders of each layer carried exactly (not for gibbs rows); auto: none, or 1 where it pays");
    keys.sizes_and_seed(spec);
}

template <class Keys>
void visit_keys(Keys& keys, NtkSpec& spec)
{
    keys.whole("depth", spec.depth, 1, most_layers, layers_meaning);
    keys.whole("step", spec.step, 0, most_inputs, "step features of a layer; 0: chosen from the features");
    keys.whole("relu", spec.relu, 0, most_inputs, "relu features of a layer; 0: chosen from the features");
    keys.whole("tensor", spec.tensor, 0, most_inputs, "sketched features of a layer; 0: chosen from the features");
    keys.choice("sketch", spec.sketch,
                {{"srht", NtkTensor::srht}, {"count", NtkTensor::count}, {"none", NtkTensor::none}},
                "of the tensor products: TensorSRHT, TensorSketch, or all of each product");
    visit_layer_rows(keys, spec, "random rows; auto: hadamard from 16 inputs on, else dense; unit, gibbs: of relu");
    visit_orders_to_two(
        keys, spec.orders,
        "low orders of each layer carried exactly (not for gibbs rows, sketch=none); auto: none, or 1 where it pays");
    keys.sizes_and_seed(spec);
}

template <class Keys>
void visit_keys(Keys& keys, NtkSketchSpec& spec)
{
    keys.whole("depth", spec.depth, 1, most_layers, layers_meaning);
    keys.whole("relu-degree", spec.relu_degree, 0, 15, "p: the relu's series ends with the power 2 p + 2");
    keys.whole("step-degree", spec.step_degree, 0, 15, "p': the step's series ends with the power 2 p' + 1");
    const auto size = [&](const char* name, std::uint32_t& value, const char* meaning) {
        keys.whole(name, value, 0, detail::most_sketch, meaning);
    };
    size("relu", spec.relu, "r, numbers of each layer's relu sketch; 0: chosen from the features, as the next three");
    size("tensor", spec.tensor, "s, numbers of each layer's sketch of the products");
    size("relu-powers", spec.relu_powers, "m, numbers of each power for the relu's series");
    size("step-powers", spec.step_powers, "n1, numbers of each power for the step's series");
    keys.choice("fix-diagonal", spec.fix_diagonal, {{"yes", true}, {"no", false}},
                "yes: what the series leave out goes to their last terms, so that K(x,x) is exact");
    keys.choice("base", spec.base, {{"srht", PolyBase::srht}, {"osnap", PolyBase::osnap}},
                "osnap: every factor is hashed first");
    keys.choice("rows", spec.rows, {{"auto", Rows::automatic}, {"hadamard", Rows::hadamard}, {"dense", Rows::dense}},
                "of the last projection, which orders=1 does not have; auto: hadamard");
    visit_orders(keys, spec.orders,
                 "low orders of each layer carried exactly (not for fix-diagonal=no); auto: 1 where it pays");
    keys.sizes_and_seed(spec);
}

// The coefficients are no key: depth and degree say what they are.
template <class Keys>
void visit_keys(Keys& keys, NtkPolySpec& spec)
{
    keys.whole("depth", spec.depth, 1, most_ntk_depth, layers_meaning);
    keys.whole("degree", spec.degree, 2, most_map_degree, "of the polynomial");
    keys.choice("rest", spec.remainder,
                {{"spread", Remainder::spread}, {"last", Remainder::last}, {"fit", Remainder::fit}},
                "the part of the series that was cut off: on the upper half of the powers, or on the last one; fit: a "
                "fitted polynomial in the series' place");
    keys.choice("rows", spec.rows, {{"auto", Rows::automatic}, {"hadamard", Rows::hadamard}, {"dense", Rows::dense}},
                "random rows; auto: hadamard from 16 inputs on, else dense");
    visit_orders_to_two(keys, spec.orders, "low orders carried exactly; auto: none, or 1 where it pays");
    keys.sizes_and_seed(spec);
}

template <class Keys>
void visit_keys(Keys& keys, NtkGradientSpec& spec)
{
    keys.whole("depth", spec.depth, 1, most_layers, layers_meaning);
    keys.whole("width", spec.width, 0, most_width, "of each layer; 0: the largest that the features have room for");
    keys.sizes_and_seed(spec);
}

inline constexpr const char* name_of(const RffSpec&) { return "rff"; }
inline constexpr const char* name_of(const ArcCosSpec&) { return "arccos"; }
inline constexpr const char* name_of(const PolynomialSpec&) { return "polynomial"; }
inline constexpr const char* name_of(const DotSpec&) { return "dot"; }
inline constexpr const char* name_of(const NngpSpec&) { return "nngp"; }
inline constexpr const char* name_of(const NtkSpec&) { return "ntk"; }
inline constexpr const char* name_of(const NtkSketchSpec&) { return "ntk-sketch"; }
inline constexpr const char* name_of(const NtkPolySpec&) { return "ntk-poly"; }
inline constexpr const char* name_of(const NtkGradientSpec&) { return "ntk-gradient"; }

inline std::vector<std::string> estimates_of(const RffSpec&)
{
    return {"gaussian   exp(-|x-y|^2 / (2 b^2)), b the bandwidth",
            "laplacian  exp(-sum |x_i-y_i| / b); dense or quasi rows",
            "cauchy     prod 1 / (1 + ((x_i-y_i)/b)^2); dense or quasi rows"};
}
inline std::vector<std::string> estimates_of(const ArcCosSpec&)
{
    return {"order 1  |x| |y| (sin a + (pi - a) cos a) / pi, a the angle between x and y", "order 0  1 - a / pi"};
}

inline std::vector<std::string> estimates_of(const PolynomialSpec&)
{
    return {"(s <x,y> + o)^degree, s the scale and o the offset"};
}
inline std::vector<std::string> estimates_of(const DotSpec&)
{
    return {"sum of c_j <x,y>^j, c_j the coefficients; for instance coefficients=1;1;0.5"};
}

inline std::vector<std::string> estimates_of(const NngpSpec&)
{
    return {
        "the NNGP kernel of fully connected ReLU networks: |x| |y| S(depth) with",
        "S(0) = cos a, S(l) = k1(S(l-1)), a the angle between x and y, k1 that of arccos of order 1; from depth 2 on",
        "with a bias of the order 1/features"};
}
inline std::vector<std::string> estimates_of(const NtkSpec&)
{
    return {"the Neural Tangent Kernel of fully connected ReLU networks: |x| |y| K(depth) with",
            "K(0) = S(0) = cos a, K(l) = K(l-1) k0(S(l-1)) + S(l), S as of nngp, k0 that of arccos of order 0; from",
            "depth 2 on with a bias of the order 1/relu"};
}
inline std::vector<std::string> estimates_of(const NtkSketchSpec&)
{
    return {"the Neural Tangent Kernel as ntk does, but with the Taylor series of k1 and k0, cut off, sketched"};
}
inline std::vector<std::string> estimates_of(const NtkPolySpec&)
{
    return {"the Neural Tangent Kernel as ntk does, but of any depth by one polynomial of the given degree"};
}
inline std::vector<std::string> estimates_of(const NtkGradientSpec&)
{
    return {"the Neural Tangent Kernel as ntk does, but by the gradient of a finite network: needs far more features"};
}

template <class Spec>
constexpr std::uint32_t most_features_of(const Spec&)
{
    return WholeSpec<Spec> && !std::is_same_v<Spec, NtkGradientSpec> ? most_inputs : most_features;
}

inline constexpr float least_bandwidth = 0x1p-30f;
inline constexpr float most_bandwidth = 0x1p30f;
inline constexpr const char* gamma_key = "gamma";

} // namespace samara::desk
