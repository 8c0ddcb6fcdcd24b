// What tests of skeletons share.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "samara/skeleton/build.hpp"

namespace samara::test {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr float radians = static_cast<float>(0.5 / pi); // turns per unit, for angles

inline std::uint32_t word_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// Steps of a series whose terms are given, as far as they can be told from 1.
inline std::vector<std::uint32_t> steps_of(const std::vector<double>& terms)
{
    std::vector<std::uint32_t> steps;
    double sum = 0.0;
    for (std::size_t j = 0; j + 1 < terms.size(); ++j) {
        sum += terms[j];
        if (std::round(sum * 0x1p32) >= 0x1p32)
            break;
        steps.push_back(static_cast<std::uint32_t>(std::round(sum * 0x1p32)));
    }
    return steps;
}
// exp(a (r - 1)): terms of a Poisson distribution.
inline std::vector<std::uint32_t> exponential(double a)
{
    std::vector<double> terms = {std::exp(-a)};
    while (terms.size() < 40)
        terms.push_back(terms.back() * a / static_cast<double>(terms.size()));
    return steps_of(terms);
}

inline constexpr SkeletonActivation relu{SkeletonDual::relu, {}}, step{SkeletonDual::step, {}}, identity{};
inline SkeletonActivation series(const std::vector<std::uint32_t>& steps) { return {SkeletonDual::series, steps}; }

struct Made {
    std::vector<std::byte> bytes = std::vector<std::byte>(1 << 16);
    Skeleton skeleton;
    SkeletonBuilder build{bytes, 16};
    const Skeleton& finish()
    {
        REQUIRE(build.finish(skeleton));
        return skeleton;
    }
};

inline double kernel_of(const Skeleton& s, const std::vector<float>& x, const std::vector<float>& y)
{
    std::vector<double> values(s.nodes());
    double out = 0.0;
    REQUIRE(skeleton_kernel(s, x, y, values, out) == Status::ok);
    return out;
}

} // namespace samara::test
