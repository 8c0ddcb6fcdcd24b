// Low orders of a kernel that are carried exactly: their sizes, and when they pay.
#pragma once

#include <cstdint>

#include "samara/map/kinds.hpp"

namespace samara::engine {

// How many features carry the constant and x.
constexpr std::uint32_t linear_features(Orders orders, std::uint32_t inputs) noexcept
{
    return orders >= Orders::one ? inputs + 1 : 0;
}

// How many products x_i x_j, i <= j, there are.
constexpr std::uint64_t all_pairs(std::uint32_t inputs) noexcept { return std::uint64_t{inputs} * (inputs + 1) / 2; }

// How many features carry the constant, x, and with orders two all products of two inputs.
constexpr std::uint64_t exact_part(Orders orders, std::uint32_t inputs) noexcept
{
    return linear_features(orders, inputs) + (orders == Orders::two ? all_pairs(inputs) : 0);
}

// Carrying x exactly pays where enough random features are left beside it.
constexpr bool exact_orders_pay(std::uint32_t features, std::uint32_t inputs, std::uint32_t least_random) noexcept
{
    return features >= std::uint64_t{inputs} + 1 + least_random && features - inputs - 1 >= features / 16;
}

} // namespace samara::engine
