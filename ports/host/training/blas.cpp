#include "ports/host/training/blas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "ports/host/training/dense.hpp"

// Fortran's own symbols, because every BLAS has them and not every one has its C headers where they are looked for.
// Its columns are our rows, so our upper triangle is its lower one. The lengths of the character arguments come last.
extern "C" {
void ssyrk_(const char* uplo, const char* trans, const int* n, const int* k, const float* alpha, const float* a,
            const int* lda, const float* beta, float* c, const int* ldc, std::size_t, std::size_t);
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            std::size_t, std::size_t);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc, std::size_t, std::size_t);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc, std::size_t, std::size_t);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info, std::size_t);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void dtrmm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, std::size_t, std::size_t);
}

namespace samara::desk {
namespace {

unsigned threads_now = 0; // 0: the libraries' own choice

// Columns that are converted to double at a time.
constexpr std::size_t panel_columns = 1024;

int as_int(std::size_t count) { return static_cast<int>(count); }

void require_success(int info, const char* routine)
{
    if (info != 0) {
        throw std::runtime_error(std::string("LAPACK's ") + routine + " failed with code " + std::to_string(info));
    }
}

// Eigenvalues of a symmetric matrix, ascending. `job` is LAPACK's: N for these alone; with V row i of the matrix
// becomes the i-th eigenvector.
std::vector<double> decompose(MatrixD& matrix, const char* job)
{
    const int n = as_int(matrix.rows);
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
    require_success(info, "dsyevd");
    return values;
}

// Calls a library's function of that name, where one that is loaded has it.
template <class Count>
void call_if_there(const char* name, Count count)
{
    if (void* const function = ::dlsym(RTLD_DEFAULT, name); function != nullptr) {
        reinterpret_cast<void (*)(Count)>(function)(count);
    }
}

} // namespace

void add_gram(const MatrixF& a, std::size_t rows, MatrixF& gram)
{
    const int n = as_int(a.cols), k = as_int(rows);
    const float one = 1.0f;
    ssyrk_("L", "N", &n, &k, &one, a.values.data(), &n, &one, gram.values.data(), &n, 1, 1);
}

void add_product(const MatrixF& a, const MatrixF& b, std::size_t rows, float beta, MatrixF& c)
{
    const int m = as_int(b.cols), n = as_int(a.cols), k = as_int(rows);
    const float one = 1.0f;
    sgemm_("N", "T", &m, &n, &k, &one, b.values.data(), &m, a.values.data(), &n, &beta, c.values.data(), &m, 1, 1);
}

void multiply_transposed(const MatrixF& a, std::size_t rows, const MatrixF& b, MatrixF& c)
{
    const int m = as_int(b.rows), n = as_int(rows), k = as_int(a.cols);
    const float one = 1.0f, none = 0.0f;
    sgemm_("T", "N", &m, &n, &k, &one, b.values.data(), &k, a.values.data(), &k, &none, c.values.data(), &m, 1, 1);
}

MatrixD multiply(const MatrixD& a, const MatrixD& b)
{
    MatrixD c(a.rows, b.cols);
    const int m = as_int(b.cols), n = as_int(a.rows), k = as_int(a.cols);
    const double one = 1.0, none = 0.0;
    dgemm_("N", "N", &m, &n, &k, &one, b.values.data(), &m, a.values.data(), &k, &none, c.values.data(), &m, 1, 1);
    return c;
}

MatrixD multiply_transposed(const MatrixD& a, const MatrixD& b)
{
    MatrixD c(a.rows, b.rows);
    const int m = as_int(b.rows), n = as_int(a.rows), k = as_int(a.cols);
    const double one = 1.0, none = 0.0;
    dgemm_("T", "N", &m, &n, &k, &one, b.values.data(), &k, a.values.data(), &k, &none, c.values.data(), &m, 1, 1);
    return c;
}

MatrixD row_products(const MatrixF& a)
{
    MatrixD products(a.rows, a.rows);
    const int n = as_int(a.rows);
    for (std::size_t first = 0; first < a.cols; first += panel_columns) {
        const auto count = static_cast<Eigen::Index>(std::min(panel_columns, a.cols - first));
        const MatrixD panel = evaluated(view(a).middleCols(static_cast<Eigen::Index>(first), count).cast<double>());
        const int width = as_int(panel.cols);
        const double one = 1.0;
        dsyrk_("L", "T", &n, &width, &one, panel.values.data(), &width, &one, products.values.data(), &n, 1, 1);
    }
    mirror(products);
    return products;
}

bool factor(MatrixD& matrix)
{
    const int n = as_int(matrix.rows);
    int info = 0;
    dpotrf_("L", &n, matrix.values.data(), &n, &info, 1);
    return info == 0;
}

void solve_factored(const MatrixD& factored, MatrixD& b)
{
    const int n = as_int(factored.rows), count = as_int(b.rows);
    int info = 0;
    dpotrs_("L", &n, &count, factored.values.data(), &n, b.values.data(), &n, &info, 1);
    require_success(info, "dpotrs");
}

void apply_triangle(const MatrixD& factored, Triangle how, MatrixD& rows)
{
    const int n = as_int(factored.rows), count = as_int(rows.rows);
    const double one = 1.0;
    const char* const transposed = how == Triangle::solve ? "N" : "T";
    const auto routine = how == Triangle::multiply_transposed ? dtrmm_ : dtrsm_;
    routine("L", "L", transposed, "N", &n, &count, &one, factored.values.data(), &n, rows.values.data(), &n, 1, 1, 1,
            1);
}

void invert_factored(MatrixD& factored)
{
    const int n = as_int(factored.rows);
    int info = 0;
    dpotri_("L", &n, factored.values.data(), &n, &info, 1);
    require_success(info, "dpotri");
}

std::vector<double> eigenvectors(MatrixD& matrix) { return decompose(matrix, "V"); }

std::vector<double> eigenvalues(MatrixD matrix) { return decompose(matrix, "N"); }

unsigned blas_threads() { return threads_now; }

// Looked up when the program runs, because then only is it known whose libraries have been loaded: what answers to
// "blas" and "lapack" can be exchanged after the build (Debian's alternatives), and the LAPACK beside BLIS may be one
// that multiplies with an OpenBLAS of its own.
void set_blas_threads(unsigned threads)
{
    if (threads == 0) {
        return;
    }
    threads_now = threads;
    const int count = static_cast<int>(threads);
    call_if_there("openblas_set_num_threads", count);
    call_if_there("MKL_Set_Num_Threads", count);
    // BLIS's own integer, as wide as a pointer unless it was configured otherwise.
    call_if_there("bli_thread_set_num_threads", static_cast<std::ptrdiff_t>(count));
}

} // namespace samara::desk
