#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "golden_quality.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/quality.hpp"
#include "ports/host/training/threads.hpp"

namespace {

using namespace samara::desk;

MatrixD symmetric(const double* lower, std::size_t n)
{
    MatrixD matrix(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            matrix.row(i)[j] = matrix.row(j)[i] = *lower++;
        }
    }
    return matrix;
}

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-9); }

MatrixF small_data(std::size_t rows, std::size_t cols)
{
    MatrixF x(rows, cols);
    for (std::size_t index = 0; index < x.values.size(); ++index) {
        x.values[index] = static_cast<float>(index * 37 % 101) / 64.0f - 0.75f;
    }
    return x;
}

} // namespace

TEST_CASE("quality: the numbers that numpy finds")
{
    const QualityMeter meter(symmetric(golden::kernel, golden::rows), golden::lambda);
    const Quality quality = meter.measure(symmetric(golden::estimate, golden::rows));
    CHECK(quality.frobenius == near(golden::relative_frobenius));
    CHECK(quality.spectral == near(golden::relative_spectral));
    CHECK(quality.centred_frobenius == near(golden::centred_frobenius));
    CHECK(quality.centred_spectral == near(golden::centred_spectral));
    CHECK(quality.maximum == near(golden::maximum_absolute));
    CHECK(meter.statistical_dimension() == near(golden::statistical_dimension));
    CHECK(quality.condition == near(golden::condition_number));
    CHECK(quality.epsilon == near(golden::spectral_epsilon));
}

TEST_CASE("quality: a kernel matrix is a perfect estimate of itself")
{
    const MatrixD kernel = symmetric(golden::kernel, golden::rows);
    const Quality quality = QualityMeter(kernel, 1e-3).measure(kernel);
    CHECK(quality.frobenius == 0.0);
    CHECK(quality.spectral == 0.0);
    CHECK(quality.centred_frobenius == 0.0);
    CHECK(quality.centred_spectral == 0.0);
    CHECK(quality.maximum == 0.0);
    CHECK(quality.condition == near(1.0));
    CHECK(quality.epsilon < 1e-9);
}

TEST_CASE("quality: a multiple has the errors that can be said beforehand")
{
    const double lower[] = {2.0, 0.0, 1.0};
    const MatrixD kernel = symmetric(lower, 2);
    MatrixD twice = kernel;
    for (double& value : twice.values) {
        value *= 2.0;
    }
    const QualityMeter meter(kernel, 1.0);
    const Quality quality = meter.measure(twice);
    CHECK(quality.frobenius == near(1.0));
    CHECK(quality.spectral == near(1.0));
    CHECK(quality.centred_frobenius == near(1.0));
    CHECK(quality.centred_spectral == near(1.0));
    CHECK(quality.maximum == near(2.0));
    CHECK(meter.statistical_dimension() == near(2.0 / 3.0 + 1.0 / 2.0));
    // (4 + 1) / (2 + 1) over (2 + 1) / (1 + 1)
    CHECK(quality.condition == near(10.0 / 9.0));
    CHECK(quality.epsilon == near(2.0 / 3.0));
}

TEST_CASE("quality: a kernel of one row, of zeros, and matrices that do not fit")
{
    const QualityMeter one(MatrixD(1, 1, {2.0}), 0.5);
    const Quality quality = one.measure(MatrixD(1, 1, {2.0}));
    CHECK(quality.centred_frobenius == 0.0);
    CHECK(quality.condition == near(1.0));

    const QualityMeter zero(MatrixD(2, 2), 0.5);
    CHECK(zero.statistical_dimension() == 0.0);
    CHECK(zero.measure(MatrixD(2, 2)).frobenius == 0.0);
    CHECK(std::isinf(zero.measure(MatrixD(2, 2, {1.0, 0.0, 0.0, 1.0})).frobenius));

    CHECK_THROWS_AS(zero.measure(MatrixD(3, 3)), std::logic_error);
    CHECK_THROWS_AS(QualityMeter(MatrixD(2, 3), 0.5), std::logic_error);
}

TEST_CASE("quality: the matrix of inner products, over more features than one panel")
{
    const MatrixF z = small_data(7, 2500);
    const MatrixD gram = row_products(z);
    for (std::size_t i = 0; i < z.rows; ++i) {
        for (std::size_t j = 0; j < z.rows; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < z.cols; ++k) {
                sum += static_cast<double>(z.row(i)[k]) * static_cast<double>(z.row(j)[k]);
            }
            CHECK(gram.row(i)[j] == near(sum));
            CHECK(gram.row(i)[j] == gram.row(j)[i]);
        }
    }
}

TEST_CASE("compute: neither threads nor batches change a bit of features and kernels")
{
    const MatrixF x = small_data(600, 20);
    for (const char* text : {"rff:features=130", "rff:kernel=cauchy,features=64", "arccos:features=100,order=0"}) {
        CAPTURE(text);
        const MapSpec spec = fit_map(parse_map(text), x, "x.npy");
        const MatrixF z = compute_features(spec, x, 1);
        CHECK(z.rows == x.rows);
        CHECK(z.cols == features_of(spec));
        CHECK(compute_features(spec, x, 3).values == z.values);
        MatrixF last(1, x.cols);
        std::copy_n(x.row(599), x.cols, last.row(0));
        const MatrixF alone = compute_features(spec, last, 4);
        CHECK(std::equal(alone.values.begin(), alone.values.end(), z.row(599)));

        const MatrixD k = kernel_matrix(spec, x, 3);
        CHECK(k.values == kernel_matrix(spec, x, x, 2).values);
        CHECK(k.row(3)[5] == k.row(5)[3]);
    }
}

TEST_CASE("compute: what a piece throws ends the work and arrives")
{
    CHECK_THROWS_WITH_AS(in_pieces(1000, 1, 4, "test",
                                   [](std::size_t first, std::size_t) {
                                       if (first == 100) {
                                           throw std::runtime_error("piece 100");
                                       }
                                   }),
                         "piece 100", std::runtime_error);
    in_pieces(0, 8, 4, "test", [](std::size_t, std::size_t) { FAIL("there is nothing to do"); });
}
