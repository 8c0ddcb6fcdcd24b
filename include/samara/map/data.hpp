// What a map may have beside its spec: its data, a section of the sealed model, seen through a checked view. A type of
// data has its number in models (kind; 0: there are none), bytes() as they lie there behind kind and count, read(),
// which checks their structure, and valid().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/memory.hpp"

namespace samara {

// Of maps whose spec says everything.
struct NoData {
    static constexpr std::uint32_t kind = 0;

    static constexpr bool all() noexcept { return true; }
    static constexpr bool valid(std::uint32_t) noexcept { return true; }
    static constexpr bool read(std::span<const std::byte>, NoData&) noexcept { return false; }
    static constexpr std::span<const std::byte> bytes() noexcept { return {}; }
};

// Rows of a map that are kept, the others left out: their numbers in ascending order, two bytes each, little-endian, as
// a sealed model holds them. The features of the exact orders stay. A block has the features of its kept rows alone, a
// pair map's cosines and then its sines; the amplitude is that of a map with as many rows as are kept. The bytes must
// outlive their use.
class ChosenRows {
public:
    static constexpr std::uint32_t kind = 1;
    static constexpr std::uint32_t most = 65536;

    // From the section behind its kind: a count, then the numbers.
    static constexpr bool read(std::span<const std::byte> bytes, ChosenRows& out) noexcept
    {
        const std::uint32_t count = read_u32(bytes.data());
        if (count < 1 || count > most || bytes.size() != 4 + 2 * std::size_t{count})
            return false;
        out = ChosenRows(bytes.subspan(4));
        return true;
    }

    constexpr ChosenRows() noexcept = default; // all rows
    constexpr ChosenRows(NoData) noexcept {}   // NOLINT(google-explicit-constructor): all rows
    constexpr explicit ChosenRows(std::span<const std::byte> indices) noexcept : indices_(indices) {}

    constexpr bool all() const noexcept { return indices_.empty(); }
    constexpr std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(indices_.size() / 2); }
    constexpr std::uint32_t row(std::uint32_t i) const noexcept
    {
        return std::to_integer<std::uint32_t>(indices_[2 * std::size_t{i}]) |
               std::to_integer<std::uint32_t>(indices_[2 * std::size_t{i} + 1]) << 8;
    }
    constexpr std::span<const std::byte> bytes() const noexcept { return indices_; }
    // The place of the first of them that is not below `wanted`.
    [[gnu::noinline]] constexpr std::uint32_t position_of(std::uint32_t wanted) const noexcept
    {
        std::uint32_t low = 0, high = count();
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            (row(middle) < wanted ? low : high) = row(middle) < wanted ? middle + 1 : middle;
        }
        return low;
    }
    // Whether they ascend and lie below `rows`.
    constexpr bool valid(std::uint32_t rows) const noexcept
    {
        if (indices_.size() % 2 != 0)
            return false;
        for (std::uint32_t i = 0; i < count(); ++i)
            if (row(i) >= rows || (i > 0 && row(i) <= row(i - 1)))
                return false;
        return true;
    }

private:
    std::span<const std::byte> indices_;
};

} // namespace samara
