#include "ports/host/training/normal_equations.hpp"

#include <algorithm>
#include <utility>

#include "ports/host/training/blas.hpp"

namespace samara::desk {
namespace {

// Floats keep 24 bits: of sums longer than this the last ones are lost.
constexpr std::size_t rows_in_float = 16384;

void add_values(std::vector<double>& sum, const std::vector<double>& part, double sign)
{
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += sign * part[i];
    }
}

void combine(Moments& sum, const Moments& part, double sign)
{
    sum.count += sign * part.count;
    add_values(sum.z_sum, part.z_sum, sign);
    add_values(sum.y_sum, part.y_sum, sign);
    add_values(sum.y_squares, part.y_squares, sign);
    add_values(sum.gram.values, part.gram.values, sign);
    add_values(sum.cross.values, part.cross.values, sign);
}

void move_into(MatrixD& sum, MatrixF& part)
{
    for (std::size_t i = 0; i < sum.values.size(); ++i) {
        sum.values[i] += static_cast<double>(part.values[i]);
        part.values[i] = 0.0f;
    }
}

void mirror(MatrixD& matrix)
{
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            matrix.row(i)[j] = matrix.row(j)[i];
        }
    }
}

} // namespace

Origin origin_of(const FeatureStage& stage, const RowSet& rows)
{
    Origin origin;
    const std::size_t outputs = rows.y().outputs();
    std::vector<double> sum(outputs);
    std::vector<float> y(outputs);
    const std::vector<std::size_t> numbers = rows.numbers();
    for (const std::size_t row : numbers) {
        rows.y().encode(row, y.data());
        for (std::size_t k = 0; k < outputs; ++k) {
            sum[k] += static_cast<double>(y[k]);
        }
    }
    for (const double value : sum) {
        origin.y.push_back(static_cast<float>(value / static_cast<double>(numbers.size())));
    }
    constexpr std::size_t enough = 256;
    const MatrixF z = stage.all(rows.sample(enough));
    std::vector<double> mean(z.cols);
    for (std::size_t i = 0; i < z.rows; ++i) {
        for (std::size_t j = 0; j < z.cols; ++j) {
            mean[j] += static_cast<double>(z.row(i)[j]);
        }
    }
    for (const double value : mean) {
        origin.z.push_back(static_cast<float>(value / static_cast<double>(z.rows)));
    }
    return origin;
}

Moments accumulate(const FeatureStage& stage, const RowSet& rows, const Origin& origin, const std::string& label)
{
    const std::size_t features = stage.features();
    const std::size_t outputs = rows.y().outputs();
    Moments moments;
    moments.z_sum.resize(features);
    moments.y_sum.resize(outputs);
    moments.y_squares.resize(outputs);
    moments.gram = MatrixD(features, features);
    moments.cross = MatrixD(outputs, features);
    MatrixF gram(features, features), cross(outputs, features);
    MatrixF y(stage.block_rows(), outputs);
    std::size_t pending = 0;
    stage.in_blocks(rows, label, origin.z, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            rows.y().encode(numbers[i], y.row(i));
            for (std::size_t k = 0; k < outputs; ++k) {
                y.row(i)[k] -= origin.y[k];
                const auto value = static_cast<double>(y.row(i)[k]);
                moments.y_sum[k] += value;
                moments.y_squares[k] += value * value;
            }
            const float* const row = z.row(i);
            for (std::size_t j = 0; j < features; ++j) {
                moments.z_sum[j] += static_cast<double>(row[j]);
            }
        }
        add_gram(z, numbers.size(), gram);
        add_product(y, z, numbers.size(), 1.0f, cross);
        moments.count += static_cast<double>(numbers.size());
        pending += numbers.size();
        if (pending >= rows_in_float) {
            move_into(moments.gram, gram);
            move_into(moments.cross, cross);
            pending = 0;
        }
    });
    move_into(moments.gram, gram);
    move_into(moments.cross, cross);
    mirror(moments.gram);
    return moments;
}

void add(Moments& sum, const Moments& part) { combine(sum, part, 1.0); }
void subtract(Moments& sum, const Moments& part) { combine(sum, part, -1.0); }

double NormalEquations::spread() const
{
    double trace = 0.0;
    for (std::size_t i = 0; i < gram.rows; ++i) {
        trace += gram.row(i)[i];
    }
    return trace / count;
}

NormalEquations centred(Moments moments)
{
    NormalEquations equations;
    const double n = moments.count;
    equations.count = n;
    equations.z_mean = std::move(moments.z_sum);
    equations.y_mean = std::move(moments.y_sum);
    equations.y_energy = std::move(moments.y_squares);
    equations.gram = std::move(moments.gram);
    equations.cross = std::move(moments.cross);
    for (double& value : equations.z_mean) {
        value /= n;
    }
    for (std::size_t k = 0; k < equations.y_mean.size(); ++k) {
        equations.y_mean[k] /= n;
        equations.y_energy[k] -= n * equations.y_mean[k] * equations.y_mean[k];
    }
    const std::vector<double>& mean = equations.z_mean;
    for (std::size_t i = 0; i < mean.size(); ++i) {
        double* const row = equations.gram.row(i);
        for (std::size_t j = 0; j < mean.size(); ++j) {
            row[j] -= n * mean[i] * mean[j];
        }
    }
    for (std::size_t k = 0; k < equations.y_mean.size(); ++k) {
        for (std::size_t j = 0; j < mean.size(); ++j) {
            equations.cross.row(k)[j] -= n * equations.y_mean[k] * mean[j];
        }
    }
    return equations;
}

MatrixD solve(const NormalEquations& equations, double ridge)
{
    MatrixD matrix = equations.gram;
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        matrix.row(i)[i] += equations.count * ridge;
    }
    if (!factor(matrix)) {
        return {};
    }
    MatrixD weights = equations.cross;
    solve_factored(matrix, weights);
    return weights;
}

std::vector<double> squared_errors(const NormalEquations& trained, const MatrixD& weights, const Moments& other)
{
    const std::vector<double>& z_mean = trained.z_mean;
    const MatrixD product = multiply(weights, other.gram);
    std::vector<double> errors(weights.rows);
    for (std::size_t k = 0; k < weights.rows; ++k) {
        const double* const w = weights.row(k);
        double w_mean = 0.0, w_sum = 0.0, w_cross = 0.0, w_gram = 0.0;
        for (std::size_t j = 0; j < z_mean.size(); ++j) {
            w_mean += w[j] * z_mean[j];
            w_sum += w[j] * other.z_sum[j];
            w_cross += w[j] * other.cross.row(k)[j];
            w_gram += w[j] * product.row(k)[j];
        }
        // A row's error is (y - y_mean) - (w z - w z_mean) = y - w z - constant.
        const double constant = trained.y_mean[k] - w_mean;
        errors[k] = other.y_squares[k] - 2.0 * w_cross + w_gram - 2.0 * constant * (other.y_sum[k] - w_sum) +
                    other.count * constant * constant;
    }
    return errors;
}

std::vector<double> intercepts(const std::vector<double>& z_mean, const std::vector<double>& y_mean,
                               const Origin& origin, const MatrixD& weights)
{
    std::vector<double> bias;
    for (std::size_t k = 0; k < weights.rows; ++k) {
        double value = y_mean[k] + static_cast<double>(origin.y[k]);
        for (std::size_t j = 0; j < weights.cols; ++j) {
            value -= weights.row(k)[j] * (z_mean[j] + static_cast<double>(origin.z[j]));
        }
        bias.push_back(value);
    }
    return bias;
}

} // namespace samara::desk
