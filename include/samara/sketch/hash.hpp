// Sketches by hashing: CountSketch and OSNAP. They are linear maps to `size` numbers that take one entry at a time in
// O(1), in any order. Vectors may have any length up to 2^32, which need not be known beforehand.
//
// E <Sx, Sy> = <x, y>; the variance is that of hashing, at most 2 |x|^2 |y|^2 / size. Because the maps are linear, the
// sketch of a sum is the sum of the sketches: see add_sketch and subtract_sketch. No workspace is needed.
//
// Hash: index i gives the upper 32 bits u of a i + b modulo 2^64 with random 64-bit a and b, then a fixed bijection of
// words; the top bit is the sign, the others are scaled to the size. Signs and places of any two indices are
// independent, the sign of the place too, and each place has probability 1/size up to 2^-31 (exactly, if the size is a
// power of two). Proof: i - j = 2^t q with q odd and t < 32, so a (i - j) is uniform on the multiples of 2^t, and its
// upper 32 bits are uniform and independent of the uniform a j + b. Signs of four indices are not independent by
// construction; the fixed bijection mixes them, and tests compare the variance with that of independent ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/project.hpp"
#include "samara/status.hpp"
#include "samara/stream.hpp"

namespace samara {

// One non-zero, +1 or -1, for each index.
struct CountSketchSpec {
    std::uint32_t size = 64; // 1 ... 2^24
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const CountSketchSpec&, const CountSketchSpec&) = default;
};

inline constexpr std::uint32_t most_nonzeros = 16;

// `nonzeros` of them, each +-1/sqrt(nonzeros), one in each of as many equal parts of the sketch (Nelson, Nguyen): the
// same variance on average, less of it from unlucky seeds. Powers of 4 make the factor exact.
struct OsnapSpec {
    std::uint32_t size = 64;    // nonzeros ... 2^24
    std::uint32_t nonzeros = 4; // 1 ... 16
    std::uint64_t seed = 0;

    friend constexpr bool operator==(const OsnapSpec&, const OsnapSpec&) = default;
};

constexpr SpecReport check(const CountSketchSpec& s) noexcept
{
    if (s.size < 1 || s.size > most_features)
        return {Status::bad_spec, "size", "1 to 16777216", s.size < 1 ? 1u : most_features};
    return {};
}
constexpr SpecReport check(const OsnapSpec& s) noexcept
{
    if (s.nonzeros < 1 || s.nonzeros > most_nonzeros)
        return {Status::bad_spec, "nonzeros", "1 to 16", s.nonzeros < 1 ? 1u : most_nonzeros};
    if (s.size < s.nonzeros || s.size > most_features)
        return {Status::bad_spec, "size", "nonzeros to 16777216", s.size < s.nonzeros ? s.nonzeros : most_features};
    return {};
}

constexpr std::size_t workspace_bytes(const CountSketchSpec&) noexcept { return 0; }
constexpr std::size_t workspace_bytes(const OsnapSpec&) noexcept { return 0; }

// Sends an index to one of the places [first, first + size) of a sketch, with a sign.
class EntryHash {
public:
    struct Place {
        std::uint32_t at;
        std::uint32_t sign; // bit 31
    };

    constexpr EntryHash() = default;
    constexpr EntryHash(StreamKey key, std::uint32_t first, std::uint32_t size) noexcept
        : factor_(splitmix_output(key, 0)), offset_(splitmix_output(key, 1)), first_(first), size_(size)
    {}
    constexpr Place operator()(std::uint32_t index) const noexcept { return place(factor_ * index + offset_); }

    // A cheaper form for indices in order: place(state) with state = start(), then state += step() for each next index.
    constexpr std::uint64_t start() const noexcept { return offset_; }
    constexpr std::uint64_t step() const noexcept { return factor_; }
    constexpr Place place(std::uint64_t state) const noexcept
    {
        auto u = static_cast<std::uint32_t>(state >> 32);
        u = (u ^ (u >> 15)) * 0xbf58476du;
        u = (u ^ (u >> 14)) * 0x94d049bbu;
        u ^= u >> 16;
        return {first_ + static_cast<std::uint32_t>((std::uint64_t{u << 1} * size_) >> 32), u & 0x80000000u};
    }

private:
    std::uint64_t factor_ = 0, offset_ = 0;
    std::uint32_t first_ = 0, size_ = 0;
};

// An entry of a sparse vector.
struct Entry {
    std::uint32_t index;
    float value;
};

// A spec with its keys drawn. It serves streams: to draw the keys again for each entry would cost more than the entry.
// All calls return bad_spec if the spec does not pass check().
class CountSketch {
public:
    constexpr explicit CountSketch(const CountSketchSpec& s) noexcept
    {
        if (check(s)) {
            hash_ = EntryHash(stream_key(s.seed, Domain::count_hash, 0), 0, s.size);
            size_ = s.size;
        }
    }
    // Adds the entry's sketch to z, which has the spec's size. Returns wrong_length, not_finite or out_of_range (above
    // 2^40), and z is as it was. If z starts as zeros, entries in ascending order of their indices give the bits of the
    // dense form; where sums are exact (integers below 2^24) entries in any order do.
    Status add(std::uint32_t index, float value, std::span<float> z) const noexcept;

    constexpr const EntryHash& hash() const noexcept { return hash_; }
    constexpr std::uint32_t size() const noexcept { return size_; }

private:
    EntryHash hash_;
    std::uint32_t size_ = 0;
};

// The same for OSNAP. It takes 24 bytes for each non-zero.
class Osnap {
public:
    // Part k of a size m holds places [k m / s, (k + 1) m / s), rounded down.
    constexpr explicit Osnap(const OsnapSpec& s, Domain domain = Domain::osnap_hash,
                             std::uint64_t first_key = 0) noexcept
    {
        if (!check(s))
            return;
        size_ = s.size;
        nonzeros_ = s.nonzeros;
        for (std::uint32_t k = 0; k < s.nonzeros; ++k) {
            const auto edge = [&](std::uint32_t part) {
                return static_cast<std::uint32_t>(std::uint64_t{part} * s.size / s.nonzeros);
            };
            hash_[k] = EntryHash(stream_key(s.seed, domain, first_key + k), edge(k), edge(k + 1) - edge(k));
        }
    }
    Status add(std::uint32_t index, float value, std::span<float> z) const noexcept;

    constexpr const EntryHash& hash(std::uint32_t k) const noexcept { return hash_[k]; }
    constexpr std::uint32_t size() const noexcept { return size_; }
    constexpr std::uint32_t nonzeros() const noexcept { return nonzeros_; }

private:
    EntryHash hash_[most_nonzeros];
    std::uint32_t size_ = 0, nonzeros_ = 0;
};

// z = the sketch of a dense vector x (the index of x_i is i; entries are added in ascending order), or of entries in
// the given order, in which an index may occur more than once. They return bad_spec, wrong_length, not_finite or
// out_of_range, and z is as it was.
Status sketch(const CountSketchSpec& spec, std::span<const float> x, std::span<float> z,
              std::span<std::byte> work = {}) noexcept;
Status sketch(const CountSketchSpec& spec, std::span<const Entry> entries, std::span<float> z) noexcept;
Status sketch(const OsnapSpec& spec, std::span<const float> x, std::span<float> z,
              std::span<std::byte> work = {}) noexcept;
Status sketch(const OsnapSpec& spec, std::span<const Entry> entries, std::span<float> z) noexcept;

// Sums and differences of two sketches with the same spec: into += other, into -= other. wrong_length if their lengths
// differ.
Status add_sketch(std::span<float> into, std::span<const float> other) noexcept;
Status subtract_sketch(std::span<float> into, std::span<const float> other) noexcept;

} // namespace samara
