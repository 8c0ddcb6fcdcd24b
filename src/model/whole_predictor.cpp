// Predictions in whole numbers. See samara/model/whole_predictor.hpp.
#include "samara/model/whole_predictor.hpp"

#include "model/whole_rows.hpp"
#include "model/whole_scores.hpp"
#include "simd/pairs.hpp"

namespace samara {

namespace detail {

namespace {

// |z| or relu(z), shifted down and limited to 127.
template <bool absolute>
inline std::uint8_t feature_of(std::int32_t v, unsigned shift) noexcept
{
    __asm__("" : "+r"(v)); // else compilers negate 16 bits, which takes them an instruction more
#if SAMARA_PAIRS_OF_NUMBERS
    if (absolute)
        v = v < 0 ? -v : v;
    return static_cast<std::uint8_t>(__usat(v >> shift, 7));
#else
    if (v < 0)
        v = absolute ? -v : 0;
    v = v >> shift;
    return static_cast<std::uint8_t>(v < largest_integer ? v : largest_integer);
#endif
}

} // namespace

namespace {

// Calls make(place, out), which writes a feature, for the kept rows of the block.
template <unsigned kept, class Make>
[[gnu::always_inline]] inline std::uint8_t* walk_rows(WholeWalk& walk, std::uint8_t* out, std::uint8_t* end,
                                                      Make make) noexcept
{
    if (walk.left < static_cast<std::uint32_t>(end - out))
        end = out + walk.left;
    if (out == end)
        return out;
    walk.left -= static_cast<std::uint32_t>(end - out);
    std::uint32_t place = walk.row - walk.first, size = walk.size;
    Rows<kept> rows(walk);
    while (place < size) {
        make(place, out);
        ++out;
        __asm__("" : "+r"(out)); // one register, and not copies of before and after
        if (out == end) {
            if (walk.left == 0)
                break; // behind this row there is no code
            size = 0;
        }
        place = rows.behind(place);
    }
    walk.left += static_cast<std::uint32_t>(end - out);
    walk.row = place + walk.first;
    rows.leave(walk);
    return out;
}

} // namespace

template <unsigned kept, bool absolute>
std::uint8_t* take_features(WholeWalk& walk, const std::int16_t* y, std::uint8_t* out, std::uint8_t* end) noexcept
{
    const unsigned shift = walk.shift;
    return walk_rows<kept>(walk, out, end,
                           [=](std::uint32_t place, std::uint8_t* to) { *to = feature_of<absolute>(y[place], shift); });
}

template <unsigned kept>
std::uint8_t* take_others(WholeWalk& walk, const std::int16_t* y, std::uint8_t* out, std::uint8_t* end) noexcept
{
    // A few at a time, because a call takes longer than a feature.
    constexpr std::uint32_t most = 16;
    std::uint16_t places[most];
    std::uint32_t count = 0;
    const auto make = [&](std::uint8_t* behind) {
        walk.rows->features(*walk.rows, walk.part, y, places, count, behind - count);
        count = 0;
    };
    out = walk_rows<kept>(walk, out, end, [&](std::uint32_t place, std::uint8_t* to) {
        places[count++] = static_cast<std::uint16_t>(place);
        if (count == most)
            make(to + 1);
    });
    make(out);
    return out;
}

const std::uint32_t* signs_of_stream(const WholeModel& m, std::uint32_t block, std::uint32_t* room) noexcept
{
    integer_signs(stream_key_behind(m.rows.prefix, block), {room, integer_sign_words(m.rows.inputs)});
    return room;
}
const std::uint32_t* signs_of_table(const WholeModel& m, std::uint32_t block, std::uint32_t*) noexcept
{
    return m.table + (block + 1) * integer_sign_words(m.rows.inputs); // the common one is block -1
}

// A program links those that it names.
template std::uint8_t* take_features<listed_rows, false>(WholeWalk&, const std::int16_t*, std::uint8_t*,
                                                         std::uint8_t*) noexcept;
template std::uint8_t* take_features<listed_rows, true>(WholeWalk&, const std::int16_t*, std::uint8_t*,
                                                        std::uint8_t*) noexcept;
template std::uint8_t* take_features<1, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<1, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<2, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<2, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<3, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<3, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<4, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<4, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<5, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<5, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<6, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<6, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<7, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<7, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<8, false>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<8, true>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_features<any_code, false>(WholeWalk&, const std::int16_t*, std::uint8_t*,
                                                      std::uint8_t*) noexcept;
template std::uint8_t* take_features<any_code, true>(WholeWalk&, const std::int16_t*, std::uint8_t*,
                                                     std::uint8_t*) noexcept;
template std::uint8_t* take_features<all_rows, false>(WholeWalk&, const std::int16_t*, std::uint8_t*,
                                                      std::uint8_t*) noexcept;
template std::uint8_t* take_features<all_rows, true>(WholeWalk&, const std::int16_t*, std::uint8_t*,
                                                     std::uint8_t*) noexcept;
template std::uint8_t* take_others<listed_rows>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_others<any_code>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;
template std::uint8_t* take_others<all_rows>(WholeWalk&, const std::int16_t*, std::uint8_t*, std::uint8_t*) noexcept;

} // namespace detail

namespace {

// Memory of one prediction. The inputs become the first round.
struct Rooms {
    std::size_t size; // of the padded inputs
    std::uint32_t* signs;
    std::int16_t *inputs, *y;
    std::uint32_t* features;

    Rooms(const WholeModel& m, Bump& memory) noexcept
        : size(std::size_t{1} << block_log2(m.rows.inputs)),
          signs(memory.take<std::uint32_t>(integer_sign_words(m.rows.inputs))), inputs(memory.take<std::int16_t>(size)),
          y(memory.take<std::int16_t>(size)), features(memory.take<std::uint32_t>(whole_chunk / 2))
    {}
    void add(const WholeModel& m, std::int32_t* sums) const noexcept;
};

void Rooms::add(const WholeModel& m, std::int32_t* sums) const noexcept
{
    const unsigned log2_size = block_log2(m.rows.inputs);
    integer_first_round(inputs, log2_size, m.signs(m, integer_common_block, signs));
    auto* const begin = reinterpret_cast<std::uint8_t*>(features);
    std::uint8_t *const end = begin + whole_chunk, *out = begin;
    std::uint32_t folded = 0;
    const auto fold = [&] {
        const auto count = static_cast<std::uint32_t>(out - begin);
        m.readout.add(m.readout, folded, count, features, sums);
        folded += count;
        out = begin;
    };
    // A walk begins at row -1, as if it were a block and kept: what is taken for its feature is overwritten.
    const std::uint32_t before = ~std::uint32_t{0};
    detail::WholeWalk walk{.at = m.kept.at,
                           .width = m.kept.width,
                           .bits = 0,
                           .held = 0,
                           .row = before,
                           .left = (m.kept.count == 0 ? m.rows.rows : m.kept.count) + 1,
                           .first = before,
                           .size = 1,
                           .shift = integer_feature_shift(m.rows.inputs),
                           .rows = &m.rows,
                           .part = 0};
    m.take(walk, inputs, out, end);
    for (walk.size = std::uint32_t{1} << log2_size; walk.left != 0;) {
        const std::uint32_t block = walk.row >> log2_size;
        walk.first = block << log2_size;
        integer_rows(inputs, y, log2_size, m.signs(m, block, signs));
        // Of pairs all cosines of the block, then all sines.
        for (const detail::WholeWalk begun = walk; walk.part < m.rows.turns.parts; ++walk.part) {
            const std::uint32_t part = walk.part;
            walk = begun;
            walk.part = part;
            while ((out = m.take(walk, y, out, end)) == end)
                fold();
        }
        walk.part = 0;
    }
    if (out != begin)
        fold();
}

} // namespace

template <class Number>
Status whole_scores(const WholeModel& model, std::span<const Number> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return detail::scores_by<Rooms>(model, x, scores, work);
}
template Status whole_scores(const WholeModel&, std::span<const std::uint8_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;
template Status whole_scores(const WholeModel&, std::span<const std::int8_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;
template Status whole_scores(const WholeModel&, std::span<const std::int16_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;

} // namespace samara
