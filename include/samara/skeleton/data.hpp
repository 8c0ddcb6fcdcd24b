// The data of the map `skeleton`: the skeleton itself and, where not all features of a stream are used, which are.
#pragma once

#include "samara/memory.hpp"
#include "samara/skeleton.hpp"

namespace samara {

// Bytes, little-endian, that must outlive this: a skeleton and, if there is one, a list of features. It begins with
// how many bytes an index has (2 or 4), how many a count (0: each count is 1; 2 or 4), both in two bytes, and the sum
// of all counts in four. Then come the indices in ascending order, then the counts. Widths are the least that will do.
// A listed feature has the weight sqrt(count / sum of counts): features that are equal are listed once.
class SkeletonData {
public:
    static constexpr std::uint32_t kind = 2;
    static constexpr std::uint32_t section_kind() noexcept { return kind; }
    static constexpr bool reads(std::uint32_t number) noexcept { return number == kind; }
    static constexpr std::uint32_t list_header_bytes = 8;

    // `bytes` is the section without its kind: how many features are listed, 0 for no list, and then what bytes() is.
    // Finds where all is; fits() checks what it says.
    static constexpr bool read(std::uint32_t, std::span<const std::byte> bytes, SkeletonData& out) noexcept
    {
        return of(bytes.subspan(4), read_u32(bytes.data()), out);
    }
    static constexpr bool of(std::span<const std::byte> bytes, std::uint32_t listed, SkeletonData& out) noexcept
    {
        if (bytes.size() < detail::skeleton_header_bytes || bytes.size() < read_u32(bytes.data()))
            return false;
        SkeletonData data;
        const std::span<const std::byte> list = bytes.subspan(read_u32(bytes.data()));
        data.bytes_ = bytes;
        data.list_ = list.data();
        data.count_ = listed;
        if (listed == 0 ? !list.empty()
                        : list.size() < list_header_bytes || list.size() != data.list_bytes() || !data.good_widths())
            return false;
        out = data;
        return true;
    }

    constexpr SkeletonData() noexcept = default; // none, with which nothing can be computed
    // All features, one after the other.
    constexpr explicit SkeletonData(const Skeleton& skeleton) noexcept : bytes_(skeleton.bytes()) {}

    // Of data that fits() has taken.
    constexpr Skeleton skeleton() const noexcept
    {
        return bytes_.empty() ? Skeleton() : Skeleton::of_checked(bytes_.first(read_u32(bytes_.data())));
    }
    constexpr std::span<const std::byte> bytes() const noexcept { return bytes_; }

    // The list.
    constexpr bool all() const noexcept { return count_ == 0; }
    constexpr std::uint32_t count() const noexcept { return count_; }
    constexpr std::uint32_t sum() const noexcept { return read_u32(list_ + 4); }
    constexpr std::uint32_t index(std::uint32_t i) const noexcept
    {
        return number(list_ + list_header_bytes, index_bytes(), i);
    }
    constexpr std::uint32_t times(std::uint32_t i) const noexcept
    {
        return count_bytes() == 0
                   ? 1
                   : number(list_ + list_header_bytes + std::size_t{count_} * index_bytes(), count_bytes(), i);
    }
    // How many features come before row `wanted` of the map: of those that are listed, row by row.
    constexpr std::uint32_t position_of(std::uint32_t wanted) const noexcept
    {
        return wanted < count_ ? wanted : count_;
    }

    // Whether there is a good skeleton, and the list is what it should be.
    constexpr bool good() const noexcept
    {
        Skeleton read;
        if (bytes_.empty() || !Skeleton::read(bytes_.first(read_u32(bytes_.data())), read))
            return false;
        std::uint64_t sum = 0;
        std::uint32_t most = 1;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const std::uint32_t n = times(i);
            if (n < 1 || (i > 0 && index(i) <= index(i - 1)))
                return false;
            sum += n;
            most = n > most ? n : most;
        }
        return count_ == 0 || (sum == this->sum() && index_bytes() == width_for(index(count_ - 1)) &&
                               count_bytes() == (most == 1 ? 0 : width_for(most)));
    }

    // The bytes of a number up to `most` in a list.
    static constexpr std::uint32_t width_for(std::uint32_t most) noexcept { return most < 65536 ? 2 : 4; }

private:
    static constexpr std::uint32_t number(const std::byte* p, std::uint32_t width, std::uint32_t i) noexcept
    {
        return width == 2 ? read_u16(p + 2 * std::size_t{i}) : read_u32(p + 4 * std::size_t{i});
    }
    constexpr std::uint32_t index_bytes() const noexcept { return read_u16(list_); }
    constexpr std::uint32_t count_bytes() const noexcept { return read_u16(list_ + 2); }
    constexpr bool good_widths() const noexcept
    {
        const std::uint32_t of_index = index_bytes(), of_count = count_bytes();
        return (of_index == 2 || of_index == 4) && (of_count == 0 || of_count == 2 || of_count == 4);
    }
    constexpr std::uint64_t list_bytes() const noexcept
    {
        return list_header_bytes + std::uint64_t{count_} * (index_bytes() + count_bytes());
    }

    std::span<const std::byte> bytes_;
    const std::byte* list_ = nullptr;
    std::uint32_t count_ = 0;
};

} // namespace samara
