#include "ports/host/training/choose_rows.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "ports/host/training/dense.hpp"
#include "samara/stream.hpp"

namespace samara::desk {
namespace {

// A column that varies less than this share of the others' mean has nothing to tell but rounding.
constexpr double least_variance = 1e-10;

// Of candidates that stand for all of them: their products with anything are known to a tenth or so.
constexpr std::size_t combinations = 128;

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

std::uint32_t rows_of_a_transform(const MapSpec& spec)
{
    return std::visit(
        []<class Spec>(const Spec& s) -> std::uint32_t {
            if constexpr (BlockSpec<Spec> && requires { s.rows; }) {
                return s.rows == Rows::hadamard || s.rows == Rows::fastfood ? Map<Spec>::block_rows(s) : 0;
            } else {
                return 0;
            }
        },
        spec);
}

SelectionProblem selection_problem(const MapSpec& spec, NormalEquations equations, Task task, const Deviations& range)
{
    SelectionProblem problem;
    problem.rows = columns_of_rows(spec);
    const std::uint32_t transform = rows_of_a_transform(spec);
    std::vector<bool> of_row(equations.gram.rows);
    for (std::uint32_t row = 0; row < problem.rows.size(); ++row) {
        problem.blocks.push_back(transform == 0 ? row : row / transform);
        for (const std::uint32_t column : problem.rows[row]) {
            of_row[column] = true;
        }
    }
    for (std::uint32_t column = 0; column < of_row.size(); ++column) {
        if (!of_row[column]) {
            problem.always.push_back(column);
        }
    }
    const double least = least_variance * equations.spread() / static_cast<double>(equations.gram.rows);
    const Eigen::ArrayXd variances = view(equations.gram).diagonal().array() / equations.count;
    Eigen::ArrayXd factors = (variances > least).select(variances.max(least).rsqrt(), 0.0);
    if (range.most > 0.0) {
        const auto alike = variances > range.least * range.least && variances < range.most * range.most;
        factors = 4 * alike.count() >= variances.size() ? alike.select(factors, 0.0).eval() : factors;
    }
    problem.gram = std::move(equations.gram);
    problem.cross = std::move(equations.cross);
    auto gram = view(problem.gram);
    auto cross = view(problem.cross);
    const Eigen::ArrayXd shares = factors / equations.count;
    gram.array().colwise() *= shares;
    gram.array().rowwise() *= factors.transpose();
    cross.array().rowwise() *= shares.transpose();
    for (std::size_t k = 0; k < equations.y_energy.size(); ++k) {
        // Values have their own units; of classes each has its say in proportion to its rows.
        const double energy = equations.y_energy[k] / equations.count;
        if (task == Task::regress && energy > 0.0) {
            cross.row(static_cast<Eigen::Index>(k)) /= std::sqrt(energy);
            problem.energy += 1.0;
        } else {
            problem.energy += energy;
        }
    }
    return problem;
}

void represent_candidates(SelectionProblem& problem, double share, std::uint64_t seed)
{
    const auto gram = view(problem.gram);
    const Eigen::Index columns = gram.rows(), outputs = view(problem.cross).rows();
    Eigen::MatrixXd signs(static_cast<Eigen::Index>(combinations), columns);
    for (Eigen::Index i = 0; i < signs.rows(); ++i) {
        Xoshiro random(stream_key(seed, Domain::user, static_cast<std::uint64_t>(i)));
        for (Eigen::Index j = 0; j < columns; ++j) {
            signs(i, j) = random.word() >> 31u == 0 ? 1.0 : -1.0;
        }
    }
    const Eigen::MatrixXd products = signs * gram;
    const double energy = products.cwiseProduct(signs).sum();
    if (!(energy > 0.0)) {
        return; // no candidate varies
    }
    MatrixD cross(static_cast<std::size_t>(outputs) + combinations, problem.gram.rows);
    view(cross).topRows(outputs) = view(problem.cross);
    view(cross).bottomRows(signs.rows()) = std::sqrt(share * problem.energy / energy) * products;
    problem.cross = std::move(cross);
}

std::vector<std::uint16_t> choose_rows(const SelectionProblem& problem, std::size_t keep, const ChoosingRule& rule)
{
    const bool any = rule.blocks == 0 || rule.blocks >= problem.block_count();
    const std::vector<bool> allowed = any ? std::vector<bool>() : select_blocks(problem, rule.ridge, keep, rule.blocks);
    const std::vector<std::uint32_t> rows = select_rows(problem, rule.ridge, keep, allowed);
    return {rows.begin(), rows.end()};
}

} // namespace samara::desk
