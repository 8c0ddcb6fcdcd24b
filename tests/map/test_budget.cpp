// The maps against an independent implementation in numpy (double precision): mean and deviation, over 20 seeds, of the
// relative Frobenius error on 200 unit vectors, 100 random directions and 100 of scikit-learn's digits.
#include <doctest/doctest.h>

#include "measure.hpp"

namespace {

using samara::ArcCosSpec;
using samara::Form;
using samara::Kernel;
using samara::Orders;
using samara::RffSpec;
using samara::Rows;

constexpr std::uint32_t most_features = measure::quick ? 256 : 4096;
constexpr unsigned seeds = 20;

const measure::Points& points()
{
    static const measure::Points p = measure::read_points(SAMARA_TEST_DATA "/unit_200x64.csv");
    return p;
}

// Budgets at 256, 1,024 and 4,096 features.
struct Budget {
    const char* name;
    double mean[3], deviation[3];
};

template <class Spec>
void judge(const Budget& budget, Spec request)
{
    REQUIRE(points().count == 200);
    for (int i = 0; i < 3; ++i) {
        request.features = 256u << (2 * i);
        if (request.features > most_features)
            break;
        const Spec spec = resolve(request);
        REQUIRE(resolved(spec));
        const measure::Errors e = measure::errors_over_seeds(spec, points(), seeds);
        const double limit = budget.mean[i] + 3 * budget.deviation[i] * std::sqrt(1.0 / seeds + 1.0 / 20);
        CAPTURE(budget.name);
        CAPTURE(spec.features);
        CHECK(e.mean <= limit);
        // An error far below the reference's would say that something else is estimated, unless the rows explain it.
        CHECK(e.mean >= 0.5 * budget.mean[i]);
        // The seeds' average: a bias would stay. Correlated points make its own spread wide, hence the factor.
        CHECK(e.of_mean_kernel <= 3.0 * budget.mean[i] / std::sqrt(double{seeds}));
    }
}

RffSpec rff(Kernel kernel, Form form, Rows rows, float bandwidth)
{
    return {.inputs = 64, .kernel = kernel, .form = form, .rows = rows, .orders = Orders::none, .bandwidth = bandwidth};
}
ArcCosSpec arccos(std::uint32_t order, Rows rows)
{
    return {.inputs = 64, .order = order, .rows = rows, .orders = Orders::none, .sweeps = 1};
}

} // namespace

TEST_CASE("random kitchen sinks meet the reference's error")
{
    judge({"gaussian pairs", {.098356, .047432, .024360}, {.005146, .002519, .001778}},
          rff(Kernel::gaussian, Form::pair, Rows::dense, 1));
    judge({"gaussian phases", {.108390, .056195, .027083}, {.009686, .006894, .002442}},
          rff(Kernel::gaussian, Form::phase, Rows::dense, 1));
    judge({"laplacian pairs", {.188429, .096793, .047068}, {.020005, .009012, .004056}},
          rff(Kernel::laplacian, Form::pair, Rows::dense, 5));
    judge({"laplacian phases", {.194858, .096135, .050249}, {.026971, .011692, .004704}},
          rff(Kernel::laplacian, Form::phase, Rows::dense, 5));
    judge({"cauchy pairs", {.175765, .086765, .044392}, {.005705, .003248, .001598}},
          rff(Kernel::cauchy, Form::pair, Rows::dense, 1));
    judge({"cauchy phases", {.179708, .091259, .045213}, {.011014, .005261, .001996}},
          rff(Kernel::cauchy, Form::phase, Rows::dense, 1));
}

TEST_CASE("Fastfood and quasi-Monte Carlo rows meet the reference's error")
{
    judge({"fastfood", {.126099, .062041, .030994}, {.013906, .005334, .001984}},
          rff(Kernel::gaussian, Form::pair, Rows::fastfood, 1));
    judge({"sobol", {.080573, .030377, .013757}, {.004357, .001658, .000471}},
          rff(Kernel::gaussian, Form::pair, Rows::quasi, 1));
}

TEST_CASE("arc-cosine features meet the reference's error")
{
    judge({"order 0", {.099626, .050701, .023184}, {.017851, .009153, .004824}}, arccos(0, Rows::dense));
    judge({"order 1", {.180088, .083884, .040144}, {.052072, .024325, .011914}}, arccos(1, Rows::dense));
    judge({"order 1, unit", {.175944, .082599, .038709}, {.050663, .025242, .010768}}, arccos(1, Rows::unit));
    judge({"order 1, gibbs", {.153738, .084013, .042748}, {.053109, .024970, .016004}}, arccos(1, Rows::gibbs));
}

TEST_CASE("Hadamard rows err at most 5 % more than dense ones")
{
    if (measure::quick) // few seeds could not tell
        return;
    // More seeds than the budget's: the errors of arc-cosine features scatter by a third.
    const auto compare = [](auto dense, auto hadamard) {
        for (std::uint32_t m : {256u, 1024u}) {
            dense.features = hadamard.features = m;
            const double d = measure::errors_over_seeds(dense, points(), 40).mean;
            const double h = measure::errors_over_seeds(hadamard, points(), 40).mean;
            CAPTURE(m);
            MESSAGE(m, " features: dense ", d, ", hadamard ", h);
            CHECK(h <= 1.05 * d);
        }
    };
    compare(rff(Kernel::gaussian, Form::pair, Rows::dense, 1), rff(Kernel::gaussian, Form::pair, Rows::hadamard, 1));
    compare(rff(Kernel::gaussian, Form::phase, Rows::dense, 1), rff(Kernel::gaussian, Form::phase, Rows::hadamard, 1));
    compare(arccos(1, Rows::dense), arccos(1, Rows::hadamard));
    compare(arccos(0, Rows::dense), arccos(0, Rows::hadamard));
}

TEST_CASE("exact low orders lower the error by the factors measured for them")
{
    // On these 200 vectors; on digits and on random directions apart the factors are 4 to 7 (arc-cosine 1).
    const auto gain = [](auto none) {
        auto one = none;
        one.orders = Orders::one;
        const double without = measure::errors_over_seeds(none, points(), seeds).mean;
        const measure::Errors with = measure::errors_over_seeds(one, points(), seeds);
        MESSAGE("orders none ", without, ", orders 1 ", with.mean, ", factor ", without / with.mean);
        CHECK(with.of_mean_kernel <= 3.0 * with.mean / std::sqrt(double{seeds}));
        return without / with.mean;
    };
    const std::uint32_t m = most_features < 1024 ? 256 : 1024;
    for (Rows rows : {Rows::dense, Rows::hadamard, Rows::unit}) {
        if (measure::quick && rows != Rows::hadamard)
            continue;
        ArcCosSpec first = arccos(1, rows), zeroth = arccos(0, rows);
        first.features = zeroth.features = m;
        CHECK(gain(first) >= 4.0);
        CHECK(gain(zeroth) >= 3.0);
    }
    for (Rows rows : {Rows::dense, Rows::hadamard, Rows::fastfood, Rows::quasi}) {
        if (measure::quick && rows != Rows::hadamard)
            continue;
        RffSpec smooth = rff(Kernel::gaussian, Form::pair, rows, 3);
        smooth.features = m;
        CHECK(gain(smooth) >= 2.0);
    }
}
