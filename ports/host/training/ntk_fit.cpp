#include "ports/host/training/ntk_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "ports/host/data/matrix.hpp"
#include "samara/kernel.hpp"

namespace samara::desk {
namespace {

// Reflects the rows until the matrix is zero below its diagonal (Householder).
void triangularise(MatrixD& a)
{
    for (std::size_t k = 0; k < std::min(a.rows, a.cols); ++k) {
        double squares = 0.0;
        for (std::size_t i = k; i < a.rows; ++i) {
            squares += a.row(i)[k] * a.row(i)[k];
        }
        const double pivot = a.row(k)[k];
        const double diagonal = pivot > 0.0 ? -std::sqrt(squares) : std::sqrt(squares);
        const double half = squares - pivot * diagonal; // half the squared length of the mirror's normal
        if (!(half > 0.0)) {
            continue;
        }
        a.row(k)[k] = pivot - diagonal;
        for (std::size_t j = k + 1; j < a.cols; ++j) {
            double product = 0.0;
            for (std::size_t i = k; i < a.rows; ++i) {
                product += a.row(i)[k] * a.row(i)[j];
            }
            for (std::size_t i = k; i < a.rows; ++i) {
                a.row(i)[j] -= product / half * a.row(i)[k];
            }
        }
        a.row(k)[k] = diagonal;
        for (std::size_t i = k + 1; i < a.rows; ++i) {
            a.row(i)[k] = 0.0;
        }
    }
}

// Least squares over c >= 0 by active sets (Lawson and Hanson, Solving Least Squares Problems, chapter 23), of a
// matrix whose last column is the right-hand side.
class NonNegative {
public:
    explicit NonNegative(MatrixD system)
        : system_(std::move(system)), unknowns_(system_.cols - 1), free_(unknowns_), c_(unknowns_)
    {
        triangularise(system_);
        system_.rows = std::min(system_.rows, system_.cols);
        system_.values.resize(system_.rows * system_.cols);
    }

    std::vector<double> solve()
    {
        std::vector<bool> barred(unknowns_);
        // Far more exchanges than any set needs: rounding must not make a circle of them.
        for (std::size_t step = 0; step < 20 * unknowns_; ++step) {
            const std::size_t entering = steepest(barred);
            if (entering == unknowns_) {
                break;
            }
            free_[entering] = true;
            std::vector<double> best = least_squares();
            if (!(best[entering] > 0.0)) {
                free_[entering] = false; // its gradient was rounding
                barred[entering] = true;
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

    std::size_t steepest(const std::vector<bool>& barred) const
    {
        std::vector<double> slope(unknowns_);
        for (std::size_t i = 0; i < system_.rows; ++i) {
            const double* const row = system_.row(i);
            double residual = row[unknowns_];
            for (std::size_t j = 0; j < unknowns_; ++j) {
                residual -= row[j] * c_[j];
            }
            for (std::size_t j = 0; j < unknowns_; ++j) {
                slope[j] += row[j] * residual;
            }
        }
        std::size_t best = unknowns_;
        for (std::size_t j = 0; j < unknowns_; ++j) {
            if (!free_[j] && !barred[j] && slope[j] > (best == unknowns_ ? rounding : slope[best])) {
                best = j;
            }
        }
        return best;
    }

    // Over those that are free, the others 0.
    std::vector<double> least_squares() const
    {
        std::vector<std::size_t> columns;
        for (std::size_t j = 0; j < unknowns_; ++j) {
            if (free_[j]) {
                columns.push_back(j);
            }
        }
        const std::size_t count = columns.size();
        columns.push_back(unknowns_);
        MatrixD part(system_.rows, columns.size());
        for (std::size_t i = 0; i < part.rows; ++i) {
            for (std::size_t j = 0; j < part.cols; ++j) {
                part.row(i)[j] = system_.row(i)[columns[j]];
            }
        }
        triangularise(part);
        std::vector<double> c(unknowns_);
        for (std::size_t i = count; i-- > 0;) {
            double sum = part.row(i)[count];
            for (std::size_t j = i + 1; j < count; ++j) {
                sum -= part.row(i)[j] * c[columns[j]];
            }
            c[columns[i]] = sum / part.row(i)[i];
        }
        return c;
    }

    // Goes towards `best` as far as nothing is negative; what is 0 then is no longer free. False: best can be reached.
    bool leave_towards(const std::vector<double>& best)
    {
        double way = 1.0;
        std::size_t first = unknowns_;
        for (std::size_t j = 0; j < unknowns_; ++j) {
            if (free_[j] && !(best[j] > 0.0) && c_[j] / (c_[j] - best[j]) <= way) {
                way = c_[j] / (c_[j] - best[j]);
                first = j;
            }
        }
        if (first == unknowns_) {
            return false;
        }
        for (std::size_t j = 0; j < unknowns_; ++j) {
            c_[j] += way * (best[j] - c_[j]);
            if (free_[j] && (j == first || !(c_[j] > 0.0))) {
                free_[j] = false;
                c_[j] = 0.0;
            }
        }
        return true;
    }

    MatrixD system_;
    std::size_t unknowns_;
    std::vector<bool> free_;
    std::vector<double> c_;
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
    MatrixD system(fit_points + degree, degree + 2);
    const double weight = 1.0 / std::sqrt(static_cast<double>(fit_points));
    for (std::size_t i = 0; i < fit_points; ++i) {
        const double cosine = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / fit_points);
        const double value = ntk_of_cosine(cosine, depth) / sum;
        double power = 1.0;
        for (std::size_t j = 0; j <= degree; ++j) {
            system.row(i)[j] = weight * (power - value);
            power *= cosine;
        }
    }
    for (std::size_t j = 2; j <= degree; ++j) {
        system.row(fit_points + j - 2)[j] = std::sqrt(fit_penalty) * static_cast<double>(j);
    }
    std::fill_n(system.row(fit_points + degree - 1), degree + 2, 1.0);

    const std::vector<double> c = NonNegative(std::move(system)).solve();
    double mass = 0.0;
    for (const double v : c) {
        mass += v;
    }
    std::uint32_t last = 0;
    for (std::uint32_t j = 0; j <= degree; ++j) {
        const double share = c[j] / mass;
        out.c[j] = share >= 0x1p-20 ? static_cast<float>(share * sum) : 0.0f;
        last = share >= 0x1p-20 ? j : last;
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
