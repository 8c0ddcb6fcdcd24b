// Fast transforms, in the caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/status.hpp"

namespace samara {

inline constexpr std::size_t largest_transform = std::size_t{1} << 20;

// The Walsh-Hadamard transform in place, unnormalised, in Sylvester's order. The length is a power of two, at most
// 2^20, else unsupported_size. On every target it rounds as the levels h = 1, 2, 4, ... one after the other do.
Status hadamard(std::span<float> values) noexcept;
// The same for each of `count` rows of `length` values, one after the other.
Status hadamard(std::span<float> values, std::size_t length, std::size_t count) noexcept;

// The real FFT, by KissFFT in memory that the caller provides. n is even, 4 <= n <= 2^20, and n/2 has no prime factor
// above 5; transforms of other lengths would allocate and are refused.
constexpr bool fft_size_ok(std::size_t n) noexcept
{
    if (n < 4 || n > largest_transform || n % 2 != 0)
        return false;
    std::size_t half = n / 2;
    for (const std::size_t p : {std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
        while (half % p == 0)
            half /= p;
    }
    return half == 1;
}
// The supported length nearest to n, the larger one of two equally near.
constexpr std::size_t nearest_fft_size(std::size_t n) noexcept
{
    if (n <= 4)
        return 4;
    if (n >= largest_transform)
        return largest_transform;
    for (std::size_t d = 0;; ++d) {
        if (fft_size_ok(n + d))
            return n + d;
        if (d <= n && fft_size_ok(n - d))
            return n - d;
    }
}
// Bytes that RealFft needs for one direction; enough for 32-bit and 64-bit targets alike.
constexpr std::size_t fft_bytes(std::size_t n) noexcept { return 24 + 264 + 8 * (n / 2) + 8 * (3 * (n / 2) / 2) + 16; }

class RealFft {
public:
    RealFft() = default;
    // Builds the twiddle tables in `memory`, which must stay where it is, start at a multiple of 4 bytes and hold
    // fft_bytes(n); unsupported_size, misaligned or small_workspace otherwise, and the object stays as it was.
    // An object transforms in one direction only.
    Status init(std::size_t n, bool inverse, std::span<std::byte> memory) noexcept;
    // n reals to n/2 + 1 complex numbers (n + 2 floats: re, im, re, im, ...). in and out must not overlap.
    Status forward(std::span<const float> in, std::span<float> out) const noexcept;
    // n/2 + 1 complex numbers to n reals: n times the inverse transform. in and out must not overlap.
    Status backward(std::span<const float> in, std::span<float> out) const noexcept;
    std::size_t size() const noexcept { return size_; }

private:
    void* state_ = nullptr;
    std::size_t size_ = 0;
    bool inverse_ = false;
};

} // namespace samara
