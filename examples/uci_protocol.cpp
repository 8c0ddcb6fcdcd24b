#include "uci_protocol.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "ports/host/text/error.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/normal_equations.hpp"
#include "ports/host/training/ridge.hpp"

namespace samara::uci {
namespace {

using desk::BadInput;
using desk::MatrixD;
using desk::MatrixF;

// What the paper searches; the larger sizes are for sets of more than `few_rows` rows.
constexpr unsigned depths = 5;
constexpr unsigned sizes = 10;
constexpr std::size_t few_rows = 600;
constexpr unsigned size_step(std::size_t rows) { return rows > few_rows ? 20 : 10; }
// Of the median distance between training rows.
constexpr double multiples[] = {0.125, 0.25, 0.5, 1.0, 2.0, 4.0};

// Of the sum of all eigenvalues, by half decades: at 1 no direction keeps more than half of its part, at 1e-8 a
// factorisation in double is still safe.
constexpr int most_ridge = 2;
constexpr int least_ridge = -16;
double ridge_at(int place) { return std::pow(10.0, 0.5 * place); }

template <class Number>
std::string with(const std::string& text, const std::string& place, Number number)
{
    const std::size_t at = text.find(place);
    if (at == std::string::npos) {
        return text;
    }
    std::string filled = text.substr(0, at);
    filled += desk::number_text(number);
    filled += text.substr(at + place.size());
    return filled;
}

// The same data for every choice of a method: all rows' features, or the kernel of all pairs of rows.
struct Representation {
    bool is_kernel = false;
    MatrixF features;
    MatrixD kernel;
};

template <class To, class From>
desk::Matrix<To> picked(const desk::Matrix<From>& from, const std::vector<std::size_t>& rows)
{
    desk::Matrix<To> to(rows.size(), from.cols);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(from.row(rows[i]), from.cols, to.row(i));
    }
    return to;
}

MatrixD picked(const MatrixD& from, const std::vector<std::size_t>& rows, const std::vector<std::size_t>& cols)
{
    MatrixD to(rows.size(), cols.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < cols.size(); ++j) {
            to.row(i)[j] = from.row(rows[i])[cols[j]];
        }
    }
    return to;
}

template <class T>
desk::Matrix<T> turned(const desk::Matrix<T>& from)
{
    desk::Matrix<T> to(from.cols, from.rows);
    for (std::size_t i = 0; i < from.rows; ++i) {
        for (std::size_t j = 0; j < from.cols; ++j) {
            to.row(j)[i] = from.row(i)[j];
        }
    }
    return to;
}

// One output a class, a row each: 1 for the rows of that class, else 0. The free intercept takes their means.
MatrixD one_hot(const Set& set, const std::vector<std::size_t>& rows)
{
    MatrixD y(set.class_count, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        y.row(set.classes[rows[i]])[i] = 1.0;
    }
    return y;
}

double usable(double spread) { return spread > 0.0 ? spread : 1.0; }

// Outputs of the test rows of one split as a function of the relative ridge; empty where the equations cannot be
// solved. What does not depend on the ridge is computed once.
class Machine {
public:
    Machine(const Representation& data, const Set& set, const Split& split)
    {
        const MatrixD y = one_hot(set, split.train);
        if (data.is_kernel) {
            dual_.emplace(picked(data.kernel, split.train, split.train), y, desk::Task::classify);
            spread_ = usable(dual_->spread());
            test_ = picked(data.kernel, split.train, split.test);
            return;
        }
        const MatrixF z = picked<float>(data.features, split.train);
        desk::Moments moments;
        moments.count = static_cast<double>(z.rows);
        moments.gram = desk::row_products(turned(z));
        moments.cross = desk::multiply(y, picked<double>(data.features, split.train));
        moments.z_sum.resize(z.cols);
        for (std::size_t i = 0; i < z.rows; ++i) {
            for (std::size_t j = 0; j < z.cols; ++j) {
                moments.z_sum[j] += static_cast<double>(z.row(i)[j]);
            }
        }
        for (std::size_t k = 0; k < y.rows; ++k) {
            double sum = 0.0;
            for (std::size_t i = 0; i < y.cols; ++i) {
                sum += y.row(k)[i];
            }
            moments.y_sum.push_back(sum);
            moments.y_squares.push_back(sum);
        }
        primal_ = desk::centred(std::move(moments));
        spread_ = usable(primal_.spread());
        test_ = turned(picked<double>(data.features, split.test));
    }

    MatrixD outputs(double ridge) const
    {
        MatrixD weights;
        std::vector<double> bias;
        if (dual_) {
            if (!dual_->solve(ridge * spread_, weights, bias)) {
                return {};
            }
        } else {
            weights = desk::solve(primal_, ridge * spread_);
            for (std::size_t k = 0; k < weights.rows; ++k) {
                bias.push_back(primal_.y_mean[k]);
                for (std::size_t j = 0; j < weights.cols; ++j) {
                    bias[k] -= weights.row(k)[j] * primal_.z_mean[j];
                }
            }
        }
        if (weights.rows == 0) {
            return {};
        }
        MatrixD found = desk::multiply(weights, test_);
        for (std::size_t k = 0; k < found.rows; ++k) {
            for (std::size_t i = 0; i < found.cols; ++i) {
                found.row(k)[i] += bias[k];
            }
        }
        return found;
    }

private:
    std::optional<desk::KernelProblem> dual_;
    desk::NormalEquations primal_;
    double spread_ = 1.0;
    MatrixD test_; // a test row a column
};

struct Quality {
    std::size_t right = 0;
    double squared_error = 0.0;

    // Half a validation set of a few dozen rows leaves many choices equally accurate; the error tells them apart.
    bool better_than(const Quality& other) const
    {
        return right != other.right ? right > other.right : squared_error < other.squared_error;
    }
};

Quality quality_of(const MatrixD& outputs, const Set& set, const std::vector<std::size_t>& rows)
{
    Quality quality;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::size_t best = 0;
        for (std::size_t k = 0; k < outputs.rows; ++k) {
            const double error = outputs.row(k)[i] - (k == set.classes[rows[i]] ? 1.0 : 0.0);
            quality.squared_error += error * error;
            best = outputs.row(k)[i] > outputs.row(best)[i] ? k : best;
        }
        quality.right += best == set.classes[rows[i]] ? 1 : 0;
    }
    return quality;
}

double per_cent(std::size_t right, std::size_t of)
{
    return 100.0 * static_cast<double>(right) / static_cast<double>(of);
}

// Columns that hardly ever change can make more than half of the distances 0.
double usual_distance(const MatrixF& x)
{
    const double median = desk::median_distance(x, Kernel::gaussian);
    return median > 0.0 ? median : std::sqrt(static_cast<double>(x.cols));
}

std::vector<std::string> choices(const Set& set, const Method& method, std::uint64_t seed)
{
    const double unit = method.has("{bandwidth}") ? usual_distance(picked<float>(set.x, set.tuning.train)) : 1.0;
    std::vector<std::string> texts;
    for (unsigned depth = 1; depth <= (method.has("{depth}") ? depths : 1); ++depth) {
        for (const double multiple : multiples) {
            for (unsigned size = 1; size <= (method.is_kernel() ? 1 : sizes); ++size) {
                std::string text = with(method.text, "{depth}", depth);
                text = with(text, "{bandwidth}", static_cast<float>(multiple * unit));
                text = with(text, "{features}", size * size_step(set.x.rows));
                texts.push_back(with(text, "{seed}", seed));
            }
            if (!method.has("{bandwidth}")) {
                break;
            }
        }
    }
    return texts;
}

} // namespace

void check(const Set& set, const Method& method) { desk::parse_map(choices(set, method, 0).front()); }

Outcome run(const Set& set, const Method& method, std::uint64_t seed, const std::function<void()>& step)
{
    Representation best_data;
    std::optional<Quality> best;
    Outcome outcome;
    std::optional<BadInput> refused;
    for (const std::string& text : choices(set, method, seed)) {
        desk::MapRequest request = desk::parse_map(text);
        if (method.is_kernel()) {
            // Whatever their number, the kernel is the same: the most pass every check that asks for more.
            desk::set_features(request.spec, desk::most_features_of(request.spec));
        }
        std::optional<desk::MapSpec> spec;
        try {
            spec = desk::fit_map(request, set.x, set.name);
        } catch (const BadInput& problem) {
            // Not every map comes in every size: the smallest may be too small for all that it must hold.
            refused = problem;
            step();
            continue;
        }
        Representation data{method.is_kernel(), {}, {}};
        if (data.is_kernel) {
            data.kernel = desk::kernel_matrix(*spec, set.x, 1);
        } else {
            data.features = desk::compute_features(*spec, set.x, 1);
        }
        const Machine machine(data, set, set.tuning);
        bool chosen = false;
        std::optional<Quality> best_here;
        int middle = 0;
        const auto attempt = [&](int place) {
            const MatrixD outputs = machine.outputs(ridge_at(place));
            if (outputs.rows == 0) {
                return;
            }
            const Quality quality = quality_of(outputs, set, set.tuning.test);
            if (!best_here || quality.better_than(*best_here)) {
                best_here = quality;
                middle = place;
            }
            if (!best || quality.better_than(*best)) {
                best = quality;
                outcome.map = text;
                outcome.ridge = ridge_at(place);
                chosen = true;
            }
        };
        // Whole decades, then half of one to either side of the best: a large kernel takes its time for each.
        for (int place = most_ridge; place >= least_ridge; place -= 2) {
            attempt(place);
        }
        const int found = middle;
        attempt(found + 1);
        attempt(found - 1);
        if (chosen) {
            best_data = std::move(data);
        }
        step();
    }
    if (!best) {
        throw refused ? *refused : BadInput(set.name + ": found no ridge for which " + method.text + " can be solved");
    }
    outcome.validation = per_cent(best->right, set.tuning.test.size());
    for (const Split& fold : set.folds) {
        const Machine machine(best_data, set, fold);
        MatrixD outputs;
        // Other rows may need a little more than those of the tuning split did.
        for (double ridge = outcome.ridge; outputs.rows == 0 && ridge <= 1e3; ridge *= 2.0) {
            outputs = machine.outputs(ridge);
        }
        if (outputs.rows == 0) {
            throw BadInput(set.name + ": found no ridge for which " + outcome.map + " can be solved");
        }
        outcome.accuracy += per_cent(quality_of(outputs, set, fold.test).right, fold.test.size()) /
                            static_cast<double>(set.folds.size());
    }
    return outcome;
}

std::size_t choice_count(const Method& method)
{
    return (method.has("{depth}") ? depths : 1) * (method.has("{bandwidth}") ? std::size(multiples) : 1) *
           (method.is_kernel() ? 1 : sizes);
}

double choice_cost(const Set& set, const Method& method)
{
    // As measured. Of a kernel its entries, dearer where they recur over layers, and the factorisations; of features
    // products with their transposes.
    const auto rows = static_cast<double>(set.x.rows);
    const double entry = method.has("{depth}") ? 7e-4 : 1e-4;
    return method.is_kernel() ? rows * rows * (entry + 5e-8 * rows) : 0.5 + 5e-3 * rows;
}

} // namespace samara::uci
