#include "ports/host/training/scale_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <variant>

#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"
#include "ports/host/training/ridge.hpp"
#include "ports/host/training/scaling.hpp"
#include "ports/host/training/whole_inputs.hpp"

namespace samara::desk {
namespace {

using Index = Eigen::Index;

constexpr std::size_t most_rows = 8000;   // that steps draw from
constexpr std::size_t most_in_half = 256; // rows of a half batch
constexpr std::size_t features = 256;     // of a step
constexpr int steps = 120;
constexpr int averaged_steps = 30; // the last ones
constexpr double first_rate = 0.1, last_rate = 0.02;
constexpr double shrinking = 0.5;
constexpr double first_ridge = 1e-2; // over the mean variance of the features; it is learned, too

// What a step is taken with: Adam on the logarithms.
class Adam {
public:
    explicit Adam(std::size_t count)
        : mean_(Eigen::ArrayXd::Zero(static_cast<Index>(count))),
          square_(Eigen::ArrayXd::Zero(static_cast<Index>(count)))
    {}

    Eigen::ArrayXd step(const Eigen::ArrayXd& gradient, double rate)
    {
        constexpr double of_mean = 0.9, of_square = 0.99, least = 1e-12;
        ++count_;
        mean_ = of_mean * mean_ + (1.0 - of_mean) * gradient;
        square_ = of_square * square_ + (1.0 - of_square) * gradient.square();
        const Eigen::ArrayXd mean = mean_ / (1.0 - std::pow(of_mean, count_));
        const Eigen::ArrayXd square = square_ / (1.0 - std::pow(of_square, count_));
        return rate * mean / (square.sqrt() + least);
    }

private:
    Eigen::ArrayXd mean_, square_;
    int count_ = 0;
};

// Features of a batch and how they change: both kinds have products u = <w, x> and a function of these.
struct Waves {
    double bandwidth;

    std::size_t rows() const { return features / 2; }
    void finish_row(float* w, std::size_t inputs) const
    {
        for (std::size_t i = 0; i < inputs; ++i) {
            w[i] /= static_cast<float>(bandwidth);
        }
    }
    MatrixF of(const MatrixF& u) const
    {
        MatrixF z(u.rows, 2 * u.cols);
        const auto width = static_cast<Index>(u.cols);
        view(z).leftCols(width) = view(u).array().cos();
        view(z).rightCols(width) = view(u).array().sin();
        return z;
    }
    // Of the loss by u, from that by z.
    MatrixF back(const MatrixF&, const MatrixF& z, const MatrixF& by_z) const
    {
        const auto width = static_cast<Index>(z.cols / 2);
        return evaluated((view(by_z).rightCols(width).array() * view(z).leftCols(width).array() -
                          view(by_z).leftCols(width).array() * view(z).rightCols(width).array())
                             .matrix());
    }
};

struct Relus {
    bool even; // |u|

    std::size_t rows() const { return features; }
    void finish_row(float* w, std::size_t inputs) const
    {
        double length = 0.0;
        for (std::size_t i = 0; i < inputs; ++i) {
            length += static_cast<double>(w[i]) * static_cast<double>(w[i]);
        }
        for (std::size_t i = 0; i < inputs; ++i) {
            w[i] = static_cast<float>(static_cast<double>(w[i]) / std::sqrt(length));
        }
    }
    MatrixF of(const MatrixF& u) const
    {
        return even ? evaluated(view(u).cwiseAbs()) : evaluated(view(u).cwiseMax(0.0f));
    }
    MatrixF back(const MatrixF& u, const MatrixF&, const MatrixF& by_z) const
    {
        const float below = even ? -1.0f : 0.0f;
        return evaluated((view(u).array() > 0.0f).select(view(by_z).array(), below * view(by_z).array()).matrix());
    }
};

// What the second half loses by the readout of the first, as derivatives by all features and by the ridge's logarithm.
struct Slopes {
    MatrixF by_features;
    double by_log_ridge = 0.0;
};

// z: first the rows of one half, then those of the other; y: the same rows, an output a column; counts: how often each
// of them counts.
Slopes slopes_of(const MatrixF& z, const MatrixD& y, const Eigen::ArrayXf& counts, std::size_t half, double log_ridge)
{
    const auto n = static_cast<Index>(half);
    // Around the fitted half's mean, and each row times the root of its weight.
    const Eigen::ArrayXf shares = counts.head(n) / std::max(counts.head(n).sum(), 1e-30f), roots = counts.sqrt();
    const Eigen::RowVectorXf mean = shares.matrix().transpose() * view(z).topRows(n);
    const Eigen::RowVectorXd y_mean = shares.matrix().cast<double>().transpose() * view(y).topRows(n);
    const auto around = [&](const auto& rows, const auto& centre, const auto& by) {
        return evaluated((by.matrix().asDiagonal() * (rows.rowwise() - centre).template cast<float>().matrix()).eval());
    };
    MatrixF fitted = around(view(z).topRows(n), mean, roots.head(n));
    MatrixF judged = around(view(z).bottomRows(n), mean, roots.tail(n));
    const MatrixF y_fitted = around(view(y).topRows(n), y_mean, roots.head(n));
    const MatrixF y_judged = around(view(y).bottomRows(n), y_mean, roots.tail(n));
    const std::size_t width = z.cols, outputs = y.cols;

    MatrixF gram(width, width), cross(outputs, width);
    add_product(fitted, fitted, half, 0.0f, gram);
    add_product(y_fitted, fitted, half, 0.0f, cross);
    MatrixD matrix = evaluated(view(gram).cast<double>());
    // Not less than what sums in float can tell from nothing.
    const double unit = std::max(view(matrix).trace() / static_cast<double>(width), 1e-30);
    const double ridge = unit * std::exp(log_ridge);
    view(matrix).diagonal().array() += ridge;
    Slopes slopes;
    slopes.by_features = MatrixF(z.rows, z.cols);
    if (!factor(matrix)) {
        return slopes;
    }
    MatrixD weights = evaluated(view(cross).cast<double>());
    solve_factored(matrix, weights);
    const MatrixF w = evaluated(view(weights).cast<float>());
    const MatrixF w_by_feature = evaluated(view(w).transpose());

    const double scale =
        1.0 / (static_cast<double>(view(y_fitted).squaredNorm() + view(y_judged).squaredNorm()) + 1e-30);
    MatrixF error(half, outputs), left(half, outputs);
    multiply_transposed(judged, half, w, error);
    view(error) = (view(error) - view(y_judged)) * static_cast<float>(scale);
    multiply_transposed(fitted, half, w, left);
    view(left) = view(y_fitted) - view(left);
    // By the readout, and through the equations that it solves.
    MatrixF by_weights(outputs, width);
    add_product(error, judged, half, 0.0f, by_weights);
    MatrixD adjoint = evaluated(view(by_weights).cast<double>());
    solve_factored(matrix, adjoint);
    const MatrixF v = evaluated(view(adjoint).cast<float>());
    const MatrixF v_by_feature = evaluated(view(v).transpose());
    MatrixF along(half, outputs), part(half, width), by_fitted(half, width);
    multiply_transposed(fitted, half, v, along);
    multiply_transposed(left, half, v_by_feature, by_fitted);
    multiply_transposed(along, half, w_by_feature, part);
    view(by_fitted) -= view(part);
    multiply_transposed(error, half, w_by_feature, part);
    view(by_fitted) = roots.head(n).matrix().asDiagonal() * view(by_fitted);
    view(part) = roots.tail(n).matrix().asDiagonal() * view(part);
    // All features are taken around the fitted half's mean.
    const Eigen::RowVectorXf by_mean = view(by_fitted).colwise().sum() + view(part).colwise().sum();
    view(slopes.by_features).topRows(n) = view(by_fitted) - shares.matrix() * by_mean;
    view(slopes.by_features).bottomRows(n) = view(part);
    slopes.by_log_ridge = -ridge * view(adjoint).cwiseProduct(view(weights)).sum();
    return slopes;
}

template <class Kind>
std::vector<float> learned(const Kind& kind, const MatrixF& x, const MatrixD& y, const std::vector<float>& weights,
                           std::uint64_t seed)
{
    const OneBlasThread alone(true); // a step is a few small products
    std::mt19937_64 engine(seed);
    const auto uniform = [&] { return (static_cast<double>(engine() >> 11u) + 0.5) * 0x1p-53; };
    const auto normal = [&] { return std::sqrt(-2.0 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); };
    const std::size_t inputs = x.cols, half = std::min(most_in_half, x.rows / 2);
    std::vector<std::size_t> order(x.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    // The logarithms of the factors, and that of the ridge.
    Eigen::ArrayXd logs = Eigen::ArrayXd::Zero(static_cast<Index>(inputs) + 1), sum = logs;
    logs[static_cast<Index>(inputs)] = std::log(first_ridge);
    Adam adam(inputs + 1);
    MatrixF batch(2 * half, inputs), rows(kind.rows(), inputs), products(2 * half, kind.rows());
    MatrixD wanted(2 * half, y.rows);
    MatrixF by_inputs(2 * half, inputs);
    Eigen::ArrayXf counts(static_cast<Index>(2 * half));
    for (int step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < 2 * half; ++i) {
            std::swap(order[i], order[i + static_cast<std::size_t>(engine() % (order.size() - i))]);
            counts[static_cast<Index>(i)] = weights[order[i]];
            view(wanted).row(static_cast<Index>(i)) = view(y).col(static_cast<Index>(order[i])).transpose();
            for (std::size_t j = 0; j < inputs; ++j) {
                batch.row(i)[j] = x.row(order[i])[j] * static_cast<float>(std::exp(logs[static_cast<Index>(j)]));
            }
        }
        for (std::size_t row = 0; row < rows.rows; ++row) {
            std::generate_n(rows.row(row), inputs, [&] { return static_cast<float>(normal()); });
            kind.finish_row(rows.row(row), inputs);
        }
        multiply_transposed(batch, batch.rows, rows, products);
        const MatrixF z = kind.of(products);
        const Slopes slopes = slopes_of(z, wanted, counts, half, logs[static_cast<Index>(inputs)]);
        const MatrixF by_products = kind.back(products, z, slopes.by_features);
        multiply_transposed(by_products, by_products.rows, evaluated(view(rows).transpose()), by_inputs);
        Eigen::ArrayXd gradient(logs.size());
        gradient.head(static_cast<Index>(inputs)) =
            view(by_inputs).cwiseProduct(view(batch)).template cast<double>().colwise().sum().transpose().array();
        gradient[static_cast<Index>(inputs)] = slopes.by_log_ridge;
        const double rate = first_rate + (last_rate - first_rate) * step / (steps - 1);
        logs -= adam.step(gradient, rate);
        if (step >= steps - averaged_steps) {
            sum += logs;
        }
    }
    Eigen::ArrayXd found = shrinking * sum.head(static_cast<Index>(inputs)) / averaged_steps;
    if constexpr (std::is_same_v<Kind, Relus>) {
        found -= found.mean();
    }
    return evaluated_vector(found.exp().cast<float>());
}

} // namespace

bool can_fit_scales(const MapSpec& map)
{
    if (const auto* const rff = std::get_if<RffSpec>(&map)) {
        return rff->kernel == Kernel::gaussian && rff->numbers == Numbers::float32;
    }
    const auto* const arccos = std::get_if<ArcCosSpec>(&map);
    return arccos != nullptr && arccos->order == 1;
}

std::vector<float> fit_scales(const MapSpec& map, const Scaling& scaling, const RowSet& rows, std::uint64_t seed)
{
    const RowSet some = rows.sample(most_rows);
    MatrixF x = some.inputs();
    require_usable(scaling, x, some.numbers(), some.x().name());
    apply_scaling(scaling, x.values.data(), x.rows, x.cols);
    MatrixD y = encoded_outputs(some);
    view(y).colwise() -= view(y).rowwise().mean().eval();
    if (some.y().task == Task::regress) {
        const Eigen::ArrayXd spread = view(y).rowwise().squaredNorm().array() / static_cast<double>(y.cols);
        view(y).array().colwise() *= (spread > 0.0).select(spread.max(1e-300).rsqrt(), 0.0);
    }
    std::vector<float> weights;
    for (const std::size_t row : some.numbers()) {
        weights.push_back(static_cast<float>(some.y().weight(row)));
    }
    if (const auto* const rff = std::get_if<RffSpec>(&map)) {
        return learned(Waves{static_cast<double>(rff->bandwidth)}, x, y, weights, seed);
    }
    return learned(Relus{std::get<ArcCosSpec>(map).orders == Orders::even}, x, y, weights, seed);
}

Scaling with_factors(Scaling scaling, const std::vector<float>& factors)
{
    if (!scaling.whole.empty()) {
        return with_whole_factors(scaling, factors);
    }
    if (scaling.shift.empty()) {
        scaling.shift.assign(factors.size(), 0.0f);
        scaling.factor = factors;
        return scaling;
    }
    // One number for each channel becomes one for each input, because factors differ within a channel.
    const std::vector<float> shift = scaling.shift, factor = scaling.factor, fill = scaling.fill;
    scaling.shift.clear();
    scaling.factor.clear();
    scaling.fill.clear();
    for (std::size_t i = 0; i < factors.size(); ++i) {
        scaling.shift.push_back(shift[i % shift.size()]);
        scaling.factor.push_back(factor[i % factor.size()] * factors[i]);
        if (!fill.empty()) {
            scaling.fill.push_back(fill[i % fill.size()]);
        }
    }
    return scaling;
}

} // namespace samara::desk
