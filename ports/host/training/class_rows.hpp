// Rows of features with a class each, as a fit of classes goes through them again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

class ClassRows {
public:
    ClassRows() = default;
    ClassRows(const ClassRows&) = delete;
    ClassRows& operator=(const ClassRows&) = delete;
    virtual ~ClassRows() = default;

    virtual std::size_t rows() const = 0;
    virtual std::size_t features() const = 0;
    // Calls `body` with all rows in order, a block at a time: the first `count` rows of z are those from `first` on.
    virtual void
    in_blocks(const std::function<void(const MatrixF& z, std::size_t first, std::size_t count)>& body) const = 0;
};

// Those of a matrix, which must stay as long as this is used.
class MatrixRows : public ClassRows {
public:
    explicit MatrixRows(const MatrixF& z) : z_(&z) {}

    std::size_t rows() const override { return z_->rows; }
    std::size_t features() const override { return z_->cols; }
    void in_blocks(const std::function<void(const MatrixF&, std::size_t, std::size_t)>& body) const override
    {
        body(*z_, 0, z_->rows);
    }

private:
    const MatrixF* z_;
};

// What of each output a linear readout says: scores = z weights' + bias.
struct LinearReadout {
    MatrixD weights; // an output a row
    std::vector<double> bias;
};

// The losses of a row whose scores are f and whose class is c:
//   logistic: log(sum over k of exp(f_k)) - f_c
//   hinge:    the sum over k of max(0, 1 - s_k f_k)^2, where s_k is 1 for k = c, else -1
enum class ClassLoss : std::uint8_t { logistic, hinge };

// The loss, and its derivatives in place of the scores.
double replace_by_derivatives(ClassLoss loss, float* scores, std::size_t outputs, std::size_t wanted);

// Sums over rows, each as often as its weight says, and their derivatives.
struct ClassSums {
    double loss = 0.0, squares = 0.0; // squares: of the derivatives by the scores
    MatrixD weights;                  // derivatives by the weights, an output a row
    std::vector<double> bias;
};

// The same bits for any number of threads. `weights` has a number a row; rows of weight 0 cost less, but not nothing.
ClassSums class_sums(const ClassRows& rows, const std::vector<std::uint32_t>& classes,
                     const std::vector<float>& weights, ClassLoss loss, const LinearReadout& readout, unsigned threads);

// The scores of all rows.
MatrixF scores_of_rows(const ClassRows& rows, const LinearReadout& readout, unsigned threads);

} // namespace samara::desk
