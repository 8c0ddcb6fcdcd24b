// The Taylor series at 0 of the arc-cosine kernels, arXiv 2106.07880, Eq. (6): all coefficients are positive, and each
// series adds up to 1 at 1.
#pragma once

#include <cstdint>

#include "kernel/real.hpp"

namespace samara::real {

// The coefficients of the terms i = 0, 1, ... one after another. Each t(i) = (2i)! / (2^i i!)^2 is (2i-1) / (2i) times
// the one before it.
class ArcCosTerms {
public:
    // The coefficient of a^(2i+2) in k1, whose first two terms are 1/pi + a/2.
    double relu() const noexcept { return t_ / (pi * (2.0 * i_ + 1.0) * (2.0 * i_ + 2.0)); }
    // The coefficient of a^(2i+1) in k0, whose first term is 1/2.
    double step() const noexcept { return t_ / (pi * (2.0 * i_ + 1.0)); }
    void next() noexcept
    {
        t_ *= (2.0 * i_ + 1.0) / (2.0 * i_ + 2.0);
        i_ += 1.0;
    }

private:
    double t_ = 1.0, i_ = 0.0;
};

// The series at `a`, cut off behind the term i = order. `complete`: what the coefficients lack to the sum 1 is added to
// the last of them.
inline double relu_polynomial(double a, std::uint32_t order, bool complete) noexcept
{
    double value = 1.0 / pi + a / 2.0, mass = 1.0 / pi + 0.5, power = a * a;
    ArcCosTerms terms;
    for (std::uint32_t i = 0;; ++i) {
        value += terms.relu() * power;
        mass += terms.relu();
        if (i == order)
            return complete ? value + (1.0 - mass) * power : value;
        power *= a * a;
        terms.next();
    }
}

inline double step_polynomial(double a, std::uint32_t order, bool complete) noexcept
{
    double value = 0.5, mass = 0.5, power = a;
    ArcCosTerms terms;
    for (std::uint32_t i = 0;; ++i) {
        value += terms.step() * power;
        mass += terms.step();
        if (i == order)
            return complete ? value + (1.0 - mass) * power : value;
        power *= a * a;
        terms.next();
    }
}

} // namespace samara::real
