// Data of the map `skeleton` and models with them, written byte by byte, for tests of the code that reads them. Usable
// while compiling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "samara/samara.hpp"

namespace samara::test {

struct Listed {
    std::uint32_t index, times;
};

// Appends little-endian numbers to bytes that have room for them.
class ByteWriter {
public:
    constexpr explicit ByteWriter(std::span<std::byte> room) noexcept : room_(room) {}

    constexpr std::size_t size() const noexcept { return size_; }
    constexpr void number(std::uint64_t value, std::uint32_t width) noexcept
    {
        for (std::uint32_t i = 0; i < width; ++i)
            room_[size_++] = static_cast<std::byte>(i < 8 ? value >> (8 * i) & 255u : 0);
    }
    template <class Byte>
    constexpr void bytes(std::span<const Byte> more) noexcept
    {
        for (const Byte b : more)
            room_[size_++] = static_cast<std::byte>(b);
    }
    constexpr void text(const char* characters, std::size_t count) noexcept
    {
        for (std::size_t i = 0; i < count; ++i)
            number(static_cast<unsigned char>(characters[i]), 1);
    }
    constexpr void fill_to(std::uint32_t multiple) noexcept
    {
        while (size_ % multiple != 0)
            number(0, 1);
    }

private:
    std::span<std::byte> room_;
    std::size_t size_ = 0;
};

// A skeleton and a list, whatever they are worth: a header and numbers of the widths that are asked for.
struct ListForm {
    std::uint32_t of_index = 2, of_count = 2, sum = 0;
};
inline std::vector<std::byte> list_bytes(std::span<const std::byte> skeleton, const std::vector<Listed>& list,
                                         const ListForm& form)
{
    std::vector<std::byte> room(skeleton.size() + 8 + std::size_t{form.of_index + form.of_count} * list.size());
    ByteWriter out(room);
    out.bytes(skeleton);
    out.number(form.of_index, 2);
    out.number(form.of_count, 2);
    out.number(form.sum, 4);
    for (const Listed& l : list)
        out.number(l.index, form.of_index);
    for (const Listed& l : list)
        out.number(l.times, form.of_count);
    room.resize(out.size());
    return room;
}
// The one form that such a list may have.
inline ListForm good_form(const std::vector<Listed>& list)
{
    ListForm form{2, 0, 0};
    for (const Listed& l : list) {
        form.of_index = l.index > 0xffff ? 4 : form.of_index;
        form.of_count = l.times > 0xffff ? 4 : l.times > 1 && form.of_count == 0 ? 2 : form.of_count;
        form.sum += l.times;
    }
    return form;
}

// Data with a list, and the bytes that they lie in.
struct ListedData {
    std::vector<std::byte> bytes;
    SkeletonData data;

    ListedData(const Skeleton& skeleton, const std::vector<Listed>& list)
        : bytes(list_bytes(skeleton.bytes(), list, good_form(list)))
    {
        if (!SkeletonData::of(bytes, static_cast<std::uint32_t>(list.size()), data))
            bytes.clear();
    }
    ListedData(const ListedData&) = delete;
    ListedData& operator=(const ListedData&) = delete;
};

constexpr std::uint32_t slow_crc32(std::span<const std::byte> bytes) noexcept
{
    std::uint32_t crc = 0xffffffffu;
    for (const std::byte b : bytes) {
        crc ^= static_cast<std::uint32_t>(b);
        for (int i = 0; i < 8; ++i)
            crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

// A model of one output with weights of float32, by their bits: SPEC.md, section 20. map_data: the whole section.
struct PlainModel {
    std::span<const std::byte> spec, map_data;
    std::span<const std::uint32_t> weights;
    std::uint32_t bias;
};
constexpr std::size_t most_bytes(const PlainModel& m) noexcept
{
    return 80 + 16 * 4 + m.spec.size() + m.map_data.size() + 4 * m.weights.size() + 24;
}
constexpr std::size_t write_model(const PlainModel& m, std::span<std::byte> room) noexcept
{
    ByteWriter out(room);
    const auto readout_bytes = static_cast<std::uint32_t>(20 + 4 * m.weights.size());
    const std::uint32_t lengths[] = {static_cast<std::uint32_t>(m.spec.size()),
                                     static_cast<std::uint32_t>(m.map_data.size()), 0, readout_bytes, 0};
    std::uint32_t at = 80;
    out.text("samara\x1a\n", 8);
    out.number(1, 2);
    out.number(5, 2);
    out.number(0, 4); // the length, below
    out.text("xoshiro128++/1\0\0", 16);
    for (const std::uint32_t length : lengths) {
        out.number(at, 4);
        out.number(length, 4);
        at = (at + length + 15) / 16 * 16;
    }
    out.number(0, 8);
    out.bytes(m.spec);
    out.fill_to(16);
    out.bytes(m.map_data);
    out.fill_to(16);
    out.number(0, 4);
    out.number(1, 4);
    out.number(m.weights.size(), 4);
    out.number(0, 4);
    out.number(m.bias, 4);
    for (const std::uint32_t w : m.weights)
        out.number(w, 4);
    out.fill_to(16);
    ByteWriter(room.subspan(12)).number(out.size() + 4, 4);
    out.number(slow_crc32(room.first(out.size())), 4);
    return out.size();
}

} // namespace samara::test
