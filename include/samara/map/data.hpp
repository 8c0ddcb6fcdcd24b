// What a map may have beside its spec: its data, a section of the sealed model that is read through a checked view. A
// type of data has section_kind(), its number in models (0: there are no data), and reads(), which numbers it takes;
// bytes(), the data as they lie there behind kind and count; read(), which checks their structure; and valid(), which
// checks that they fit a spec.
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
    static constexpr bool reads(std::uint32_t) noexcept { return false; }
    static constexpr bool read(std::uint32_t, std::span<const std::byte>, NoData&) noexcept { return false; }
    static constexpr std::uint32_t section_kind() noexcept { return kind; }
    static constexpr std::span<const std::byte> bytes() noexcept { return {}; }
};

// Walks over ascending numbers of rows in a code of few bits. Each number is the one before it (at first -1) plus 1
// plus a sum of fields of `width` bits, the lowest bit first: a field of all ones says that another one follows. What
// lies behind the end, where it is named, is 0. Numbers stay below 2^17 and time bounded, whatever the bytes are.
template <class Byte>
class CodedRows {
public:
    constexpr CodedRows(const Byte* code, std::uint32_t width) noexcept : at_(code), width_(width) {}
    constexpr CodedRows(const Byte* code, std::uint32_t width, std::size_t bytes) noexcept
        : at_(code), end_(code + bytes), width_(width)
    {}
    constexpr std::uint32_t next() noexcept
    {
        const std::uint32_t more = (1u << width_) - 1;
        std::uint32_t field = more;
        for (++row_; field == more && row_ < most_row; row_ += field) {
            if (held_ < width_) {
                if (at_ != end_)
                    bits_ |= read_u8(at_++) << held_;
                else
                    short_ = true;
                held_ += 8;
            }
            field = bits_ & more;
            bits_ >>= width_;
            held_ -= width_;
        }
        return row_;
    }
    // The first byte that was not read.
    constexpr const Byte* at() const noexcept { return at_; }
    // Whether every byte was used, and no more, and no bit but zeros is left.
    constexpr bool at_end() const noexcept { return at_ == end_ && bits_ == 0 && !short_; }

private:
    static constexpr std::uint32_t most_row = 1u << 16;

    const Byte* at_;
    const Byte* end_ = nullptr;
    std::uint32_t width_, bits_ = 0, held_ = 0, row_ = ~std::uint32_t{0};
    bool short_ = false;
};
inline constexpr std::uint32_t most_code_width = 8;

// The rows of a map that are kept, while the others are left out, in ascending order, as a sealed model holds them: as
// numbers of two bytes each, little-endian (kind 1), or coded in fewer bits (kind 3), one after the other. Exact
// features are always kept. A block has the features of its kept rows alone (for pairs first the cosines, then the
// sines); the amplitude is that of a map that has only these rows. The bytes must outlive this.
class ChosenRows {
public:
    static constexpr std::uint32_t kind = 1, coded_kind = 3;
    static constexpr std::uint32_t most = 65536;

    static constexpr bool reads(std::uint32_t number) noexcept { return number == kind || number == coded_kind; }
    // `bytes` is the section without its kind: a count, then the numbers; or, coded, a byte for the width and the code.
    static constexpr bool read(std::uint32_t number, std::span<const std::byte> bytes, ChosenRows& out) noexcept
    {
        return number == kind ? read_listed(bytes, out) : number == coded_kind && read_coded(bytes, out);
    }
    // The same of numbers that are not coded: programs that read no others link no code of them.
    static constexpr bool read_listed(std::span<const std::byte> bytes, ChosenRows& out) noexcept
    {
        const std::uint32_t count = read_u32(bytes.data());
        if (count < 1 || count > most || bytes.size() != 4 + 2 * std::size_t{count})
            return false;
        out = ChosenRows(bytes.data() + 4, count);
        return true;
    }

    // What read() makes of a section that it takes, without looking at it again.
    static constexpr ChosenRows known(std::uint32_t number, const std::byte* section) noexcept
    {
        ChosenRows rows(section + 4, read_u32(section));
        if (number == coded_kind)
            rows.coding_ = &coding;
        return rows;
    }

    constexpr ChosenRows() noexcept = default; // all rows
    constexpr ChosenRows(NoData) noexcept {}   // NOLINT(google-explicit-constructor): all rows
    // Numbers of two bytes each, of which nothing is checked. Coded ones come from read() alone.
    constexpr explicit ChosenRows(std::span<const std::byte> indices) noexcept
        : ChosenRows(indices.data(),
                     indices.size() % 2 != 0 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(indices.size() / 2))
    {}

    constexpr bool all() const noexcept { return count_ == 0; }
    constexpr std::uint32_t count() const noexcept { return count_; }
    // As they lie in a model, behind kind and count.
    constexpr std::span<const std::byte> bytes() const noexcept
    {
        return {rows_, coded() ? coding_->bytes(*this) : 2 * std::size_t{count_}};
    }
    // Of numbers that are not coded: those from the i-th on.
    constexpr const std::byte* listed_from(std::uint32_t i) const noexcept { return rows_ + 2 * std::size_t{i}; }
    constexpr bool coded() const noexcept { return coding_ != nullptr; }
    constexpr std::uint32_t section_kind() const noexcept { return coded() ? coded_kind : kind; }
    // The same of coded numbers: the width, then the code.
    constexpr const std::byte* bytes_from_width() const noexcept { return rows_; }
    // Of coded numbers: count() steps, as read() has seen, stay within the code.
    constexpr CodedRows<std::byte> walk() const noexcept { return {rows_ + 1, read_u8(rows_)}; }
    // A coded number is found from the first one on.
    constexpr std::uint32_t row(std::uint32_t i) const noexcept
    {
        if (coded())
            return coding_->row(*this, i);
        return listed(i);
    }
    // How many kept rows have numbers below `wanted`.
    [[gnu::noinline]] constexpr std::uint32_t position_of(std::uint32_t wanted) const noexcept
    {
        if (coded())
            return coding_->position_of(*this, wanted);
        std::uint32_t low = 0, high = count();
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            (listed(middle) < wanted ? low : high) = listed(middle) < wanted ? middle + 1 : middle;
        }
        return low;
    }
    // Whether the numbers ascend and are below `rows`.
    [[gnu::noinline, gnu::cold]] constexpr bool valid(std::uint32_t rows) const noexcept
    {
        if (coded())
            return coding_->valid(*this, rows);
        if (count_ > most)
            return false;
        for (std::uint32_t i = 0, least = 0; i < count_; ++i) {
            const std::uint32_t row = listed(i);
            if (row >= rows || row < least)
                return false;
            least = row + 1;
        }
        return true;
    }
    // How many rows the blocks of `in_block` rows have, a power of two, in which a row is kept.
    [[gnu::noinline, gnu::cold]] constexpr std::uint32_t rows_of_blocks(std::uint32_t in_block) const noexcept
    {
        return coded() ? coding_->rows_of_blocks(*this, in_block) : rows_of_blocks(in_block, Listed{*this, 0});
    }
    // z of the kept rows first ... first + count - 1, taken from their places in a block that begins at z; mask + 1 is
    // the block's size.
    constexpr void move_to_front(std::uint32_t first, std::uint32_t count, std::uint32_t mask, float* z) const noexcept
    {
        if (coded())
            return coding_->move_to_front(*this, first, count, mask, z);
        for (std::uint32_t i = 0; i < count; ++i)
            z[i] = z[listed(first + i) & mask];
    }

private:
    // What is different where numbers are coded, by pointers that nothing but read_coded() sets.
    struct Coding {
        std::size_t (*bytes)(const ChosenRows&) noexcept;
        std::uint32_t (*row)(const ChosenRows&, std::uint32_t) noexcept;
        std::uint32_t (*position_of)(const ChosenRows&, std::uint32_t) noexcept;
        bool (*valid)(const ChosenRows&, std::uint32_t) noexcept;
        std::uint32_t (*rows_of_blocks)(const ChosenRows&, std::uint32_t) noexcept;
        void (*move_to_front)(const ChosenRows&, std::uint32_t, std::uint32_t, std::uint32_t, float*) noexcept;
    };
    static const Coding coding;

    // Walks over numbers that are listed.
    struct Listed {
        const ChosenRows& rows;
        std::uint32_t at;
        constexpr std::uint32_t next() noexcept { return rows.listed(at++); }
    };

    static constexpr bool read_coded(std::span<const std::byte> bytes, ChosenRows& out) noexcept
    {
        const std::uint32_t count = read_u32(bytes.data());
        if (count < 1 || count > most || bytes.size() < 6 || read_u8(&bytes[4]) < 1 ||
            read_u8(&bytes[4]) > most_code_width)
            return false;
        CodedRows<std::byte> rows(&bytes[5], read_u8(&bytes[4]), bytes.size() - 5);
        std::uint32_t last = 0;
        for (std::uint32_t i = 0; i < count; ++i)
            last = rows.next();
        if (last >= most || !rows.at_end())
            return false;
        out = known(coded_kind, bytes.data());
        return true;
    }
    constexpr std::uint32_t listed(std::uint32_t i) const noexcept
    {
        return std::to_integer<std::uint32_t>(rows_[2 * std::size_t{i}]) |
               std::to_integer<std::uint32_t>(rows_[2 * std::size_t{i} + 1]) << 8;
    }
    template <class Walk>
    constexpr std::uint32_t rows_of_blocks(std::uint32_t in_block, Walk walk) const noexcept
    {
        std::uint32_t rows = 0, next = 0; // the first row behind the blocks that are counted
        for (std::uint32_t i = 0; i < count_; ++i) {
            const std::uint32_t row = walk.next();
            if (row >= next) {
                rows += in_block;
                next = (row | (in_block - 1)) + 1;
            }
        }
        return rows;
    }

    static constexpr std::uint32_t coded_row(const ChosenRows& kept, std::uint32_t i) noexcept
    {
        CodedRows<std::byte> rows = kept.walk();
        for (; i > 0; --i)
            static_cast<void>(rows.next());
        return rows.next();
    }
    static constexpr std::uint32_t coded_position(const ChosenRows& kept, std::uint32_t wanted) noexcept
    {
        CodedRows<std::byte> rows = kept.walk();
        std::uint32_t position = 0;
        while (position < kept.count_ && rows.next() < wanted)
            ++position;
        return position;
    }
    static constexpr bool coded_valid(const ChosenRows& kept, std::uint32_t below) noexcept
    {
        CodedRows<std::byte> rows = kept.walk();
        for (std::uint32_t i = 0; i < kept.count_; ++i)
            if (rows.next() >= below)
                return false;
        return true;
    }
    static constexpr std::size_t coded_bytes(const ChosenRows& kept) noexcept
    {
        CodedRows<std::byte> rows = kept.walk();
        for (std::uint32_t i = 0; i < kept.count_; ++i)
            static_cast<void>(rows.next());
        return static_cast<std::size_t>(rows.at() - kept.rows_);
    }
    static constexpr std::uint32_t coded_rows_of_blocks(const ChosenRows& kept, std::uint32_t in_block) noexcept
    {
        return kept.rows_of_blocks(in_block, kept.walk());
    }
    static constexpr void move_coded(const ChosenRows& kept, std::uint32_t first, std::uint32_t count,
                                     std::uint32_t mask, float* z) noexcept
    {
        CodedRows<std::byte> rows = kept.walk();
        for (; first > 0; --first)
            static_cast<void>(rows.next());
        for (std::uint32_t i = 0; i < count; ++i)
            z[i] = z[rows.next() & mask];
    }

    constexpr ChosenRows(const std::byte* rows, std::uint32_t count) noexcept : rows_(rows), count_(count) {}

    const std::byte* rows_ = nullptr; // the numbers; or, coded, the width and the code
    std::uint32_t count_ = 0;
    const Coding* coding_ = nullptr; // null: listed
};

inline constexpr ChosenRows::Coding ChosenRows::coding{coded_bytes,          coded_row, coded_position, coded_valid,
                                                       coded_rows_of_blocks, move_coded};

} // namespace samara
