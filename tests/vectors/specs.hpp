// Specs from their form in the known answers, a function each: the one place that knows how they are constructed.
#pragma once

#include <stdexcept>

#include "read.hpp"
#include "samara/samara.hpp"

namespace samara::test {

// The value of a kind by its name. "auto" is what names say that are not there.
template <class Kind>
Kind kind_of(const Json& j, const char* field, std::initializer_list<std::pair<const char*, Kind>> names,
             Kind otherwise = Kind{})
{
    const auto name = j.at(field).get<std::string>();
    for (const auto& [known, kind] : names)
        if (name == known)
            return kind;
    REQUIRE_MESSAGE(name == "auto", field << "=" << name);
    return otherwise;
}
inline Rows rows_of(const Json& j)
{
    return kind_of<Rows>(j, "rows",
                         {{"hadamard", Rows::hadamard},
                          {"dense", Rows::dense},
                          {"fastfood", Rows::fastfood},
                          {"quasi", Rows::quasi},
                          {"unit", Rows::unit},
                          {"gibbs", Rows::gibbs}},
                         Rows::automatic);
}
inline Orders orders_of(const Json& j)
{
    if (j.at("orders").is_string())
        return Orders::automatic;
    return static_cast<Orders>(j.at("orders").get<unsigned>() + 1);
}
inline PowerSketch power_sketch_of(const Json& j)
{
    return kind_of<PowerSketch>(j, "sketch", {{"srht", PowerSketch::srht}, {"count", PowerSketch::count}});
}
inline PolyBase base_of(const Json& j)
{
    return kind_of<PolyBase>(j, "base", {{"srht", PolyBase::srht}, {"osnap", PolyBase::osnap}});
}
inline Remainder rest_of(const Json& j)
{
    return kind_of<Remainder>(j, "rest", {{"spread", Remainder::spread}, {"last", Remainder::last}});
}
inline Sampling sampling_of(const Json& j)
{
    return j.at("replacement").get<bool>() ? Sampling::with : Sampling::without;
}
inline Coefficients coefficients_of(const Json& j)
{
    Coefficients found;
    for (const float c : numbers(j.at("coefficients")))
        found.c[found.count++] = c;
    return found;
}

inline RffSpec rff_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .kernel = kind_of<Kernel>(
                j, "kernel",
                {{"gaussian", Kernel::gaussian}, {"laplacian", Kernel::laplacian}, {"cauchy", Kernel::cauchy}}),
            .form = kind_of<Form>(j, "form", {{"pair", Form::pair}, {"phase", Form::phase}}),
            .rows = rows_of(j),
            .orders = orders_of(j),
            .bandwidth = number(j.at("bandwidth")),
            .seed = long_word(j.at("seed"))};
}
inline ArcCosSpec arccos_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .order = size_of(j, "order"),
            .rows = rows_of(j),
            .orders = orders_of(j),
            .sweeps = size_of(j, "sweeps"),
            .pairs = size_of(j, "pairs"),
            .seed = long_word(j.at("seed"))};
}
inline PolynomialSpec polynomial_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .degree = size_of(j, "degree"),
            .sketch = power_sketch_of(j),
            .orders = orders_of(j),
            .scale = number(j.at("scale")),
            .offset = number(j.at("offset")),
            .seed = long_word(j.at("seed"))};
}
inline DotSpec dot_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .sketch = power_sketch_of(j),
            .orders = orders_of(j),
            .coefficients = coefficients_of(j),
            .seed = long_word(j.at("seed"))};
}
inline NngpSpec nngp_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .depth = size_of(j, "depth"),
            .rows = rows_of(j),
            .orders = orders_of(j),
            .sweeps = size_of(j, "sweeps"),
            .seed = long_word(j.at("seed"))};
}
inline NtkSpec ntk_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .depth = size_of(j, "depth"),
            .step = size_of(j, "step"),
            .relu = size_of(j, "relu"),
            .tensor = size_of(j, "tensor"),
            .sketch = kind_of<NtkTensor>(
                j, "sketch", {{"srht", NtkTensor::srht}, {"count", NtkTensor::count}, {"none", NtkTensor::none}}),
            .rows = rows_of(j),
            .orders = orders_of(j),
            .sweeps = size_of(j, "sweeps"),
            .seed = long_word(j.at("seed"))};
}
inline NtkSketchSpec ntk_sketch_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .depth = size_of(j, "depth"),
            .relu_degree = size_of(j, "relu_degree"),
            .step_degree = size_of(j, "step_degree"),
            .relu = size_of(j, "relu"),
            .tensor = size_of(j, "tensor"),
            .relu_powers = size_of(j, "relu_powers"),
            .step_powers = size_of(j, "step_powers"),
            .fix_diagonal = j.at("fix_diagonal").get<bool>(),
            .base = base_of(j),
            .rows = rows_of(j),
            .orders = orders_of(j),
            .seed = long_word(j.at("seed"))};
}
inline NtkPolySpec ntk_poly_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .depth = size_of(j, "depth"),
            .degree = size_of(j, "degree"),
            .remainder = rest_of(j),
            .rows = rows_of(j),
            .orders = orders_of(j),
            .coefficients = coefficients_of(j),
            .seed = long_word(j.at("seed"))};
}
inline NtkGradientSpec ntk_gradient_spec(const Json& j)
{
    return {.inputs = size_of(j, "inputs"),
            .features = size_of(j, "features"),
            .depth = size_of(j, "depth"),
            .width = size_of(j, "width"),
            .seed = long_word(j.at("seed"))};
}

// Calls with the spec that an entry names, and with a second one of the same map.
template <class Call>
void with_specs(const Json& a, const Json& b, Call call)
{
    const auto map = a.at("map").get<std::string>();
    if (map == "rff")
        call(rff_spec(a), rff_spec(b));
    else if (map == "arccos")
        call(arccos_spec(a), arccos_spec(b));
    else if (map == "polynomial")
        call(polynomial_spec(a), polynomial_spec(b));
    else if (map == "dot")
        call(dot_spec(a), dot_spec(b));
    else if (map == "nngp")
        call(nngp_spec(a), nngp_spec(b));
    else if (map == "ntk")
        call(ntk_spec(a), ntk_spec(b));
    else if (map == "ntk-sketch")
        call(ntk_sketch_spec(a), ntk_sketch_spec(b));
    else if (map == "ntk-poly")
        call(ntk_poly_spec(a), ntk_poly_spec(b));
    else if (map == "ntk-gradient")
        call(ntk_gradient_spec(a), ntk_gradient_spec(b));
    else
        FAIL("a map that the test does not know: " << map);
}

inline CountSketchSpec count_sketch_spec(const Json& j)
{
    return {.size = size_of(j, "size"), .seed = long_word(j.at("seed"))};
}
inline OsnapSpec osnap_spec(const Json& j)
{
    return {.size = size_of(j, "size"), .nonzeros = size_of(j, "nonzeros"), .seed = long_word(j.at("seed"))};
}
inline SrhtSpec srht_spec(const Json& j)
{
    return {.inputs = static_cast<std::uint32_t>(j.at("x").size()),
            .features = size_of(j, "features"),
            .sampling = sampling_of(j),
            .seed = long_word(j.at("seed"))};
}
inline TensorSrhtSpec tensor_srht_spec(const Json& j)
{
    return {.left = static_cast<std::uint32_t>(j.at("x").size()),
            .right = static_cast<std::uint32_t>(j.at("y").size()),
            .features = size_of(j, "features"),
            .sampling = sampling_of(j),
            .seed = long_word(j.at("seed"))};
}
inline TensorSketchSpec tensor_sketch_spec(const Json& j)
{
    return {.size = size_of(j, "size"), .degree = size_of(j, "degree"), .seed = long_word(j.at("seed"))};
}
inline PolySketchSpec poly_sketch_spec(const Json& j)
{
    return {.inputs = static_cast<std::uint32_t>(j.at("x").size()),
            .degree = size_of(j, "degree"),
            .features = size_of(j, "features"),
            .base = base_of(j),
            .seed = long_word(j.at("seed"))};
}

inline SgdSpec sgd_spec(const Json& j)
{
    return {.features = size_of(j, "features"),
            .outputs = size_of(j, "outputs"),
            .loss = kind_of<Loss>(j, "loss",
                                  {{"squared", Loss::squared}, {"logistic", Loss::logistic}, {"hinge", Loss::hinge}}),
            .step = kind_of<Step>(
                j, "step",
                {{"constant", Step::constant}, {"inverse_root", Step::inverse_root}, {"adagrad", Step::adagrad}}),
            .rate = number(j.at("rate")),
            .ridge = number(j.at("ridge")),
            .average = j.at("average").get<bool>()};
}
inline RlsSpec rls_spec(const Json& j)
{
    return {.features = size_of(j, "features"),
            .outputs = size_of(j, "outputs"),
            .forget = number(j.at("forget")),
            .prior = number(j.at("prior"))};
}
inline GramSpec gram_spec(const Json& j)
{
    return {.features = size_of(j, "features"), .outputs = size_of(j, "outputs")};
}

} // namespace samara::test
