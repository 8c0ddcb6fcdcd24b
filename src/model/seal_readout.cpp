#include "model/seal_readout.hpp"

#include <cstring>

namespace samara {

namespace {

// v rounded to the nearest integer, ties to even, for magnitudes below 2^22.
float rounded(float v) noexcept
{
    const float shift = v < 0.0f ? -0x1.8p23f : 0x1.8p23f;
    return (v + shift) - shift;
}

float largest_weight(const Readout& r, std::uint32_t output) noexcept
{
    float largest = 0.0f;
    for (std::uint32_t j = 0; j < r.features; ++j) {
        const float w = r.weight(output, j), magnitude = w < 0.0f ? -w : w;
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

// What a score of 1 is worth: the output with the largest weights has the largest multiplier, and every bias fits.
float whole_unit(const Readout& r, ReadoutType type) noexcept
{
    if (r.type == type)
        return r.unit;
    const float step = static_cast<float>(std::uint32_t{1} << whole_shift(type, r.features));
    float largest = 0.0f, bias = 0.0f;
    for (std::uint32_t o = 0; o < r.outputs; ++o) {
        const float weight = largest_weight(r, o), b = r.bias(o), magnitude = b < 0.0f ? -b : b;
        largest = weight > largest ? weight : largest;
        bias = magnitude > bias ? magnitude : bias;
    }
    const float of_weights = largest / (type == ReadoutType::whole8 ? 127.0f : 7.0f) * step / 4095.0f,
                of_biases = bias * 0x1p-29f, unit = of_weights > of_biases ? of_weights : of_biases;
    return unit > 0.0f ? unit : 1.0f;
}

// The scale of an output's int8 weights; not_finite for a weight that is none.
Status scale_of(const Readout& r, std::uint32_t output, float& scale) noexcept
{
    float largest = 0.0f;
    for (std::uint32_t j = 0; j < r.features; ++j) {
        const float w = r.weight(output, j), magnitude = w < 0.0f ? -w : w;
        if (!finite(w))
            return Status::not_finite;
        largest = magnitude > largest ? magnitude : largest;
    }
    scale = largest / 127.0f;
    scale = scale > 0.0f ? scale : 1.0f; // of nothing, or of next to nothing
    return Status::ok;
}

} // namespace

std::uint64_t sealed_readout_bytes(const ModelParts& parts) noexcept
{
    const std::uint64_t outputs = parts.readout.outputs;
    const bool whole = is_whole(parts.type);
    const std::uint64_t scales = parts.type == ReadoutType::int8 ? 4 * outputs : whole ? (2 * outputs + 3) / 4 * 4 : 0;
    return 16 + (whole ? 4 : 0) + 4 * outputs + scales +
           readout_row_bytes(parts.type, parts.readout.features) * outputs;
}

Status check_readout(const ModelParts& parts) noexcept
{
    const Readout& r = parts.readout;
    for (std::uint32_t o = 0; o < r.outputs; ++o) {
        float scale = 0.0f;
        if (!finite(r.bias(o)))
            return Status::not_finite;
        if (const Status status = scale_of(r, o, scale); status != Status::ok)
            return status;
        for (std::uint32_t j = 0; parts.type == ReadoutType::float16 && j < r.features; ++j)
            if ((half_of(r.weight(o, j)) & 0x7c00u) == 0x7c00u)
                return Status::overflow;
    }
    if (!is_whole(parts.type))
        return Status::ok;
    const float unit = whole_unit(r, parts.type);
    return r.features <= most_whole_features && unit >= 0x1p-126f && unit <= 0x1p64f ? Status::ok : Status::overflow;
}

namespace {

void write_float(std::byte* p, float v) noexcept { write_u32(p, std::bit_cast<std::uint32_t>(v)); }

void write_weights(const Readout& r, ReadoutType type, std::uint32_t output, float scale, std::byte* p) noexcept
{
    const std::size_t size = weight_bytes(type);
    if (r.type == type) {
        std::memcpy(p, r.weights + output * r.weight_stride, size * r.features);
        return;
    }
    for (std::uint32_t j = 0; j < r.features; ++j, p += size) {
        const float w = r.weight(output, j);
        if (type == ReadoutType::float32) {
            write_float(p, w);
        } else if (type == ReadoutType::float16) {
            write_u16(p, half_of(w));
        } else {
            const float steps = rounded(w / scale), least = steps > -127.0f ? steps : -127.0f;
            *p = static_cast<std::byte>(static_cast<std::int8_t>(least < 127.0f ? least : 127.0f));
        }
    }
}

std::int32_t whole_number(float v) noexcept { return static_cast<std::int32_t>(rounded(v)); }

// Behind the section's header: unit, biases, multipliers and weights.
void write_whole(const Readout& r, ReadoutType type, std::byte* p) noexcept
{
    const std::size_t row = static_cast<std::size_t>(readout_row_bytes(type, r.features));
    const float unit = whole_unit(r, type),
                step = static_cast<float>(std::uint32_t{1} << whole_shift(type, r.features));
    std::byte *const biases = p + 4, *const multipliers = biases + 4 * std::size_t{r.outputs},
                     *weights = multipliers + (2 * std::size_t{r.outputs} + 3) / 4 * 4;
    write_float(p, unit);
    for (std::uint32_t o = 0; o < r.outputs; ++o, weights += row) {
        if (r.type == type) {
            std::memcpy(biases + 4 * std::size_t{o}, r.biases + 4 * std::size_t{o}, 4);
            std::memcpy(multipliers + 2 * std::size_t{o}, r.scales + 2 * std::size_t{o}, 2);
            std::memcpy(weights, r.weights + o * r.weight_stride, row);
            continue;
        }
        // In double nothing would be lost; a float's 24 bits are more than the 12 of a multiplier, and large biases are
        // rounded to as many bits as a float has.
        const float most = type == ReadoutType::whole8 ? 127.0f : 7.0f;
        const float wanted = largest_weight(r, o) / most * step / unit;
        const std::int32_t multiplier = wanted > 1.0f ? whole_number(wanted < 4095.0f ? wanted : 4095.0f) : 1;
        const float one = static_cast<float>(multiplier) * unit / step;
        const float bias = r.bias(o) / unit;
        write_u32(biases + 4 * std::size_t{o},
                  static_cast<std::uint32_t>(bias < 0x1p22f && bias > -0x1p22f ? whole_number(bias)
                                                                               : static_cast<std::int32_t>(bias)));
        write_u16(multipliers + 2 * std::size_t{o}, static_cast<std::uint16_t>(multiplier));
        for (std::uint32_t j = 0; j < r.features; ++j) {
            const float w = r.weight(o, j) / one, least = w > -most ? w : -most;
            const std::int32_t q = whole_number(least < most ? least : most);
            if (type == ReadoutType::whole8) {
                weights[j] = static_cast<std::byte>(q + 128);
            } else {
                std::byte& two = weights[j / 8 * 4 + j % 4];
                two = static_cast<std::byte>(read_u8(&two) | static_cast<std::uint32_t>(q + 8) << (j % 8 < 4 ? 0 : 4));
            }
        }
    }
}

} // namespace

void write_readout(const ModelParts& parts, std::byte* p) noexcept
{
    const Readout& r = parts.readout;
    p[0] = static_cast<std::byte>(parts.type);
    p[1] = static_cast<std::byte>(parts.task);
    write_u32(p + 4, r.outputs);
    write_u32(p + 8, r.features);
    write_float(p + 12, parts.probability_scale);
    if (is_whole(parts.type))
        return write_whole(r, parts.type, p + 16);
    std::byte* const biases = p + 16;
    std::byte* const scales = biases + 4 * std::size_t{r.outputs};
    const bool scaled = parts.type == ReadoutType::int8;
    std::byte* weights = scales + (scaled ? 4 * std::size_t{r.outputs} : 0);
    for (std::uint32_t o = 0; o < r.outputs; ++o) {
        float scale = 1.0f;
        write_float(biases + 4 * std::size_t{o}, r.bias(o));
        if (scaled) {
            if (r.type == ReadoutType::int8)
                std::memcpy(&scale, r.scales + 4 * std::size_t{o}, sizeof scale);
            else
                static_cast<void>(scale_of(r, o, scale)); // the weights are finite
            write_float(scales + 4 * std::size_t{o}, scale);
        }
        write_weights(r, parts.type, o, scale, weights);
        weights += std::size_t{weight_bytes(parts.type)} * r.features;
    }
}

std::uint16_t half_of(float value) noexcept
{
    const auto u = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = u >> 16 & 0x8000u, bits = u & 0x7fffffffu;
    if (bits >= 0x477ff000u) // 65,520, which rounds to infinity, and NaN
        return static_cast<std::uint16_t>(sign | (bits > 0x7f800000u ? 0x7e00u : 0x7c00u));
    if (bits < 0x38800000u) // subnormal halves are multiples of 2^-24
        return static_cast<std::uint16_t>(sign |
                                          static_cast<std::uint32_t>(rounded(std::bit_cast<float>(bits) * 0x1p24f)));
    const std::uint32_t odd = bits >> 13 & 1u;
    return static_cast<std::uint16_t>(sign | ((bits - (112u << 23) + 0x0fffu + odd) >> 13));
}

} // namespace samara
