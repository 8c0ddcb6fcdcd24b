#include "ports/host/bench/bench_blas.hpp"

#include <cstdlib>

#include "ports/host/training/blas.hpp"

// Fortran's symbols, for the reason given in training/blas.cpp.
extern "C" {
void sgemv_(const char* trans, const int* m, const int* n, const float* alpha, const float* a, const int* lda,
            const float* x, const int* incx, const float* beta, float* y, const int* incy, std::size_t);
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            std::size_t, std::size_t);
}

namespace samara::desk {

const char* const blas_name = SAMARA_BLAS;

void use_one_blas_thread()
{
    // What has no call for it reads the environment at its first product.
    for (const char* const variable : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) {
        ::setenv(variable, "1", 1);
    }
    set_blas_threads(1);
}

// Fortran goes down columns, so it sees our matrices transposed.
void multiply_sample(const StoredMatrix& matrix, const float* sample, float* results)
{
    const int rows = static_cast<int>(matrix.rows);
    const int inputs = static_cast<int>(matrix.inputs);
    const int step = 1;
    const float one = 1.0f;
    const float zero = 0.0f;
    sgemv_("T", &inputs, &rows, &one, matrix.weights, &inputs, sample, &step, &zero, results, &step, 1);
}

void multiply_samples(const StoredMatrix& matrix, const float* samples, std::size_t count, float* results)
{
    const int rows = static_cast<int>(matrix.rows);
    const int inputs = static_cast<int>(matrix.inputs);
    const int columns = static_cast<int>(count);
    const float one = 1.0f;
    const float zero = 0.0f;
    sgemm_("T", "N", &rows, &columns, &inputs, &one, matrix.weights, &inputs, samples, &inputs, &zero, results, &rows,
           1, 1);
}

} // namespace samara::desk
