// mu, the mean magnitude of the product of a random row with a vector of length 1.
#pragma once

#include "samara/project.hpp"

namespace samara::engine {

// E|<w, x>| / |x|. For normal rows it is sqrt(2/pi). Unit rows are uniform on the sphere of radius sqrt(k) in k =
// inputs dimensions; for these it is sqrt(k) Gamma(k/2) / (sqrt(pi) Gamma((k+1)/2)), from k = 17 on by the asymptotic
// series, with an error below 4e-8.
float mean_magnitude(Rows rows, std::uint32_t inputs) noexcept;

} // namespace samara::engine
