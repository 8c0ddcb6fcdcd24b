// Every map and row kind over awkward inputs, one sample at a time, in a batch and block by block: one checksum each.
#include "map_cases.hpp"

#include "case_of.hpp"

namespace samara::selftest {

void map_cases(Report& report)
{
    using enum Kernel;
    using enum Form;
    const auto rff = [](std::uint32_t d, std::uint32_t m, Kernel kernel, Form form, Rows rows, Orders orders, float b) {
        return RffSpec{.inputs = d,
                       .features = m,
                       .kernel = kernel,
                       .form = form,
                       .rows = rows,
                       .orders = orders,
                       .bandwidth = b,
                       .seed = 0x123456789abcdefu};
    };
    case_of(report, "rff/hadamard/pair/17", rff(17, 300, gaussian, pair, Rows::hadamard, Orders::none, 1.5f));
    case_of(report, "rff/hadamard/pair/130", rff(130, 600, gaussian, pair, Rows::hadamard, Orders::none, 8.0f));
    case_of(report, "rff/hadamard/phase/17", rff(17, 300, gaussian, phase, Rows::hadamard, Orders::none, 1.5f));
    case_of(report, "rff/hadamard/orders-1/17", rff(17, 300, gaussian, pair, Rows::hadamard, Orders::one, 9.0f));
    case_of(report, "rff/fastfood/pair/17", rff(17, 300, gaussian, pair, Rows::fastfood, Orders::none, 1.5f));
    case_of(report, "rff/fastfood/phase/130", rff(130, 301, gaussian, phase, Rows::fastfood, Orders::none, 6.0f));
    case_of(report, "rff/dense/pair/3", rff(3, 100, gaussian, pair, Rows::dense, Orders::none, 0.7f));
    case_of(report, "rff/dense/pair/130", rff(130, 202, gaussian, pair, Rows::dense, Orders::none, 8.0f));
    case_of(report, "rff/dense/phase/1", rff(1, 77, gaussian, phase, Rows::dense, Orders::none, 0.7f));
    case_of(report, "rff/dense/orders-1/16", rff(16, 200, gaussian, pair, Rows::dense, Orders::one, 7.0f));
    case_of(report, "rff/dense/laplacian/17", rff(17, 150, laplacian, pair, Rows::dense, Orders::none, 4.0f));
    case_of(report, "rff/dense/cauchy/17", rff(17, 151, cauchy, phase, Rows::dense, Orders::none, 3.0f));
    case_of(report, "rff/quasi/gaussian/17", rff(17, 400, gaussian, pair, Rows::quasi, Orders::none, 1.5f));
    case_of(report, "rff/quasi/orders-1/17", rff(17, 400, gaussian, pair, Rows::quasi, Orders::one, 8.0f));
    case_of(report, "rff/quasi/laplacian/130", rff(130, 150, laplacian, pair, Rows::quasi, Orders::none, 9.0f));
    case_of(report, "rff/quasi/cauchy/17", rff(17, 150, cauchy, phase, Rows::quasi, Orders::none, 3.0f));

    const auto arccos = [](std::uint32_t d, std::uint32_t m, std::uint32_t order, Rows rows, Orders orders) {
        return ArcCosSpec{
            .inputs = d, .features = m, .order = order, .rows = rows, .orders = orders, .sweeps = 2, .seed = 42};
    };
    case_of(report, "arccos-1/hadamard/17", arccos(17, 300, 1, Rows::hadamard, Orders::none));
    case_of(report, "arccos-1/hadamard/orders-1/130", arccos(130, 400, 1, Rows::hadamard, Orders::one));
    case_of(report, "arccos-1/dense/3", arccos(3, 100, 1, Rows::dense, Orders::none));
    case_of(report, "arccos-1/dense/orders-1/50", arccos(50, 133, 1, Rows::dense, Orders::one));
    case_of(report, "arccos-1/unit/5", arccos(5, 101, 1, Rows::unit, Orders::none));
    case_of(report, "arccos-1/unit/orders-1/17", arccos(17, 101, 1, Rows::unit, Orders::one));
    case_of(report, "arccos-1/gibbs/6", arccos(6, 70, 1, Rows::gibbs, Orders::none));
    const auto two = [](std::uint32_t d, std::uint32_t m, std::uint32_t pairs, Rows rows) {
        return ArcCosSpec{.inputs = d, .features = m, .rows = rows, .orders = Orders::two, .pairs = pairs, .seed = 42};
    };
    case_of(report, "arccos-1/hadamard/orders-2/17", two(17, 300, 153, Rows::hadamard));
    case_of(report, "arccos-1/unit/orders-2/9", two(9, 128, 45, Rows::unit));
    case_of(report, "arccos-1/hadamard/orders-2/sketch/130", two(130, 600, 333, Rows::hadamard));
    case_of(report, "arccos-1/dense/orders-2/sketch/17", two(17, 200, 99, Rows::dense));
    case_of(report, "arccos-1/unit/orders-2/sketch/6", two(6, 60, 20, Rows::unit));
    case_of(report, "arccos-0/hadamard/17", arccos(17, 300, 0, Rows::hadamard, Orders::none));
    case_of(report, "arccos-0/hadamard/orders-1/17", arccos(17, 300, 0, Rows::hadamard, Orders::one));
    // One-hot inputs at D = 64 meet projections of exactly 0, so ties.
    case_of(report, "arccos-0/hadamard/ties/64", arccos(64, 600, 0, Rows::hadamard, Orders::none));
    case_of(report, "arccos-0/hadamard/ties/orders-1/64", arccos(64, 600, 0, Rows::hadamard, Orders::one));
    case_of(report, "arccos-0/dense/50", arccos(50, 100, 0, Rows::dense, Orders::none));
    case_of(report, "arccos-0/unit/orders-1/5", arccos(5, 101, 0, Rows::unit, Orders::one));
    case_of(report, "arccos-0/gibbs/6", arccos(6, 70, 0, Rows::gibbs, Orders::none));
    case_of(report, "arccos-1/hadamard/even/17", arccos(17, 300, 1, Rows::hadamard, Orders::even));
    const auto whole = [](std::uint32_t d, std::uint32_t m, Orders orders) {
        return ArcCosSpec{.inputs = d, .features = m, .orders = orders, .numbers = Numbers::int8, .seed = 42};
    };
    case_of(report, "arccos-1/int8/17", whole(17, 300, Orders::none));
    case_of(report, "arccos-1/int8/even/130", whole(130, 600, Orders::even));
    const auto waves = [](std::uint32_t d, std::uint32_t m, Form form, float b) {
        return RffSpec{.inputs = d,
                       .features = m,
                       .form = form,
                       .rows = Rows::hadamard,
                       .orders = Orders::none,
                       .bandwidth = b,
                       .numbers = Numbers::int8,
                       .seed = 42};
    };
    case_of(report, "rff/int8/pair/17", waves(17, 300, pair, 1.5f));
    case_of(report, "rff/int8/phase/130", waves(130, 600, phase, 8.0f));
    case_of(report, "local/image",
            LocalSpec{.inputs = 126,
                      .features = 300,
                      .height = 6,
                      .width = 7,
                      .channels = 3,
                      .pairs = 4,
                      .gain = 11,
                      .seed = 42});
    case_of(report, "local/image/plane",
            LocalSpec{.inputs = 120, .features = 200, .width = 10, .gain = 11, .seed = 42});
    case_of(report, "local/image/least",
            LocalSpec{.inputs = 12, .features = 40, .height = 2, .width = 3, .gain = 11, .seed = 42});
    case_of(report, "local/series",
            LocalSpec{.inputs = 130, .features = 300, .channels = 2, .pairs = 4, .gain = 11, .seed = 42});
    case_of(report, "local/series/maxima",
            LocalSpec{.inputs = 100,
                      .features = 200,
                      .length = 100,
                      .largest = 15,
                      .reach = 60,
                      .kinds = LocalKinds::max,
                      .gain = 11,
                      .seed = 42});
    case_of(report, "local-arccos/image",
            LocalArcCosSpec{.inputs = 126, .features = 60, .height = 6, .width = 7, .channels = 3, .seed = 42});
    case_of(report, "local-arccos/image/plane",
            LocalArcCosSpec{.inputs = 120, .features = 60, .width = 10, .largest = 3, .seed = 42});
    case_of(report, "local-arccos/image/least",
            LocalArcCosSpec{.inputs = 12, .features = 40, .height = 2, .width = 3, .seed = 42});
    case_of(report, "local-arccos/series",
            LocalArcCosSpec{.inputs = 130, .features = 60, .channels = 2, .largest = 15, .reach = 60, .seed = 42});
}

} // namespace samara::selftest
