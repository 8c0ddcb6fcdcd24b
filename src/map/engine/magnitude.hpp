// The mean of |z| of a row's product with a unit vector.
#pragma once

#include "samara/map/engine/rows.hpp"

namespace samara::engine {

// E|<w, x>| / |x| of a map's rows.
inline float mean_magnitude(const RowCode& code, std::uint32_t inputs) noexcept
{
    return code.mean_magnitude != nullptr ? code.mean_magnitude(inputs) : 0.797884561f; // sqrt(2/pi)
}

} // namespace samara::engine
