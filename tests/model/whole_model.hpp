// Sealed models in whole numbers for tests.
#pragma once

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "samara/model/open_whole.hpp"
#include "small_model.hpp"

namespace samara::test {

inline std::vector<std::byte> coded(std::uint32_t width, const std::vector<std::uint32_t>& rows)
{
    std::vector<std::byte> bytes = {static_cast<std::byte>(width)};
    std::uint32_t at = 0, next = 0;
    const auto put = [&](std::uint32_t field) {
        for (std::uint32_t b = 0; b < width; ++b, ++at) {
            if (at % 8 == 0)
                bytes.push_back(std::byte{0});
            bytes.back() |= static_cast<std::byte>((field >> b & 1u) << (at % 8));
        }
    };
    const std::uint32_t more = (1u << width) - 1;
    for (const std::uint32_t row : rows) {
        std::uint32_t gap = row - next;
        for (; gap >= more; gap -= more)
            put(more);
        put(gap);
        next = row + 1;
    }
    return bytes;
}

// The section of a model without its kind.
inline std::vector<std::byte> with_count(std::uint32_t count, std::span<const std::byte> code)
{
    std::vector<std::byte> bytes(4);
    write_u32(bytes.data(), count);
    bytes.insert(bytes.end(), code.begin(), code.end());
    return bytes;
}

template <class Spec>
struct Made {
    Bytes bytes{0};
    std::vector<std::byte> kept;
    Spec spec;
    std::uint32_t features = 0, outputs = 0;
};

// shift and factor as in a model; empty: inputs are whole already.
template <class Spec>
Made<Spec> model_of(const Spec& spec, std::uint32_t outputs, ReadoutType type, std::span<const std::byte> rows,
                    std::span<const std::byte> scaling, bool runs = false)
{
    Made<Spec> made;
    made.spec = spec;
    made.outputs = outputs;
    typename Map<Spec>::Data kept;
    if (!rows.empty()) {
        std::uint32_t count = 0;
        // As many rows as the code holds below those of the map.
        CodedRows<std::byte> walk(rows.data() + 1, read_u8(rows.data()), rows.size() - 1);
        while (!walk.at_end() && walk.next() < row_count(spec))
            ++count;
        made.kept = with_count(count, rows);
        REQUIRE(Map<Spec>::Data::read(ChosenRows::coded_kind, made.kept, kept));
    }
    made.features = feature_count(made.spec, kept);
    std::vector<float> weights(std::size_t{outputs} * made.features), bias(outputs);
    fill_normals(stream_key(1, Domain::user, spec.features), weights);
    fill_normals(stream_key(2, Domain::user, outputs), bias);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::size_t output = i / made.features;
        weights[i] *= 1.0f + static_cast<float>(output);
    }
    for (float& b : bias)
        b *= 100.0f;
    const ModelParts parts{.task = ModelTask::classify,
                           .readout =
                               float_readout(outputs, made.features, weights.data(), made.features, bias.data(), 1),
                           .type = type,
                           .whole = scaling,
                           .whole_runs = runs};
    made.bytes = Bytes(sealed_bytes(made.spec, kept, parts));
    std::size_t written = 0;
    REQUIRE(seal(made.spec, kept, parts, made.bytes.span(), written) == Status::ok);
    return made;
}

// shift and factor of each line.
inline std::vector<std::byte> scaling_of(const std::vector<std::pair<int, std::uint8_t>>& lines)
{
    std::vector<std::byte> bytes;
    for (const auto& [shift, factor] : lines) {
        bytes.push_back(static_cast<std::byte>(shift & 255));
        bytes.push_back(static_cast<std::byte>(shift >> 8 & 255));
    }
    for (const auto& [shift, factor] : lines)
        bytes.push_back(static_cast<std::byte>(factor));
    return bytes;
}

} // namespace samara::test
