// Predictions in whole numbers with powers of the inner product. See samara/model/whole_predictor.hpp.
#include "model/whole_rows.hpp"
#include "model/whole_scores.hpp"

namespace samara {

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

struct Rooms : detail::WholeRooms {
    std::size_t size; // of the padded inputs

    Rooms(const WholePowers& m, Bump& memory) noexcept : size(std::size_t{1} << block_log2(m.rows.inputs))
    {
        const std::size_t words = integer_sign_words(m.rows.inputs), fixed = words + size / 2 + whole_chunk / 2;
        signs = memory.take<std::uint32_t>(words);
        inputs = memory.take<std::int16_t>(size);
        second = memory.take<std::int32_t>(whole_bytes(m) / sizeof(std::int32_t) - fixed);
        features = memory.take<std::uint32_t>(whole_chunk / 2);
    }
    void add(const WholePowers& m, std::int32_t* sums) const noexcept { m.add(m, *this, sums); }
};

} // namespace

template <class Number>
Status whole_scores(const WholePowers& model, std::span<const Number> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return detail::scores_by<Rooms>(model, x, scores, work);
}
template Status whole_scores(const WholePowers&, std::span<const std::uint8_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;
template Status whole_scores(const WholePowers&, std::span<const std::int8_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;
template Status whole_scores(const WholePowers&, std::span<const std::int16_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;

} // namespace samara
