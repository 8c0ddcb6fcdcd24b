// The expectation of every map against its exact kernel, in few and in many inputs: this is where constants go wrong.
#include <doctest/doctest.h>

#include "expectation.hpp"

namespace {

using namespace samara;

using measure::check_mean;

} // namespace

TEST_CASE("rff is unbiased in every row kind")
{
    for (std::uint32_t d : {2u, 3u, 5u, 16u, 50u}) {
        for (Form form : {Form::pair, Form::phase}) {
            for (Rows rows : {Rows::dense, Rows::hadamard, Rows::fastfood, Rows::quasi})
                check_mean("gaussian",
                           RffSpec{.inputs = d,
                                   .features = 256,
                                   .form = form,
                                   .rows = rows,
                                   .orders = Orders::none,
                                   .bandwidth = 0.7f},
                           rows == Rows::hadamard ? 1.5e-3 : 0.0);
            for (Rows rows : {Rows::dense, Rows::quasi}) {
                check_mean("laplacian", RffSpec{.inputs = d,
                                                .features = 256,
                                                .kernel = Kernel::laplacian,
                                                .form = form,
                                                .rows = rows,
                                                .bandwidth = 2.0f});
                check_mean("cauchy", RffSpec{.inputs = d,
                                             .features = 256,
                                             .kernel = Kernel::cauchy,
                                             .form = form,
                                             .rows = rows,
                                             .bandwidth = 0.8f});
            }
        }
        for (Rows rows : {Rows::dense, Rows::hadamard, Rows::fastfood, Rows::quasi})
            check_mean("gaussian, orders 1", RffSpec{.inputs = d, .features = 256, .rows = rows, .orders = Orders::one},
                       rows == Rows::hadamard ? 1.5e-3 : 0.0);
    }
}

TEST_CASE("arccos is unbiased in every isotropic row kind")
{
    for (std::uint32_t d : {2u, 3u, 5u, 16u, 50u}) {
        for (std::uint32_t order : {0u, 1u}) {
            for (Orders orders : {Orders::none, Orders::one}) {
                for (Rows rows : {Rows::dense, Rows::hadamard, Rows::unit}) {
                    // Hadamard rows: a projection takes few values where a vector has few entries (D = 64).
                    const double bias = rows == Rows::hadamard ? (order == 0 ? 2e-2 : 4e-3) : 0.0;
                    check_mean(order == 0 ? "order 0" : "order 1",
                               ArcCosSpec{.inputs = d, .features = 255, .order = order, .rows = rows, .orders = orders},
                               bias);
                }
            }
        }
    }
}

TEST_CASE("Gibbs rows: exact without a sweep, biased with one, nearly exact with many")
{
    for (std::uint32_t d : {2u, 3u, 5u, 16u, 50u})
        check_mean("no sweep", ArcCosSpec{.inputs = d, .features = 256, .rows = Rows::gibbs, .sweeps = 0});
    check_mean("many sweeps", ArcCosSpec{.inputs = 3, .features = 256, .rows = Rows::gibbs, .sweeps = 20});
    // One sweep in three dimensions: the diagonal of the estimated kernel of the unit vectors is (1.095, .982, .924).
    measure::Points p{3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    ArcCosSpec spec = resolve(ArcCosSpec{.inputs = 3, .features = 65536, .rows = Rows::gibbs, .sweeps = 1});
    double diagonal[3] = {};
    const unsigned rounds = measure::quick ? 2 : 8;
    for (unsigned s = 0; s < rounds; ++s) {
        spec.seed = s;
        const std::vector<double> g = measure::gram(spec, p);
        for (std::size_t i = 0; i < 3; ++i)
            diagonal[i] += g[4 * i] / rounds;
    }
    CHECK(diagonal[0] == doctest::Approx(1.095).epsilon(0.01));
    CHECK(diagonal[1] == doctest::Approx(0.982).epsilon(0.01));
    CHECK(diagonal[2] == doctest::Approx(0.924).epsilon(0.01));
}
