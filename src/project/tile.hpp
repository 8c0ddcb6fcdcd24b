// Rows that are regenerated inside the product. Each lane owns a row and walks the columns in order, so the chain of
// fused multiply-adds is the scalar one for every pack width, for one sample and for a batch.
//
// A source makes two columns at a time for F::size rows: pair(a, b).
#pragma once

#include "project/block.hpp"
#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

inline constexpr unsigned tile_packs = F::size == 1 ? 1 : 2;
inline constexpr unsigned tile_rows = tile_packs * F::size;
inline constexpr unsigned chunk_columns = 64;
// Samples that share one pass over a chunk: as many accumulators as there are registers for.
inline constexpr unsigned tile_samples = F::size == 16 ? 12 : F::size == 1 ? 4 : 5;

// The first `valid` rows of a tile, from and to memory that ends there.
SAMARA_INLINE void load_rows(const float* p, unsigned valid, F (&acc)[tile_packs])
{
    if (valid == tile_rows) {
        for (unsigned i = 0; i < tile_packs; ++i)
            acc[i] = load(p + i * F::size);
        return;
    }
    float full[tile_rows] = {};
    for (unsigned r = 0; r < valid; ++r)
        full[r] = p[r];
    for (unsigned i = 0; i < tile_packs; ++i)
        acc[i] = load(full + i * F::size);
}
SAMARA_INLINE void store_rows(float* p, unsigned valid, const F (&acc)[tile_packs])
{
    if (valid == tile_rows) {
        for (unsigned i = 0; i < tile_packs; ++i)
            store(p + i * F::size, acc[i]);
        return;
    }
    float full[tile_rows];
    for (unsigned i = 0; i < tile_packs; ++i)
        store(full + i * F::size, acc[i]);
    for (unsigned r = 0; r < valid; ++r)
        p[r] = full[r];
}

// One chunk of columns times `count` samples, onto what `out` holds (or zero, for the first chunk).
template <unsigned count>
SAMARA_INLINE void multiply_chunk(const float* tile, unsigned columns, const float* x, std::size_t x_stride, float* out,
                                  std::size_t out_stride, unsigned valid, bool first, const F* last_scale)
{
    F acc[count][tile_packs];
#pragma GCC unroll 12
    for (unsigned k = 0; k < count; ++k) {
        if (first) {
            for (unsigned i = 0; i < tile_packs; ++i)
                acc[k][i] = broadcast(0.0f);
        } else {
            load_rows(out + k * out_stride, valid, acc[k]);
        }
    }
    for (unsigned c = 0; c < columns; ++c) {
        F w[tile_packs];
        for (unsigned i = 0; i < tile_packs; ++i)
            w[i] = load(tile + c * tile_rows + i * F::size);
#pragma GCC unroll 12
        for (unsigned k = 0; k < count; ++k) {
            const F v = broadcast(x[k * x_stride + c]);
#pragma GCC unroll 2
            for (unsigned i = 0; i < tile_packs; ++i)
                acc[k][i] = fma(w[i], v, acc[k][i]);
        }
    }
#pragma GCC unroll 12
    for (unsigned k = 0; k < count; ++k) {
        if (last_scale != nullptr) {
            for (unsigned i = 0; i < tile_packs; ++i)
                acc[k][i] = acc[k][i] * last_scale[i];
        }
        store_rows(out + k * out_stride, valid, acc[k]);
    }
}

// `unit`: every row is brought to length sqrt(inputs).
template <class Source, bool unit>
SAMARA_INLINE void regenerated_rows(const RowBlock& b)
{
    for (std::uint32_t row = 0; row < b.rows; row += tile_rows) {
        const unsigned valid = b.rows - row < tile_rows ? b.rows - row : tile_rows;
        Source source[tile_packs];
        for (unsigned i = 0; i < tile_packs; ++i)
            source[i].begin(b, b.first_row + row + i * F::size);

        F norm[tile_packs], scale[tile_packs];
        for (unsigned i = 0; i < tile_packs; ++i) {
            norm[i] = broadcast(0.0f);
            scale[i] = broadcast(b.scale);
        }
        const auto finish_scale = [&] {
            if constexpr (unit) {
                const F root = broadcast(sqrt_scalar(static_cast<float>(b.inputs)));
                for (unsigned i = 0; i < tile_packs; ++i)
                    scale[i] = broadcast(b.scale) * (root / sqrt(norm[i]));
            }
        };

        if (b.samples == 1) {
            F acc[tile_packs];
            for (unsigned i = 0; i < tile_packs; ++i)
                acc[i] = broadcast(0.0f);
            std::uint32_t c = 0;
            const auto column = [&](unsigned i, F w, float x) {
                acc[i] = fma(w, broadcast(x), acc[i]);
                if constexpr (unit)
                    norm[i] = fma(w, w, norm[i]);
            };
            for (; c + 2 <= b.inputs; c += 2) {
                for (unsigned i = 0; i < tile_packs; ++i) {
                    F w0, w1;
                    source[i].pair(w0, w1);
                    column(i, w0, b.x[c]);
                    column(i, w1, b.x[c + 1]);
                }
            }
            if (c < b.inputs) {
                for (unsigned i = 0; i < tile_packs; ++i) {
                    F w0, w1;
                    source[i].pair(w0, w1);
                    column(i, w0, b.x[c]);
                }
            }
            finish_scale();
            for (unsigned i = 0; i < tile_packs; ++i)
                acc[i] = acc[i] * scale[i];
            store_rows(b.out + row, valid, acc);
            continue;
        }

        alignas(64) float tile[(chunk_columns + 1) * tile_rows];
        for (std::uint32_t c0 = 0; c0 < b.inputs; c0 += chunk_columns) {
            const unsigned columns = b.inputs - c0 < chunk_columns ? b.inputs - c0 : chunk_columns;
            for (unsigned c = 0; c < columns; c += 2) {
                for (unsigned i = 0; i < tile_packs; ++i) {
                    F w0, w1;
                    source[i].pair(w0, w1);
                    store(tile + c * tile_rows + i * F::size, w0);
                    store(tile + (c + 1) * tile_rows + i * F::size, w1);
                    if constexpr (unit) {
                        norm[i] = fma(w0, w0, norm[i]);
                        if (c + 1 < columns)
                            norm[i] = fma(w1, w1, norm[i]);
                    }
                }
            }
            const bool first = c0 == 0, last = c0 + columns == b.inputs;
            if (last)
                finish_scale();
            const F* last_scale = last ? scale : nullptr;
            const float* x = b.x + c0;
            float* out = b.out + row;
            std::size_t k = 0;
            for (; k + tile_samples <= b.samples; k += tile_samples)
                multiply_chunk<tile_samples>(tile, columns, x + k * b.x_stride, b.x_stride, out + k * b.out_stride,
                                             b.out_stride, valid, first, last_scale);
            for (; k < b.samples; ++k)
                multiply_chunk<1>(tile, columns, x + k * b.x_stride, b.x_stride, out + k * b.out_stride, b.out_stride,
                                  valid, first, last_scale);
        }
    }
}

} // namespace samara::SAMARA_ARCH
