// Predictions in whole numbers, from what a sensor or a camera gives, without a float: for models of maps with
// numbers=int8, a readout in whole numbers (whole8, whole4), and inputs that are whole numbers already or are scaled to
// such by shifts (model/whole_scaling.hpp). Scores have the bits that the desk trained on. SPEC.md, chapter 29.
//
//   inputs of 1 or 2 bytes -> int8 -> for each block: signs, transforms in int16, kept products to features of 7 bits
//   -> each 64 features: the readout in int32 -> scores
//
// Of the map polynomial (project/integer_powers.hpp) the transforms or the sums come once, then 64 features at a time.
//
// FixedPredictor has these functions for models that are known while compiling; WholePredictor opens others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/map/data.hpp"
#include "samara/model/whole_scaling.hpp"
#include "samara/project/integer.hpp"
#include "samara/project/integer_powers.hpp"
#include "samara/readout/whole.hpp"
#include "samara/status.hpp"

namespace samara {

// The rows that are kept, of numbers that were checked, and no more than a prediction needs of them: ChosenRows has
// functions that would be linked through its table.
struct WholeKept {
    constexpr WholeKept() noexcept = default; // all rows
    constexpr WholeKept(const std::byte* numbers, std::uint32_t how_many, std::uint32_t bits_of_a_field) noexcept
        : at(numbers), count(how_many), width(bits_of_a_field)
    {}
    constexpr WholeKept(const ChosenRows& rows) noexcept // NOLINT(google-explicit-constructor): the same rows
        : at(rows.coded() ? rows.bytes_from_width() + 1 : rows.listed_from(0)), count(rows.count()),
          width(rows.coded() ? read_u8(rows.bytes_from_width()) : 0)
    {}

    const std::byte* at = nullptr;
    std::uint32_t count = 0; // 0: all rows are kept
    std::uint32_t width = 0; // of a field of their code; 0: two bytes each
};

struct WholeModel;

namespace detail {

// Where a prediction stands among the rows that are kept.
struct WholeWalk {
    const std::byte* at;
    std::uint32_t width, bits, held; // of a code
    std::uint32_t row, left;         // the next row, and how many there are from it on
    std::uint32_t first, size;       // the block that is computed: its first row, and its rows
    unsigned shift;
    const IntegerRows* rows;
    std::uint32_t part; // of features whose rows have several
};

// Writes the features of the kept rows of a block, with products y, to out ... end - 1, as far as there are such, and
// returns the end of what it has written. One function for each way of keeping rows, so that a model that is known
// while compiling links its own alone.
using TakeFeatures = std::uint8_t* (*)(WholeWalk&, const std::int16_t* y, std::uint8_t* out,
                                       std::uint8_t* end) noexcept;
inline constexpr unsigned listed_rows = 0, any_code = most_code_width + 1, all_rows = most_code_width + 2;
// `kept`: the width of a code, or one of these.
template <unsigned kept, bool absolute>
std::uint8_t* take_features(WholeWalk&, const std::int16_t* y, std::uint8_t* out, std::uint8_t* end) noexcept;

// The same of features that the rows have a function for: of codes of any width.
template <unsigned kept>
std::uint8_t* take_others(WholeWalk&, const std::int16_t* y, std::uint8_t* out, std::uint8_t* end) noexcept;

constexpr TakeFeatures take_others_of(const WholeKept& kept) noexcept
{
    return kept.count == 0 ? take_others<all_rows> : kept.width == 0 ? take_others<listed_rows> : take_others<any_code>;
}
template <bool absolute>
constexpr TakeFeatures take_features_of(const WholeKept& kept) noexcept
{
    return kept.count == 0   ? take_features<all_rows, absolute>
           : kept.width == 0 ? take_features<listed_rows, absolute>
                             : take_features<any_code, absolute>;
}

// The signs of a block or of integer_common_block: from their stream, in `room`; or from a table of those of the common
// block and then of all blocks.
using WholeSigns = const std::uint32_t* (*)(const WholeModel&, std::uint32_t block, std::uint32_t* room) noexcept;
const std::uint32_t* signs_of_stream(const WholeModel&, std::uint32_t block, std::uint32_t* room) noexcept;
const std::uint32_t* signs_of_table(const WholeModel&, std::uint32_t block, std::uint32_t* room) noexcept;

// The table, while compiling. It is made where it takes no more flash than the code of streams would.
constexpr std::uint32_t sign_table_words(const IntegerRows& rows) noexcept
{
    const std::uint32_t blocks = 1 + ((rows.rows - 1) >> block_log2(rows.inputs));
    return (blocks + 1) * static_cast<std::uint32_t>(integer_sign_words(rows.inputs));
}
constexpr bool has_sign_table(const IntegerRows& rows) noexcept { return sign_table_words(rows) <= 72; }

template <std::uint32_t size>
struct SignTable {
    std::uint32_t words[size];
};
template <std::uint64_t prefix, std::uint32_t inputs, std::uint32_t rows>
inline constexpr auto sign_table = [] {
    constexpr std::uint32_t size = sign_table_words({.prefix = prefix, .inputs = inputs, .rows = rows});
    SignTable<size> table{};
    const std::uint32_t in_block = integer_sign_words(inputs);
    for (std::uint32_t at = 0; at < size; at += in_block) {
        Xoshiro words(stream_key_behind(prefix, at == 0 ? integer_common_block : at / in_block - 1));
        for (std::uint32_t i = 0; i < in_block; ++i)
            table.words[at + i] = words.word();
    }
    return table;
}();

} // namespace detail

// Whether a program that knows the model while compiling has the signs of its rows in a table.
constexpr bool signs_in_table(const IntegerRows& rows) noexcept { return detail::has_sign_table(rows); }

// All that a prediction reads.
struct WholeModel {
    IntegerRows rows;
    WholeKept kept;
    WholeScaling scaling;
    WholeReadout readout;
    detail::TakeFeatures take = nullptr;
    detail::WholeSigns signs = nullptr;
    const std::uint32_t* table = nullptr; // of signs, if they are not made of their streams
};

// A model that is known at run time. `others`: its rows have a function for their features.
template <bool others>
constexpr WholeModel whole_model(const IntegerRows& rows, const WholeKept& kept, const WholeScaling& scaling,
                                 const WholeReadout& readout) noexcept
{
    detail::TakeFeatures take = nullptr;
    if constexpr (others)
        take = detail::take_others_of(kept);
    else
        take = rows.absolute ? detail::take_features_of<true>(kept) : detail::take_features_of<false>(kept);
    return {rows, kept, scaling, readout, take, detail::signs_of_stream, nullptr};
}

struct WholePowers;

namespace detail {

// Memory of one prediction, behind which there is that of products or sums.
struct WholeRooms {
    std::uint32_t* signs;
    std::int16_t* inputs; // or what has become of them
    std::int32_t* second; // products, of two bytes each, or sums
    std::uint32_t* features;
};

// Adds the readout of the kept features of the inputs to the sums. One function for each form and way of keeping rows.
using AddPowers = void (*)(const WholePowers&, const WholeRooms&, std::int32_t* sums) noexcept;
template <PowerForm form, unsigned kept>
void add_powers(const WholePowers&, const WholeRooms&, std::int32_t* sums) noexcept;

template <PowerForm form>
constexpr AddPowers add_powers_of(const WholeKept& kept) noexcept
{
    return kept.count == 0   ? add_powers<form, all_rows>
           : kept.width == 0 ? add_powers<form, listed_rows>
                             : add_powers<form, any_code>;
}
constexpr AddPowers add_powers_of(PowerForm form, const WholeKept& kept) noexcept
{
    return form == PowerForm::linear   ? add_powers_of<PowerForm::linear>(kept)
           : form == PowerForm::square ? add_powers_of<PowerForm::square>(kept)
                                       : add_powers_of<PowerForm::counted>(kept);
}

} // namespace detail

// All that a prediction with powers of the inner product reads (the map polynomial).
struct WholePowers : WholeModel {
    IntegerPowers powers;
    detail::AddPowers add = nullptr;
};

constexpr std::size_t whole_bytes(const WholePowers& model) noexcept
{
    return integer_power_bytes(model.rows, model.powers);
}

// One that is known at run time.
constexpr WholePowers whole_powers(const IntegerRows& rows, const IntegerPowers& powers, const WholeKept& kept,
                                   const WholeScaling& scaling, const WholeReadout& readout) noexcept
{
    return {{rows, kept, scaling, readout, nullptr, detail::signs_of_stream, nullptr},
            powers,
            detail::add_powers_of(powers.form, kept)};
}

// The first round of the rows, the numbers of a block, its signs, and up to 64 features, of two bytes each where the
// readout multiplies with them.
constexpr std::size_t whole_bytes(std::uint32_t inputs) noexcept
{
    return 2 * (sizeof(std::int16_t) << block_log2(inputs)) + sizeof(std::uint32_t) * integer_sign_words(inputs) +
           2 * whole_chunk;
}

constexpr std::size_t whole_bytes(const WholeModel& model) noexcept { return whole_bytes(model.rows.inputs); }

// wrong_length where x has not model.rows.inputs numbers or scores not readout.outputs; misaligned or small_workspace
// for a workspace that does not start at a multiple of 4 bytes or has less than whole_bytes(model). Nothing else can
// fail.
// x is of uint8, int8 or int16.
template <class Number>
Status whole_scores(const WholeModel& model, std::span<const Number> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept;
template <class Number>
Status whole_scores(const WholePowers& model, std::span<const Number> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept;

} // namespace samara
