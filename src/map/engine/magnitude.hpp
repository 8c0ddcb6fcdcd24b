// mu, the mean magnitude of the product of a random row with a vector of length 1.
#pragma once

#include "samara/map/engine/rows.hpp"

namespace samara::engine {

// E|<w, x>| / |x| for the random rows w of a map.
inline float mean_magnitude(const RowCode& code, std::uint32_t inputs) noexcept
{
    return code.mean_magnitude != nullptr ? code.mean_magnitude(inputs) : 0.797884561f; // sqrt(2/pi)
}

} // namespace samara::engine
