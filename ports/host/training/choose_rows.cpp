#include "ports/host/training/choose_rows.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "ports/host/text/error.hpp"
#include "ports/host/text/progress.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::desk {
namespace {

// How many of the rows that are left are dropped in one step.
constexpr double dropped_share = 0.15;
// The same within an exchange, which drops few and can take more care.
constexpr double exchange_share = 0.02;

// The least ridge, over the spread of the features: sums in float are no more exact than that.
constexpr double least_ridge = 1e-7;

// Rows are exchanged where there are this many rows of data for each row that is kept; an exchange that raises the
// gain by less than this share of it is the last.
constexpr double data_rows_per_kept_row = 8.0;
constexpr std::size_t most_exchanges = 40;
constexpr double least_exchange_gain = 1e-5;

// What the objective loses with one row: W_B (G^-1_BB)^-1 W_B', B its one or two columns.
double worth(const MatrixD& inverse, const MatrixD& weights, std::size_t output, const std::vector<std::size_t>& at)
{
    const double first = weights.row(output)[at[0]];
    const double a = inverse.row(at[0])[at[0]];
    if (at.size() == 1) {
        return first * first / a;
    }
    const double second = weights.row(output)[at[1]];
    const double b = inverse.row(std::min(at[0], at[1]))[std::max(at[0], at[1])], d = inverse.row(at[1])[at[1]];
    return (d * first * first - 2.0 * b * first * second + a * second * second) / (a * d - b * b);
}

class RowChooser {
public:
    RowChooser(const MapSpec& spec, const NormalEquations& equations, double ridge, Task task)
        : equations_(equations), ridge_(equations.count * std::max(ridge, least_ridge * equations.spread())),
          columns_(columns_of_rows(spec))
    {
        std::vector<bool> random(equations.gram.rows);
        for (const auto& row : columns_) {
            for (const std::uint32_t column : row) {
                random[column] = true;
            }
        }
        for (std::uint32_t column = 0; column < random.size(); ++column) {
            if (!random[column]) {
                exact_.push_back(column);
            }
        }
        for (const double energy : equations.y_energy) {
            scale_.push_back(task == Task::regress && energy > 0.0 ? 1.0 / energy : 1.0);
        }
    }

    std::size_t count() const { return columns_.size(); }

    // Leaves out those that add least until `keep` are left, a share of them at a time.
    void prune(std::vector<std::uint32_t>& rows, std::size_t keep, double share, Progress* progress) const
    {
        while (rows.size() > keep) {
            const Fit fit = fitted(rows, true);
            std::vector<std::pair<double, std::uint32_t>> ranking;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                double sum = 0.0;
                for (std::size_t k = 0; k < scale_.size(); ++k) {
                    sum += scale_[k] * worth(fit.inverse, fit.weights, k, fit.indices[i]);
                }
                ranking.emplace_back(sum, rows[i]);
            }
            const auto wanted = static_cast<std::size_t>(share * static_cast<double>(rows.size()));
            const std::size_t dropped = std::min(rows.size() - keep, std::max<std::size_t>(1, wanted));
            std::sort(ranking.begin(), ranking.end());
            rows.clear();
            for (std::size_t i = dropped; i < ranking.size(); ++i) {
                rows.push_back(ranking[i].second);
            }
            std::sort(rows.begin(), rows.end());
            if (progress != nullptr) {
                progress->advance(dropped);
            }
        }
    }

    // Adds the `more` rows that would each by itself take most off the objective.
    void grow(std::vector<std::uint32_t>& rows, std::size_t more) const
    {
        const Fit fit = fitted(rows, false);
        std::vector<bool> inside(columns_.size());
        for (const std::uint32_t row : rows) {
            inside[row] = true;
        }
        std::vector<std::uint32_t> others;
        for (std::uint32_t row = 0; row < columns_.size(); ++row) {
            if (!inside[row]) {
                others.push_back(row);
            }
        }
        std::vector<std::uint32_t> candidates;
        for (const std::uint32_t row : others) {
            candidates.insert(candidates.end(), columns_[row].begin(), columns_[row].end());
        }
        const auto gram = view(equations_.gram), cross = view(equations_.cross);
        const MatrixD between = evaluated(gram(candidates, fit.columns));
        MatrixD solved = between;
        solve_factored(fit.factored, solved);
        // Of each candidate column what the fitted ones leave of its square, and of its products with the outputs.
        const Eigen::ArrayXd left = (gram.diagonal()(candidates).array() + ridge_) -
                                    view(between).cwiseProduct(view(solved)).rowwise().sum().array();
        const MatrixD fitted_cross = multiply_transposed(fit.weights, between);
        const Eigen::ArrayXXd residuals = columns_of(cross, candidates) - view(fitted_cross);
        const Eigen::ArrayXd gains =
            (residuals.square().colwise() * view(scale_).array()).colwise().sum().transpose() / left.max(ridge_);
        std::vector<std::pair<double, std::uint32_t>> ranking;
        const auto width = static_cast<Eigen::Index>(columns_.front().size());
        for (std::size_t i = 0; i < others.size(); ++i) {
            // A cosine and a sine are nearly uncorrelated: their gains add up well enough to rank by.
            const double gain = gains.segment(static_cast<Eigen::Index>(i) * width, width).sum();
            ranking.emplace_back(-gain, others[i]);
        }
        std::sort(ranking.begin(), ranking.end());
        for (std::size_t i = 0; i < std::min(more, ranking.size()); ++i) {
            rows.push_back(ranking[i].second);
        }
        std::sort(rows.begin(), rows.end());
    }

    // What these rows take off the objective.
    double gain(const std::vector<std::uint32_t>& rows) const
    {
        const Fit fit = fitted(rows, false);
        const auto cross = columns_of(view(equations_.cross), fit.columns);
        return view(scale_).dot(view(fit.weights).cwiseProduct(cross).rowwise().sum());
    }

private:
    struct Fit {
        std::vector<std::uint32_t> columns;
        std::vector<std::vector<std::size_t>> indices; // of each row's columns, among `columns`
        MatrixD factored, inverse, weights;
    };

    Fit fitted(const std::vector<std::uint32_t>& rows, bool with_inverse) const
    {
        Fit fit;
        fit.columns = exact_;
        for (const std::uint32_t row : rows) {
            std::vector<std::size_t> at;
            for (const std::uint32_t column : columns_[row]) {
                at.push_back(fit.columns.size());
                fit.columns.push_back(column);
            }
            fit.indices.push_back(std::move(at));
        }
        MatrixD matrix = evaluated(view(equations_.gram)(fit.columns, fit.columns));
        view(matrix).diagonal().array() += ridge_;
        fit.weights = evaluated(columns_of(view(equations_.cross), fit.columns));
        if (!factor(matrix)) {
            refuse_ridge(ridge_ / equations_.count);
        }
        solve_factored(matrix, fit.weights);
        if (with_inverse) {
            fit.inverse = matrix;
            invert_factored(fit.inverse);
        }
        fit.factored = std::move(matrix);
        return fit;
    }

    const NormalEquations& equations_;
    double ridge_;
    std::vector<std::vector<std::uint32_t>> columns_;
    std::vector<std::uint32_t> exact_;
    std::vector<double> scale_; // of each output
};

} // namespace

std::vector<std::vector<std::uint32_t>> columns_of_rows(const MapSpec& spec)
{
    return std::visit(
        [](const auto& s) {
            std::vector<std::vector<std::uint32_t>> columns(row_count(s));
            using Spec = std::remove_cvref_t<decltype(s)>;
            if constexpr (BlockSpec<Spec>) {
                const std::uint32_t rows = row_count(s), width = features_per_row(s),
                                    per_block = Map<Spec>::block_rows(s);
                for (std::uint32_t row = 0; row < rows; ++row) {
                    const std::uint32_t block_first = row / per_block * per_block;
                    const std::uint32_t in_block = std::min(per_block, rows - block_first);
                    const std::uint32_t start = exact_features(s) + block_first * width + (row - block_first);
                    for (std::uint32_t part = 0; part < width; ++part) {
                        columns[row].push_back(start + part * in_block);
                    }
                }
            }
            return columns;
        },
        spec);
}

bool enough_data_to_exchange(double rows, std::size_t keep)
{
    return rows >= data_rows_per_kept_row * static_cast<double>(keep);
}

std::vector<std::uint16_t> choose_rows(const MapSpec& spec, const NormalEquations& equations, double ridge, Task task,
                                       std::size_t keep)
{
    const RowChooser chooser(spec, equations, ridge, task);
    std::vector<std::uint32_t> rows(chooser.count());
    std::iota(rows.begin(), rows.end(), 0u);
    {
        Progress progress("choosing rows", rows.size() - keep);
        chooser.prune(rows, keep, dropped_share, &progress);
    }
    // What was left out early may be missed now: a few are taken back, and as many others go, while that pays.
    // Where data are scarce, the closest fit to them is not the best model.
    if (!enough_data_to_exchange(equations.count, keep)) {
        return {rows.begin(), rows.end()};
    }
    double best = chooser.gain(rows);
    Progress progress("exchanging rows", most_exchanges);
    for (std::size_t round = 0; round < most_exchanges && keep < chooser.count(); ++round) {
        std::vector<std::uint32_t> other = rows;
        chooser.grow(other, std::max<std::size_t>(1, keep / 8));
        chooser.prune(other, keep, exchange_share, nullptr);
        const double gain = chooser.gain(other);
        if (!(gain > best * (1.0 + least_exchange_gain))) {
            break;
        }
        best = gain;
        rows = std::move(other);
        progress.advance();
    }
    return {rows.begin(), rows.end()};
}

} // namespace samara::desk
