// Random numbers as pure functions of (seed, domain, index).
//
// A key is the three numbers, each passed through a full 64-bit mix. A stream is xoshiro128++ whose state SplitMix64
// expands from the key; a wide stream is sixteen generators side by side, so that word i comes from lane i mod 16.
// Signs, indices and the rest are made of words by fixed formulas without rejection (except below(), which says so).
// SPEC.md, section 3, has every step with known answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/status.hpp" // says what is wrong below C++20

namespace samara {

// Always inlined: these functions are compiled for several vector units, and the linker might take an out-of-line copy
// of one unit for all.
#define SAMARA_EVERYWHERE [[gnu::always_inline]] constexpr

// A build with one back end has one copy of what takes many instructions on 32-bit processors.
#if defined(SAMARA_DISPATCH) && !SAMARA_DISPATCH
#define SAMARA_SHARED [[gnu::noinline]] constexpr
#else
#define SAMARA_SHARED SAMARA_EVERYWHERE
#endif

constexpr std::uint64_t splitmix_increment = 0x9e3779b97f4a7c15u;

// SplitMix64's output function: a bijection of 64-bit words.
SAMARA_SHARED std::uint64_t mix64(std::uint64_t z) noexcept
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// What a stream is for. Numbers are part of the format: never renumber, only add.
enum class Domain : std::uint32_t {
    user = 0,
    dense_rows = 1,
    hadamard_signs = 2,
    hadamard_norms = 3,
    fastfood_signs = 4,
    fastfood_shuffle = 5,
    fastfood_weights = 6,
    fastfood_norms = 7,
    quasi_shift = 8,
    gibbs_rows = 9,
    phases = 10,
    ties = 11,
    count_hash = 16,
    osnap_hash = 17,
    srht_signs = 18,
    srht_rows = 19,
    tensor_signs = 20,
    tensor_rows = 21,
    tensor_hash = 22,
    poly_signs = 23,
    poly_rows = 24,
    poly_hash = 25,
    ntk_layers = 32,
    ntk_sketch_layers = 33,
    ntk_sketch_mix = 34,
    gradient_weights = 35,
    cntk_weights = 36,
    cntk_signs = 37,
    cntk_rows = 38,
    cntk_sketch = 39,
    skeleton_features = 40,
    local_filters = 41,
    local_weights = 42,
};

struct StreamKey {
    std::uint64_t value;
};

// What the keys of all indices of a domain have in common.
SAMARA_EVERYWHERE std::uint64_t stream_prefix(std::uint64_t seed, std::uint64_t domain) noexcept
{
    const std::uint64_t a = mix64(seed + splitmix_increment);
    return mix64((a ^ domain) + splitmix_increment);
}
SAMARA_EVERYWHERE StreamKey stream_key_behind(std::uint64_t prefix, std::uint64_t index) noexcept
{
    return {mix64((prefix ^ index) + splitmix_increment)};
}
SAMARA_EVERYWHERE StreamKey stream_key(std::uint64_t seed, std::uint64_t domain, std::uint64_t index) noexcept
{
    return stream_key_behind(stream_prefix(seed, domain), index);
}
SAMARA_EVERYWHERE StreamKey stream_key(std::uint64_t seed, Domain domain, std::uint64_t index) noexcept
{
    return stream_key(seed, static_cast<std::uint64_t>(domain), index);
}

// Output i of SplitMix64 started from a key. In words, low half first, outputs 0 ... 31 are the state of a wide stream:
// word 16 i + l is state word i of lane l.
SAMARA_EVERYWHERE std::uint64_t splitmix_output(StreamKey key, std::uint32_t i) noexcept
{
    return mix64(key.value + splitmix_increment * (std::uint64_t{i} + 1));
}

// xoshiro128++ (Blackman, Vigna): 32-bit words, period 2^128 - 1.
class Xoshiro {
public:
    // All zeros, from which the generator cannot leave, is replaced by {1, 2, 3, 4}.
    SAMARA_EVERYWHERE Xoshiro(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept
        : s_{a, b, c, d}
    {
        if ((a | b | c | d) == 0) {
            for (std::uint32_t i = 0; i < 4; ++i)
                s_[i] = i + 1;
        }
    }
    // State words 0, 1 from SplitMix64's first output after the key (low half first), 2, 3 from its second.
    SAMARA_EVERYWHERE explicit Xoshiro(StreamKey key) noexcept
        : Xoshiro(splitmix_output(key, 0), splitmix_output(key, 1))
    {}

    SAMARA_EVERYWHERE std::uint32_t word() noexcept
    {
        const std::uint32_t result = rotate(s_[0] + s_[3], 7) + s_[0];
        const std::uint32_t t = s_[1] << 9;
        s_[2] ^= s_[0];
        s_[3] ^= s_[1];
        s_[1] ^= s_[2];
        s_[0] ^= s_[3];
        s_[2] ^= t;
        s_[3] = rotate(s_[3], 11);
        return result;
    }
    SAMARA_EVERYWHERE std::uint32_t state(unsigned i) const noexcept { return s_[i]; }

    // An exactly uniform index in [0, n), n >= 1 (Lemire's method). It is the only function that may take more than one
    // word (less than one more on average), so it is never used where lanes run side by side.
    constexpr std::uint32_t below(std::uint32_t n) noexcept
    {
        std::uint64_t product = std::uint64_t{word()} * n;
        if (static_cast<std::uint32_t>(product) < n) {
            const std::uint32_t floor = (0u - n) % n;
            while (static_cast<std::uint32_t>(product) < floor)
                product = std::uint64_t{word()} * n;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

private:
    SAMARA_EVERYWHERE Xoshiro(std::uint64_t low, std::uint64_t high) noexcept
        : Xoshiro(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                  static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32))
    {}
    [[gnu::always_inline]] static constexpr std::uint32_t rotate(std::uint32_t x, int k) noexcept
    {
        return (x << k) | (x >> (32 - k));
    }

    std::uint32_t s_[4];
};

// A pseudo-random permutation of [0, n), 1 <= n <= 2^31, without a table. With k bits, 2^k >= n: i -> a i + c in the
// field of 2^k elements, a not 0, then three rounds of multiply-add and xor-shift, all of it repeated while the image
// is not below n (a few times at most; never if n = 2^k). Where n is a power of two, the images of any two indices are
// distributed exactly as in a random permutation, because those of a i + c are and the rounds only rename them. The
// rounds are there because with a i + c alone the images of three and more indices would depend on each other. For
// other n the distribution of two images is nearly that (within 4 % for n >= 12).
class Bijection {
public:
    static constexpr unsigned rounds = 3;

    SAMARA_EVERYWHERE Bijection(StreamKey key, std::uint32_t n) noexcept : n_(n)
    {
        // The least irreducible polynomial of each degree over the field of two elements, without its leading term.
        constexpr std::uint8_t polynomial[32] = {0,  1, 3, 3,  3, 5, 3, 3,  27, 3, 9,  5,  9, 27, 33, 3,
                                                 43, 9, 9, 39, 9, 5, 3, 33, 27, 9, 27, 39, 3, 5,  3,  9};
        while ((std::uint64_t{1} << bits_) < n)
            ++bits_;
        mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << bits_) - 1);
        Xoshiro words(key);
        std::uint32_t a = 1 + static_cast<std::uint32_t>((std::uint64_t{words.word()} * mask_) >> 32);
        start_ = words.word() & mask_;
        for (unsigned r = 0; r < rounds; ++r) {
            factor_[r] = words.word() | 1u;
            offset_[r] = words.word();
        }
        for (unsigned j = 0; j < bits_; ++j) { // a x^j modulo the polynomial
            column_[j] = a;
            const bool carry = ((a >> (bits_ - 1)) & 1u) != 0;
            a = (a << 1) & mask_;
            if (carry)
                a ^= polynomial[bits_] & mask_;
        }
    }
    SAMARA_EVERYWHERE std::uint32_t operator()(std::uint32_t i) const noexcept
    {
        do
            i = scrambled(affine(i));
        while (i >= n_);
        return i;
    }
    constexpr std::uint32_t size() const noexcept { return n_; }

    // The two halves of a step. Many indices in order are cheaper with affine(i ^ j) = affine(i) ^ affine(j) ^
    // affine(0). Bits of i at 2^k and above do not matter.
    SAMARA_EVERYWHERE std::uint32_t affine(std::uint32_t i) const noexcept
    {
        std::uint32_t image = start_;
        for (unsigned j = 0; j < bits_; ++j)
            image ^= ((i >> j) & 1u) != 0 ? column_[j] : 0u;
        return image;
    }
    SAMARA_EVERYWHERE std::uint32_t scrambled(std::uint32_t i) const noexcept
    {
        for (unsigned r = 0; r < rounds; ++r) {
            i = (i * factor_[r] + offset_[r]) & mask_;
            i ^= i >> ((bits_ + 1) / 2);
        }
        return i;
    }
    SAMARA_EVERYWHERE unsigned bits() const noexcept { return bits_; }
    // How bit j of i changes affine(i), by exclusive or; j < 31.
    SAMARA_EVERYWHERE std::uint32_t column(unsigned j) const noexcept { return column_[j]; }
    SAMARA_EVERYWHERE std::uint32_t factor(unsigned round) const noexcept { return factor_[round]; }
    SAMARA_EVERYWHERE std::uint32_t offset(unsigned round) const noexcept { return offset_[round]; }

private:
    std::uint32_t n_, mask_ = 0;
    unsigned bits_ = 0;
    std::uint32_t start_ = 0, factor_[rounds] = {}, offset_[rounds] = {}, column_[31] = {};
};

// These fill `out` from the wide stream of a key; element i depends on (key, i) alone.
void fill_words(StreamKey key, std::span<std::uint32_t> out) noexcept;
// Fills `out` from the narrow stream. Each bit of a word, from the lowest up, is a sign: 1 is minus.
void fill_sign_words(StreamKey key, std::span<std::uint32_t> out) noexcept;
// Uniform numbers (2k + 1) / 2^24, k the word's upper 23 bits: never 0 or 1, symmetric about 1/2.
void fill_uniforms(StreamKey key, std::span<float> out) noexcept;
// Standard normals, two a word: 32 values for every 16 words, first the sixteen cosines, then the sixteen sines.
// Exactly symmetric, |x| < 4.9954, distance to the normal CDF 1.1e-5, variance 1 - 2.7e-6, kurtosis 3 - 1e-4.
void fill_normals(StreamKey key, std::span<float> out) noexcept;
// Standard Cauchy and Laplace numbers (density exp(-|x|)/2), one word for each.
void fill_cauchy(StreamKey key, std::span<float> out) noexcept;
void fill_laplace(StreamKey key, std::span<float> out) noexcept;
// Chi with `freedom` >= 64 degrees (Wilson, Hilferty), from the normals of the same key: E[r^2]/freedom within 1e-5,
// CDF within 2e-4.
void fill_chi(StreamKey key, std::uint32_t freedom, std::span<float> out) noexcept;

#undef SAMARA_EVERYWHERE
#undef SAMARA_SHARED

} // namespace samara
