// Rows that are regenerated inside the product. Each lane makes one row and takes its columns in order, so the chain of
// fused multiply-adds is the scalar one for every pack width, for one sample and for a batch.
//
// A source of rows has begin(block, position) and pair(a, b), which makes the next two columns for F::size rows.
#pragma once

#include "project/block.hpp"
#include "simd/pack.hpp"

namespace samara::SAMARA_ARCH {

inline constexpr unsigned tile_packs = F::size == 1 ? 1 : 2;
inline constexpr unsigned tile_rows = tile_packs * F::size;
// A batch keeps this part of the regenerated matrix on the stack: 64 KiB with AVX-512, 256 bytes where a pack is one
// value. It is large, because all samples and their sums, which do not fit the inner caches, are read once for each
// part.
inline constexpr unsigned group_rows = F::size == 1 ? 1 : 64;
inline constexpr unsigned group_tiles = group_rows / tile_rows;
inline constexpr unsigned chunk_columns = F::size == 16 ? 256 : F::size == 1 ? 64 : 128;
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

// Adds one chunk of columns times `count` samples to what `out` holds; the first chunk begins at zero. The last chunk
// also multiplies the sums with *last_scale.
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

// The rows of one tile: their sources, their squared lengths, and the factors of their sums.
template <class Source, bool unit>
struct Tile {
    Source source[tile_packs];
    F norm[tile_packs], scale[tile_packs];

    SAMARA_INLINE void begin(const RowBlock& b, std::uint32_t row)
    {
        for (unsigned i = 0; i < tile_packs; ++i) {
            source[i].begin(b, row + i * F::size);
            norm[i] = broadcast(0.0f);
        }
    }
    SAMARA_INLINE void measure(unsigned i, F w)
    {
        if constexpr (unit)
            norm[i] = fma(w, w, norm[i]);
    }
    // `unit`: every row is brought to length sqrt(inputs).
    SAMARA_INLINE void end(const RowBlock& b)
    {
        for (unsigned i = 0; i < tile_packs; ++i) {
            scale[i] = broadcast(b.scale);
            if constexpr (unit)
                scale[i] = scale[i] * (broadcast(sqrt_scalar(static_cast<float>(b.inputs))) / sqrt(norm[i]));
        }
    }
};

SAMARA_INLINE unsigned rows_from(const RowBlock& b, std::uint32_t row)
{
    return b.rows - row < tile_rows ? b.rows - row : tile_rows;
}

// One sample: each row is used as it is made.
template <class Source, bool unit>
SAMARA_INLINE void rows_of_one(const RowBlock& b)
{
    for (std::uint32_t row = 0; row < b.rows; row += tile_rows) {
        Tile<Source, unit> tile;
        tile.begin(b, row);
        F acc[tile_packs];
        for (F& a : acc)
            a = broadcast(0.0f);
        for (std::uint32_t c = 0; c < b.inputs; c += 2) {
            for (unsigned i = 0; i < tile_packs; ++i) {
                F w0, w1;
                tile.source[i].pair(w0, w1);
                acc[i] = fma(w0, broadcast(b.x[c]), acc[i]);
                tile.measure(i, w0);
                if (c + 1 < b.inputs) {
                    acc[i] = fma(w1, broadcast(b.x[c + 1]), acc[i]);
                    tile.measure(i, w1);
                }
            }
        }
        tile.end(b);
        for (unsigned i = 0; i < tile_packs; ++i)
            acc[i] = acc[i] * tile.scale[i];
        store_rows(b.out + row, rows_from(b, row), acc);
    }
}

// Several samples: a chunk of columns of a group of rows is made once, then multiplied with all of them.
template <class Source, bool unit>
SAMARA_INLINE void rows_of_many(const RowBlock& b)
{
    alignas(64) float made[group_tiles][chunk_columns * tile_rows];
    for (std::uint32_t group = 0; group < b.rows; group += group_rows) {
        const std::uint32_t left = b.rows - group, rows = left < group_rows ? left : group_rows;
        const unsigned tiles = (rows + tile_rows - 1) / tile_rows;
        Tile<Source, unit> tile[group_tiles];
        for (unsigned t = 0; t < tiles; ++t)
            tile[t].begin(b, group + t * tile_rows);
        for (std::uint32_t c0 = 0; c0 < b.inputs; c0 += chunk_columns) {
            const unsigned columns = b.inputs - c0 < chunk_columns ? b.inputs - c0 : chunk_columns;
            const bool first = c0 == 0, last = c0 + columns == b.inputs;
            for (unsigned t = 0; t < tiles; ++t) {
                for (unsigned c = 0; c < columns; c += 2) {
                    for (unsigned i = 0; i < tile_packs; ++i) {
                        F w0, w1;
                        tile[t].source[i].pair(w0, w1);
                        float* place = made[t] + c * tile_rows + i * F::size;
                        store(place, w0);
                        tile[t].measure(i, w0);
                        if (c + 1 < columns)
                            tile[t].measure(i, w1);
                        store(place + tile_rows, w1); // chunks are even: there is room
                    }
                }
                if (last)
                    tile[t].end(b);
            }
            const float* x = b.x + c0;
            float* out = b.out + group;
            std::size_t k = 0;
            for (; k + tile_samples <= b.samples; k += tile_samples) {
                for (unsigned t = 0; t < tiles; ++t)
                    multiply_chunk<tile_samples>(
                        made[t], columns, x + k * b.x_stride, b.x_stride, out + k * b.out_stride + t * tile_rows,
                        b.out_stride, rows_from(b, group + t * tile_rows), first, last ? tile[t].scale : nullptr);
            }
            for (; k < b.samples; ++k) {
                for (unsigned t = 0; t < tiles; ++t)
                    multiply_chunk<1>(made[t], columns, x + k * b.x_stride, b.x_stride,
                                      out + k * b.out_stride + t * tile_rows, b.out_stride,
                                      rows_from(b, group + t * tile_rows), first, last ? tile[t].scale : nullptr);
            }
        }
    }
}

template <class Source, bool unit>
SAMARA_INLINE void regenerated_rows(const RowBlock& b)
{
    if (b.samples == 1)
        rows_of_one<Source, unit>(b);
    else
        rows_of_many<Source, unit>(b);
}

} // namespace samara::SAMARA_ARCH
