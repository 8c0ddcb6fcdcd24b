// Maps whose features are one block: every one of them may depend on all of the sketch or of the layer before. A
// predictor cannot fold them piece by piece, so its memory grows with their number, and there are no rows to choose.
// What map.hpp has for maps of rows, for these.
#pragma once

#include "samara/map.hpp"

namespace samara {

template <class Spec>
inline constexpr bool whole_map = false;

template <class Spec>
concept WholeSpec = whole_map<Spec>;

template <WholeSpec Spec>
constexpr std::uint32_t row_count(const Spec&) noexcept
{
    return 0;
}
template <WholeSpec Spec>
constexpr std::uint32_t block_count(const Spec&) noexcept
{
    return 1;
}
template <WholeSpec Spec>
constexpr BlockRange block_range(const Spec& s, std::uint32_t) noexcept
{
    return {0, s.features};
}
template <WholeSpec Spec>
constexpr BlockRange block_range(const Spec& s, const ChosenRows&, std::uint32_t) noexcept
{
    return {0, s.features};
}
template <WholeSpec Spec>
constexpr std::uint32_t largest_block(const Spec& s) noexcept
{
    return s.features;
}
template <WholeSpec Spec>
constexpr std::uint32_t feature_count(const Spec& s, const ChosenRows&) noexcept
{
    return s.features;
}
template <WholeSpec Spec>
constexpr std::size_t block_workspace_bytes(const Spec& s) noexcept
{
    return workspace_bytes(s);
}
template <WholeSpec Spec>
constexpr std::size_t workspace_bytes(const Spec& s, const ChosenRows&) noexcept
{
    return workspace_bytes(s);
}

// As of the maps in map.hpp. bad_spec for rows that are chosen.
template <WholeSpec Spec>
Status features(const Spec& spec, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept;
template <WholeSpec Spec>
Status features(const Spec& spec, std::span<const float> x, std::span<float> z, std::size_t samples,
                std::span<std::byte> work) noexcept;
template <WholeSpec Spec>
Status features(const Spec& spec, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                std::size_t samples, std::span<std::byte> work) noexcept;
template <WholeSpec Spec>
Status block(const Spec& spec, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept;
template <WholeSpec Spec>
Status block(const Spec& spec, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept;

} // namespace samara
