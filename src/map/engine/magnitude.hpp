// The mean of |z| of a row's product with a unit vector.
#pragma once

#include "samara/project.hpp"

namespace samara::engine {

// E|<w, x>| / |x|: sqrt(2/pi) for normal rows; for unit rows, uniform on the sphere of radius sqrt(k), k the inputs,
// sqrt(k) Gamma(k/2) / (sqrt(pi) Gamma((k+1)/2)), from k = 17 on by the asymptotic series, whose error is below 4e-8
// there.
float mean_magnitude(Rows rows, std::uint32_t inputs) noexcept;

} // namespace samara::engine
