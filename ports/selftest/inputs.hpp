// Fixed inputs of the self-test: made of integers, so that they are the same everywhere before anything is computed.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "samara/stream.hpp"

namespace samara::selftest {

inline constexpr unsigned sample_kinds = 8;

// Multiples of 2^-16 in [-4, 4).
inline void fill_plain(std::span<float> x, std::uint64_t index)
{
    Xoshiro words(stream_key(2026, 99, index));
    for (float& v : x)
        v = static_cast<float>(static_cast<std::int32_t>(words.word() >> 13) - (1 << 18)) * 0x1p-16f;
}

// One sample of each awkward kind.
inline void fill_sample(std::span<float> x, unsigned kind)
{
    fill_plain(x, kind);
    switch (kind) {
    case 1: // zeros of both signs
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = i % 2 == 0 ? 0.0f : -0.0f;
        break;
    case 2: // subnormals
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(1 + 77 * i) | (i % 3 == 0 ? 0x80000000u : 0u));
        break;
    case 3: // tiny
        for (float& v : x)
            v *= 0x1p-100f;
        break;
    case 4: // huge
        for (float& v : x)
            v *= 0x1p38f;
        break;
    case 5: // one-hot
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = i == x.size() / 2 ? 1.0f : 0.0f;
        break;
    case 6: // from subnormal to huge in one vector
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] *= std::bit_cast<float>(static_cast<std::uint32_t>(1 + (i * 37) % 160) << 23);
        break;
    default: // 0 and 7: plain
        break;
    }
}

} // namespace samara::selftest
