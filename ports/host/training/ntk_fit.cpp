#include "ports/host/training/ntk_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <vector>

#include <Eigen/QR>

#include "ports/host/training/dense.hpp"
#include "samara/kernel.hpp"

namespace samara::desk {
namespace {

// Least squares |A c - b|^2 over c >= 0 by active sets (Lawson and Hanson, Solving Least Squares Problems, chapter 23).
class NonNegative {
public:
    // b is the last column of `system`, A the others.
    explicit NonNegative(const Eigen::MatrixXd& system) : c_(Eigen::VectorXd::Zero(system.cols() - 1)), free_(c_.size())
    {
        // The triangle has the same minima in far fewer rows.
        const Eigen::MatrixXd triangle =
            system.householderQr().matrixQR().topRows(system.cols()).triangularView<Eigen::Upper>();
        a_ = triangle.leftCols(c_.size());
        b_ = triangle.rightCols(1);
    }

    Eigen::VectorXd solve()
    {
        const Eigen::Index unknowns = c_.size();
        std::vector<bool> barred(free_.size());
        // Far more exchanges than any set needs: rounding must not make a circle of them.
        for (Eigen::Index step = 0; step < 20 * unknowns; ++step) {
            const std::optional<std::size_t> entering = steepest(barred);
            if (!entering) {
                break;
            }
            free_[*entering] = true;
            Eigen::VectorXd best = least_squares();
            if (!(best[static_cast<Eigen::Index>(*entering)] > 0.0)) {
                free_[*entering] = false; // its gradient was rounding
                barred[*entering] = true;
                continue;
            }
            std::fill(barred.begin(), barred.end(), false);
            while (leave_towards(best)) {
                best = least_squares();
            }
            c_ = best;
        }
        return c_;
    }

private:
    static constexpr double rounding = 1e-14;

    // Of the unknowns that are held at 0, the one along which the sum falls most; none if it falls along none.
    std::optional<std::size_t> steepest(const std::vector<bool>& barred) const
    {
        const Eigen::VectorXd slope = a_.transpose() * (b_ - a_ * c_);
        std::optional<std::size_t> best;
        double most = rounding;
        for (std::size_t j = 0; j < free_.size(); ++j) {
            const double own = slope[static_cast<Eigen::Index>(j)];
            if (!free_[j] && !barred[j] && own > most) {
                best = j;
                most = own;
            }
        }
        return best;
    }

    // Over those that are free, the others 0.
    Eigen::VectorXd least_squares() const
    {
        std::vector<std::size_t> columns;
        for (std::size_t j = 0; j < free_.size(); ++j) {
            if (free_[j]) {
                columns.push_back(j);
            }
        }
        Eigen::VectorXd c = Eigen::VectorXd::Zero(c_.size());
        c(columns) = columns_of(a_, columns).eval().householderQr().solve(b_);
        return c;
    }

    // Goes towards `best` as far as nothing is negative; what is 0 then is no longer free. False: best can be reached.
    bool leave_towards(const Eigen::VectorXd& best)
    {
        double part = 1.0; // of the distance to best
        std::optional<Eigen::Index> first;
        for (Eigen::Index j = 0; j < c_.size(); ++j) {
            if (free_[static_cast<std::size_t>(j)] && !(best[j] > 0.0) && c_[j] / (c_[j] - best[j]) <= part) {
                part = c_[j] / (c_[j] - best[j]);
                first = j;
            }
        }
        if (!first) {
            return false;
        }
        c_ += part * (best - c_);
        for (Eigen::Index j = 0; j < c_.size(); ++j) {
            if (free_[static_cast<std::size_t>(j)] && (j == *first || !(c_[j] > 0.0))) {
                free_[static_cast<std::size_t>(j)] = false;
                c_[j] = 0.0;
            }
        }
        return true;
    }

    Eigen::MatrixXd a_;
    Eigen::VectorXd b_, c_;
    std::vector<bool> free_;
};

} // namespace

// With sum c_j = s, P - K = sum c_j (a^j - K / s): what is minimised is a form |B c|^2 over c >= 0 in a plane. The
// minimum of |B c|^2 + (1 - sum c_j)^2 without the plane is a multiple of it, because the conditions of both (Karush,
// Kuhn and Tucker) differ by factors alone; so the equality takes one row more and a division.
Coefficients fit_ntk_poly(std::uint32_t depth, std::uint32_t degree)
{
    Coefficients out;
    if (depth < 1 || depth > most_ntk_depth || degree < 2 || degree > most_map_degree) {
        return out;
    }
    const double sum = depth + 1.0;
    const Eigen::Index points = fit_points, powers = degree + 1;
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(points + powers - 1, powers + 1);
    const double weight = 1.0 / std::sqrt(static_cast<double>(fit_points));
    for (Eigen::Index i = 0; i < points; ++i) {
        const double cosine = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / fit_points);
        const double value = ntk_of_cosine(cosine, depth) / sum;
        double power = 1.0;
        for (Eigen::Index j = 0; j < powers; ++j) {
            system(i, j) = weight * (power - value);
            power *= cosine;
        }
    }
    for (Eigen::Index j = 2; j < powers; ++j) {
        system(points + j - 2, j) = std::sqrt(fit_penalty) * static_cast<double>(j);
    }
    system.bottomRows(1).setOnes();

    const Eigen::VectorXd c = NonNegative(system).solve();
    const Eigen::VectorXd shares = c / c.sum();
    std::uint32_t last = 0;
    for (std::uint32_t j = 0; j <= degree; ++j) {
        out.c[j] = shares[j] >= 0x1p-20 ? static_cast<float>(shares[j] * sum) : 0.0f;
        last = shares[j] >= 0x1p-20 ? j : last;
    }
    double left = sum;
    for (std::uint32_t j = 0; j < last; ++j) {
        left -= static_cast<double>(out.c[j]);
    }
    out.c[last] = static_cast<float>(left);
    out.count = degree + 1;
    return out;
}

} // namespace samara::desk
