// The convolutions of a row of pixels. SPEC.md, section 28.2.
#include "map/cntk/parts.hpp"

namespace samara::SAMARA_ARCH {

namespace {

// How many packs of a filter together: so many that the sums of some pixels stay in registers.
constexpr unsigned filter_packs = F::size >= 8 ? 4 : 2;

// The sums of `pixels` neighbours, whose windows have the columns from `begin` on.
template <unsigned pixels>
SAMARA_INLINE void filter_pixels(const CntkFilterArgs& a, std::uint32_t i, std::uint32_t p, std::uint32_t begin,
                                 std::uint32_t end)
{
    const std::size_t place = place_of(i, a.part);
    F sum[pixels][filter_packs];
    for (auto& of_pixel : sum)
        for (F& s : of_pixel)
            s = broadcast(0.0f);
    for (std::uint32_t r = 0; r < a.high; ++r) {
        if (a.rows[r] == nullptr)
            continue;
        const float* x = a.rows[r] + place + (std::size_t{a.first} + p + begin - a.wide / 2) * cntk_part;
        const float* f = a.filter + (std::size_t{r} * a.wide + begin) * a.numbers + i;
        for (std::uint32_t c = begin; c < end; ++c, x += cntk_part, f += a.numbers) {
#pragma GCC unroll 4
            for (unsigned k = 0; k < filter_packs; ++k) {
                const F weight = load(f + k * F::size);
#pragma GCC unroll 4
                for (unsigned q = 0; q < pixels; ++q)
                    sum[q][k] = fma(weight, load(x + q * cntk_part + k * F::size), sum[q][k]);
            }
        }
    }
    for (unsigned q = 0; q < pixels; ++q)
        for (unsigned k = 0; k < filter_packs; ++k)
            store(a.out + (std::size_t{p} + q) * a.numbers + i + k * F::size, sum[q][k]);
}

// The same of four neighbours and windows of three columns, where each number is read once for all of them.
SAMARA_INLINE void filter_four(const CntkFilterArgs& a, std::uint32_t i, std::uint32_t p)
{
    constexpr unsigned packs = 2;
    const std::size_t place = place_of(i, a.part);
    for (unsigned k = 0; k < filter_packs * F::size; k += packs * F::size) {
        F sum[4][packs];
        for (auto& of_pixel : sum)
            for (F& s : of_pixel)
                s = broadcast(0.0f);
        for (std::uint32_t r = 0; r < a.high; ++r) {
            if (a.rows[r] == nullptr)
                continue;
            const float* const x = a.rows[r] + place + (std::size_t{a.first} + p - 1) * cntk_part + k;
            const float* const f = a.filter + std::size_t{r} * 3 * a.numbers + i + k;
            F weights[3][packs];
#pragma GCC unroll 3
            for (unsigned c = 0; c < 3; ++c)
#pragma GCC unroll 2
                for (unsigned j = 0; j < packs; ++j)
                    weights[c][j] = load(f + std::size_t{c} * a.numbers + j * F::size);
#pragma GCC unroll 6
            for (unsigned column = 0; column < 6; ++column) {
#pragma GCC unroll 2
                for (unsigned j = 0; j < packs; ++j) {
                    const F v = load(x + column * cntk_part + j * F::size);
#pragma GCC unroll 4
                    for (unsigned q = 0; q < 4; ++q)
                        if (column >= q && column - q < 3)
                            sum[q][j] = fma(weights[column - q][j], v, sum[q][j]);
                }
            }
        }
        for (unsigned q = 0; q < 4; ++q)
            for (unsigned j = 0; j < packs; ++j)
                store(a.out + (std::size_t{p} + q) * a.numbers + i + k + j * F::size, sum[q][j]);
    }
}

} // namespace

void cntk_filter(const CntkFilterArgs& a)
{
    const std::uint32_t far = a.wide / 2;
    for (std::uint32_t i = 0; i < a.numbers; i += filter_packs * F::size) {
        for (std::uint32_t p = 0; p < a.count;) {
            // Column c of the window is pixel + c - far. Where whole windows are in the image, several pixels go
            // together, as far as there are registers.
            const std::uint32_t pixel = a.first + p;
            const bool inside = pixel >= far && F::size >= 8;
            const auto fit = [&](std::uint32_t n) { return p + n <= a.count && pixel + n - 1 + far < a.width; };
            if (inside && fit(4)) {
                if (a.wide == 3)
                    filter_four(a, i, p);
                else
                    filter_pixels<4>(a, i, p, 0, a.wide);
                p += 4;
            } else if (inside && fit(2)) {
                filter_pixels<2>(a, i, p, 0, a.wide);
                p += 2;
            } else {
                filter_pixels<1>(a, i, p, pixel < far ? far - pixel : 0,
                                 a.width - pixel <= far ? far + a.width - pixel : a.wide);
                ++p;
            }
        }
    }
}

} // namespace samara::SAMARA_ARCH
