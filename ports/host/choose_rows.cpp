#include "ports/host/choose_rows.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "ports/host/blas.hpp"
#include "ports/host/error.hpp"
#include "ports/host/progress.hpp"
#include "ports/host/ridge.hpp"

namespace samara::desk {
namespace {

// Of the rows that are left, in one step.
constexpr double dropped_share = 0.15;

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

} // namespace

std::vector<std::vector<std::uint32_t>> columns_of_rows(const MapSpec& spec)
{
    return std::visit(
        [](const auto& s) {
            const std::uint32_t rows = row_count(s), width = features_per_row(s), per_block = block_rows(s.rows, s.inputs);
            std::vector<std::vector<std::uint32_t>> columns(rows);
            for (std::uint32_t row = 0; row < rows; ++row) {
                const std::uint32_t block_first = row / per_block * per_block;
                const std::uint32_t in_block = std::min(per_block, rows - block_first);
                const std::uint32_t start =
                    samara::detail::exact_features(s.orders, s.inputs) + block_first * width + (row - block_first);
                for (std::uint32_t part = 0; part < width; ++part) {
                    columns[row].push_back(start + part * in_block);
                }
            }
            return columns;
        },
        spec);
}

std::vector<std::uint16_t> choose_rows(const MapSpec& spec, const NormalEquations& equations, double ridge, Task task,
                                       std::size_t keep)
{
    const std::vector<std::vector<std::uint32_t>> columns = columns_of_rows(spec);
    std::vector<std::uint32_t> rows(columns.size());
    std::iota(rows.begin(), rows.end(), 0u);
    std::vector<bool> random(equations.gram.rows);
    for (const auto& row : columns) {
        for (const std::uint32_t column : row) {
            random[column] = true;
        }
    }
    std::vector<std::uint32_t> exact;
    for (std::uint32_t column = 0; column < random.size(); ++column) {
        if (!random[column]) {
            exact.push_back(column);
        }
    }
    std::vector<double> scale;
    for (const double energy : equations.y_energy) {
        scale.push_back(task == Task::regress && energy > 0.0 ? 1.0 / energy : 1.0);
    }
    Progress progress("choosing rows", rows.size() - keep);
    while (rows.size() > keep) {
        std::vector<std::uint32_t> left = exact;
        std::vector<std::vector<std::size_t>> places;
        for (const std::uint32_t row : rows) {
            std::vector<std::size_t> at;
            for (const std::uint32_t column : columns[row]) {
                at.push_back(left.size());
                left.push_back(column);
            }
            places.push_back(std::move(at));
        }
        MatrixD matrix(left.size(), left.size()), weights(equations.cross.rows, left.size());
        for (std::size_t i = 0; i < left.size(); ++i) {
            for (std::size_t j = 0; j < left.size(); ++j) {
                matrix.row(i)[j] = equations.gram.row(left[i])[left[j]];
            }
            matrix.row(i)[i] += equations.count * ridge;
            for (std::size_t k = 0; k < weights.rows; ++k) {
                weights.row(k)[i] = equations.cross.row(k)[left[i]];
            }
        }
        if (!factor(matrix)) {
            refuse_ridge(ridge);
        }
        solve_factored(matrix, weights);
        invert_factored(matrix);
        std::vector<std::pair<double, std::uint32_t>> ranking;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            double sum = 0.0;
            for (std::size_t k = 0; k < weights.rows; ++k) {
                sum += scale[k] * worth(matrix, weights, k, places[i]);
            }
            ranking.emplace_back(sum, rows[i]);
        }
        const auto share = static_cast<std::size_t>(dropped_share * static_cast<double>(rows.size()));
        const std::size_t dropped = std::min(rows.size() - keep, std::max<std::size_t>(1, share));
        std::sort(ranking.begin(), ranking.end());
        rows.clear();
        for (std::size_t i = dropped; i < ranking.size(); ++i) {
            rows.push_back(ranking[i].second);
        }
        std::sort(rows.begin(), rows.end());
        progress.advance(dropped);
    }
    return {rows.begin(), rows.end()};
}

} // namespace samara::desk
