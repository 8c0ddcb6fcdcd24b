#include "ports/host/training/normal_equations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"

namespace samara::desk {
namespace {

// So many rows are summed in float, which has 24 bits: after that their sums are added to those in double.
constexpr std::size_t rows_in_float = 16384;

void combine(Moments& sum, const Moments& part, double sign)
{
    sum.count += sign * part.count;
    view(sum.z_sum) += sign * view(part.z_sum);
    view(sum.y_sum) += sign * view(part.y_sum);
    view(sum.y_squares) += sign * view(part.y_squares);
    view(sum.gram) += sign * view(part.gram);
    view(sum.cross) += sign * view(part.cross);
}

void move_into(MatrixD& sum, MatrixF& part)
{
    view(sum) += view(part).cast<double>();
    view(part).setZero();
}

} // namespace

Origin origin_of(const FeatureStage& stage, const RowSet& rows)
{
    Origin origin;
    const std::size_t outputs = rows.y().outputs();
    const std::vector<std::size_t> numbers = rows.numbers();
    std::vector<float> y(outputs);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(outputs));
    for (const std::size_t row : numbers) {
        rows.y().encode(row, y.data());
        sum += view(y).cast<double>();
    }
    origin.y = evaluated_vector((sum / static_cast<double>(numbers.size())).cast<float>());
    constexpr std::size_t enough = 256;
    const MatrixF z = stage.all(rows.sample(enough));
    origin.z = evaluated_vector(view(z).cast<double>().colwise().mean().cast<float>());
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
    const bool weighted = !rows.y().weights.empty();
    MatrixF scaled; // where rows are weighted: times the roots of their weights
    stage.in_blocks(rows, label, origin.z, [&](const MatrixF& z, const std::vector<std::size_t>& numbers) {
        if (weighted) {
            scaled = z;
        }
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const double weight = rows.y().weight(numbers[i]);
            rows.y().encode(numbers[i], y.row(i));
            view(y).row(row) -= view(origin.y).transpose();
            view(moments.y_sum) += weight * view(y).row(row).transpose().cast<double>();
            view(moments.y_squares) += weight * view(y).row(row).transpose().cast<double>().cwiseAbs2();
            view(moments.z_sum) += weight * view(z).row(row).transpose().cast<double>();
            moments.count += weight;
            if (weighted) {
                const auto root = static_cast<float>(std::sqrt(weight));
                view(scaled).row(row) *= root;
                view(y).row(row) *= root;
            }
        }
        add_gram(weighted ? scaled : z, numbers.size(), gram);
        add_product(y, weighted ? scaled : z, numbers.size(), 1.0f, cross);
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

double NormalEquations::spread() const { return view(gram).trace() / count; }

NormalEquations centred(Moments moments)
{
    const double n = moments.count;
    NormalEquations equations{n,
                              std::move(moments.z_sum),
                              std::move(moments.y_sum),
                              std::move(moments.y_squares),
                              std::move(moments.gram),
                              std::move(moments.cross)};
    auto z_mean = view(equations.z_mean), y_mean = view(equations.y_mean);
    z_mean /= n;
    y_mean /= n;
    view(equations.y_energy) -= n * y_mean.cwiseAbs2();
    view(equations.gram).noalias() -= (n * z_mean) * z_mean.transpose();
    view(equations.cross).noalias() -= (n * y_mean) * z_mean.transpose();
    return equations;
}

MatrixD solve(const NormalEquations& equations, double ridge)
{
    MatrixD matrix = equations.gram;
    view(matrix).diagonal().array() += equations.count * ridge;
    if (!factor(matrix)) {
        return {};
    }
    MatrixD weights = equations.cross;
    solve_factored(matrix, weights);
    return weights;
}

std::vector<double> squared_errors(const NormalEquations& trained, const MatrixD& weights, const Moments& other)
{
    const auto w = view(weights);
    const MatrixD product = multiply(weights, other.gram);
    // A row's error is (y - y_mean) - (w z - w z_mean) = y - w z - constant.
    const Eigen::ArrayXd constant = view(trained.y_mean) - w * view(trained.z_mean);
    const Eigen::ArrayXd crosses = w.cwiseProduct(view(other.cross)).rowwise().sum();
    const Eigen::ArrayXd squares = w.cwiseProduct(view(product)).rowwise().sum();
    const Eigen::ArrayXd sums = view(other.y_sum) - w * view(other.z_sum);
    return evaluated_vector(view(other.y_squares).array() - 2.0 * crosses + squares - 2.0 * constant * sums +
                            other.count * constant.square());
}

std::vector<double> intercepts(const std::vector<double>& z_mean, const std::vector<double>& y_mean,
                               const Origin& origin, const MatrixD& weights)
{
    const Eigen::VectorXd z = view(z_mean) + view(origin.z).cast<double>();
    return evaluated_vector(view(y_mean) + view(origin.y).cast<double>() - view(weights) * z);
}

} // namespace samara::desk
