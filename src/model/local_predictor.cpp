// Predictions in whole numbers with local maps. See samara/model/local_predictor.hpp.
#include "samara/model/local_predictor.hpp"

#include "model/local_add.hpp"
#include "model/whole_scores.hpp"

namespace samara {

namespace detail {

namespace {

// Makes the features that next() names filters of.
template <class Next>
[[gnu::always_inline]] inline void add(const LocalModel& m, std::uint32_t count, const std::int16_t* x,
                                       std::uint32_t* room, std::int32_t* sums, Next next) noexcept
{
    const std::uint32_t right = m.rows.filters.shape.right(), down = m.rows.filters.shape.down();
    add_local(m, count, room, sums, [&] { return local_feature(x, next(), right, down); });
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
    KeptNumbers number(m.kept);
    PackedFilter filter;
    add(m, count_of(m), x, room, sums, [&] {
        filter = PackedFilter(local_filter(m.rows.filters, number()));
        return filter.words;
    });
}

} // namespace detail

namespace {

struct Rooms {
    std::size_t size; // of the inputs, which are not padded
    std::int16_t* inputs;
    std::uint32_t* features;

    Rooms(const LocalModel& m, Bump& memory) noexcept
        : size(m.rows.inputs), inputs(memory.take<std::int16_t>(size)),
          features(memory.take<std::uint32_t>(whole_chunk / 2))
    {}
    void add(const LocalModel& m, std::int32_t* sums) const noexcept { m.add(m, inputs, features, sums); }
};

} // namespace

template <class Number>
Status whole_scores(const LocalModel& model, std::span<const Number> x, std::span<std::int32_t> scores,
                    std::span<std::byte> work) noexcept
{
    return detail::scores_by<Rooms>(model, x, scores, work);
}
template Status whole_scores(const LocalModel&, std::span<const std::uint8_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;
template Status whole_scores(const LocalModel&, std::span<const std::int8_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;
template Status whole_scores(const LocalModel&, std::span<const std::int16_t>, std::span<std::int32_t>,
                             std::span<std::byte>) noexcept;

} // namespace samara
