// What the digit examples share: a sealed model, images that its training did not see, and a place to print to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "digits_model.h"
#include "print.hpp"
#include "samara/samara.hpp"

namespace digits {

// 64 pixels of 0 ... 16, then the digit.
inline constexpr std::uint8_t images[][65] = {
#include "digits_test.inc"
};
inline constexpr std::size_t image_count = sizeof images / sizeof images[0];

inline void read(const std::uint8_t (&image)[65], std::span<float, 64> x)
{
    for (std::size_t i = 0; i < 64; ++i)
        x[i] = image[i];
}
inline std::uint32_t label(const std::uint8_t (&image)[65]) { return image[64]; }

} // namespace digits
