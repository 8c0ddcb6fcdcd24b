// What maps whose features come from rows of a regenerated matrix share. Their specs differ; the way of a sample does
// not: it is checked and planned once, then each block of rows is multiplied with it, and a nonlinearity makes the
// block's features of the products.
//
// A map of rows derives from MapOfRows<Spec> and has, beside its fields,
//
//   features_per_row(spec)              1, if it does not say otherwise
//   exact_features(spec)                how many features come first and need no rows
//   workspace_floats(spec, rows)        what a sample takes; rows: the floats that the kind of rows takes itself
//   functions<kinds>(spec)              the functions that it needs, as a constant where the spec is one
//   scale(spec, m, map)                 sets the floats that those functions need; m: the rows that are used
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/map/data.hpp"
#include "samara/map/kinds.hpp"
#include "samara/project.hpp"
#include "samara/status.hpp"

namespace samara {

struct RowBlock;
struct FinishArgs;

namespace engine {

struct RowMap;

// What one sample needs beside its products with the rows.
struct SamplePlan {
    float factor;         // a power of two: the rows see x * factor
    float amplitude;      // of the random features, the factor undone
    float centre;         // what the exact orders carry already: a mean, or |x| times one
    float square = 0;     // of orders two: multiplies the squared product
    bool zero = false;    // all features are 0
    std::int32_t top = 0; // exponent of the largest |x_i|
    float length = 0;     // |x| 2^-top, where the map needs it
};

// The code of a map. A spec that is known while compiling names the functions that it needs, so that only those are
// linked.
struct RowCode {
    void (*rows)(const RowBlock&) noexcept = nullptr;
    void (*finish)(const FinishArgs&) noexcept = nullptr;
    // `largest`: the bits of the largest |x_i|.
    void (*plan)(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan) noexcept = nullptr;
    // Writes the exact features; null where there are none. `work`: the workspace, from its start, before the rows take
    // it.
    void (*exact)(const RowMap& map, const float* x, const SamplePlan& plan, float* out,
                  float* work) noexcept = nullptr;
    std::size_t exact_floats = 0; // of the workspace that the exact features take
    // E|z| of a row's product z with a vector of length 1; null for normal rows: sqrt(2/pi).
    float (*mean_magnitude)(std::uint32_t inputs) noexcept = nullptr;
    // Instead of `rows`, where rows are chosen: makes only those that are kept. Null: all are made and some are taken,
    // as they must be where a feature depends on its row's place in the block.
    void (*kept_rows)(const RowBlock&) noexcept = nullptr;

    // What a map without chosen rows needs, and one with them: the linker drops what is not named.
    constexpr RowCode without_choice() const noexcept
    {
        RowCode code = *this;
        code.kept_rows = nullptr;
        return code;
    }
    constexpr RowCode with_choice() const noexcept
    {
        RowCode code = *this;
        code.rows = code.kept_rows != nullptr ? nullptr : code.rows;
        return code;
    }

    constexpr bool complete() const noexcept { return rows != nullptr && finish != nullptr && plan != nullptr; }
};

// A resolved map of rows without its type: what follows from its spec while compiling, if that is a constant, and
// floats that are computed when a sample begins.
struct RowMap {
    std::uint64_t seed = 0;
    std::uint32_t inputs = 0, features = 0, exact = 0, rows = 0, per_block = 0, per_row = 1, sweeps = 0;
    std::uint32_t blocks_together = 1; // as many whole blocks may be asked for in one call
    std::size_t row_floats = 0;        // workspace of the rows for a batch; a scaled copy of x lies before it
    std::size_t sample_floats = 0;     // and for one sample
    bool scaled_copy = false;          // the map may ask for one
    bool by_position = false;          // a feature depends on its row's place in the block: phases and ties
    RowCode code;

    float scale = 1;               // of the products
    float amplitude = 0;           // of the random features
    float centre = 0;              // the mean that the exact orders carry, where there are any
    float bandwidth = 0;           // of Fourier features
    const float* series = nullptr; // coefficients of a map that is a Hermite series

    constexpr bool complete() const noexcept { return code.complete(); }
    constexpr RowMap without_choice() const noexcept
    {
        RowMap map = *this;
        map.code = code.without_choice();
        return map;
    }
    constexpr RowMap with_choice() const noexcept
    {
        RowMap map = *this;
        map.code = code.with_choice();
        return map;
    }
};

constexpr RowMap row_map(std::uint64_t seed, std::uint32_t inputs, std::uint32_t features, std::uint32_t exact,
                         std::uint32_t per_row, Rows rows, const RowCode& code) noexcept
{
    RowMap map;
    map.seed = seed;
    map.inputs = inputs;
    map.features = features;
    map.exact = exact;
    map.rows = (features - exact) / per_row;
    map.per_block = block_rows(rows, inputs);
    map.per_row = per_row;
    map.blocks_together = rows == Rows::hadamard ? 8 : 1;
    map.row_floats = rows_workspace_floats(rows, inputs);
    map.sample_floats = sample_workspace_floats(rows, inputs);
    map.code = code;
    return map;
}

// One sample that was checked and planned. It refers to the input and the workspace, which must stay as they are.
struct RowSample {
    RowMap map;
    SamplePlan plan;
    const float* x;
    float *copy, *rows; // of the workspace
};

// For sample.map, whose floats are set: wrong_length, misaligned, small_workspace, not_finite or out_of_range; else the
// blocks can be asked for.
Status begin(RowSample& sample, std::span<const float> x, std::span<std::byte> work) noexcept;
// All features of one sample.
void all_blocks(const RowSample& sample, float* z) noexcept;
// Block k, the exact features being block 0 where there are any; z has room for it.
void block(const RowSample& sample, std::uint32_t k, float* z) noexcept;
// The kept rows of block k, `count` features; z has room for the whole block.
void chosen_block(const RowSample& sample, const ChosenRows& chosen, std::uint32_t k, std::uint32_t count,
                  float* z) noexcept;
// Several samples: the rows of a block are made once for all of them. z is untouched unless the status is ok.
Status batch(const RowMap& map, std::span<const float> x, std::span<float> z, std::size_t samples,
             std::span<std::byte> work) noexcept;
// wrong_length unless there are as many inputs and features as samples need; misaligned, small_workspace, and what is
// wrong with a value.
Status check_call(std::uint32_t inputs, std::uint32_t features, std::size_t bytes, std::span<const float> x,
                  std::size_t outputs, std::size_t samples, std::span<std::byte> work) noexcept;
// not_finite, or out_of_range above 2^40.
Status check_values(std::span<const float> x) noexcept;

// Functions that make the products of a block, one for each kind of rows.
void hadamard_rows(const RowBlock&) noexcept;
void hadamard_kept_rows(const RowBlock&) noexcept;
void fastfood_rows(const RowBlock&) noexcept;
void dense_normal_rows(const RowBlock&) noexcept;
void dense_cauchy_rows(const RowBlock&) noexcept;
void dense_laplace_rows(const RowBlock&) noexcept;
void quasi_normal_rows(const RowBlock&) noexcept;
void quasi_cauchy_rows(const RowBlock&) noexcept;
void quasi_laplace_rows(const RowBlock&) noexcept;
void unit_rows(const RowBlock&) noexcept;
void gibbs_rows(const RowBlock&) noexcept;

using RowFunction = void (*)(const RowBlock&) noexcept;

// E|z| of unit rows, which are uniform on the sphere of radius sqrt(inputs).
float mean_magnitude_of_unit_rows(std::uint32_t inputs) noexcept;
using MeanFunction = float (*)(std::uint32_t) noexcept;
template <Kinds kinds>
constexpr MeanFunction mean_function(Rows rows) noexcept
{
    if constexpr (kinds.has(Rows::unit))
        return rows == Rows::unit ? mean_magnitude_of_unit_rows : nullptr;
    else
        return nullptr;
}

// Of a kind with normal entries; null for one that the program does not open.
template <Kinds kinds>
constexpr RowFunction normal_rows(Rows rows) noexcept
{
    RowFunction found = nullptr;
    if constexpr (kinds.has(Rows::hadamard))
        found = rows == Rows::hadamard ? hadamard_rows : found;
    if constexpr (kinds.has(Rows::dense))
        found = rows == Rows::dense ? dense_normal_rows : found;
    if constexpr (kinds.has(Rows::fastfood))
        found = rows == Rows::fastfood ? fastfood_rows : found;
    if constexpr (kinds.has(Rows::quasi))
        found = rows == Rows::quasi ? quasi_normal_rows : found;
    if constexpr (kinds.has(Rows::unit))
        found = rows == Rows::unit ? unit_rows : found;
    if constexpr (kinds.has(Rows::gibbs))
        found = rows == Rows::gibbs ? gibbs_rows : found;
    return found;
}

// The same kinds where rows are chosen, those that can make the kept rows alone.
template <Kinds kinds>
constexpr RowFunction normal_kept_rows(Rows rows) noexcept
{
    RowFunction found = nullptr;
    if constexpr (kinds.has(Rows::hadamard))
        found = rows == Rows::hadamard ? hadamard_kept_rows : found;
    if (rows == Rows::dense || rows == Rows::unit || rows == Rows::gibbs)
        found = normal_rows<kinds>(rows); // these make any row by itself
    return found;
}

// Functions that make features of products.
void finish_pair(const FinishArgs&) noexcept;
void finish_pair_centred(const FinishArgs&) noexcept;
void finish_phase(const FinishArgs&) noexcept;
void finish_relu(const FinishArgs&) noexcept;
void finish_absolute(const FinishArgs&) noexcept;
void finish_absolute_tail(const FinishArgs&) noexcept;
void finish_step(const FinishArgs&) noexcept;
void finish_sign(const FinishArgs&) noexcept;
void finish_series(const FinishArgs&) noexcept;
void finish_series_tail(const FinishArgs&) noexcept;
void finish_series_rest(const FinishArgs&) noexcept; // from the power 3 on

// What a nonlinearity takes, about.
inline constexpr std::uint64_t finish_operations = 12;

} // namespace engine

template <class Spec>
struct Map;

template <class Spec>
struct MapOfRows {
    using Data = ChosenRows;
    using Code = engine::RowMap;
    using Sample = engine::RowSample;

    static constexpr SpecReport across(const Spec&) noexcept { return {}; }
    static constexpr std::uint32_t features_per_row(const Spec&) noexcept { return 1; }
    static constexpr std::uint32_t exact_features(const Spec&) noexcept { return 0; }
    // Whether the rows see a copy of x, scaled; and whether a feature depends on its row's place in its block.
    static constexpr bool scales_copy(const Spec&) noexcept { return false; }
    static constexpr bool by_position(const Spec&) noexcept { return false; }
    static constexpr std::size_t workspace_floats(const Spec& s, std::size_t rows) noexcept
    {
        return rows + (Map<Spec>::scales_copy(s) ? s.inputs : 0);
    }

    template <Kinds kinds>
    [[gnu::cold]] static constexpr Code code(const Spec& s) noexcept
    {
        engine::RowMap map = engine::row_map(s.seed, s.inputs, s.features, Map<Spec>::exact_features(s),
                                             Map<Spec>::features_per_row(s), s.rows,
                                             Map<Spec>::template functions<kinds>(s));
        if constexpr (requires { s.sweeps; })
            map.sweeps = s.sweeps;
        map.scaled_copy = Map<Spec>::scales_copy(s);
        map.by_position = Map<Spec>::by_position(s);
        if (map.by_position)
            map.code.kept_rows = nullptr;
        return map;
    }
    static Status begin(const Spec& s, const Code& code, const ChosenRows& chosen, std::span<const float> x,
                        std::span<std::byte> work, Sample& sample) noexcept
    {
        sample.map = code;
        Map<Spec>::scale(s, chosen.all() ? code.rows : chosen.count(), sample.map);
        return engine::begin(sample, x, work);
    }
    static Status block(const Spec&, const Code&, NoData, const Sample& sample, std::uint32_t k,
                        std::span<float> z) noexcept
    {
        engine::block(sample, k, z.data());
        return Status::ok;
    }
    static Status block(const Spec&, const Code&, const ChosenRows& chosen, const Sample& sample, std::uint32_t k,
                        std::span<float> z) noexcept
    {
        if (chosen.all())
            engine::block(sample, k, z.data());
        else
            engine::chosen_block(sample, chosen, k, static_cast<std::uint32_t>(z.size()), z.data());
        return Status::ok;
    }
    static Status one(const Spec& s, const Code& code, std::span<const float> x, std::span<float> z,
                      std::span<std::byte> work) noexcept
    {
        Sample sample;
        const Status status = begin(s, code, ChosenRows(), x, work, sample);
        if (status == Status::ok)
            engine::all_blocks(sample, z.data());
        return status;
    }
    static Status batch(const Spec& s, const Code& code, std::span<const float> x, std::span<float> z,
                        std::size_t samples, std::span<std::byte> work) noexcept
    {
        engine::RowMap map = code;
        Map<Spec>::scale(s, code.rows, map);
        return engine::batch(map, x, z, samples, work);
    }
};

} // namespace samara
