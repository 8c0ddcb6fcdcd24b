// The compile-time face: a map whose spec is a template argument and whose memory is part of the object.
//
//   constexpr samara::ArcCosSpec spec{.inputs = 64, .features = 256, .seed = 7};
//   static samara::Fixed<spec> map;
//   map.features(x, z);
//
// sizeof(map) is the RAM that the map needs (stack apart). Only the code that the spec's choices need is linked; two
// maps that differ in sizes alone share it.
#pragma once

#include "samara/detail/fixed_map.hpp"

namespace samara {

template <auto requested>
class Fixed {
public:
    static_assert(static_cast<bool>(check(requested)), "the spec does not pass check(): see the field it reports");
    static constexpr auto spec = resolve(requested);
    static constexpr std::uint32_t inputs = spec.inputs;
    static constexpr std::uint32_t feature_count = spec.features;
    static constexpr std::uint32_t blocks = block_count(spec);
    static constexpr std::uint32_t block_features = largest_block(spec);

    // Of one sample: x has `inputs` floats, z `feature_count`.
    Status features(std::span<const float, inputs> x, std::span<float, feature_count> z) noexcept
    {
        return detail::run_fixed<spec>(x, z, 1, work());
    }
    // Of several samples, rows one after the other.
    Status features(std::span<const float> x, std::span<float> z, std::size_t samples) noexcept
    {
        return detail::run_fixed<spec>(x, z, samples, work());
    }
    // Block k of the features of one sample; z holds at least block_range(spec, k).count floats.
    Status block(std::uint32_t k, std::span<const float, inputs> x, std::span<float> z) noexcept
    {
        return detail::run_fixed_block<spec>(k, x, z, work());
    }

private:
    static constexpr std::size_t bytes = workspace_bytes(spec);

    std::span<std::byte> work() noexcept { return std::span<std::byte>(memory_).first(bytes); }

    alignas(16) std::byte memory_[bytes == 0 ? 1 : bytes];
};

} // namespace samara
