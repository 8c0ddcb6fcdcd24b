// Low orders of a kernel that are carried exactly: their sizes, and when they pay.
#pragma once

#include <cstdint>

#include "samara/map/kinds.hpp"

namespace samara::engine {

// How many features carry the constant and x.
constexpr std::uint32_t linear_features(Orders orders, std::uint32_t inputs) noexcept
{
    return orders == Orders::one || orders == Orders::two ? inputs + 1 : 0;
}

// How many products x_i x_j, i <= j, there are.
constexpr std::uint64_t all_pairs(std::uint32_t inputs) noexcept { return std::uint64_t{inputs} * (inputs + 1) / 2; }

// How many features carry the constant, x, and with orders two all products of two inputs.
constexpr std::uint64_t exact_part(Orders orders, std::uint32_t inputs) noexcept
{
    return linear_features(orders, inputs) + (orders == Orders::two ? all_pairs(inputs) : 0);
}

// The most features that orders=auto gives to the exact part: a readout of features that are linear for the most part
// predicts worse, however near their kernel is.
constexpr std::uint32_t most_exact_features(std::uint32_t features) noexcept { return features / 4; }

// Carrying x exactly pays where it takes few of the features, and enough random ones are left beside it.
constexpr bool exact_orders_pay(std::uint32_t features, std::uint32_t inputs, std::uint32_t least_random) noexcept
{
    return std::uint64_t{inputs} + 1 <= most_exact_features(features) && features - inputs - 1 >= least_random;
}

} // namespace samara::engine
