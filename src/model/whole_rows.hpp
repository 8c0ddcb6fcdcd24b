// Walks over the kept rows of a prediction in whole numbers.
#pragma once

#include "samara/memory.hpp"
#include "samara/model/whole_predictor.hpp"

namespace samara::detail {

// The row behind another one, both counted from the block's first. Codes were checked, so nothing is looked at again.
template <unsigned kept>
struct Rows {
    const std::byte* at;
    std::uint32_t bits, held, width;

    explicit Rows(const WholeWalk& walk) noexcept
        : at(walk.at), bits(walk.bits), held(walk.held), width(kept == any_code ? walk.width : kept)
    {}
    void leave(WholeWalk& walk) const noexcept
    {
        walk.at = at;
        walk.bits = bits;
        walk.held = held;
    }
    [[gnu::always_inline]] std::uint32_t behind(std::uint32_t row) noexcept
    {
        const std::uint32_t most = (1u << width) - 1;
        std::uint32_t field;
        ++row;
        do {
            if (held < width) {
                bits |= read_u8(at++) << held;
                held += 8;
            }
            field = bits & most;
            bits >>= width;
            held -= width;
            row += field;
        } while (field == most);
        return row;
    }
};

template <>
struct Rows<listed_rows> {
    const std::byte* at;
    std::uint32_t first;

    explicit Rows(const WholeWalk& walk) noexcept : at(walk.at), first(walk.first) {}
    void leave(WholeWalk& walk) const noexcept { walk.at = at; }
    std::uint32_t behind(std::uint32_t) noexcept
    {
        const std::uint32_t row = read_u16(at);
        at += 2;
        return row - first;
    }
};

template <>
struct Rows<all_rows> {
    explicit Rows(const WholeWalk&) noexcept {}
    void leave(WholeWalk&) const noexcept {}
    static std::uint32_t behind(std::uint32_t row) noexcept { return row + 1; }
};

} // namespace samara::detail
