// All sums over a vector have one order of additions: sixteen strided partial sums, which are then folded 8, 4, 2, 1.
#pragma once

#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

inline constexpr unsigned sum_packs = 16 / F::size;

// Adds up the sixteen partial sums.
SAMARA_INLINE float fold(F (&sum)[sum_packs])
{
    for (unsigned h = sum_packs / 2; h > 0; h /= 2)
        for (unsigned k = 0; k < h; ++k)
            sum[k] = sum[k] + sum[k + h];
    F v = sum[0];
    if constexpr (F::size >= 16)
        v = v + swap_lanes<8>(v);
    if constexpr (F::size >= 8)
        v = v + swap_lanes<4>(v);
    if constexpr (F::size >= 4) {
        v = v + swap_lanes<2>(v);
        v = v + swap_lanes<1>(v);
    }
    float lanes[F::size];
    store(lanes, v);
    return lanes[0];
}

} // namespace samara::SAMARA_ARCH
