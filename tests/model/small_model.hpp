// Small sealed models for tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "samara/samara.hpp"

namespace samara::test {

// Bytes at a multiple of 4, of any length.
struct Bytes {
    std::vector<std::uint32_t> words;
    std::size_t size = 0;

    explicit Bytes(std::size_t n) : words((n + 3) / 4), size(n) {}
    std::span<std::byte> span() { return std::as_writable_bytes(std::span(words)).first(size); }
    std::span<const std::byte> span() const { return std::as_bytes(std::span(words)).first(size); }
};

// A model of any map with a readout that is the same everywhere.
template <class Spec>
Bytes model_of(const Spec& spec, const Application& application = {}, std::span<const std::byte> rows = {})
{
    typename Map<Spec>::Data data;
    if constexpr (RowSpec<Spec>)
        data = ChosenRows(rows);
    const std::uint32_t count = feature_count(spec, data);
    const std::vector<float> weights(count, 0.5f), bias(1, 0.25f);
    const ModelParts parts{.readout = float_readout(1, count, weights.data(), count, bias.data(), 1),
                           .type = ReadoutType::int8,
                           .application = application};
    Bytes bytes(sealed_bytes(spec, data, parts));
    std::size_t written = 0;
    if (seal(spec, data, parts, bytes.span(), written) != Status::ok)
        bytes = Bytes(0);
    return bytes;
}

inline void mend_crc(std::span<std::byte> model)
{
    const std::uint32_t total = read_u32(model.data() + 12);
    write_u32(model.data() + total - 4, crc32(model.first(total - 4)));
}

} // namespace samara::test
