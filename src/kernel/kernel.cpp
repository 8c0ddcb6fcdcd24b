#include "samara/kernel.hpp"

#include "kernel/real.hpp"
#include "kernel/series.hpp"

namespace samara {

namespace {

// The sum of term(x_i, y_i). x and y have the same length.
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

// The angle between two vectors that are not 0, and pi - angle. Both have a small relative error, also near 0.
struct Angle {
    double angle, supplement;
};

// The sine of the angle between almost parallel or antiparallel vectors. With x_j the largest coordinate of x,
//   e_i = (x_j y_i - x_i y_j) / x_j
// is y less the multiple of x that agrees with it at j; products of floats are exact in double, so each e_i is rounded
// once or twice however small it is. What is left of x in e is taken out: at most 1 - 1/n of its squares, as e_j is 0.
double sine_between(std::span<const float> x, std::span<const float> y, double nx, double ny) noexcept
{
    const auto size = [](float v) { return v < 0.0f ? -v : v; };
    std::size_t j = 0;
    for (std::size_t i = 1; i < x.size(); ++i)
        j = size(x[i]) > size(x[j]) ? i : j;
    const auto xj = static_cast<double>(x[j]), yj = static_cast<double>(y[j]);
    const auto rest = [&](double a, double b) { return (xj * b - a * yj) / xj; };
    const double along = sum_over(x, y, [&](double a, double b) { return rest(a, b) * (a / nx); });
    const double squares = sum_over(x, y, [&](double a, double b) {
        const double d = rest(a, b) - along * (a / nx);
        return d * d;
    });
    return real::sqrt(squares) / ny;
}

// Kahan's formula, 2 atan(|u - v| / |u + v|) of the unit vectors; the lengths' rounding errors, 1e-16, would show in a
// tiny angle or supplement, which comes from its sine.
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
    if (minus < 0x1p-10 || plus < 0x1p-10) {
        // The mean of both ways round: the kernels are symmetric to the last bit.
        const double sine = 0.5 * (sine_between(x, y, nx, ny) + sine_between(y, x, ny, nx));
        const double small = real::angle(sine, real::sqrt(1.0 - sine * sine));
        return minus < plus ? Angle{small, real::pi - small} : Angle{real::pi - small, small};
    }
    return {2.0 * real::angle(minus, plus), 2.0 * real::angle(plus, minus)};
}

// sin s - s cos s of the supplement s, that is sin a + (pi - a) cos a of the angle.
double arc(const Angle& a) noexcept
{
    if (a.supplement < 0.5) {
        // s^3/3 - s^5/30 + ...: the terms k >= 1 of (-1)^(k+1) 2k s^(2k+1) / (2k+1)!
        const double u = a.supplement * a.supplement;
        double series = 0.0, term = a.supplement * u / 6.0;
        for (int k = 1; k <= 8; ++k) {
            series += 2.0 * k * term;
            term *= -u / ((2.0 * k + 2.0) * (2.0 * k + 3.0));
        }
        return series;
    }
    if (a.angle <= a.supplement) {
        const real::SinCos v = real::sin_cos(a.angle);
        return v.sine + a.supplement * v.cosine;
    }
    const real::SinCos v = real::sin_cos(a.supplement);
    return v.sine - a.supplement * v.cosine;
}

double cosine_of(const Angle& a) noexcept
{
    return a.angle <= a.supplement ? real::sin_cos(a.angle).cosine : -real::sin_cos(a.supplement).cosine;
}

// The angle whose 1 - cos is `versed`, by its half: |u - v|^2 = 2 versed, |u + v|^2 = 2 (2 - versed) of unit vectors.
Angle angle_of_versed(double versed, double other) noexcept
{
    const double minus = real::sqrt(versed), plus = real::sqrt(other);
    return {2.0 * real::angle(minus, plus), 2.0 * real::angle(plus, minus)};
}

// 1 - a and 1 + a are rounded once each, so that both ends keep their accuracy.
Angle angle_of_cosine(double cosine) noexcept
{
    const double a = !(cosine >= -1.0) ? -1.0 : cosine > 1.0 ? 1.0 : cosine;
    return angle_of_versed(1.0 - a, 1.0 + a);
}

// S and K of arXiv 2106.07880, Eq. (3) and (4), over |x||y|. Near 1 a layer's cosine says little about its angle, whose
// error k0 passes on in full: what is carried from layer to layer is the angle, and what it is found from is
//   1 - k1 = (1 - cos t) - (sin t - t cos t) / pi,
// at least half of its first term. Only the first angle can be near pi: k1 >= 0.
struct Layered {
    double nngp, ntk;
};
Layered layers(Angle a, std::uint32_t depth) noexcept
{
    Layered value{cosine_of(a), cosine_of(a)};
    for (std::uint32_t l = 0; l < depth; ++l) {
        value.nngp = arc(a) / real::pi;
        value.ntk = value.ntk * (a.supplement / real::pi) + value.nngp;
        const double half = real::sin_cos(a.angle / 2.0).sine;
        const double versed = 2.0 * half * half - arc({a.supplement, a.angle}) / real::pi;
        a = angle_of_versed(versed, 2.0 - versed);
    }
    return value;
}

// The same with the series cut off. Polynomials are smooth at 1, so the cosine says enough.
double taylor_layers(double cosine, std::uint32_t depth, std::uint32_t relu_degree, std::uint32_t step_degree,
                     bool fix_diagonal) noexcept
{
    double nngp = cosine, ntk = cosine;
    for (std::uint32_t l = 0; l < depth; ++l) {
        const double step = real::step_polynomial(nngp, step_degree, fix_diagonal);
        nngp = real::relu_polynomial(nngp, relu_degree, fix_diagonal);
        ntk = ntk * step + nngp;
    }
    return ntk;
}

// |x||y| f(angle); 0 for vectors of different lengths, and where one is 0 and there is no angle.
template <class Function>
double of_angle(std::span<const float> x, std::span<const float> y, Function f) noexcept
{
    if (x.size() != y.size())
        return 0.0;
    const double nx = length(x), ny = length(y);
    return nx > 0.0 && ny > 0.0 ? nx * ny * f(angle_between(x, y, nx, ny)) : 0.0;
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
    return nx * ny * arc(angle_between(x, y, nx, ny)) / real::pi;
}

double nngp_kernel(std::span<const float> x, std::span<const float> y, std::uint32_t depth) noexcept
{
    return of_angle(x, y, [=](const Angle& a) { return layers(a, depth).nngp; });
}

double ntk_kernel(std::span<const float> x, std::span<const float> y, std::uint32_t depth) noexcept
{
    return of_angle(x, y, [=](const Angle& a) { return layers(a, depth).ntk; });
}

double nngp_of_cosine(double cosine, std::uint32_t depth) noexcept
{
    return layers(angle_of_cosine(cosine), depth).nngp;
}

double ntk_of_cosine(double cosine, std::uint32_t depth) noexcept { return layers(angle_of_cosine(cosine), depth).ntk; }

double arccos0_of_cosine(double cosine) noexcept { return angle_of_cosine(cosine).supplement / real::pi; }

double ntk_taylor_kernel(std::span<const float> x, std::span<const float> y, std::uint32_t depth,
                         std::uint32_t relu_degree, std::uint32_t step_degree, bool fix_diagonal) noexcept
{
    return of_angle(x, y, [=](const Angle& a) {
        return taylor_layers(cosine_of(a), depth, relu_degree, step_degree, fix_diagonal);
    });
}

double ntk_taylor_of_cosine(double cosine, std::uint32_t depth, std::uint32_t relu_degree, std::uint32_t step_degree,
                            bool fix_diagonal) noexcept
{
    const double a = !(cosine >= -1.0) ? -1.0 : cosine > 1.0 ? 1.0 : cosine;
    return taylor_layers(a, depth, relu_degree, step_degree, fix_diagonal);
}

} // namespace samara
