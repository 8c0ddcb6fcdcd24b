// What the rooms that prepare a run with exact orders share. SPEC.md, section 28.2.
#pragma once

#include "map/cntk/orders.hpp"
#include "samara/memory.hpp"

namespace samara::engine {

// Streams of signs. Numbers are part of the format.
enum class SignUse : std::uint64_t {
    round = 0, // and 1, 2
    rest_mix = 3,
    left_mix = 4,
    rest = 5,
    left = 6,
    product = 7,
    turned = 8,
    scaled = 9,
    relu = 10,
    both = 11,
    relu_fold = 12,
    product_fold = 13,
    relu_border = 14,
    product_border = 15,
    tau_filter = 16,
    omega_filter = 17,
    last_fold = 18,
    raw_border = 19,
    weight_border = 20
};

constexpr std::uint64_t index_of(std::uint32_t block, std::uint32_t layer, std::uint64_t use) noexcept
{
    return std::uint64_t{block} << 16 | std::uint64_t{layer} << 8 | use;
}

inline constexpr float inverse_pi = 0.318309886f;

// The run, and what is left of its workspace.
struct Preparation {
    OrdersRun& r;
    Bump bump;

    float* floats(std::size_t n) noexcept { return bump.take<float>(n); }
};

// Numbers of either sign, 1 in magnitude: those of one layer and use.
float* random_signs(Preparation& to, std::size_t count, std::uint32_t h, SignUse use) noexcept;

// In the order in which they take memory.
void prepare_normals(Preparation& to) noexcept;
void prepare_filters(Preparation& to) noexcept;
void prepare_signs(Preparation& to) noexcept;
void prepare_ways(Preparation& to) noexcept;
// These take none.
void prepare_directions(OrdersRun& r) noexcept;

} // namespace samara::engine
