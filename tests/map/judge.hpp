#pragma once

// The errors of maps beside those of an independent implementation of the same constructions, over its 20 seeds.
#include <algorithm>

#include <doctest/doctest.h>

#include "measure.hpp"

namespace measure {

inline const Points& reference_points()
{
    static const Points p = read_points(SAMARA_TEST_DATA "/unit_200x64.csv");
    return p;
}

// The reference's error at so many features: mean, standard deviation and, where a few seeds make the mean, the ninth
// decile.
struct Row {
    std::uint32_t features;
    double mean, deviation, decile = 0.0;
};

// The errors of some seeds: their mean within three standard errors of the reference's; where it is heavy-tailed, the
// reference's or ours, the median within its ninth decile. least: how much better than the reference the library may be
// before the comparison is thought wrong.
inline void judge_errors(const std::string& name, const Row& row, std::vector<double> errors, double least)
{
    const auto seeds = static_cast<double>(errors.size());
    double mean = 0.0, variance = 0.0;
    for (const double e : errors)
        mean += e / seeds;
    for (const double e : errors)
        variance += (e - mean) * (e - mean) / (seeds - 1.0);
    std::sort(errors.begin(), errors.end());
    const double median = 0.5 * (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]);
    MESSAGE(name, ", ", row.features, ": ", mean, ", median ", median, ", reference ", row.mean);
    CAPTURE(name);
    CHECK(median >= least * row.mean);
    if (row.deviation > 0.5 * row.mean || (row.decile > 0.0 && std::sqrt(variance) > 0.5 * mean)) {
        CHECK(median <= row.decile);
        return;
    }
    CHECK(mean <= row.mean + 3 * row.deviation * std::sqrt(1.0 / seeds + 1.0 / 20));
}

// truth: of a pair of points, what the features estimate.
template <class Make, class Truth>
void judge_against(const std::string& name, std::initializer_list<Row> rows, Make make, Truth truth_of,
                   double least = 0.5)
{
    const Points& points = reference_points();
    REQUIRE(points.count == 200);
    for (const Row& row : rows) {
        if (quick && row.features > 600)
            continue;
        const unsigned seeds = !quick ? 20 : row.decile > 0.0 ? 5 : row.features > 300 ? 2 : 3;
        auto spec = resolve(make(row.features));
        REQUIRE(resolved(spec));
        REQUIRE(spec.features == row.features);
        const std::vector<double> truth = of_pairs(points, [&](auto x, auto y) { return truth_of(spec, x, y); });
        std::vector<double> errors;
        for (spec.seed = 0; spec.seed < seeds; ++spec.seed)
            errors.push_back(relative_error(truth, gram(spec, points)));
        judge_errors(name, row, errors, least);
    }
}
template <class Make>
void judge(const std::string& name, std::initializer_list<Row> rows, Make make, double least = 0.5)
{
    judge_against(
        name, rows, make, [](const auto& spec, auto x, auto y) { return kernel(spec, x, y); }, least);
}

// The medians and ninth deciles of Gaussian rows in numpy (double precision, 40 seeds; 20 at 9,216 features), of
// polynomials of degree 8 with the kernel's low orders exact. Few seeds decide the means: a row that is nearly parallel
// to all of the digits makes a large feature.
struct Medians {
    std::uint32_t features;
    double median, decile;
};
template <class Make>
void judge_medians(const std::string& name, std::initializer_list<Medians> rows, Make make)
{
    constexpr double heavy = 1.0; // a deviation with which judge() looks at medians
    for (const Medians& row : rows)
        judge(name, {{row.features, row.median, heavy, row.decile}}, make, 0.8);
}

} // namespace measure
