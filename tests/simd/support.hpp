// What the tests share: how much to do, a source of inputs that is not the library's own, and the back ends at hand.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "samara/simd.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SAMARA_TESTS_SLOW 1
#endif
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
#define SAMARA_TESTS_SLOW 1
#endif

namespace samara::test {

#ifdef SAMARA_TESTS_SLOW
inline constexpr bool slow_build = true;
#else
inline constexpr bool slow_build = false;
#endif

// The exhaustive versions, minutes long.
inline bool long_run() { return std::getenv("SAMARA_LONG") != nullptr; }

// Knuth's linear congruential generator with its high bits folded in: unrelated to what is tested.
class RandomNumbers {
public:
    explicit RandomNumbers(std::uint64_t seed) : state_(seed * 2862933555777941757u + 3037000493u) {}
    std::uint32_t word()
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(((state_ >> 22) ^ state_) >> (22 + (state_ >> 61)));
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((std::uint64_t{word()} * n) >> 32); }
    std::uint64_t long_word()
    {
        const std::uint64_t high = word();
        return high << 32 | word();
    }
    // In [-1, 1).
    float symmetric() { return static_cast<float>(static_cast<std::int32_t>(word())) * 0x1p-31f; }

private:
    std::uint64_t state_;
};

// Those that this build holds and this processor can run, scalar first; the one in use stays in use.
inline std::vector<Simd> back_ends()
{
    const Simd before = active_simd();
    std::vector<Simd> found;
    for (const Simd simd : {Simd::scalar, Simd::sse2, Simd::avx2, Simd::avx512, Simd::neon64})
        if (use_simd(simd) == Status::ok)
            found.push_back(simd);
    if (use_simd(before) != Status::ok)
        std::abort();
    return found;
}

// Runs `body` on each of them.
template <class Body>
void on_each_back_end(Body body)
{
    const Simd before = active_simd();
    for (const Simd simd : back_ends()) {
        if (use_simd(simd) != Status::ok)
            std::abort();
        body(simd);
    }
    if (use_simd(before) != Status::ok)
        std::abort();
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

// A chi-square statistic as a standard normal score (Wilson, Hilferty).
inline double chi_square_score(double statistic, double freedom)
{
    const double c = 2.0 / (9.0 * freedom);
    return (std::cbrt(statistic / freedom) - (1.0 - c)) / std::sqrt(c);
}

inline double chi_square(const std::vector<std::uint64_t>& counts)
{
    double total = 0.0, sum = 0.0;
    for (const std::uint64_t count : counts)
        total += static_cast<double>(count);
    const double expected = total / static_cast<double>(counts.size());
    for (const std::uint64_t count : counts) {
        const double d = static_cast<double>(count) - expected;
        sum += d * d / expected;
    }
    return sum;
}

inline double uniform_score(const std::vector<std::uint64_t>& counts)
{
    return chi_square_score(chi_square(counts), static_cast<double>(counts.size() - 1));
}

} // namespace samara::test
