// Predictions in whole numbers, from what a sensor or a camera gives, without a float: for models of maps with
// numbers=int8, a readout in whole numbers (whole8, whole4), and inputs that are whole numbers already or are scaled to
// such by shifts (model/whole_scaling.hpp). Scores have the bits that the desk trained on. SPEC.md, chapter 29.
//
//   inputs of 1 or 2 bytes -> int8 -> for each block: signs, transforms in int16, kept products to features of 7 bits
//   -> each 64 features: the readout in int32 -> scores
//
// FixedPredictor has these functions for models that are known while compiling; WholePredictor opens others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/map/data.hpp"
#include "samara/model/whole_scaling.hpp"
#include "samara/project/integer.hpp"
#include "samara/readout/whole.hpp"
#include "samara/status.hpp"

namespace samara {

// All that a prediction reads; a constant where the model is one.
struct WholeModel {
    IntegerRows rows;
    ChosenRows kept;
    WholeScaling scaling;
    WholeReadout readout;
};

// The first round of the rows, the numbers of a block, its signs, and up to 64 places of kept products and features.
constexpr std::size_t whole_bytes(std::uint32_t inputs) noexcept
{
    return 2 * (sizeof(std::int16_t) << block_log2(inputs)) + sizeof(std::uint32_t) * integer_sign_words(inputs) +
           3 * whole_chunk;
}

// wrong_length where x has not model.rows.inputs numbers or scores not readout.outputs; misaligned or small_workspace
// for a workspace that does not start at a multiple of 4 bytes or has less than whole_bytes(inputs). Nothing else can
// fail.
Status whole_scores(const WholeModel& model, std::span<const std::uint8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept;
Status whole_scores(const WholeModel& model, std::span<const std::int8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept;
Status whole_scores(const WholeModel& model, std::span<const std::int16_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept;

} // namespace samara
