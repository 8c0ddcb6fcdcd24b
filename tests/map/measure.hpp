// Kernel matrices, estimated and exact, and their distance.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "samara/samara.hpp"

namespace measure {

// Fewer seeds and features where every instruction is checked or emulated.
#if defined(SAMARA_QUICK) || defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
inline constexpr bool quick = true;
#else
inline constexpr bool quick = false;
#endif

struct Points {
    std::size_t count = 0, inputs = 0;
    std::vector<float> values;
    std::span<const float> row(std::size_t i) const { return std::span(values).subspan(i * inputs, inputs); }
};

inline Points read_points(const std::string& path)
{
    Points points;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line); ++points.count) {
        std::stringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');)
            points.values.push_back(std::strtof(cell.c_str(), nullptr));
    }
    points.inputs = points.count == 0 ? 0 : points.values.size() / points.count;
    return points;
}

inline Points random_directions(std::size_t count, std::size_t inputs)
{
    Points points{count, inputs, std::vector<float>(count * inputs)};
    samara::fill_normals(samara::stream_key(9, samara::Domain::user, inputs), points.values);
    for (std::size_t i = 0; i < count; ++i) {
        double squares = 0.0;
        for (const float v : points.row(i))
            squares += static_cast<double>(v) * static_cast<double>(v);
        for (std::size_t k = i * inputs; k < (i + 1) * inputs; ++k)
            points.values[k] = static_cast<float>(static_cast<double>(points.values[k]) / std::sqrt(squares));
    }
    return points;
}

template <class Spec>
std::vector<float> features_of(const Spec& spec, const Points& points)
{
    std::vector<float> z(points.count * spec.features);
    std::vector<std::byte> work(samara::workspace_bytes(spec));
    if (features(spec, points.values, z, points.count, work) != samara::Status::ok)
        throw std::runtime_error("the features were refused");
    return z;
}

// Z Z' in double, Z of n rows of m. Apart, because it takes most of the time.
std::vector<double> gram_of(const std::vector<float>& z, std::size_t n, std::size_t m);

template <class Spec>
std::vector<double> gram(const Spec& spec, const Points& points)
{
    return gram_of(features_of(spec, points), points.count, spec.features);
}

// value(x, y) for all pairs of points; it is symmetric.
template <class Value>
std::vector<double> of_pairs(const Points& points, Value value)
{
    const std::size_t n = points.count;
    std::vector<double> k(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            k[i * n + j] = k[j * n + i] = value(points.row(i), points.row(j));
    return k;
}

template <class Spec>
std::vector<double> exact(const Spec& spec, const Points& points)
{
    return of_pairs(points, [&](auto x, auto y) { return kernel(spec, x, y); });
}

inline double relative_error(const std::vector<double>& truth, const std::vector<double>& estimate)
{
    double difference = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        difference += (truth[i] - estimate[i]) * (truth[i] - estimate[i]);
        norm += truth[i] * truth[i];
    }
    return std::sqrt(difference / norm);
}

struct Errors {
    double mean, of_mean_kernel;
};

// Over seeds first ... first + seeds - 1: the mean relative Frobenius error, and that of the averaged kernel, which
// falls to mean / sqrt(seeds) only if the estimate is unbiased.
template <class Spec>
Errors errors_over_seeds(Spec spec, const Points& points, unsigned seeds, std::uint64_t first = 0)
{
    spec = resolve(spec);
    const std::vector<double> truth = exact(spec, points);
    std::vector<double> average(truth.size());
    double sum = 0.0;
    for (unsigned s = 0; s < seeds; ++s) {
        spec.seed = first + s;
        const std::vector<double> g = gram(spec, points);
        sum += relative_error(truth, g);
        for (std::size_t i = 0; i < g.size(); ++i)
            average[i] += g[i] / seeds;
    }
    return {sum / seeds, relative_error(truth, average)};
}

} // namespace measure
