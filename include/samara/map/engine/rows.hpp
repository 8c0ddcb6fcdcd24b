// What maps whose features come from rows of a regenerated matrix share. Their specs differ; what happens to a sample
// is the same for all: it is checked and planned once, then each block of rows is multiplied with it, and a
// nonlinearity makes features of the block's products (it "finishes" them).
//
// A map of rows derives from MapOfRows<Spec> and has, beside its fields,
//
//   features_per_row(spec)              1, if it does not say otherwise
//   exact_features(spec)                how many features come first and need no rows
//   workspace_floats(spec, rows)        what a sample needs, if its kind of rows needs `rows` floats for itself
//   functions<kinds>(spec)              the functions that it needs, as a constant where the spec is one
//   scale(spec, m, map)                 sets the floats that those functions need, if m rows are used
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

// What the functions of a map need to know about one sample.
struct SamplePlan {
    float factor;         // a power of two: the rows see x * factor
    float amplitude;      // multiplies every random feature; makes up for `factor`
    float centre;         // the mean that the exact orders carry, if necessary times |x|: see FinishArgs
    float square = 0;     // of orders two: multiplies the squared product
    bool zero = false;    // x is 0, and so are all features
    std::int32_t top = 0; // exponent of the largest |x_i|
    float length = 0;     // |x| 2^-top; not set where the map does not need it
};

// The code of a map. A spec that is known while compiling names the functions that it needs, so that only those are
// linked.
struct RowCode {
    void (*rows)(const RowBlock&) noexcept = nullptr;
    void (*finish)(const FinishArgs&) noexcept = nullptr;
    // `largest`: the bits of the largest |x_i|.
    void (*plan)(const RowMap& map, const float* x, std::uint32_t largest, SamplePlan& plan) noexcept = nullptr;
    // Writes the exact features; null where there are none. `work` is the whole workspace, which the rows use later.
    void (*exact)(const RowMap& map, const float* x, const SamplePlan& plan, float* out,
                  float* work) noexcept = nullptr;
    std::size_t exact_floats = 0; // how much of it `exact` needs
    // E|z| of a row's product z with a vector of length 1; null for normal rows, where it is sqrt(2/pi).
    float (*mean_magnitude)(std::uint32_t inputs) noexcept = nullptr;
    // Takes the place of `rows` where a model keeps only chosen rows: makes these alone. Null: the kind of rows can
    // make whole blocks only, or a feature depends on its row's position in the block.
    void (*kept_rows)(const RowBlock&) noexcept = nullptr;

    constexpr bool complete() const noexcept { return rows != nullptr && finish != nullptr && plan != nullptr; }
};

// A resolved map of rows without its type, as far as its spec says it: a constant where the spec is one.
struct RowShape {
    std::uint64_t seed = 0;
    std::uint32_t inputs = 0, features = 0;
    std::uint32_t exact = 0;               // features that carry low orders exactly; they come first
    std::uint32_t rows = 0, per_block = 0; // of the matrix, and of one block
    std::size_t row_floats = 0;            // workspace of the rows for a batch; a scaled copy of x lies before it
    std::size_t sample_floats = 0;         // the same for one sample
    std::uint16_t sweeps = 0;              // of the Gibbs sampler
    std::uint8_t per_row = 1;              // features
    std::uint8_t blocks_together = 1;      // how many whole blocks one call of code.rows may make
    bool scaled_copy = false;              // whether x is scaled in a copy; Hadamard rows scale it themselves
    bool by_position = false;              // whether a feature depends on its row's position: phases and ties
    bool makes_kept_rows = false;          // whether code.kept_rows is there: functions() sets it where it can be
    RowCode code;

    constexpr bool complete() const noexcept { return code.complete(); }
    // The shape of a map that keeps all rows, and of one with chosen rows: functions that are not named are not linked.
    constexpr RowShape without_choice() const noexcept
    {
        RowShape shape = *this;
        shape.code.kept_rows = nullptr;
        return shape;
    }
    constexpr RowShape with_choice() const noexcept
    {
        RowShape shape = *this;
        shape.code.rows = makes_kept_rows ? nullptr : code.rows;
        return shape;
    }
};

// With the floats that are computed when a sample begins.
struct RowMap : RowShape {
    float scale = 1;               // multiplies the products
    float amplitude = 0;           // multiplies the random features
    float centre = 0;              // the mean that the exact orders carry, where there are any
    float bandwidth = 0;           // of Fourier features
    const float* series = nullptr; // coefficients of a map that is a Hermite series
};

// With what few maps set themselves left out.
constexpr RowShape row_shape(std::uint64_t seed, std::uint32_t inputs, std::uint32_t features, std::uint32_t exact,
                             std::uint32_t per_row, Rows rows, const RowCode& code) noexcept
{
    RowShape shape;
    shape.seed = seed;
    shape.inputs = inputs;
    shape.features = features;
    shape.exact = exact;
    shape.rows = (features - exact) / per_row;
    shape.per_block = block_rows(rows, inputs);
    shape.per_row = static_cast<std::uint8_t>(per_row);
    shape.blocks_together = rows == Rows::hadamard ? 8 : 1;
    shape.row_floats = rows_workspace_floats(rows, inputs);
    shape.sample_floats = sample_workspace_floats(rows, inputs);
    shape.code = code;
    return shape;
}

// A sample that has been checked and planned. It refers to the input and the workspace, which must stay as they are.
struct RowSample {
    RowMap map;
    SamplePlan plan;
    const float* x;
    float *scaled, *row_work; // the workspace: the scaled copy of x, and the memory of code.rows
};

// Checks and plans a sample for sample.map, whose floats are set; block() and all_blocks() need that. Returns
// wrong_length, misaligned, small_workspace, not_finite or out_of_range if that fails.
Status begin(RowSample& sample, std::span<const float> x, std::span<std::byte> work) noexcept;
// All features of one sample.
void all_blocks(const RowSample& sample, float* z) noexcept;
// The features of block k, for which z has room. Where there are exact features they are block 0.
void block(const RowSample& sample, std::uint32_t k, float* z) noexcept;
// The `count` features that the chosen rows have in block k. z must have room for the whole block.
void chosen_block(const RowSample& sample, const ChosenRows& chosen, std::uint32_t k, std::uint32_t count,
                  float* z) noexcept;
// Several samples: the rows of a block are made once for all of them. z is untouched unless the status is ok.
Status batch(const RowMap& map, std::span<const float> x, std::span<float> z, std::size_t samples,
             std::span<std::byte> work) noexcept;
// Checks a call for several samples: wrong_length, misaligned, small_workspace, or what check_values() finds.
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
// Those of numbers=int8: inputs are rounded to int8, products are whole numbers. Or they are angles, 256 a turn, where
// RowMap::scale is not a scale but the bandwidth.
void integer_hadamard_rows(const RowBlock&) noexcept;
void integer_angle_rows(const RowBlock&) noexcept;

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

// The function for a kind of rows, with normal entries. Null: the program does not open models with this kind.
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

// The functions that make chosen rows alone; null for kinds that can make whole blocks only.
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

// Functions that turn products into features.
void finish_pair(const FinishArgs&) noexcept;
void finish_pair_centred(const FinishArgs&) noexcept;
void finish_phase(const FinishArgs&) noexcept;
void finish_relu(const FinishArgs&) noexcept;
void finish_absolute(const FinishArgs&) noexcept;
void finish_absolute_tail(const FinishArgs&) noexcept;
void finish_integer_relu(const FinishArgs&) noexcept;
void finish_integer_absolute(const FinishArgs&) noexcept;
void finish_step(const FinishArgs&) noexcept;
void finish_sign(const FinishArgs&) noexcept;
void finish_series(const FinishArgs&) noexcept;
void finish_series_tail(const FinishArgs&) noexcept; // from the power 2 on
void finish_series_rest(const FinishArgs&) noexcept; // from the power 3 on

// About what a nonlinearity costs.
inline constexpr std::uint32_t finish_operations = 12;

} // namespace engine

template <class Spec>
struct Map;

template <class Spec>
struct MapOfRows {
    using Data = ChosenRows;
    using Code = engine::RowShape;
    using Sample = engine::RowSample;

    static constexpr SpecReport across(const Spec&) noexcept { return {}; }
    static constexpr std::uint32_t features_per_row(const Spec&) noexcept { return 1; }
    static constexpr std::uint32_t exact_features(const Spec&) noexcept { return 0; }
    // Whether the rows see a copy of x, scaled; and whether a feature depends on its row's place in its block.
    static constexpr bool scales_copy(const Spec&) noexcept { return false; }
    static constexpr bool by_position(const Spec&) noexcept { return false; }
    // Whether kept rows can be made without the others of their block, if their kind can.
    static constexpr bool keeps_by_themselves(const Spec&) noexcept { return true; }
    static constexpr std::size_t workspace_floats(const Spec& s, std::size_t rows) noexcept
    {
        return rows + (Map<Spec>::scales_copy(s) ? s.inputs : 0);
    }

    static constexpr std::uint32_t block_rows(const Spec& s) noexcept { return samara::block_rows(s.rows, s.inputs); }
    static constexpr std::size_t block_workspace_bytes(const Spec& s) noexcept
    {
        return sizeof(float) * Map<Spec>::workspace_floats(s, sample_workspace_floats(s.rows, s.inputs));
    }
    static constexpr std::size_t workspace_bytes(const Spec& s) noexcept
    {
        return sizeof(float) * Map<Spec>::workspace_floats(s, rows_workspace_floats(s.rows, s.inputs));
    }

    template <Kinds kinds>
    [[gnu::cold]] static constexpr Code code(const Spec& s) noexcept
    {
        engine::RowShape map =
            engine::row_shape(s.seed, s.inputs, s.features, Map<Spec>::exact_features(s),
                              Map<Spec>::features_per_row(s), s.rows, Map<Spec>::template functions<kinds>(s));
        if constexpr (requires { s.sweeps; })
            map.sweeps = static_cast<std::uint16_t>(s.sweeps);
        map.scaled_copy = Map<Spec>::scales_copy(s);
        map.by_position = Map<Spec>::by_position(s);
        map.makes_kept_rows = Map<Spec>::keeps_by_themselves(s) && !map.by_position && rows_by_themselves(s.rows);
        if (!map.makes_kept_rows)
            map.code.kept_rows = nullptr;
        return map;
    }
    static Status begin(const Spec& s, const Code& code, const ChosenRows& chosen, std::span<const float> x,
                        std::span<std::byte> work, Sample& sample) noexcept
    {
        static_cast<engine::RowShape&>(sample.map) = code;
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
    // Not inlined: maps of several sizes share it.
    [[gnu::noinline]] static Status one(const Spec& s, const Code& code, std::span<const float> x, std::span<float> z,
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
        engine::RowMap map;
        static_cast<engine::RowShape&>(map) = code;
        Map<Spec>::scale(s, code.rows, map);
        return engine::batch(map, x, z, samples, work);
    }
};

} // namespace samara
