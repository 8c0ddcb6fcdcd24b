// What the desk and the firmware example share: two maps, and the images that they are computed of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/samara.hpp"

namespace digits {

constexpr samara::RffSpec rff{.inputs = 64, .features = 256, .bandwidth = 2, .seed = 7};
constexpr samara::ArcCosSpec arccos{.inputs = 64, .features = 256, .seed = 7};

inline constexpr std::uint8_t pixels[][64] = {
#include "data/digits.inc"
};

// Pixels are 0 ... 16, so x is 0 ... 1, and exact.
inline void read(const std::uint8_t (&image)[64], std::span<float, 64> x)
{
    for (std::size_t i = 0; i < 64; ++i)
        x[i] = static_cast<float>(image[i]) / 16;
}

} // namespace digits
