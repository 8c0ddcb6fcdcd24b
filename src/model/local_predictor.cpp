// Predictions in whole numbers with local maps. See samara/model/local_predictor.hpp.
#include "samara/model/local_predictor.hpp"

#include "samara/memory.hpp"

namespace samara {

namespace detail {

namespace {

// Makes the features that next() names filters of, 64 at a time. A readout takes less time for features without a sign,
// and few have one, of windows of few places: those are added one by one.
template <class Next>
[[gnu::always_inline]] inline void add(const LocalModel& m, std::uint32_t count, const std::int16_t* x,
                                       std::uint32_t* room, std::int32_t* sums, Next next) noexcept
{
    auto* const features = reinterpret_cast<std::uint8_t*>(room);
    const std::uint32_t right = m.rows.filters.shape.right(), down = m.rows.filters.shape.down();
    for (std::uint32_t first = 0; first < count; first += whole_chunk) {
        const std::uint32_t now = count - first < whole_chunk ? count - first : whole_chunk;
        for (std::uint32_t i = 0; i < now; ++i) {
            const std::int32_t z = local_feature(x, next(), right, down);
            features[i] = static_cast<std::uint8_t>(z >= 0 ? z : 0);
            if (z < 0)
                m.readout.add_one(m.readout, first + i, z, sums);
        }
        m.readout.add(m.readout, first, now, room, sums);
    }
}

constexpr std::uint32_t count_of(const LocalModel& m) noexcept
{
    return m.kept.count == 0 ? m.rows.rows : m.kept.count;
}

} // namespace

void add_of_table(const LocalModel& m, const std::int16_t* x, std::uint32_t* room, std::int32_t* sums) noexcept
{
    const std::uint16_t* filter = m.table;
    add(m, count_of(m), x, room, sums, [&] {
        const std::uint16_t* const now = filter;
        filter = PackedFilter::behind(filter);
        return now;
    });
}

void add_drawn(const LocalModel& m, const std::int16_t* x, std::uint32_t* room, std::int32_t* sums) noexcept
{
    CodedRows<std::byte> code(m.kept.at, m.kept.width);
    std::uint32_t number = 0;
    PackedFilter filter;
    add(m, count_of(m), x, room, sums, [&] {
        const std::uint32_t row = m.kept.count == 0   ? number
                                  : m.kept.width == 0 ? read_u16(m.kept.at + 2 * std::size_t{number})
                                                      : code.next();
        ++number;
        filter = PackedFilter(local_filter(m.rows.filters, row));
        return filter.words;
    });
}

} // namespace detail

namespace {

template <class Number>
Status scores_of(const LocalModel& m, std::span<const Number> x, std::span<std::int32_t> scores,
                 std::span<std::byte> work) noexcept
{
    if (x.size() != m.rows.inputs || scores.size() != m.readout.outputs)
        return Status::wrong_length;
    Bump memory(work);
    if (!memory.aligned())
        return Status::misaligned;
    if (work.size() < local_bytes(m.rows.inputs))
        return Status::small_workspace;
    auto* const numbers = memory.take<std::int16_t>(x.size());
    auto* const room = memory.take<std::uint32_t>(whole_chunk / 2);
    if (room == nullptr)
        return Status::small_workspace;
    m.scaling.apply(x, numbers);
    for (std::int32_t& sum : scores)
        sum = 0;
    m.add(m, numbers, room, scores.data());
    m.readout.finish(scores.data());
    return Status::ok;
}

} // namespace

Status whole_scores(const LocalModel& model, std::span<const std::uint8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const LocalModel& model, std::span<const std::int8_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}
Status whole_scores(const LocalModel& model, std::span<const std::int16_t> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return scores_of(model, x, scores, work);
}

} // namespace samara
