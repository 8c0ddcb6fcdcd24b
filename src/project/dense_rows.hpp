// Rows of independent entries: row j is the stream (seed, dense rows, j), column after column.
#pragma once

#include "project/tile.hpp"
#include "stream/lanes.hpp"

namespace samara::SAMARA_ARCH {

struct RowLanes {
    Lanes lanes;
    SAMARA_INLINE void begin(const RowBlock& b, std::uint32_t position)
    {
        lanes = make_lanes(
            [&](unsigned l) { return Xoshiro(stream_key(b.seed, Domain::dense_rows, row_number(b, position + l))); });
    }
};
struct NormalRows : RowLanes {
    SAMARA_INLINE void pair(F& a, F& b)
    {
        const NormalPair z = normals(next_words(lanes));
        a = z.first;
        b = z.second;
    }
};
struct CauchyRows : RowLanes {
    SAMARA_INLINE void pair(F& a, F& b)
    {
        a = cauchy(next_words(lanes));
        b = cauchy(next_words(lanes));
    }
};
struct LaplaceRows : RowLanes {
    SAMARA_INLINE void pair(F& a, F& b)
    {
        a = laplace(next_words(lanes));
        b = laplace(next_words(lanes));
    }
};

} // namespace samara::SAMARA_ARCH
