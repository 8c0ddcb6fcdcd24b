// The few routines of BLAS and LAPACK that training needs, on rows.
#pragma once

#include <cstddef>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// Adds A'A to the upper triangle (of rows) of `gram`, of the first `rows` rows of A.
void add_gram(const MatrixF& a, std::size_t rows, MatrixF& gram);

// C = beta C + A'B over the first `rows` rows of both; C has a row for each column of A.
void add_product(const MatrixF& a, const MatrixF& b, std::size_t rows, float beta, MatrixF& c);

// C = A B' over the first `rows` rows of A; C has at least as many rows.
void multiply_transposed(const MatrixF& a, std::size_t rows, const MatrixF& b, MatrixF& c);

// A B, and A B'.
MatrixD multiply(const MatrixD& a, const MatrixD& b);
MatrixD multiply_transposed(const MatrixD& a, const MatrixD& b);

// AA' in double, of float rows.
MatrixD row_products(const MatrixF& a);

// Cholesky factor in the upper triangle (of rows); false where the matrix is not positive definite.
bool factor(MatrixD& matrix);
// Solves A x = b for each row of `b`, in place, with the factor.
void solve_factored(const MatrixD& factored, MatrixD& b);
// With the factor R'R of A, rows b: solve makes them b with R'x = b, solve_transposed with Rx = b, in place;
// multiply_transposed makes them Rb.
enum class Triangle { solve, solve_transposed, multiply_transposed };
void apply_triangle(const MatrixD& factored, Triangle how, MatrixD& rows);
// The inverse from the factor, in the upper triangle (of rows).
void invert_factored(MatrixD& factored);

// Eigenvalues of a symmetric matrix whose upper triangle (of rows) is given, ascending; row i of the matrix becomes
// the i-th eigenvector.
std::vector<double> eigenvectors(MatrixD& matrix);
// The same values without the vectors.
std::vector<double> eigenvalues(MatrixD matrix);

// How many threads all of these use, in whichever libraries they come from; 0 leaves the libraries' own choice.
void set_blas_threads(unsigned threads);
// What was set last; 0 where nothing was.
unsigned blas_threads();

// So few numbers of features are multiplied by one thread: others would wait for each other most of the time, and where
// other programs keep the processors busy, much longer than that.
inline constexpr std::size_t most_numbers_alone = std::size_t{1} << 19;

// One thread as long as this lives, where it is wanted; then as many as were set before: where nothing was set, one it
// remains.
class OneBlasThread {
public:
    explicit OneBlasThread(bool wanted) : before_(wanted ? blas_threads() : 0)
    {
        if (wanted) {
            set_blas_threads(1);
        }
    }
    OneBlasThread(const OneBlasThread&) = delete;
    OneBlasThread& operator=(const OneBlasThread&) = delete;
    ~OneBlasThread() { set_blas_threads(before_); }

private:
    unsigned before_;
};

} // namespace samara::desk
