#include "ports/host/training/quality.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

// Fortran's own symbols, because every BLAS has them and not every one has its C headers where they are looked for.
// A character's length follows as a hidden argument at the end.
extern "C" {
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc, std::size_t, std::size_t);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc, std::size_t, std::size_t);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, std::size_t, std::size_t);
#ifdef SAMARA_OPENBLAS
void openblas_set_num_threads(int threads);
#endif
}

namespace samara::desk {
namespace {

// Columns of Z that are turned to double at a time.
constexpr std::size_t panel_features = 1024;

int as_int(std::size_t count) { return static_cast<int>(count); }

void require_size(const MatrixD& matrix, std::size_t n)
{
    if (matrix.rows != n || matrix.cols != n || n == 0 || n > most_quality_rows) {
        throw std::logic_error("quality: matrices of different or unsuitable sizes");
    }
}

// Eigenvalues of a symmetric matrix, ascending; with `vectors`, row i of the matrix becomes the i-th eigenvector.
std::vector<double> eigenvalues(MatrixD& matrix, bool vectors)
{
    const int n = as_int(matrix.rows);
    const char* const job = vectors ? "V" : "N";
    std::vector<double> values(matrix.rows);
    double best_work = 0.0;
    int best_integers = 0;
    int info = 0;
    const int ask = -1;
    dsyevd_(job, "L", &n, matrix.values.data(), &n, values.data(), &best_work, &ask, &best_integers, &ask, &info, 1, 1);
    std::vector<double> work(static_cast<std::size_t>(best_work));
    std::vector<int> integers(static_cast<std::size_t>(best_integers));
    const int work_size = as_int(work.size());
    const int integers_size = as_int(integers.size());
    dsyevd_(job, "L", &n, matrix.values.data(), &n, values.data(), work.data(), &work_size, integers.data(),
            &integers_size, &info, 1, 1);
    if (info != 0) {
        throw std::runtime_error("LAPACK's dsyevd failed with code " + std::to_string(info));
    }
    return values;
}

double spectral_norm(MatrixD matrix)
{
    const std::vector<double> values = eigenvalues(matrix, false);
    return std::max(std::fabs(values.front()), std::fabs(values.back()));
}

double frobenius_norm(const MatrixD& matrix)
{
    double sum = 0.0;
    for (const double value : matrix.values) {
        sum += value * value;
    }
    return std::sqrt(sum);
}

double relative(double error, double reference) { return error == 0.0 ? 0.0 : error / reference; }

// HMH of a symmetric matrix: the means of columns are those of rows.
MatrixD centred(MatrixD matrix)
{
    const auto n = static_cast<double>(matrix.rows);
    std::vector<double> means(matrix.rows);
    double total = 0.0;
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        for (std::size_t j = 0; j < matrix.cols; ++j) {
            means[i] += matrix.row(i)[j] / n;
        }
        total += means[i] / n;
    }
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        for (std::size_t j = 0; j < matrix.cols; ++j) {
            matrix.row(i)[j] += total - means[i] - means[j];
        }
    }
    return matrix;
}

// Rows are Fortran's columns: of A, B and C as rows, this is C = A B with `turned` false and A B' with it true.
MatrixD product(const MatrixD& a, const MatrixD& b, bool turned)
{
    MatrixD c(a.rows, a.rows);
    const int n = as_int(a.rows);
    const double one = 1.0, none = 0.0;
    dgemm_(turned ? "T" : "N", "N", &n, &n, &n, &one, b.values.data(), &n, a.values.data(), &n, &none, c.values.data(),
           &n, 1, 1);
    return c;
}

} // namespace

QualityMeter::QualityMeter(MatrixD kernel, double lambda) : kernel_(std::move(kernel)), whitener_(kernel_)
{
    require_size(kernel_, kernel_.rows);
    const std::vector<double> values = eigenvalues(whitener_, true);
    for (std::size_t i = 0; i < values.size(); ++i) {
        // Rounding makes some of a kernel matrix's eigenvalues negative that are not.
        const double value = std::max(values[i], 0.0);
        statistical_dimension_ += value / (value + lambda);
        ridge_.push_back(lambda / (value + lambda));
        const double scale = 1.0 / std::sqrt(value + lambda);
        for (std::size_t j = 0; j < whitener_.cols; ++j) {
            whitener_.row(i)[j] *= scale;
        }
    }
    frobenius_ = frobenius_norm(kernel_);
    spectral_ = std::max(std::fabs(values.front()), std::fabs(values.back()));
    const MatrixD centred_kernel = centred(kernel_);
    centred_frobenius_ = frobenius_norm(centred_kernel);
    centred_spectral_ = spectral_norm(centred_kernel);
}

Quality QualityMeter::measure(const MatrixD& estimate) const
{
    require_size(estimate, kernel_.rows);
    Quality quality{};
    {
        MatrixD error = estimate;
        for (std::size_t i = 0; i < error.values.size(); ++i) {
            error.values[i] -= kernel_.values[i];
            quality.maximum = std::max(quality.maximum, std::fabs(error.values[i]));
        }
        quality.frobenius = relative(frobenius_norm(error), frobenius_);
        const MatrixD centred_error = centred(error);
        quality.centred_frobenius = relative(frobenius_norm(centred_error), centred_frobenius_);
        quality.centred_spectral = relative(spectral_norm(centred_error), centred_spectral_);
        quality.spectral = relative(spectral_norm(std::move(error)), spectral_);
    }
    // In the eigenvectors' basis, which changes no eigenvalue of W, the ridge's part is diagonal.
    MatrixD whitened = product(product(whitener_, estimate, false), whitener_, true);
    for (std::size_t i = 0; i < ridge_.size(); ++i) {
        whitened.row(i)[i] += ridge_[i];
    }
    const std::vector<double> values = eigenvalues(whitened, false);
    quality.condition = values.back() / values.front();
    quality.epsilon = std::max(values.back() - 1.0, 1.0 - values.front());
    return quality;
}

MatrixD gram_matrix(const MatrixF& z)
{
    MatrixD gram(z.rows, z.rows);
    require_size(gram, z.rows);
    const int n = as_int(z.rows);
    for (std::size_t first = 0; first < z.cols; first += panel_features) {
        MatrixD panel(z.rows, std::min(panel_features, z.cols - first));
        for (std::size_t i = 0; i < z.rows; ++i) {
            std::copy_n(z.row(i) + first, panel.cols, panel.row(i));
        }
        const int width = as_int(panel.cols);
        const double one = 1.0;
        dsyrk_("L", "T", &n, &width, &one, panel.values.data(), &width, &one, gram.values.data(), &n, 1, 1);
    }
    // Fortran's lower triangle is the upper one of rows.
    for (std::size_t i = 0; i < z.rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            gram.row(i)[j] = gram.row(j)[i];
        }
    }
    return gram;
}

void set_blas_threads([[maybe_unused]] unsigned threads)
{
#ifdef SAMARA_OPENBLAS
    if (threads != 0) {
        openblas_set_num_threads(as_int(threads));
    }
#endif
}

} // namespace samara::desk
