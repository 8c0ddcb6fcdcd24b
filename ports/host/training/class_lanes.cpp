// Compiled once for each back end with SAMARA_ARCH set to its name, and with what that processor has. Nothing of the
// standard library is called here: the linker could take a function that was compiled for one processor for all of
// them.
#include "ports/host/training/class_lanes.hpp"

namespace samara::desk::SAMARA_ARCH {

namespace {

// As wide as the processor's registers, of which there must be enough for a tile of sums.
#if defined(__AVX512F__)
constexpr std::size_t width = 16, rows_at_once = 4, outputs_of_scores = 5, outputs_of_sums = 10;
#elif defined(__AVX2__)
constexpr std::size_t width = 8, rows_at_once = 3, outputs_of_scores = 4, outputs_of_sums = 5;
#else
constexpr std::size_t width = 4, rows_at_once = 3, outputs_of_scores = 4, outputs_of_sums = 5;
#endif

typedef float V __attribute__((vector_size(width * sizeof(float)), aligned(4), may_alias));

[[gnu::always_inline]] inline V load(const float* from) { return *reinterpret_cast<const V*>(from); }

[[gnu::always_inline]] inline float sum_of(V v)
{
    float sum = 0.0f;
    for (std::size_t i = 0; i < width; ++i)
        sum += v[i];
    return sum;
}

// Of some rows with some outputs.
template <std::size_t rows, std::size_t outputs>
void scores_of(const ClassTile& tile, const float* z, const float* weights, float* scores)
{
    V sums[rows][outputs] = {};
    const std::size_t features = tile.features;
    std::size_t j = 0;
    for (; j + width <= features; j += width) {
        V w[outputs];
        for (std::size_t k = 0; k < outputs; ++k)
            w[k] = load(weights + k * features + j);
        for (std::size_t i = 0; i < rows; ++i) {
            const V own = load(z + i * features + j);
            for (std::size_t k = 0; k < outputs; ++k)
                sums[i][k] += own * w[k];
        }
    }
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < outputs; ++k) {
            float sum = sum_of(sums[i][k]);
            for (std::size_t rest = j; rest < features; ++rest)
                sum += z[i * features + rest] * weights[k * features + rest];
            scores[i * tile.outputs + k] = sum;
        }
    }
}

template <std::size_t outputs>
void scores_of_outputs(const ClassTile& tile, const float* weights, float* scores)
{
    std::size_t i = 0;
    for (; i + rows_at_once <= tile.rows; i += rows_at_once)
        scores_of<rows_at_once, outputs>(tile, tile.z + i * tile.features, weights, scores + i * tile.outputs);
    for (; i < tile.rows; ++i)
        scores_of<1, outputs>(tile, tile.z + i * tile.features, weights, scores + i * tile.outputs);
}

// Of one stretch of features with some outputs.
template <std::size_t outputs, std::size_t vectors>
void add_products_of(const ClassTile& tile, const float* z, const float* scores, float* sums)
{
    V own[outputs][vectors];
    for (std::size_t k = 0; k < outputs; ++k)
        for (std::size_t v = 0; v < vectors; ++v)
            own[k][v] = load(sums + k * tile.features + v * width);
    for (std::size_t i = 0; i < tile.rows; ++i) {
        V some[vectors];
        for (std::size_t v = 0; v < vectors; ++v)
            some[v] = load(z + i * tile.features + v * width);
        for (std::size_t k = 0; k < outputs; ++k) {
            const float score = scores[i * tile.outputs + k];
            for (std::size_t v = 0; v < vectors; ++v)
                own[k][v] += score * some[v];
        }
    }
    for (std::size_t k = 0; k < outputs; ++k)
        for (std::size_t v = 0; v < vectors; ++v)
            *reinterpret_cast<V*>(sums + k * tile.features + v * width) = own[k][v];
}

template <std::size_t outputs>
void add_products_of_outputs(const ClassTile& tile, const float* scores, float* sums)
{
    std::size_t j = 0;
    for (; j + 2 * width <= tile.features; j += 2 * width)
        add_products_of<outputs, 2>(tile, tile.z + j, scores, sums + j);
    for (; j + width <= tile.features; j += width)
        add_products_of<outputs, 1>(tile, tile.z + j, scores, sums + j);
    for (; j < tile.features; ++j) {
        for (std::size_t k = 0; k < outputs; ++k) {
            float sum = sums[k * tile.features + j];
            for (std::size_t i = 0; i < tile.rows; ++i)
                sum += scores[i * tile.outputs + k] * tile.z[i * tile.features + j];
            sums[k * tile.features + j] = sum;
        }
    }
}

// Calls the function for so many outputs, which is made for `most` and each number below it.
template <std::size_t most>
void some_scores(std::size_t outputs, const ClassTile& tile, const float* weights, float* scores)
{
    if (outputs == most)
        scores_of_outputs<most>(tile, weights, scores);
    else if constexpr (most > 1)
        some_scores<most - 1>(outputs, tile, weights, scores);
}
template <std::size_t most>
void some_products(std::size_t outputs, const ClassTile& tile, const float* scores, float* sums)
{
    if (outputs == most)
        add_products_of_outputs<most>(tile, scores, sums);
    else if constexpr (most > 1)
        some_products<most - 1>(outputs, tile, scores, sums);
}

} // namespace

void class_scores(const ClassTile& tile, const float* weights, float* scores);
void class_scores(const ClassTile& tile, const float* weights, float* scores)
{
    for (std::size_t first = 0; first < tile.outputs; first += outputs_of_scores) {
        const std::size_t rest = tile.outputs - first, some = rest < outputs_of_scores ? rest : outputs_of_scores;
        some_scores<outputs_of_scores>(some, tile, weights + first * tile.features, scores + first);
    }
}

void add_class_products(const ClassTile& tile, const float* scores, float* sums);
void add_class_products(const ClassTile& tile, const float* scores, float* sums)
{
    for (std::size_t first = 0; first < tile.outputs; first += outputs_of_sums) {
        const std::size_t rest = tile.outputs - first, some = rest < outputs_of_sums ? rest : outputs_of_sums;
        some_products<outputs_of_sums>(some, tile, scores + first, sums + first * tile.features);
    }
}

} // namespace samara::desk::SAMARA_ARCH
