// Quasi-Monte Carlo rows: row j is point j of Sobol's sequence, shifted by a random word a dimension (exclusive or),
// each coordinate sent through the inverse CDF of the kernel's spectral density.
#include "project/sobol.hpp"
#include "project/tile.hpp"
#include "stream/lanes.hpp"

#include "project/kernels.hpp"

namespace samara::SAMARA_ARCH {

namespace {

struct SobolRows {
    SobolDimensions dimensions;
    Xoshiro shifts{1, 2, 3, 4};
    std::uint32_t row;
    unsigned bits_used;

    SAMARA_INLINE void begin(const RowBlock& b, std::uint32_t position)
    {
        const std::uint32_t first = b.first_row + position;
        dimensions = {};
        shifts = Xoshiro(stream_key(b.seed, Domain::quasi_shift, 0));
        row = first;
        bits_used = 0;
        while (((first + F::size - 1) >> bits_used) != 0)
            ++bits_used;
    }
    // The next coordinate of a pack of points. A pack's first row is a multiple of its size, so its lanes differ in the
    // low bits of their index alone.
    SAMARA_INLINE U column()
    {
        std::uint32_t v[32] = {};
        dimensions.next(v, bits_used);
        std::uint32_t common = shifts.word();
        for (unsigned k = 0; k < bits_used; ++k)
            common ^= ((row >> k) & 1u) != 0 ? v[k] : 0u;
        U point = broadcast(common);
        for (unsigned k = 0; (1u << k) < F::size; ++k) {
            const U bit = broadcast(1u << k);
            point = point ^ select((lane_index() & bit) == bit, broadcast(v[k]), broadcast(0u));
        }
        return point;
    }
};
// Where the number of inputs is odd, the last pair() makes one column: nothing may be read past the last dimension.
template <class Value>
struct QuasiRows : SobolRows {
    std::uint32_t left;
    SAMARA_INLINE void begin(const RowBlock& b, std::uint32_t position)
    {
        SobolRows::begin(b, position);
        left = b.inputs;
    }
    SAMARA_INLINE void pair(F& a, F& b)
    {
        a = Value::of(column());
        b = left > 1 ? Value::of(column()) : broadcast(0.0f);
        left -= 2;
    }
};

struct NormalValue {
    SAMARA_INLINE static F of(U k) { return inverse_normal(k); }
};
// cauchy() and laplace() take a word that is a sign and a magnitude. These make the word for which the result is the
// inverse CDF at (k + 1/2) / 2^32.
struct CauchyValue {
    SAMARA_INLINE static F of(U k)
    {
        const U top = broadcast(0x80000000u), lower = k & top;
        return cauchy(select(lower == broadcast(0u), k ^ broadcast(0xffffffffu), k ^ top));
    }
};
struct LaplaceValue {
    SAMARA_INLINE static F of(U k)
    {
        const U top = broadcast(0x80000000u), lower = k & top;
        return laplace(select(lower == broadcast(0u), k | top, k ^ broadcast(0xffffffffu)));
    }
};

} // namespace

void quasi_normal_rows(const RowBlock& b) { regenerated_rows<QuasiRows<NormalValue>, false>(b); }
void quasi_cauchy_rows(const RowBlock& b) { regenerated_rows<QuasiRows<CauchyValue>, false>(b); }
void quasi_laplace_rows(const RowBlock& b) { regenerated_rows<QuasiRows<LaplaceValue>, false>(b); }

} // namespace samara::SAMARA_ARCH
