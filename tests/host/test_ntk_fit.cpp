// The polynomials of rest=fit of ntk-poly: that no better ones exist, and what the map makes of them.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "ports/host/training/ntk_fit.hpp"
#include "samara/kernel.hpp"
#include "tests/map/contracts.hpp"
#include "tests/map/expectation.hpp"
#include "tests/map/judge.hpp"

using namespace samara;
using desk::fit_ntk_poly;

namespace {

double value(const Coefficients& c, double a)
{
    double sum = 0.0;
    for (std::uint32_t j = c.count; j > 0; --j)
        sum = sum * a + static_cast<double>(c.c[j - 1]);
    return sum;
}

// Cosines and the kernel there. Other points than the fit's own, but for their density.
struct Grid {
    explicit Grid(std::uint32_t depth)
    {
        constexpr std::uint32_t count = 3000;
        for (std::uint32_t i = 0; i < count; ++i) {
            cosines.push_back(std::cos(std::numbers::pi * (i + 0.5) / count));
            kernel.push_back(ntk_of_cosine(cosines.back(), depth));
        }
    }
    double squared_distance(const Coefficients& c) const
    {
        double sum = 0.0;
        for (std::size_t i = 0; i < cosines.size(); ++i) {
            const double error = value(c, cosines[i]) - kernel[i];
            sum += error * error / static_cast<double>(cosines.size());
        }
        return sum;
    }
    double goal(const Coefficients& c) const
    {
        double sum = squared_distance(c);
        for (std::uint32_t j = 2; j < c.count; ++j)
            sum += desk::fit_penalty * std::pow(j * static_cast<double>(c.c[j]), 2);
        return sum;
    }
    // Half the derivative of the goal by each coefficient.
    std::vector<double> slopes(const Coefficients& c) const
    {
        std::vector<double> slope(c.count);
        for (std::size_t i = 0; i < cosines.size(); ++i) {
            double term = (value(c, cosines[i]) - kernel[i]) / static_cast<double>(cosines.size());
            for (double& s : slope) {
                s += term;
                term *= cosines[i];
            }
        }
        for (std::uint32_t j = 2; j < c.count; ++j)
            slope[j] += desk::fit_penalty * j * j * static_cast<double>(c.c[j]);
        return slope;
    }
    std::vector<double> cosines, kernel;
};

double sum_of(const Coefficients& c) { return value(c, 1.0); }

NtkPolySpec fitted(std::uint32_t inputs, std::uint32_t features, std::uint32_t depth, std::uint32_t degree,
                   Orders orders = Orders::automatic, Rows rows = Rows::automatic)
{
    return {.inputs = inputs,
            .features = features,
            .depth = depth,
            .degree = degree,
            .remainder = Remainder::fit,
            .rows = rows,
            .orders = orders,
            .coefficients = fit_ntk_poly(depth, degree)};
}

} // namespace

TEST_CASE("ntk fit: the diagonal is exact and nothing negative, at every depth and degree")
{
    for (std::uint32_t depth = 1; depth <= most_ntk_depth; ++depth)
        for (std::uint32_t degree = 2; degree <= most_map_degree; ++degree) {
            if ((depth + degree) % (measure::quick ? 9 : 3) != 0)
                continue;
            CAPTURE(depth);
            CAPTURE(degree);
            const Coefficients c = fit_ntk_poly(depth, degree);
            REQUIRE(c.count == degree + 1);
            double mass = 0.0, last = 0.0;
            for (std::uint32_t j = 0; j < most_map_degree + 1; ++j) {
                const double v = static_cast<double>(c.c[j]);
                const bool none_or_enough = v == 0.0 || (j < c.count && v >= 0x1p-21 * depth);
                CHECK(none_or_enough);
                mass += v;
                last = v > 0.0 ? v : last;
            }
            CHECK(std::abs(mass - (depth + 1.0)) <= 0x1p-24 * last);
            CHECK(resolved(resolve(fitted(20, 100, depth, degree))));
        }
    CHECK(fit_ntk_poly(0, 8).count == 0);
    CHECK(fit_ntk_poly(33, 8).count == 0);
    CHECK(fit_ntk_poly(1, 1).count == 0);
    CHECK(fit_ntk_poly(1, 33).count == 0);
}

// The sum held fast, all slopes of coefficients above 0 are the same, and those of zeros no smaller.
TEST_CASE("ntk fit: no polynomial is better")
{
    for (std::uint32_t depth : {1u, 2u, 3u, 8u, 32u}) {
        const Grid grid(depth);
        for (std::uint32_t degree : {2u, 3u, 8u, 16u, 32u}) {
            CAPTURE(depth);
            CAPTURE(degree);
            const Coefficients c = fit_ntk_poly(depth, degree);
            const std::vector<double> slope = grid.slopes(c);
            double common = 0.0;
            for (std::uint32_t j = 0; j < c.count; ++j)
                common += slope[j] * static_cast<double>(c.c[j]) / sum_of(c);
            const double rounding = 2e-6 * sum_of(c);
            for (std::uint32_t j = 0; j < c.count; ++j) {
                CAPTURE(j);
                CHECK(slope[j] >= common - rounding);
                if (c.c[j] > 0.0f)
                    CHECK(slope[j] <= common + rounding);
            }
            // The same without derivatives: a little moved from one coefficient to another.
            const double best = grid.goal(c);
            for (std::uint32_t from = 0; from < c.count; ++from)
                for (std::uint32_t to = 0; to < c.count; ++to) {
                    if (from == to || !(c.c[from] > 0.001f))
                        continue;
                    Coefficients moved = c;
                    moved.c[from] -= 0.001f;
                    moved.c[to] += 0.001f;
                    CHECK(grid.goal(moved) >= best * (1.0 - 1e-5));
                }
            for (const Remainder other : {Remainder::spread, Remainder::last})
                CHECK(best <= grid.goal(ntk_poly_coefficients(depth, degree, other)) * (1.0 + 1e-6));
        }
    }
}

TEST_CASE("ntk fit: nearer to the kernel than its power series")
{
    for (std::uint32_t depth = 1; depth <= most_ntk_depth; ++depth) {
        const Grid grid(depth);
        CAPTURE(depth);
        const double fit = grid.squared_distance(fit_ntk_poly(depth, 8));
        for (const Remainder other : {Remainder::spread, Remainder::last})
            CHECK(fit <= 0.8 * grid.squared_distance(ntk_poly_coefficients(depth, 8, other)));
        CHECK(grid.squared_distance(fit_ntk_poly(depth, 32)) <=
              grid.squared_distance(ntk_poly_coefficients(depth, 32, Remainder::spread)));
    }
}

TEST_CASE("ntk fit: the features estimate the polynomial")
{
    for (const Orders orders : {Orders::none, Orders::one, Orders::two})
        for (const std::uint32_t inputs : {3u, 17u})
            for (const std::uint32_t degree : {2u, 3u}) {
                const std::uint32_t exact = inputs + 1 + (orders == Orders::two ? inputs * (inputs + 1) / 2 : 0);
                const NtkPolySpec spec = fitted(inputs, exact + 300, 2, degree, orders, Rows::dense);
                const auto truth = [&](std::span<const float> x, std::span<const float> y) {
                    double product = 0.0, xx = 0.0, yy = 0.0;
                    for (std::size_t i = 0; i < x.size(); ++i) {
                        product += static_cast<double>(x[i]) * static_cast<double>(y[i]);
                        xx += static_cast<double>(x[i]) * static_cast<double>(x[i]);
                        yy += static_cast<double>(y[i]) * static_cast<double>(y[i]);
                    }
                    const double lengths = std::sqrt(xx * yy);
                    return lengths > 0.0 ? lengths * value(spec.coefficients, product / lengths) : 0.0;
                };
                measure::check_mean_of("ntk-poly, fit", spec, truth, measure::quick ? 0.1 : 0.0);
            }
}

TEST_CASE("ntk fit: the contracts of the map")
{
    for (const Rows rows : {Rows::hadamard, Rows::dense})
        for (const Orders orders : {Orders::none, Orders::one, Orders::two})
            measure::check_contracts(fitted(11, 301, 3, 32, orders, rows));
}

TEST_CASE("ntk fit: the map meets the reference's error")
{
    const auto fit = [](std::uint32_t depth) {
        return [depth](std::uint32_t features) { return fitted(64, features, depth, 8); };
    };
    measure::judge_medians("ntk-poly, fit 1", {{512, .0461, .0534}, {2304, .0234, .0259}, {9216, .0160, .0340}},
                           fit(1));
    measure::judge_medians("ntk-poly, fit 3", {{512, .0686, .0827}, {2304, .0382, .0584}, {9216, .0288, .1049}},
                           fit(3));
    measure::judge_medians("ntk-poly, fit 5", {{512, .0832, .1135}, {2304, .0518, .0862}, {9216, .0429, .1620}},
                           fit(5));
}
