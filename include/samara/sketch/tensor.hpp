// TensorSketch (Pham, Pagh): v_1 (x) ... (x) v_p by the circular convolution of p CountSketches, computed with FFTs.
//
// E <z, z'> = product of <v_i, v_i'>; the variance is at most (2 + 3^p) / size times the product of squared lengths.
// Factors may have any length, and different ones. All spectra are half spectra: KissFFT's real transform of n numbers
// is a complex one of n/2, so two of them cost what packing two real vectors into one complex transform would.
// The size is one that RealFft takes: even, 4 ... 2^20, size/2 without prime factors above 5. Rounding is KissFFT's:
// the sizes for which its bits are equal on all targets are in SPEC.md, section 5.2.
//
// The twiddle factors are the C library's sines and cosines in double precision, which cost more than a sketch: a
// TensorSketch keeps them in its caller's memory, TensorSketch::bytes(spec), for as long as it lives. The free
// functions make them anew at every call.
//
// Memory, in bytes: the tables 2 fft_bytes(size), the workspace of a call 4 (3 size + 4).
#pragma once

#include "samara/sketch/hash.hpp"
#include "samara/transform.hpp"

namespace samara {

struct TensorSketchSpec {
    std::uint32_t size = 1024;
    std::uint32_t degree = 2; // p, 1 ... 64
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const TensorSketchSpec&, const TensorSketchSpec&) = default;
};

constexpr SpecReport check(const TensorSketchSpec& s) noexcept
{
    if (!fft_size_ok(s.size))
        return {Status::bad_spec, "size", "an even number from 4 to 1048576 whose half has no prime factor above 5",
                nearest_fft_size(s.size)};
    if (s.degree < 1 || s.degree > 64)
        return {Status::bad_spec, "degree", "1 to 64", s.degree < 1 ? 1u : 64u};
    return {};
}

class TensorSketch {
public:
    static constexpr std::size_t bytes(const TensorSketchSpec& s) noexcept { return 2 * fft_bytes(s.size); }
    static constexpr std::size_t call_bytes(const TensorSketchSpec& s) noexcept
    {
        return 4 * (3 * std::size_t{s.size} + 4);
    }

    TensorSketch() = default;
    // `memory` starts at a multiple of 4 bytes, holds bytes(spec) and stays where it is. bad_spec, misaligned or
    // small_workspace otherwise.
    Status init(const TensorSketchSpec& spec, std::span<std::byte> memory) noexcept;

    // Chooses other hashes; the tables do not depend on the seed.
    void set_seed(std::uint64_t seed) noexcept { spec_.seed = seed; }

    // These sketch: `degree` factors; the power x^(degree); the powers x^(1) ... x^(degree), one after the other
    // (degree * size numbers). The workspace has call_bytes(spec). Statuses are those of the free functions, and
    // bad_spec before init().
    Status sketch(std::span<const std::span<const float>> factors, std::span<float> z,
                  std::span<std::byte> work) const noexcept;
    Status sketch(std::span<const float> x, std::span<float> z, std::span<std::byte> work) const noexcept;
    Status prefixes(std::span<const float> x, std::span<float> z, std::span<std::byte> work) const noexcept;

private:
    struct Buffers {
        float *counts, *spectrum, *product;
    };
    Status check_call(std::size_t outputs, std::span<float> z, std::span<std::byte> work, Buffers& b) const noexcept;
    // Multiplies the spectrum of factor i to the product. If `out` is not null it gets the sketch of factors 0 ... i.
    void take(std::uint32_t i, std::span<const float> factor, const Buffers& b, float* out) const noexcept;
    Status power(std::span<const float> x, std::span<float> z, bool all, std::span<std::byte> work) const noexcept;

    TensorSketchSpec spec_{.size = 0};
    RealFft forward_, backward_;
};

constexpr std::size_t workspace_bytes(const TensorSketchSpec& s) noexcept
{
    return TensorSketch::bytes(s) + TensorSketch::call_bytes(s);
}

// These return bad_spec, wrong_length, misaligned, small_workspace, not_finite or out_of_range, and z is as it was; or
// overflow if a product left the range of floats, and z is all zeros.
Status sketch(const TensorSketchSpec& spec, std::span<const std::span<const float>> factors, std::span<float> z,
              std::span<std::byte> work) noexcept;
Status sketch(const TensorSketchSpec& spec, std::span<const float> x, std::span<float> z,
              std::span<std::byte> work) noexcept;
Status prefixes(const TensorSketchSpec& spec, std::span<const float> x, std::span<float> z,
                std::span<std::byte> work) noexcept;

} // namespace samara
