// The power series of the Neural Tangent Kernel in the cosine.
#include "kernel/real.hpp"
#include "samara/kernel.hpp"
#include "samara/map/ntk_poly.hpp"

namespace samara {

namespace {

constexpr std::uint32_t most_terms = most_map_degree + 1;

struct Series {
    double c[most_terms] = {};
};

Series product(const Series& a, const Series& b, std::uint32_t terms) noexcept
{
    Series p;
    for (std::uint32_t n = 0; n < terms; ++n)
        for (std::uint32_t i = 0; i <= n; ++i)
            p.c[n] += a.c[i] * b.c[n - i];
    return p;
}

Series derivative(const Series& a, std::uint32_t terms) noexcept
{
    Series d;
    for (std::uint32_t n = 1; n < terms; ++n)
        d.c[n - 1] = n * a.c[n];
    return d;
}

Series integral(const Series& a, double constant, std::uint32_t terms) noexcept
{
    Series y;
    y.c[0] = constant;
    for (std::uint32_t n = 1; n < terms; ++n)
        y.c[n] = a.c[n - 1] / n;
    return y;
}

// p = q^(-1/2) with q = 1 - s^2. The coefficients follow one by one from p q' = -2 q p'.
Series inverse_sine(const Series& s, std::uint32_t terms) noexcept
{
    Series q = product(s, s, terms), p;
    for (double& v : q.c)
        v = -v;
    q.c[0] += 1.0;
    p.c[0] = 1.0 / real::sqrt(q.c[0]);
    for (std::uint32_t n = 1; n < terms; ++n) {
        double sum = 0.0;
        for (std::uint32_t i = 1; i <= n; ++i)
            sum += (0.5 * i - n) * q.c[i] * p.c[n - i];
        p.c[n] = sum / (n * q.c[0]);
    }
    return p;
}

} // namespace

// k0' = 1 / (pi sqrt(1 - s^2)) and k1' = k0, so the series of k0(s(a)) and k1(s(a)) are integrals of products.
Coefficients ntk_poly_coefficients(std::uint32_t depth, std::uint32_t degree, Remainder remainder) noexcept
{
    Coefficients out;
    if (depth < 1 || depth > most_ntk_depth || degree < 2 || degree > most_map_degree || remainder > Remainder::last)
        return out;
    const std::uint32_t terms = degree + 1;
    Series s;
    s.c[1] = 1.0;
    Series k = s;
    for (std::uint32_t l = 0; l < depth; ++l) {
        const Series slope = derivative(s, terms);
        Series step_slope = product(slope, inverse_sine(s, terms), terms);
        for (double& v : step_slope.c)
            v /= real::pi;
        const double cosine = s.c[0], sine = real::sqrt(1.0 - cosine * cosine);
        const Series step = integral(step_slope, 1.0 - real::angle(sine, cosine) / real::pi, terms);
        s = integral(product(step, slope, terms), nngp_of_cosine(cosine, 1), terms);
        k = product(k, step, terms);
        for (std::uint32_t n = 0; n < terms; ++n)
            k.c[n] += s.c[n];
    }
    double missing = depth + 1.0, upper = 0.0;
    for (std::uint32_t n = 0; n < terms; ++n) {
        missing -= k.c[n];
        upper += n > degree / 2 ? k.c[n] : 0.0;
    }
    for (std::uint32_t n = degree / 2 + 1; n < terms && remainder == Remainder::spread; ++n)
        k.c[n] += missing * (k.c[n] / upper);
    double mass = depth + 1.0;
    for (std::uint32_t n = 0; n < degree; ++n) {
        out.c[n] = static_cast<float>(k.c[n]);
        // Coefficients that are 0 up to rounding errors are 0.
        out.c[n] = out.c[n] > 0x1p-40f ? out.c[n] : 0.0f;
        mass -= static_cast<double>(out.c[n]);
    }
    out.c[degree] = static_cast<float>(mass);
    out.count = terms;
    return out;
}

} // namespace samara
