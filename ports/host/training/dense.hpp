// Our matrices and vectors in Eigen's formulas. Large products are BLAS's (blas.hpp), because they take its threads.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

template <class T>
using EigenRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using EigenVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

// The same numbers, not a copy: valid as long as the matrix or vector is, and keeps its size.
template <class T>
Eigen::Map<EigenRows<T>> view(Matrix<T>& matrix)
{
    return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.cols)};
}
template <class T>
Eigen::Map<const EigenRows<T>> view(const Matrix<T>& matrix)
{
    return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows), static_cast<Eigen::Index>(matrix.cols)};
}
template <class T>
Eigen::Map<EigenVector<T>> view(std::vector<T>& values)
{
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}
template <class T>
Eigen::Map<const EigenVector<T>> view(const std::vector<T>& values)
{
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// What a formula comes to, as a matrix or a vector of ours.
template <class Formula>
Matrix<typename Formula::Scalar> evaluated(const Eigen::DenseBase<Formula>& formula)
{
    Matrix<typename Formula::Scalar> result(static_cast<std::size_t>(formula.rows()),
                                            static_cast<std::size_t>(formula.cols()));
    view(result) = formula;
    return result;
}
template <class Formula>
std::vector<typename Formula::Scalar> evaluated_vector(const Eigen::DenseBase<Formula>& formula)
{
    std::vector<typename Formula::Scalar> result(static_cast<std::size_t>(formula.size()));
    view(result) = formula;
    return result;
}

// Some columns of a view, in the order of `indices`.
template <class Formula, class Indices>
auto columns_of(const Formula& formula, const Indices& indices)
{
    return formula(Eigen::seqN(Eigen::Index{0}, formula.rows()), indices);
}

// Of a symmetric matrix: copies the upper triangle to the lower one.
inline void mirror(MatrixD& matrix) { view(matrix).triangularView<Eigen::StrictlyLower>() = view(matrix).transpose(); }

// HKH of a symmetric matrix, where H = I - 11'/n: less the means of rows and columns.
inline void centre(MatrixD& kernel)
{
    auto k = view(kernel);
    const Eigen::VectorXd means = k.rowwise().mean();
    k.colwise() -= means;
    k.rowwise() += (means.mean() - means.array()).matrix().transpose();
}

} // namespace samara::desk
