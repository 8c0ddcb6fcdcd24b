// The maps of the kernels of deep networks over awkward inputs, one sample at a time, in a batch and block by block:
// one checksum each.
#include "ntk_cases.hpp"

#include "case_of.hpp"
#include "samara/map/cntk.hpp"
#include "samara/map/cntk_gradient.hpp"
#include "samara/map/ntk.hpp"
#include "samara/map/ntk_gradient.hpp"
#include "samara/map/ntk_poly.hpp"
#include "samara/map/ntk_sketch.hpp"

namespace samara::selftest {

void ntk_cases(Report& report)
{
    constexpr std::uint64_t seed = 0x123456789abcdefu;
    constexpr std::uint32_t d = 17, m = 300;

    const auto nngp = [&](const char* name, std::uint32_t depth, Rows rows, Orders orders) {
        case_of(
            report, name,
            NngpSpec{
                .inputs = d, .features = m, .depth = depth, .rows = rows, .orders = orders, .sweeps = 2, .seed = seed});
    };
    nngp("nngp/1/dense", 1, Rows::dense, Orders::none);
    nngp("nngp/3/hadamard", 3, Rows::hadamard, Orders::none);
    nngp("nngp/3/hadamard/orders-1", 3, Rows::hadamard, Orders::one);
    nngp("nngp/2/unit/orders-2", 2, Rows::unit, Orders::two);
    nngp("nngp/2/gibbs", 2, Rows::gibbs, Orders::none);

    // Step features of dense rows are what takes time: few of them.
    const auto ntk = [&](const char* name, std::uint32_t depth, NtkTensor sketch, Rows rows, Orders orders) {
        case_of(report, name,
                NtkSpec{.inputs = d,
                        .features = m,
                        .depth = depth,
                        .step = rows == Rows::hadamard ? 0u : 64u,
                        .sketch = sketch,
                        .rows = rows,
                        .orders = orders,
                        .sweeps = 1,
                        .seed = seed});
    };
    ntk("ntk/1/srht/hadamard", 1, NtkTensor::srht, Rows::hadamard, Orders::none);
    ntk("ntk/1/srht/dense/orders-1", 1, NtkTensor::srht, Rows::dense, Orders::one);
    ntk("ntk/1/srht/unit/orders-1", 1, NtkTensor::srht, Rows::unit, Orders::one);
    ntk("ntk/1/count/gibbs", 1, NtkTensor::count, Rows::gibbs, Orders::none);
    ntk("ntk/3/srht/hadamard", 3, NtkTensor::srht, Rows::hadamard, Orders::none);
    ntk("ntk/3/srht/hadamard/orders-1", 3, NtkTensor::srht, Rows::hadamard, Orders::one);
    ntk("ntk/3/count/hadamard", 3, NtkTensor::count, Rows::hadamard, Orders::none);
    ntk("ntk/3/count/hadamard/orders-1", 3, NtkTensor::count, Rows::hadamard, Orders::one);
    ntk("ntk/3/srht/hadamard/orders-2", 3, NtkTensor::srht, Rows::hadamard, Orders::two);
    ntk("ntk/2/count/unit/orders-2", 2, NtkTensor::count, Rows::unit, Orders::two);
    case_of(report, "ntk/2/whole/hadamard",
            NtkSpec{.inputs = d,
                    .features = m,
                    .depth = 2,
                    .sketch = NtkTensor::none,
                    .rows = Rows::hadamard,
                    .orders = Orders::none,
                    .seed = seed});

    const auto sketch = [&](const char* name, bool fix_diagonal, PolyBase base) {
        case_of(report, name,
                NtkSketchSpec{.inputs = d,
                              .features = m,
                              .depth = 2,
                              .relu = 48,
                              .tensor = 40,
                              .relu_powers = 32,
                              .step_powers = 37,
                              .fix_diagonal = fix_diagonal,
                              .base = base,
                              .rows = fix_diagonal ? Rows::hadamard : Rows::dense,
                              .orders = Orders::none,
                              .seed = seed});
    };
    sketch("ntk-sketch/2/srht", true, PolyBase::srht);
    sketch("ntk-sketch/2/srht/cut", false, PolyBase::srht);
    sketch("ntk-sketch/2/osnap", true, PolyBase::osnap);
    sketch("ntk-sketch/2/osnap/cut", false, PolyBase::osnap);
    for (const PolyBase base : {PolyBase::srht, PolyBase::osnap})
        case_of(report, base == PolyBase::srht ? "ntk-sketch/2/srht/orders-1" : "ntk-sketch/2/osnap/orders-1",
                NtkSketchSpec{.inputs = d,
                              .features = m,
                              .depth = 2,
                              .relu_powers = 64,
                              .step_powers = 48,
                              .base = base,
                              .orders = Orders::one,
                              .seed = seed});

    const auto poly = [&](const char* name, Rows rows, Orders orders) {
        NtkPolySpec spec{.inputs = d, .features = m, .depth = 2, .rows = rows, .orders = orders, .seed = seed};
        spec.coefficients = ntk_poly_coefficients(spec.depth, spec.degree);
        case_of(report, name, spec);
    };
    poly("ntk-poly/2/hadamard", Rows::hadamard, Orders::none);
    poly("ntk-poly/2/hadamard/orders-1", Rows::hadamard, Orders::one);
    poly("ntk-poly/2/hadamard/orders-2", Rows::hadamard, Orders::two);
    poly("ntk-poly/2/dense", Rows::dense, Orders::none);
    poly("ntk-poly/2/dense/orders-1", Rows::dense, Orders::one);

    case_of(report, "ntk-gradient/2", NtkGradientSpec{.inputs = d, .features = m, .depth = 2, .seed = seed});

    case_of(report, "cntk-gradient/image",
            CntkGradientSpec{.inputs = 24, .features = 200, .height = 4, .width = 3, .channels = 2, .seed = seed});
    case_of(report, "cntk-gradient/series",
            CntkGradientSpec{.inputs = 15,
                             .features = 300,
                             .height = 1,
                             .width = 5,
                             .channels = 3,
                             .depth = 2,
                             .pool = ImagePool::grid,
                             .grid = 2,
                             .filters = 3,
                             .seed = seed});

    CntkSpec image{.inputs = 24,
                   .features = 70,
                   .height = 4,
                   .width = 3,
                   .channels = 2,
                   .orders = Orders::none,
                   .inner = 28,
                   .seed = seed};
    case_of(report, "cntk/plain/image", image);
    CntkSpec series{.inputs = 15,
                    .features = 90,
                    .height = 1,
                    .width = 5,
                    .channels = 3,
                    .depth = 2,
                    .pool = ImagePool::grid,
                    .grid = 2,
                    .orders = Orders::none,
                    .seed = seed};
    case_of(report, "cntk/plain/series", resolve(series));
    const auto sketched = [&](const char* name, CntkSpec spec, CntkSeries kind) {
        spec.form = CntkForm::sketch;
        spec.relu_degree = 1;
        spec.step_degree = 2;
        spec.inner = 24;
        spec.series = kind;
        case_of(report, name, spec);
    };
    sketched("cntk/sketch/taylor", image, CntkSeries::taylor);
    series.depth = 4;
    series.patch = 5;
    series.pool = ImagePool::none;
    series.grid = 0;
    series.base = PolyBase::osnap;
    sketched("cntk/sketch/fixed", series, CntkSeries::fixed);
    image.features = 100;
    image.pool = ImagePool::grid;
    image.grid = 3;
    sketched("cntk/sketch/fitted", image, CntkSeries::fitted);

    CntkSpec exact{.inputs = 12,
                   .features = 200,
                   .height = 3,
                   .width = 2,
                   .channels = 2,
                   .orders = Orders::one,
                   .inner = 128,
                   .seed = seed};
    case_of(report, "cntk/orders/image", exact);
    exact.inputs = exact.width = 5;
    exact.features = 320;
    exact.height = exact.channels = 1;
    exact.pool = ImagePool::grid;
    exact.grid = 2;
    case_of(report, "cntk/orders/series", exact);
}

} // namespace samara::selftest
