// What a map may have beside its spec: its data, a section of the sealed model that is read through a checked view. A
// type of data has `kind`, its number in models (0: there are no data); bytes(), the data as they lie there behind kind
// and count; read(), which checks their structure; and valid(), which checks that they fit a spec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "samara/memory.hpp"

namespace samara {

// The data of maps whose spec says everything.
struct NoData {
    static constexpr std::uint32_t kind = 0;

    static constexpr bool all() noexcept { return true; }
    static constexpr std::uint32_t count() noexcept { return 0; }
    static constexpr bool valid(std::uint32_t) noexcept { return true; }
    static constexpr bool read(std::span<const std::byte>, NoData&) noexcept { return false; }
    static constexpr std::span<const std::byte> bytes() noexcept { return {}; }
};

// The rows of a map that are kept, while the others are left out: their numbers in ascending order, two bytes each,
// little-endian, as a sealed model holds them. Exact features are always kept. A block has the features of its kept
// rows alone (for pairs first the cosines, then the sines); the amplitude is that of a map that has only these rows.
// The bytes must outlive this.
class ChosenRows {
public:
    static constexpr std::uint32_t kind = 1;
    static constexpr std::uint32_t most = 65536;

    // `bytes` is the section without its kind: a count, then the numbers.
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
    // How many kept rows have numbers below `wanted`.
    [[gnu::noinline]] constexpr std::uint32_t position_of(std::uint32_t wanted) const noexcept
    {
        std::uint32_t low = 0, high = count();
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            (row(middle) < wanted ? low : high) = row(middle) < wanted ? middle + 1 : middle;
        }
        return low;
    }
    // Whether the numbers ascend and are below `rows`.
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
