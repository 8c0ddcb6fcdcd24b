// Predictions in whole numbers. See samara/model/whole_predictor.hpp.
#include "samara/model/whole_predictor.hpp"

#include <bit>
#include <cstring>

#include "samara/memory.hpp"
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

namespace detail {

namespace {

// Several features that follow each other, as bytes with a sign.
template <PowerForm form>
void make_features(const WholePowers& m, const WholeRooms& rooms, std::uint32_t first, std::uint32_t count) noexcept
{
    const auto* const products = reinterpret_cast<const std::int16_t*>(rooms.second);
    auto* const made = reinterpret_cast<std::uint8_t*>(rooms.features);
    if constexpr (form == PowerForm::counted)
        integer_counted_features(m.powers, rooms.second, first, count, made);
    else if constexpr (form == PowerForm::linear)
        integer_linear_features(m.rows, m.powers, products, first, count, made);
    else
        integer_square_features(m.rows, m.powers, products, rooms.inputs, first, count, made);
}

// The features of the next kept rows. What a loop needs is its own, because the bytes that it writes could be
// anything's.
template <PowerForm form, unsigned kept>
[[gnu::noinline]] void take_features_of_powers(const WholePowers& m, const WholeRooms& rooms, WholeWalk& walk,
                                               std::uint32_t count) noexcept
{
    const IntegerPowers powers = m.powers;
    const IntegerPairs pairs(m.rows);
    const auto* const t = reinterpret_cast<const std::int16_t*>(rooms.second);
    const std::int32_t* const sums = rooms.second;
    const std::int16_t* const u = rooms.inputs;
    Rows<kept> rows(walk);
    std::uint32_t row = walk.row;
    auto* out = reinterpret_cast<std::uint8_t*>(rooms.features);
    for (std::uint8_t* const end = out + count; out != end; ++out) {
        row = rows.behind(row);
        std::int32_t v = 0;
        if constexpr (form == PowerForm::counted)
            v = sums[row];
        else if constexpr (form == PowerForm::linear)
            v = t[pairs.in_t(row)];
        else
            v = std::int32_t{t[pairs.in_t(row)]} * u[pairs.in_u(row)];
        *out = powers.feature(v);
    }
    walk.row = row;
    rows.leave(walk);
}

} // namespace

template <PowerForm form, unsigned kept>
void add_powers(const WholePowers& m, const WholeRooms& rooms, std::int32_t* sums) noexcept
{
    if constexpr (form == PowerForm::counted)
        integer_counted_sums(m.rows, m.powers, rooms.inputs, rooms.second);
    else
        integer_power_products<form>(m.rows, m.powers, reinterpret_cast<std::int16_t*>(rooms.second), rooms.inputs,
                                     [&](std::uint32_t block) { return m.signs(m, block, rooms.signs); });
    static_assert(whole_chunk == integer_features_at_once);
    const auto each_chunk = [&](std::uint32_t all, auto make) {
        for (std::uint32_t first = 0; first < all; first += whole_chunk) {
            const std::uint32_t left = all - first, count = left < whole_chunk ? left : whole_chunk;
            make(first, count);
            m.readout.add(m.readout, first, count, rooms.features, sums);
        }
    };
    if constexpr (kept == all_rows) {
        each_chunk(m.rows.rows,
                   [&](std::uint32_t first, std::uint32_t count) { make_features<form>(m, rooms, first, count); });
    } else {
        WholeWalk walk{}; // as if all rows were in one block
        walk.at = m.kept.at;
        walk.width = m.kept.width;
        walk.row = ~std::uint32_t{0};
        each_chunk(m.kept.count, [&](std::uint32_t, std::uint32_t count) {
            take_features_of_powers<form, kept>(m, rooms, walk, count);
        });
    }
}

template void add_powers<PowerForm::linear, all_rows>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;
template void add_powers<PowerForm::linear, listed_rows>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;
template void add_powers<PowerForm::linear, any_code>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;
template void add_powers<PowerForm::square, all_rows>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;
template void add_powers<PowerForm::square, listed_rows>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;
template void add_powers<PowerForm::square, any_code>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;
template void add_powers<PowerForm::counted, all_rows>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;
template void add_powers<PowerForm::counted, listed_rows>(const WholePowers&, const WholeRooms&,
                                                          std::int32_t*) noexcept;
template void add_powers<PowerForm::counted, any_code>(const WholePowers&, const WholeRooms&, std::int32_t*) noexcept;

} // namespace detail

namespace {

// Memory of one prediction.
struct Rooms {
    std::uint32_t* signs;
    std::int16_t *first_round, *y;
    std::uint32_t* features;
};

void add_features(const WholeModel& m, const Rooms& rooms, std::int32_t* sums) noexcept
{
    const std::uint32_t inputs = m.rows.inputs;
    const unsigned log2_size = block_log2(inputs);
    integer_first_round(rooms.first_round, log2_size, m.signs(m, integer_common_block, rooms.signs));
    auto* const begin = reinterpret_cast<std::uint8_t*>(rooms.features);
    std::uint8_t *const end = begin + whole_chunk, *out = begin;
    std::uint32_t folded = 0;
    const auto fold = [&] {
        const auto count = static_cast<std::uint32_t>(out - begin);
        m.readout.add(m.readout, folded, count, rooms.features, sums);
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
                           .shift = integer_feature_shift(inputs),
                           .rows = &m.rows,
                           .part = 0};
    m.take(walk, rooms.first_round, out, end);
    for (walk.size = std::uint32_t{1} << log2_size; walk.left != 0;) {
        const std::uint32_t block = walk.row >> log2_size;
        walk.first = block << log2_size;
        integer_rows(rooms.first_round, rooms.y, log2_size, m.signs(m, block, rooms.signs));
        // Of pairs all cosines of the block, then all sines.
        for (const detail::WholeWalk begun = walk; walk.part < m.rows.turns.parts; ++walk.part) {
            const std::uint32_t part = walk.part;
            walk = begun;
            walk.part = part;
            while ((out = m.take(walk, rooms.y, out, end)) == end)
                fold();
        }
        walk.part = 0;
    }
    if (out != begin)
        fold();
}

template <class Number>
Status scores_of(const WholeModel& m, std::span<const Number> x, std::span<std::int32_t> scores,
                 std::span<std::byte> work) noexcept
{
    if (x.size() != m.rows.inputs || scores.size() != m.readout.outputs)
        return Status::wrong_length;
    Bump memory(work);
    if (!memory.aligned())
        return Status::misaligned;
    if (work.size() < whole_bytes(m.rows.inputs))
        return Status::small_workspace;
    const std::size_t size = std::size_t{1} << block_log2(m.rows.inputs);
    const Rooms rooms{memory.take<std::uint32_t>(integer_sign_words(m.rows.inputs)), memory.take<std::int16_t>(size),
                      memory.take<std::int16_t>(size), memory.take<std::uint32_t>(whole_chunk / 2)};
    if (rooms.first_round == nullptr) // more bytes than there can be
        return Status::small_workspace;
    m.scaling.apply(x, rooms.first_round);
    std::memset(rooms.first_round + x.size(), 0, sizeof(std::int16_t) * (size - x.size()));
    for (std::int32_t& sum : scores)
        sum = 0;
    add_features(m, rooms, scores.data());
    m.readout.finish(scores.data());
    return Status::ok;
}

template <class Number>
Status scores_of(const WholePowers& m, std::span<const Number> x, std::span<std::int32_t> scores,
                 std::span<std::byte> work) noexcept
{
    if (x.size() != m.rows.inputs || scores.size() != m.readout.outputs)
        return Status::wrong_length;
    Bump memory(work);
    if (!memory.aligned())
        return Status::misaligned;
    const std::size_t bytes = integer_power_bytes(m.rows, m.powers);
    if (work.size() < bytes)
        return Status::small_workspace;
    const std::size_t size = std::size_t{1} << block_log2(m.rows.inputs), words = integer_sign_words(m.rows.inputs);
    const std::size_t fixed = words + size / 2 + whole_chunk / 2;
    const detail::WholeRooms rooms{memory.take<std::uint32_t>(words), memory.take<std::int16_t>(size),
                                   memory.take<std::int32_t>(bytes / sizeof(std::int32_t) - fixed),
                                   memory.take<std::uint32_t>(whole_chunk / 2)};
    if (rooms.inputs == nullptr) // more bytes than there can be
        return Status::small_workspace;
    m.scaling.apply(x, rooms.inputs);
    std::memset(rooms.inputs + x.size(), 0, sizeof(std::int16_t) * (size - x.size()));
    for (std::int32_t& sum : scores)
        sum = 0;
    m.add(m, rooms, scores.data());
    m.readout.finish(scores.data());
    return Status::ok;
}

} // namespace

Status whole_scores(const WholePowers& model, std::span<const std::uint8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const WholePowers& model, std::span<const std::int8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const WholePowers& model, std::span<const std::int16_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}

Status whole_scores(const WholeModel& model, std::span<const std::uint8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const WholeModel& model, std::span<const std::int8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const WholeModel& model, std::span<const std::int16_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}

} // namespace samara
