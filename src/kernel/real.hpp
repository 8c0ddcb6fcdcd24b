// A few functions of double precision made of basic operations alone: the same bits everywhere, libm not needed.
#pragma once

#include <bit>
#include <cstdint>

#include "simd/arch.hpp" // refuses -ffast-math

namespace samara::real {

inline constexpr double pi = 3.14159265358979323846;

// Within 2 units in the last place for normal x >= 0: Newton's steps from a guess by halving the exponent.
inline double sqrt(double x) noexcept
{
    if (!(x > 0.0))
        return 0.0;
    double r = std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) >> 1) + 0x1ff8000000000000u);
    for (int i = 0; i < 5; ++i)
        r = 0.5 * (r + x / r);
    return r;
}

// e^x for x <= 0; 0 below -700.
inline double exp_negative(double x) noexcept
{
    if (!(x >= -700.0))
        return 0.0;
    const auto n = static_cast<std::int64_t>(x * 1.4426950408889634 - 0.5);
    const auto whole = static_cast<double>(n);
    const double r = (x - whole * 6.93147180369123816490e-01) - whole * 1.90821492927058770002e-10;
    double sum = 1.0; // Taylor, from the small end: |r| <= 0.35, 15 terms reach 1e-19
    for (int k = 15; k > 0; --k)
        sum = 1.0 + sum * r / k;
    return sum * std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

// The angle of the point (x, y), in [0, pi/2], for x, y >= 0.
inline double angle(double y, double x) noexcept
{
    if (y == 0.0)
        return 0.0;
    const bool steep = y > x;
    double t = steep ? x / y : y / x; // tan, at most 1
    // tan(a/2) = t / (1 + sqrt(1 + t^2)), three times: then at most tan(pi/32)
    for (int i = 0; i < 3; ++i)
        t = t / (1.0 + real::sqrt(1.0 + t * t));
    const double u = t * t;
    double sum = 0.0;
    for (int k = 21; k > 0; k -= 2)
        sum = 1.0 / k - u * sum;
    const double a = 8.0 * t * sum;
    return steep ? pi / 2 - a : a;
}

struct SinCos {
    double sine, cosine;
};

// For 0 <= a <= pi/2: the series at a/4, then two doublings of (sin, 1 - cos), which keep small angles accurate.
inline SinCos sin_cos(double a) noexcept
{
    const double b = a / 4, u = b * b;
    double s = 1.0, v = 1.0;
    for (int k = 17; k > 1; k -= 2)
        s = 1.0 - s * u / (k * (k - 1));
    for (int k = 18; k > 2; k -= 2)
        v = 1.0 - v * u / (k * (k - 1));
    double sine = s * b, versed = v * u / 2; // 1 - cos
    for (int i = 0; i < 2; ++i) {
        const double doubled = 2.0 * sine * (1.0 - versed);
        versed = 2.0 * sine * sine;
        sine = doubled;
    }
    return {sine, 1.0 - versed};
}

} // namespace samara::real
