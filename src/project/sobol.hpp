// The packed table of direction numbers, and a reader that takes its dimensions in order.
#pragma once

#include "simd/arch.hpp"

namespace samara {

extern const std::uint16_t sobol_degrees[13];
extern const std::uint32_t sobol_bits[2439];

} // namespace samara

namespace samara::SAMARA_ARCH {

// Reads the direction numbers of one dimension after the other: v[k] is that of bit k of a point's index, a 32-bit
// fraction.
class SobolDimensions {
public:
    // The first `count` <= 32 direction numbers of the next dimension.
    void next(std::uint32_t* v, unsigned count) noexcept
    {
        if (degree_ == 0) { // the first dimension is van der Corput's
            for (unsigned k = 0; k < count; ++k)
                v[k] = 0x80000000u >> k;
            degree_ = 1;
            left_ = sobol_degrees[0];
            return;
        }
        while (left_ == 0)
            left_ = sobol_degrees[++degree_ - 1];
        --left_;
        const unsigned s = degree_;
        const std::uint32_t a = read(s - 1);
        for (unsigned k = 0; k < s; ++k) {
            const std::uint32_t m = 2 * read(k) + 1;
            if (k < count)
                v[k] = m << (31 - k);
        }
        for (unsigned k = s; k < count; ++k) {
            std::uint32_t x = v[k - s] ^ (v[k - s] >> s);
            for (unsigned i = 1; i < s; ++i)
                if (((a >> (s - 1 - i)) & 1u) != 0)
                    x ^= v[k - i];
            v[k] = x;
        }
    }

private:
    std::uint32_t read(unsigned bits) noexcept
    {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < bits; ++i, ++at_)
            value |= ((sobol_bits[at_ / 32] >> (at_ % 32)) & 1u) << i;
        return value;
    }
    std::uint32_t at_ = 0;
    unsigned degree_ = 0, left_ = 0;
};

} // namespace samara::SAMARA_ARCH
