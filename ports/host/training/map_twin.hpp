// What the desk alone knows of a map: what is made of its fields before it can compute, what its features tend to, and
// what helps where a power leaves the range of floats. A map that needs none of this has no entry here.
#pragma once

#include <cmath>
#include <span>

#include "ports/host/training/ntk_fit.hpp"
#include "samara/kernel.hpp"
#include "samara/map.hpp"

namespace samara::desk {

// Maps of rows whose exact orders are a choice of the desk's. What is exact of a polynomial its own rule says.
template <class Spec>
concept OpenOrders = RowSpec<Spec> && !std::is_same_v<Spec, PolynomialSpec> && requires(Spec s)
{
    s.orders = Orders::automatic;
};

template <class Spec>
struct MapTwin {
    // Makes what only the desk can make.
    static void complete(Spec&) {}
    // The kernel that the features tend to as they grow in number.
    static double limit(const Spec& spec, std::span<const float> x, std::span<const float> y) requires KernelSpec<Spec>
    {
        return kernel(spec, x, y);
    }
    static const char* overflow_advice(const Spec&) { return "smaller inputs"; }
    static constexpr bool scaling_helps = true; // against overflow
};

template <>
struct MapTwin<NtkSketchSpec> {
    static void complete(NtkSketchSpec&) {}
    // The Neural Tangent Kernel with its series cut off.
    static double limit(const NtkSketchSpec& spec, std::span<const float> x, std::span<const float> y)
    {
        return ntk_taylor_kernel(x, y, spec.depth, spec.relu_degree, spec.step_degree, spec.fix_diagonal);
    }
    static const char* overflow_advice(const NtkSketchSpec& spec)
    {
        return spec.fix_diagonal ? "another seed, larger sizes or lower degrees" : "fix-diagonal=yes, or another seed";
    }
    static constexpr bool scaling_helps = false;
};

template <>
struct MapTwin<SkeletonSpec> {
    static void complete(SkeletonSpec&) {}
    static const char* overflow_advice(const SkeletonSpec&) { return "rows whose spheres' columns are unit vectors"; }
    static constexpr bool scaling_helps = false;
};

template <>
struct MapTwin<NtkPolySpec> {
    static void complete(NtkPolySpec& spec)
    {
        spec.coefficients = spec.remainder == Remainder::fit
                                ? fit_ntk_poly(spec.depth, spec.degree)
                                : ntk_poly_coefficients(spec.depth, spec.degree, spec.remainder);
    }
    // The polynomial.
    static double limit(const NtkPolySpec& spec, std::span<const float> x, std::span<const float> y)
    {
        const auto product = [](std::span<const float> a, std::span<const float> b) {
            double sum = 0.0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
            }
            return sum;
        };
        const double lengths = std::sqrt(product(x, x)) * std::sqrt(product(y, y));
        const double cosine = lengths > 0.0 ? product(x, y) / lengths : 0.0;
        double sum = 0.0;
        for (std::uint32_t j = spec.coefficients.count; j > 0; --j) {
            sum = sum * cosine + static_cast<double>(spec.coefficients.c[j - 1]);
        }
        return lengths * sum;
    }
    static const char* overflow_advice(const NtkPolySpec&) { return "smaller inputs"; }
    static constexpr bool scaling_helps = true;
};

} // namespace samara::desk
