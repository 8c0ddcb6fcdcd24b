// Expectation and variance of estimates over seeds, and data to try sketches on.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../map/measure.hpp"
#include "samara/samara.hpp"
#include "samara/sketch.hpp"

namespace sketch_test {

using namespace samara;
using measure::quick;

inline double dot(std::span<const float> x, std::span<const float> y)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    return sum;
}

struct Moments {
    double mean = 0.0, variance = 0.0, error = 0.0; // error: standard error of the mean
    double kurtosis = 0.0;                          // fourth central moment over the squared variance
};

// Of estimate(seed) over seeds 0 ... count - 1.
template <class Estimate>
Moments moments(unsigned count, Estimate estimate)
{
    std::vector<double> e(count);
    Moments m;
    for (unsigned s = 0; s < count; ++s)
        m.mean += (e[s] = estimate(s)) / count;
    double fourth = 0.0;
    for (const double v : e) {
        const double square = (v - m.mean) * (v - m.mean);
        m.variance += square / (count - 1);
        fourth += square * square / count;
    }
    m.error = std::sqrt(m.variance / count);
    m.kurtosis = m.variance > 0.0 ? fourth / (m.variance * m.variance) : 0.0;
    return m;
}

// Standard error of a variance estimated from `count` values.
inline double variance_error(const Moments& m, unsigned count)
{
    return m.variance * (std::sqrt(std::max(m.kurtosis - 1.0, 0.0) / count) + 5.0 / count);
}

// The sketch of x in a workspace of exactly the bytes that it asks for, behind which paint must stay.
template <class Spec, class... Inputs>
std::vector<float> sketched(const Spec& spec, std::size_t features, const Inputs&... inputs)
{
    constexpr std::size_t margin = 64;
    constexpr std::byte paint{0xa5};
    std::vector<float> z(features + 2, 7.0f);
    std::vector<std::byte> work(workspace_bytes(spec) + margin, paint);
    const Status status =
        sketch(spec, inputs..., std::span(z).subspan(1, features), std::span(work).first(workspace_bytes(spec)));
    if (status != Status::ok)
        throw std::runtime_error(text(status));
    for (std::size_t i = workspace_bytes(spec); i < work.size(); ++i)
        if (work[i] != paint)
            throw std::runtime_error("written behind the workspace");
    if (z.front() != 7.0f || z.back() != 7.0f)
        throw std::runtime_error("written beside the output");
    return {z.begin() + 1, z.end() - 1};
}

inline std::vector<float> normals(std::size_t n, std::uint64_t index)
{
    std::vector<float> x(n);
    fill_normals(stream_key(31, Domain::user, index), x);
    return x;
}
inline std::vector<float> integers(std::size_t n, std::uint64_t index)
{
    std::vector<float> x(n);
    Xoshiro words(stream_key(32, Domain::user, index));
    for (float& v : x)
        v = static_cast<float>(static_cast<std::int32_t>(words.word() >> 25) - 64);
    return x;
}
inline std::vector<float> sum(const std::vector<float>& a, const std::vector<float>& b)
{
    std::vector<float> c(a);
    for (std::size_t i = 0; i < c.size(); ++i)
        c[i] += b[i];
    return c;
}
inline std::vector<float> basis(std::size_t n, std::size_t i, float value = 1.0f)
{
    std::vector<float> x(n);
    x[i] = value;
    return x;
}

// Pairs of vectors on which constants show: dense, equal, orthogonal, sparse, smooth.
struct Pair {
    const char* name;
    std::vector<float> x, y;
};
inline std::vector<Pair> pairs(std::size_t n)
{
    std::vector<Pair> p;
    p.push_back({"dense", normals(n, 1), normals(n, 2)});
    p.push_back({"equal", normals(n, 3), normals(n, 3)});
    p.push_back({"orthogonal", basis(n, 0), basis(n, n - 1)});
    p.push_back({"sparse", sum(basis(n, 0), basis(n, 1)), sum(basis(n, 0), basis(n, n - 1, -1.0f))});
    std::vector<float> smooth(n);
    for (std::size_t i = 0; i < n; ++i)
        smooth[i] = 1.0f + static_cast<float>(i) / static_cast<float>(n);
    p.push_back({"smooth", smooth, smooth});
    p.push_back({"zero", std::vector<float>(n), normals(n, 4)});
    return p;
}

} // namespace sketch_test
