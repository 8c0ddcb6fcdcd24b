// What a sealed model costs on a Cortex-M where it is known while compiling (FixedPredictor, FixedWholePredictor),
// without building anything: from counts of what a prediction does, and what each of them took in measured programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ports/host/training/model_file.hpp"

namespace samara::desk {

// Programs that share their code: a map, its kind of rows and its numbers. Their costs were measured together.
enum class BoardFamily : std::uint8_t {
    arccos_hadamard,
    arccos_dense,
    rff_hadamard,
    rff_dense,
    linear,
    whole,
    whole_fourier,
    whole_powers,  // of the map polynomial in whole numbers: of rows
    whole_counted, // and of a CountSketch
    local
};
inline constexpr std::size_t board_families = 10;
const char* name_of(BoardFamily family);

// What is counted. Instructions and code are sums of these numbers, each times what one of it takes.
enum class BoardCount : std::uint8_t {
    once,       // 1
    inputs,     // numbers of a sample
    shifted,    // of these, those that are shifted and scaled; of whole numbers, each by its own factor
    to_unit,    // of these, those that are divided by a length
    blocks,     // transforms with rows of the model
    points,     // of all transforms together; of a CountSketch its sums
    levels,     // the points times the levels of their transforms
    odd_levels, // the points of transforms with an odd number of levels
    sign_words, // of whole numbers, that are drawn and not in a table
    norms,      // of rows, drawn for a whole block
    lone_norms, // of rows, drawn one by one
    products,   // of dense rows: rows times inputs
    rows,       // that are made
    chosen,     // of these, those that were chosen
    exact,      // features that carry low orders
    floats,     // weights in float32
    halves,     // weights in float16
    bytes,      // weights of 8 bits
    nibbles,    // weights of 4 bits
    sums,       // pieces of scores that are added: at most 64 features of a block, for each output
    outputs,    // scores
    multiplied, // rows, in whole numbers, whose features are products of two
    factors,    // of inputs in whole numbers, that several of them share: one for each input or channel
    // Of local features, most of which have filters of two or four balanced signs and places side by side, or any.
    sums_of_two,  // places of their windows
    sums_of_four, // of other kinds
    maxima_of_two,
    maxima_of_four,
    any_places,
    any_taps,    // of these, places times the filter's
    window_rows, // that windows have
    odd_rows,    // of these, those with an odd number of places, for processors that take two at once
    negatives    // features that may be expected to be negative, times the outputs
};
inline constexpr std::size_t board_counts = 32;
const char* name_of(BoardCount count);

struct BoardWork {
    BoardFamily family = BoardFamily::whole;
    std::array<double, board_counts> counts = {};
    std::size_t predictor_bytes = 0; // sizeof of the predictor, the same on all cores
    std::size_t input_bytes = 0;     // of one sample as the predictor takes it: floats, or in whole numbers bytes
    std::size_t model_bytes = 0;
    std::size_t table_bytes = 0; // of constants that are made of the model while compiling: filters
};

// Nothing for maps, rows and numbers that were not measured.
std::optional<BoardWork> board_work(const LoadedModel& model);

struct BoardCost {
    // Bytes of the model and of all code that a prediction needs, without start-up code; of predictor, sample and
    // stack; and instructions of one prediction. Code, stack and instructions are estimates.
    std::uint64_t flash = 0, ram = 0, instructions = 0;
};

std::span<const char* const> board_cores(); // "cortex-m0plus" and others
BoardCost board_cost(const BoardWork& work, std::size_t core);

} // namespace samara::desk
