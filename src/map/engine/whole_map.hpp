// The functions of a map of one block, from its
//   Status compute_map(const Spec&, x, z, samples, work) noexcept
// in namespace samara, which checks what it is handed, but not the spec.
#pragma once

#include "samara/map_whole.hpp"

namespace samara {

template <WholeSpec Spec>
Status features(const Spec& s, std::span<const float> x, std::span<float> z, std::span<std::byte> work) noexcept
{
    return resolved(s) ? compute_map(s, x, z, 1, work) : Status::bad_spec;
}
template <WholeSpec Spec>
Status features(const Spec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                std::span<std::byte> work) noexcept
{
    return resolved(s) ? compute_map(s, x, z, samples, work) : Status::bad_spec;
}
template <WholeSpec Spec>
Status features(const Spec& s, const ChosenRows& chosen, std::span<const float> x, std::span<float> z,
                std::size_t samples, std::span<std::byte> work) noexcept
{
    return chosen.all() ? features(s, x, z, samples, work) : Status::bad_spec;
}
// z may be longer.
template <WholeSpec Spec>
Status block(const Spec& s, const ChosenRows& chosen, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept
{
    if (k != 0 || !chosen.all())
        return Status::bad_spec;
    return z.size() < s.features ? Status::wrong_length : features(s, x, z.first(s.features), work);
}
template <WholeSpec Spec>
Status block(const Spec& s, std::uint32_t k, std::span<const float> x, std::span<float> z,
             std::span<std::byte> work) noexcept
{
    return block(s, {}, k, x, z, work);
}

namespace detail {

// What every compute_map() of a resolved spec asks first; the map's own checks of the values follow.
template <WholeSpec Spec>
Status check_run(const Spec& s, std::span<const float> x, std::span<float> z, std::size_t samples,
                 std::span<std::byte> work) noexcept
{
    if (x.size() / s.inputs != samples || x.size() % s.inputs != 0 || z.size() / s.features != samples ||
        z.size() % s.features != 0)
        return Status::wrong_length;
    if ((reinterpret_cast<std::uintptr_t>(work.data()) & 3u) != 0)
        return Status::misaligned;
    return work.size() < workspace_bytes(s) ? Status::small_workspace : Status::ok;
}

} // namespace detail

} // namespace samara

// Defines the functions of one map, in namespace samara of its own file.
#define SAMARA_WHOLE_MAP(Spec)                                                                                         \
    template Status features(const Spec&, std::span<const float>, std::span<float>, std::span<std::byte>) noexcept;    \
    template Status features(const Spec&, std::span<const float>, std::span<float>, std::size_t,                       \
                             std::span<std::byte>) noexcept;                                                           \
    template Status features(const Spec&, const ChosenRows&, std::span<const float>, std::span<float>, std::size_t,    \
                             std::span<std::byte>) noexcept;                                                           \
    template Status block(const Spec&, std::uint32_t, std::span<const float>, std::span<float>,                        \
                          std::span<std::byte>) noexcept;                                                              \
    template Status block(const Spec&, const ChosenRows&, std::uint32_t, std::span<const float>, std::span<float>,     \
                          std::span<std::byte>) noexcept;
