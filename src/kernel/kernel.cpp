#include "samara/kernel.hpp"

#include "kernel/real.hpp"

namespace samara {

namespace {

// Body of a sum over the coordinates' differences; 0 for different lengths is decided by the callers.
template <class Term>
double sum_over(std::span<const float> x, std::span<const float> y, Term term) noexcept
{
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += term(static_cast<double>(x[i]), static_cast<double>(y[i]));
    return sum;
}

double length(std::span<const float> x) noexcept
{
    return real::sqrt(sum_over(x, x, [](double a, double) { return a * a; }));
}

// The angle between two vectors that are not 0 by Kahan's formula, 2 atan(|u - v| / |u + v|) of the unit vectors, which
// keeps its relative accuracy near 0; `supplement` is pi less it, accurate near pi.
struct Angle {
    double angle, supplement;
};
Angle angle_between(std::span<const float> x, std::span<const float> y, double nx, double ny) noexcept
{
    const double minus = real::sqrt(sum_over(x, y, [&](double a, double b) {
        const double d = a / nx - b / ny;
        return d * d;
    }));
    const double plus = real::sqrt(sum_over(x, y, [&](double a, double b) {
        const double d = a / nx + b / ny;
        return d * d;
    }));
    return {2.0 * real::angle(minus, plus), 2.0 * real::angle(plus, minus)};
}

} // namespace

double gaussian_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    const double squares = sum_over(x, y, [&](double a, double b) {
        const double d = (a - b) / bandwidth;
        return d * d;
    });
    return real::exp_negative(-0.5 * squares);
}

double laplacian_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    return real::exp_negative(-sum_over(x, y, [](double a, double b) { return a > b ? a - b : b - a; }) / bandwidth);
}

double cauchy_kernel(std::span<const float> x, std::span<const float> y, double bandwidth) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    double product = 1.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = (static_cast<double>(x[i]) - static_cast<double>(y[i])) / bandwidth;
        product /= 1.0 + d * d;
    }
    return product;
}

double arccos0_kernel(std::span<const float> x, std::span<const float> y) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    const double nx = length(x), ny = length(y);
    return nx > 0.0 && ny > 0.0 ? angle_between(x, y, nx, ny).supplement / real::pi : 0.0;
}

double arccos1_kernel(std::span<const float> x, std::span<const float> y) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    const double nx = length(x), ny = length(y);
    if (!(nx > 0.0 && ny > 0.0))
        return 0.0;
    const Angle a = angle_between(x, y, nx, ny);
    double shape;
    if (a.supplement < 0.5) {
        // sin s - s cos s = s^3/3 - s^5/30 + ...: the terms k >= 1 of (-1)^(k+1) 2k s^(2k+1) / (2k+1)!
        const double u = a.supplement * a.supplement;
        double series = 0.0, term = a.supplement * u / 6.0;
        for (int k = 1; k <= 8; ++k) {
            series += 2.0 * k * term;
            term *= -u / ((2.0 * k + 2.0) * (2.0 * k + 3.0));
        }
        shape = series;
    } else if (a.angle <= a.supplement) {
        const real::SinCos v = real::sin_cos(a.angle);
        shape = v.sine + a.supplement * v.cosine;
    } else {
        const real::SinCos v = real::sin_cos(a.supplement);
        shape = v.sine - a.supplement * v.cosine;
    }
    return nx * ny * shape / real::pi;
}

double kernel(const RffSpec& spec, std::span<const float> x, std::span<const float> y) noexcept
{
    const auto b = static_cast<double>(spec.bandwidth);
    switch (spec.kernel) {
    case Kernel::gaussian:
        return gaussian_kernel(x, y, b);
    case Kernel::laplacian:
        return laplacian_kernel(x, y, b);
    case Kernel::cauchy:
        return cauchy_kernel(x, y, b);
    }
    return 0.0;
}

double kernel(const ArcCosSpec& spec, std::span<const float> x, std::span<const float> y) noexcept
{
    return spec.order == 0 ? arccos0_kernel(x, y) : arccos1_kernel(x, y);
}

} // namespace samara
