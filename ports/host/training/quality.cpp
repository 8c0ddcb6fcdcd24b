#include "ports/host/training/quality.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"

namespace samara::desk {
namespace {

void require_size(const MatrixD& matrix, std::size_t n)
{
    if (matrix.rows != n || matrix.cols != n || n == 0 || n > most_quality_rows) {
        throw std::logic_error("quality: matrices of different or unsuitable sizes");
    }
}

double largest_magnitude(const std::vector<double>& ascending)
{
    return std::max(std::fabs(ascending.front()), std::fabs(ascending.back()));
}

double spectral_norm(MatrixD matrix) { return largest_magnitude(eigenvalues(std::move(matrix))); }

double relative(double error, double reference) { return error == 0.0 ? 0.0 : error / reference; }

} // namespace

QualityMeter::QualityMeter(MatrixD kernel, double lambda) : kernel_(std::move(kernel)), whitener_(kernel_)
{
    require_size(kernel_, kernel_.rows);
    const std::vector<double> values = eigenvectors(whitener_);
    // Rounding makes some of a kernel matrix's eigenvalues negative that are not.
    const Eigen::ArrayXd spectrum = view(values).array().max(0.0);
    statistical_dimension_ = (spectrum / (spectrum + lambda)).sum();
    ridge_ = evaluated_vector(lambda / (spectrum + lambda));
    view(whitener_).array().colwise() /= (spectrum + lambda).sqrt();
    frobenius_ = view(kernel_).norm();
    spectral_ = largest_magnitude(values);
    MatrixD centred_kernel = kernel_;
    centre(centred_kernel);
    centred_frobenius_ = view(centred_kernel).norm();
    centred_spectral_ = spectral_norm(std::move(centred_kernel));
}

Quality QualityMeter::measure(const MatrixD& estimate) const
{
    require_size(estimate, kernel_.rows);
    Quality quality{};
    {
        MatrixD error = evaluated(view(estimate) - view(kernel_));
        quality.maximum = view(error).cwiseAbs().maxCoeff();
        quality.frobenius = relative(view(error).norm(), frobenius_);
        quality.spectral = relative(spectral_norm(error), spectral_);
        centre(error);
        quality.centred_frobenius = relative(view(error).norm(), centred_frobenius_);
        quality.centred_spectral = relative(spectral_norm(std::move(error)), centred_spectral_);
    }
    // In the eigenvectors' basis, which changes no eigenvalue of W, the ridge's part is diagonal.
    MatrixD whitened = multiply_transposed(multiply(whitener_, estimate), whitener_);
    view(whitened).diagonal() += view(ridge_);
    const std::vector<double> values = eigenvalues(std::move(whitened));
    quality.condition = values.back() / values.front();
    quality.epsilon = std::max(values.back() - 1.0, 1.0 - values.front());
    return quality;
}

} // namespace samara::desk
