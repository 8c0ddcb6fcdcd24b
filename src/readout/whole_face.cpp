// Readouts in whole numbers behind the face of those in floats: features come as floats that are whole, sums of int32
// lie in the bits of the totals, and what leaves are scores in the targets' units.
#include <cstring>

#include "readout/readout_block.hpp"
#include "samara/memory.hpp"
#include "samara/readout/whole.hpp"

namespace samara::detail {

namespace {

std::int32_t weight8(const std::byte* row, std::uint32_t feature) noexcept
{
    return static_cast<std::int32_t>(read_u8(row + feature)) - 128;
}
std::int32_t weight4(const std::byte* row, std::uint32_t feature) noexcept
{
    const std::uint32_t two = read_u8(row + feature / 8 * 4 + feature % 4);
    return static_cast<std::int32_t>(feature % 8 < 4 ? two & 15u : two >> 4) - 8;
}

template <class Weight>
void add_to_bits(const ReadoutBlock& r, Weight weight) noexcept
{
    for (std::uint32_t o = 0; o < r.outputs; ++o) {
        std::int32_t sum;
        std::memcpy(&sum, r.totals + o, sizeof sum);
        for (std::uint32_t i = 0; i < r.count; ++i)
            sum += weight(r.weights + o * r.stride, r.first + i) * static_cast<std::int32_t>(r.z[i]);
        std::memcpy(r.totals + o, &sum, sizeof sum);
    }
}

WholeReadout whole_of(const Readout& r) noexcept
{
    return {.outputs = r.outputs,
            .stride = static_cast<std::uint32_t>(r.weight_stride),
            .shift = whole_shift(r.type, r.features),
            .biases = r.biases,
            .multipliers = r.scales,
            .weights = r.weights};
}

Status finish(const Readout& r, std::span<float> totals) noexcept
{
    const WholeReadout whole = whole_of(r);
    for (std::uint32_t o = 0; o < r.outputs; ++o) {
        std::int32_t sum;
        std::memcpy(&sum, &totals[o], sizeof sum);
        totals[o] = static_cast<float>(whole.score(o, sum)) * r.unit;
    }
    return Status::ok;
}

float weight(const Readout& r, std::uint32_t output, std::uint32_t feature) noexcept
{
    const std::byte* const row = r.weights + output * r.weight_stride;
    const std::int32_t q = r.type == ReadoutType::whole8 ? weight8(row, feature) : weight4(row, feature);
    const auto multiplier = static_cast<std::int32_t>(read_u16(r.scales + 2 * std::size_t{output}));
    // The product is below 2^19, and 2^shift a power of two: two roundings at the most.
    return static_cast<float>(q * multiplier) /
           static_cast<float>(std::uint32_t{1} << whole_shift(r.type, r.features)) * r.unit;
}

float bias(const Readout& r, std::uint32_t output) noexcept
{
    return static_cast<float>(static_cast<std::int32_t>(read_u32(r.biases + 4 * std::size_t{output}))) * r.unit;
}

} // namespace

void add_whole8_to_bits(const ReadoutBlock& r) noexcept { add_to_bits(r, weight8); }
void add_whole4_to_bits(const ReadoutBlock& r) noexcept { add_to_bits(r, weight4); }

constinit const WholeFace whole_face{finish, weight, bias};

} // namespace samara::detail
