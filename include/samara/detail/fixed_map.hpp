// A map whose spec is known while compiling, with no more code than that spec needs. Not for direct use. Inlined, so
// that a second spec brings in no other function.
#pragma once

#include "samara/map_arccos.hpp"
#include "samara/map_ntk.hpp"
#include "samara/map_ntk_poly.hpp"
#include "samara/map_whole.hpp"

namespace samara::detail {

// The spec is resolved.
template <auto spec>
[[gnu::always_inline]] inline Status run_fixed(std::span<const float> x, std::span<float> z, std::size_t samples,
                                               std::span<std::byte> work) noexcept
{
    using Spec = std::remove_cvref_t<decltype(spec)>;
    if constexpr (RowSpec<Spec> || LayerSpec<Spec>) {
        constexpr auto code = code_of(spec);
        return run(spec, code, x, z, samples, work);
    } else {
        return features(spec, x, z, samples, work);
    }
}

// z may be longer than the block.
template <auto spec>
[[gnu::always_inline]] inline Status run_fixed_block(std::uint32_t k, std::span<const float> x, std::span<float> z,
                                                     std::span<std::byte> work) noexcept
{
    if constexpr (RowSpec<std::remove_cvref_t<decltype(spec)>>) {
        constexpr auto code = code_of(spec);
        return run_block(spec, code, k, x, z, work);
    } else {
        if (k != 0 || z.size() < spec.features)
            return k != 0 ? Status::bad_spec : Status::wrong_length;
        return run_fixed<spec>(x, z.first(spec.features), 1, work);
    }
}

} // namespace samara::detail
