#pragma once

// The mean of kernel values over seeds, against what it should be.
#include <algorithm>

#include <doctest/doctest.h>

#include "measure.hpp"

namespace measure {

inline constexpr unsigned expectation_seeds = quick ? 40 : 600;

// Vectors of length about 1, with parallel, antiparallel and orthogonal ones among them.
inline Points some_points(std::uint32_t inputs)
{
    Points p{6, inputs, std::vector<float>(std::size_t{6} * inputs)};
    samara::fill_normals(samara::stream_key(1, samara::Domain::user, inputs), p.values);
    for (float& v : p.values)
        v /= std::sqrt(static_cast<float>(inputs));
    for (std::uint32_t i = 0; i < inputs; ++i) {
        p.values[inputs + i] = 0.5f * p.values[i];
        p.values[2 * inputs + i] = -p.values[i];
        p.values[3 * inputs + i] = i == 0 ? 1.0f : 0.0f;
        p.values[4 * inputs + i] = i + 1 == inputs ? 0.8f : 0.0f;
    }
    return p;
}

// Every kernel value's mean over seeds lies within 4.5 standard errors (estimated from the seeds) of the exact one, or
// within `bias` of it, which is for rows that are known not to be isotropic.
template <class Spec, class Truth>
void check_mean_of(const char* name, Spec request, Truth truth_of, double bias = 0.0)
{
    const Spec resolved_spec = resolve(request);
    REQUIRE(resolved(resolved_spec));
    Spec spec = resolved_spec;
    const Points p = some_points(spec.inputs);
    std::vector<double> truth;
    for (std::size_t i = 0; i < p.count; ++i)
        for (std::size_t j = 0; j < p.count; ++j)
            truth.push_back(truth_of(p.row(i), p.row(j)));
    std::vector<double> sum(truth.size()), squares(truth.size());
    for (unsigned s = 0; s < expectation_seeds; ++s) {
        spec.seed = 1000 + s;
        const std::vector<double> g = gram(spec, p);
        for (std::size_t i = 0; i < g.size(); ++i) {
            sum[i] += g[i];
            squares[i] += g[i] * g[i];
        }
    }
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const double mean = sum[i] / expectation_seeds;
        const double error =
            std::sqrt(std::max(squares[i] / expectation_seeds - mean * mean, 0.0) / (expectation_seeds - 1));
        CAPTURE(std::string(name));
        CAPTURE(spec.inputs);
        CAPTURE(i / p.count);
        CAPTURE(i % p.count);
        CAPTURE(truth[i]);
        CAPTURE(mean);
        CAPTURE(error);
        CHECK(std::abs(mean - truth[i]) <= 4.5 * error + bias + 2e-6);
    }
}

template <class Spec>
void check_mean(const char* name, Spec request, double bias = 0.0)
{
    check_mean_of(
        name, request, [&](auto x, auto y) { return kernel(request, x, y); }, bias);
}

} // namespace measure
