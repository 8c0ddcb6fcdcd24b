#include "ports/host/training/row_selection.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ports/host/training/blas.hpp"
#include "ports/host/training/dense.hpp"

namespace samara::desk {
namespace {

using Index = Eigen::Index;

// So many times the wanted rows are taken before some are left out again.
constexpr std::size_t surplus = 2;

// What is left of a column's square after the ridge and all taken columns is at least this share of it.
constexpr double least_left = 1e-12;

class Forward {
public:
    Forward(const SelectionProblem& problem, double ridge, std::size_t most_columns)
        : problem_(problem), ridge_(ridge), left_(evaluated_vector(view(problem.gram).diagonal().array() + ridge)),
          cross_(evaluated(view(problem.cross).transpose())), factor_(most_columns, problem.gram.rows),
          taken_(problem.rows.size())
    {
        for (const double square : left_) {
            floor_.push_back(least_left * square);
        }
        for (const auto& row : problem.rows) {
            between_.push_back(row.size() == 2 ? problem.gram.row(row[0])[row[1]] : 0.0);
        }
        for (const std::uint32_t column : problem.always) {
            take_column(column);
        }
    }

    // The row among `rows` that is not taken and lowers the error most, and by how much.
    std::pair<double, std::uint32_t> best(const std::vector<std::uint32_t>& rows) const
    {
        std::pair<double, std::uint32_t> found{-1.0, 0};
        for (const std::uint32_t row : rows) {
            if (!taken_[row]) {
                found =
                    std::max(found, {gain(row), row}, [](const auto& a, const auto& b) { return a.first < b.first; });
            }
        }
        return found;
    }

    void take(std::uint32_t row)
    {
        taken_[row] = true;
        for (const std::uint32_t column : problem_.rows[row]) {
            take_column(column);
        }
    }

private:
    double gain(std::uint32_t row) const
    {
        const auto& columns = problem_.rows[row];
        const std::size_t first = columns[0];
        const double a = std::max(left_[first], floor_[first]);
        const auto product = [&](std::size_t i, std::size_t j) {
            return view(cross_).row(static_cast<Index>(i)).dot(view(cross_).row(static_cast<Index>(j)));
        };
        const double energy = product(first, first);
        if (columns.size() == 1) {
            return energy / a;
        }
        // Of both together: c' R^-1 c, R what is left of their products.
        const std::size_t second = columns[1];
        const double b = between_[row], d = std::max(left_[second], floor_[second]);
        const double determinant = std::max(a * d - b * b, least_left * a * d);
        return (d * energy - 2.0 * b * product(first, second) + a * product(second, second)) / determinant;
    }

    // The next row of the Cholesky factor, and what it leaves of everything.
    void take_column(std::uint32_t column)
    {
        const auto at = static_cast<Index>(column), size = static_cast<Index>(left_.size());
        const auto known = view(factor_).topRows(static_cast<Index>(columns_));
        auto next = view(factor_).row(static_cast<Index>(columns_));
        next = view(problem_.gram).row(at);
        next[at] += ridge_;
        if (columns_ != 0) {
            next.noalias() -= known.col(at).transpose() * known;
        }
        const double root = std::sqrt(std::max(left_[column], floor_[column]));
        next /= root;
        view(cross_).noalias() -= next.transpose() * (view(cross_).row(at) / root).eval();
        for (Index j = 0; j < size; ++j) {
            left_[static_cast<std::size_t>(j)] -= next[j] * next[j];
        }
        for (std::size_t row = 0; row < problem_.rows.size(); ++row) {
            if (const auto& columns = problem_.rows[row]; columns.size() == 2) {
                between_[row] -= next[columns[0]] * next[columns[1]];
            }
        }
        ++columns_;
    }

    const SelectionProblem& problem_;
    double ridge_;
    std::vector<double> left_;    // of each column's square, with the ridge
    std::vector<double> floor_;   // the least that rounding may leave of it
    std::vector<double> between_; // of the product of a row's two columns
    MatrixD cross_;               // of the products with the outputs, a column's in a row
    MatrixD factor_;              // so far, a column that was taken in a row
    std::vector<bool> taken_;
    std::size_t columns_ = 0;
};

std::vector<std::uint32_t> allowed_rows(const SelectionProblem& problem, const std::vector<bool>& allowed)
{
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < problem.rows.size(); ++row) {
        if (allowed.empty() || allowed[problem.blocks[row]]) {
            rows.push_back(row);
        }
    }
    return rows;
}

struct Taken {
    std::vector<std::uint32_t> rows;
    std::vector<double> gains;
};

Taken forward(const SelectionProblem& problem, double ridge, std::size_t keep, const std::vector<bool>& allowed)
{
    const std::vector<std::uint32_t> rows = allowed_rows(problem, allowed);
    const std::size_t wanted = std::min(rows.size(), surplus * keep);
    const std::size_t width = problem.rows.empty() ? 1 : problem.rows.front().size();
    Taken taken;
    Forward steps(problem, ridge, problem.always.size() + wanted * width);
    while (taken.rows.size() < wanted) {
        const auto [gain, row] = steps.best(rows);
        steps.take(row);
        taken.rows.push_back(row);
        taken.gains.push_back(gain);
    }
    return taken;
}

// Leaves rows out, the inverse of the rest following each of them.
class Backward {
public:
    Backward(const SelectionProblem& problem, double ridge, std::vector<std::uint32_t> rows) : rows_(std::move(rows))
    {
        // Columns that always stay come first, so that those of rows can close gaps among themselves.
        std::vector<std::uint32_t> columns = problem.always;
        first_ = static_cast<Index>(columns.size());
        width_ = static_cast<Index>(problem.rows[rows_.front()].size());
        for (const std::uint32_t row : rows_) {
            columns.insert(columns.end(), problem.rows[row].begin(), problem.rows[row].end());
        }
        inverse_ = evaluated(view(problem.gram)(columns, columns));
        view(inverse_).diagonal().array() += ridge;
        solvable_ = factor(inverse_);
        if (solvable_) {
            weights_ = evaluated(columns_of(view(problem.cross), columns));
            solve_factored(inverse_, weights_);
            invert_factored(inverse_);
            mirror(inverse_);
        }
    }

    bool solvable() const { return solvable_; }
    const std::vector<std::uint32_t>& rows() const { return rows_; }

    void leave_one_out()
    {
        std::size_t least = 0;
        double least_loss = loss_without(0);
        for (std::size_t i = 1; i < rows_.size(); ++i) {
            if (const double loss = loss_without(i); loss < least_loss) {
                least = i;
                least_loss = loss;
            }
        }
        for (Index part = width_; part-- > 0;) {
            remove(first_ + static_cast<Index>(least) * width_ + part);
        }
        // The last row takes the place of the one that goes.
        const auto last = static_cast<Index>(rows_.size() - 1);
        if (static_cast<Index>(least) != last) {
            for (Index part = 0; part < width_; ++part) {
                const Index from = first_ + last * width_ + part,
                            to = first_ + static_cast<Index>(least) * width_ + part;
                view(inverse_).row(to) = view(inverse_).row(from);
                view(inverse_).col(to) = view(inverse_).col(from);
                view(weights_).col(to) = view(weights_).col(from);
            }
        }
        rows_[least] = rows_.back();
        rows_.pop_back();
    }

private:
    Index used() const { return first_ + static_cast<Index>(rows_.size()) * width_; }

    // What the objective loses with a row: W_B (G^-1_BB)^-1 W_B', B its one or two columns.
    double loss_without(std::size_t i) const
    {
        const auto w = view(weights_);
        const auto inverse = view(inverse_);
        const Index first = first_ + static_cast<Index>(i) * width_;
        const double a = inverse(first, first), energy = w.col(first).squaredNorm();
        if (width_ == 1) {
            return energy / a;
        }
        const double b = inverse(first, first + 1), d = inverse(first + 1, first + 1);
        const double other = w.col(first + 1).squaredNorm(), both = w.col(first).dot(w.col(first + 1));
        return (d * energy - 2.0 * b * both + a * other) / (a * d - b * b);
    }

    // Of the inverse and the weights what they are without one column.
    void remove(Index column)
    {
        auto inverse = view(inverse_).topLeftCorner(used(), used());
        const Eigen::VectorXd pivot = inverse.col(column);
        const double own = pivot[column];
        const Eigen::VectorXd weight = view(weights_).col(column);
        view(weights_).leftCols(used()).noalias() -= (weight / own) * pivot.transpose();
        inverse.noalias() -= (pivot / own) * pivot.transpose();
    }

    std::vector<std::uint32_t> rows_;
    Index first_ = 0, width_ = 1;
    MatrixD inverse_, weights_;
    bool solvable_ = false;
};

} // namespace

std::vector<std::uint32_t> select_rows(const SelectionProblem& problem, double ridge, std::size_t keep,
                                       const std::vector<bool>& allowed)
{
    std::vector<std::uint32_t> rows = forward(problem, ridge, keep, allowed).rows;
    if (rows.size() > keep) {
        Backward steps(problem, ridge, rows);
        while (steps.solvable() && steps.rows().size() > keep) {
            steps.leave_one_out();
        }
        rows = steps.rows();
        // Where rounding makes the equations unsolvable, those that were taken first are the ones that count.
        rows.resize(keep);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::vector<bool> select_blocks(const SelectionProblem& problem, double ridge, std::size_t keep, std::size_t count)
{
    const std::size_t blocks = problem.block_count();
    if (count >= blocks) {
        return std::vector<bool>(blocks, true);
    }
    std::vector<double> worth(blocks);
    const Taken taken = forward(problem, ridge, keep, {});
    for (std::size_t i = 0; i < taken.rows.size(); ++i) {
        worth[problem.blocks[taken.rows[i]]] += taken.gains[i];
    }
    std::vector<std::size_t> order(blocks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return worth[a] > worth[b]; });
    std::vector<bool> chosen(blocks);
    for (std::size_t i = 0; i < count; ++i) {
        chosen[order[i]] = true;
    }
    return chosen;
}

} // namespace samara::desk
