// The readout: for each output, weights times features plus a bias. Block after block of features is added to a total
// for each output, so the memory does not grow with their number, and the weights stay where they lie.
//
//   readout.clear(totals);
//   readout.add(first, z, totals);     // for each block: z are the features first, first + 1, ...
//   status = readout.finish(totals);   // the totals are the outputs now
//
// Features are summed in segments of 64 that begin anew at each block: SPEC.md, section 20.6. An output has the same
// bits on every target as long as the blocks are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/status.hpp"

namespace samara {

inline constexpr std::uint32_t most_outputs = 4096;

// How a weight is stored; int8 goes with a float32 scale for each output. The readouts in whole numbers (whole8,
// whole4) are for maps whose features are whole numbers from 0 to 127: readout/whole.hpp has their arithmetic, and here
// their sums of int32 lie in the bits of the totals until finish() makes floats of them.
enum class ReadoutType : std::uint8_t { float32 = 0, float16 = 1, int8 = 2, whole8 = 3, whole4 = 4 };

constexpr bool is_whole(ReadoutType type) noexcept { return type >= ReadoutType::whole8; }

// Of the types that have whole bytes.
constexpr std::uint32_t weight_bytes(ReadoutType type) noexcept
{
    return type == ReadoutType::float32 ? 4 : type == ReadoutType::float16 ? 2 : 1;
}
// The weights of one output.
constexpr std::uint64_t readout_row_bytes(ReadoutType type, std::uint32_t features) noexcept
{
    const std::uint64_t n = features;
    return type == ReadoutType::whole8   ? (n + 3) / 4 * 4
           : type == ReadoutType::whole4 ? (n + 7) / 8 * 4
                                         : n * weight_bytes(type);
}

struct ReadoutBlock;
struct Readout;

namespace detail {

// Adds weights of one type times a block of features to the totals.
using AddReadout = void (*)(const ReadoutBlock&) noexcept;
void add_float32(const ReadoutBlock&) noexcept;
void add_float16(const ReadoutBlock&) noexcept;
void add_int8(const ReadoutBlock&) noexcept;
void add_whole8_to_bits(const ReadoutBlock&) noexcept;
void add_whole4_to_bits(const ReadoutBlock&) noexcept;
// Where the type is known while compiling, only that type's code is linked.
constexpr AddReadout float_add_of(ReadoutType type) noexcept
{
    return type == ReadoutType::float32 ? add_float32 : type == ReadoutType::float16 ? add_float16 : add_int8;
}
constexpr AddReadout add_of(ReadoutType type) noexcept
{
    return !is_whole(type) ? float_add_of(type) : type == ReadoutType::whole8 ? add_whole8_to_bits : add_whole4_to_bits;
}
// What the readouts in whole numbers have in place of the floats' own code.
struct WholeFace {
    Status (*finish)(const Readout&, std::span<float> totals) noexcept;
    float (*weight)(const Readout&, std::uint32_t output, std::uint32_t feature) noexcept;
    float (*bias)(const Readout&, std::uint32_t output) noexcept;
};
extern const WholeFace whole_face;

} // namespace detail

// A view of numbers that must outlive it, little-endian, output by output. Biases, scales and float32 weights start at
// multiples of 4 bytes. Nothing is checked: all numbers are finite, features first ... first + z.size() - 1 exist (of
// whole numbers they are whole, from 0 to 127), and totals has `outputs` floats.
struct Readout {
    ReadoutType type = ReadoutType::float32;
    std::uint32_t outputs = 0, features = 0;
    const std::byte* biases = nullptr;  // float32
    const std::byte* scales = nullptr;  // float32, of int8 only; multipliers (uint16) of whole numbers
    const std::byte* weights = nullptr; // of `type`; null where there is nothing to view
    std::size_t bias_stride = 0;        // bytes from one output's bias to the next one's
    std::size_t weight_stride = 0;      // bytes from one output's weights to the next one's
    detail::AddReadout multiply = nullptr;
    const detail::WholeFace* whole = nullptr; // of whole numbers only
    float unit = 1;                           // the same: what a score of 1 is worth

    void clear(std::span<float> totals) const noexcept;
    void add(std::uint32_t first, std::span<const float> z, std::span<float> totals) const noexcept;
    // Adds the biases; with int8 it scales the totals first. If an output leaves the range of floats, all become 0 and
    // the status is overflow.
    Status finish(std::span<float> totals) const noexcept;

    // A weight and a bias as numbers, whatever the type. Up to rounding, an output is the sum of weight times feature
    // plus the bias.
    float weight(std::uint32_t output, std::uint32_t feature) const noexcept;
    float bias(std::uint32_t output) const noexcept;
};

// A view of float32 numbers. The weights of an output begin `weight_stride` floats behind those of the output before
// it, biases lie `bias_stride` floats apart.
inline Readout float_readout(std::uint32_t outputs, std::uint32_t features, const float* weights,
                             std::size_t weight_stride, const float* biases, std::size_t bias_stride) noexcept
{
    return {ReadoutType::float32,
            outputs,
            features,
            reinterpret_cast<const std::byte*>(biases),
            nullptr,
            reinterpret_cast<const std::byte*>(weights),
            sizeof(float) * bias_stride,
            sizeof(float) * weight_stride,
            detail::add_float32};
}

// Scores to probabilities, in place: softmax(scale * scores). Scores and scale are finite, the scale is positive. The
// results are from 0 to 1 and add up to 1 but for rounding. SPEC.md, section 20.6.
void softmax(std::span<float> scores, float scale) noexcept;

// The index of the largest score, the first of equal ones; 0 where there is none.
std::uint32_t best_of(std::span<const float> scores) noexcept;

} // namespace samara
