// Predictions of streams in whole numbers with local maps. See samara/model/local_stream.hpp.
#include "samara/model/local_stream.hpp"

#include <cstring>

#include "map/local/local_found.hpp"
#include "model/local_add.hpp"

namespace samara {

namespace detail {

namespace {

std::int16_t* steps_in(std::byte* work) noexcept { return reinterpret_cast<std::int16_t*>(work); }

// What is behind the steps.
struct Rooms {
    std::uint32_t* features;
    std::int32_t* sums;
    std::int16_t* maxima;
    std::int8_t* finals;

    Rooms(const StreamPlan& p, std::byte* work) noexcept
    {
        features = reinterpret_cast<std::uint32_t*>(work + stream_steps_bytes(p));
        sums = reinterpret_cast<std::int32_t*>(features + stream_room(p) / 4);
        maxima = reinterpret_cast<std::int16_t*>(sums + p.sums);
        finals = reinterpret_cast<std::int8_t*>(maxima + (p.maxima + 1) / 2 * 2);
    }
};

[[gnu::noinline]] std::int32_t any(const StreamPlan& p, const std::int16_t* row, const std::uint16_t* f,
                                   std::uint32_t width, std::uint32_t height) noexcept
{
    return local::any_signs(row, f, width, height, p.right, p.numbers);
}

template <bool maximum>
constexpr std::int32_t joined(std::int32_t a, std::int32_t b) noexcept
{
    return !maximum ? a + b : a > b ? a : b;
}

// Gives `count` steps to a filter, of which the first one is at `newest`; `phase` is that of the place that needs it.
// parts[0] is what the filter has found in the period that is running, parts[i] in the i-th before it.
template <bool maximum, class Part>
[[gnu::always_inline]] inline void run(const StreamPlan& p, const std::uint16_t* f, const std::uint16_t* tail,
                                       const std::int16_t* newest, std::uint32_t phase, std::uint32_t count,
                                       Part* parts, std::int8_t* finals) noexcept
{
    const std::uint32_t first = tail[1], step = p.step();
    const std::int16_t* x = newest - f[0] * step + f[1];
    for (;;) {
        const bool wanted = phase < first;
        std::uint32_t now = (wanted ? first : p.hop) - phase;
        now = now < count ? now : count;
        const std::uint32_t periods = tail[2];
        if (wanted || periods != 0) {
            const std::uint32_t width = p.series ? now : f[2], height = p.series ? 1 : now;
            const std::int32_t found = local::found_by<maximum>(x, f, width, height, p.right, p.numbers,
                                                                [&] { return any(p, x, f, width, height); });
            if (phase != 0) {
                parts[0] = static_cast<Part>(joined<maximum>(parts[0], found));
            } else {
                for (std::uint32_t i = periods; i != 0; --i)
                    parts[i] = parts[i - 1];
                parts[0] = static_cast<Part>(found);
            }
        }
        phase += now;
        if (wanted && phase == first) {
            std::int32_t found = parts[0];
            for (std::uint32_t i = periods; i != 0; --i)
                found = joined<maximum>(found, parts[i]);
            for (std::uint32_t i = tail[3]; i != 0; --i)
                finals[i] = finals[i - 1];
            finals[0] = static_cast<std::int8_t>(local_value(found, PackedFilter::shift(f)));
        }
        count -= now;
        if (count == 0)
            return;
        x += now * step;
        phase = phase == p.hop ? 0 : phase;
    }
}

template <class Next>
[[gnu::always_inline]] inline void advance(const StreamSource& s, StreamState& state, std::byte* work,
                                           Next next) noexcept
{
    const StreamPlan& p = s.plan;
    Rooms rooms(p, work);
    const std::uint32_t count = state.filled - state.done;
    const std::int16_t* const newest = steps_in(work) + state.done * p.step();
    for (std::uint32_t left = p.features; left > 0; --left) {
        const std::uint16_t *const f = next(), *const tail = PackedFilter::behind(f);
        const std::uint32_t periods = tail[2];
        std::uint32_t phase = state.phase - tail[0];
        if (static_cast<std::int32_t>(phase) < 0)
            phase += p.hop;
        // Between two windows that do not touch there is nothing to find.
        const bool idle = periods == 0 && phase >= tail[1] && phase + count <= p.hop;
        if (PackedFilter::maximum(f)) {
            if (!idle)
                run<true>(p, f, tail, newest, phase, count, rooms.maxima, rooms.finals);
            rooms.maxima += periods + 1;
        } else {
            if (!idle)
                run<false>(p, f, tail, newest, phase, count, rooms.sums, rooms.finals);
            rooms.sums += periods + 1;
        }
        rooms.finals += tail[3] + 1;
    }
    state.done = state.filled;
    state.phase += count; // at most the hop
    if (state.phase >= p.hop)
        state.phase -= p.hop;
}

// The filters of a table, and those that are drawn.
struct OfTable {
    const std::uint16_t* filter;

    explicit OfTable(const StreamSource& s) noexcept : filter(s.table) {}
    const std::uint16_t* operator()() noexcept
    {
        const std::uint16_t* const now = filter;
        filter = PackedFilter::behind(filter) + StreamFilter::tail;
        return now;
    }
};
struct Drawn {
    const StreamSource& source;
    KeptNumbers number;
    StreamFilter filter;

    explicit Drawn(const StreamSource& s) noexcept : source(s), number(s.drawn->kept) {}
    const std::uint16_t* operator()() noexcept
    {
        const StreamPlan& p = source.plan;
        filter = StreamFilter(source.drawn->rows.filters, number(), p.window, p.hop, p.depth);
        return filter.words;
    }
};

// The features that were complete when the window was.
template <class Next>
[[gnu::always_inline]] inline void running(const LocalModel& m, const StreamPlan& p, std::byte* work,
                                           std::int32_t* scores, Next next) noexcept
{
    const Rooms rooms(p, work);
    const std::int8_t* finals = rooms.finals;
    add_local(m, p.features, rooms.features, scores, [&]() -> std::int32_t {
        const std::uint32_t late = PackedFilter::behind(next())[3];
        finals += late + 1;
        return finals[-1];
    });
}

} // namespace

void advance_of_table(const StreamSource& s, StreamState& state, std::byte* work) noexcept
{
    advance(s, state, work, OfTable(s));
}
void advance_drawn(const StreamSource& s, StreamState& state, std::byte* work) noexcept
{
    advance(s, state, work, Drawn(s));
}

void running_of_table(const LocalModel& m, const StreamSource& s, std::byte* work, std::int32_t* scores) noexcept
{
    running(m, s.plan, work, scores, OfTable(s));
}
void running_drawn(const LocalModel& m, const StreamSource& s, std::byte* work, std::int32_t* scores) noexcept
{
    running(m, s.plan, work, scores, Drawn(s));
}
void of_window(const LocalModel& m, const StreamSource& s, std::byte* work, std::int32_t* scores) noexcept
{
    m.add(m, steps_in(work), Rooms(s.plan, work).features, scores);
}

} // namespace detail

template <class Number>
Status push_step(const StreamSource& s, StreamState& state, std::span<const Number> x,
                 std::span<std::byte> work) noexcept
{
    const StreamPlan& p = s.plan;
    if (x.size() != p.numbers)
        return Status::wrong_length;
    if (!Bump(work).aligned())
        return Status::misaligned;
    if (work.size() < p.bytes)
        return Status::small_workspace;
    std::int16_t* const steps = detail::steps_in(work.data());
    const std::uint32_t step = p.step();
    if (state.left == 0) {
        state.left = p.hop;
        if (!state.begun) {
            // As if there had been steps of zeros.
            std::memset(work.data(), 0, p.bytes);
            state = {.filled = p.running ? p.keep : 0, .done = p.running ? p.keep : 0, .left = p.window, .begun = true};
        }
    }
    if (state.filled == p.depth) {
        // Those of each channel, or all numbers of rows.
        const std::uint32_t lines = p.series ? p.numbers : 1, kept = p.keep * step, gone = (p.depth - p.keep) * step;
        std::int16_t* line = steps;
        for (std::uint32_t i = 0; i < lines; ++i, line += p.depth)
            std::memmove(line, line + gone, sizeof(std::int16_t) * kept);
        state.filled = state.done = p.keep;
    }
    s.scaling.apply(x, steps + state.filled * step, p.stride());
    ++state.filled;
    --state.left;
    if (s.advance != nullptr && (state.filled == p.depth || state.left == 0))
        s.advance(s, state, work.data());
    return Status::ok;
}
template Status push_step(const StreamSource&, StreamState&, std::span<const std::uint8_t>,
                          std::span<std::byte>) noexcept;
template Status push_step(const StreamSource&, StreamState&, std::span<const std::int8_t>,
                          std::span<std::byte>) noexcept;
template Status push_step(const StreamSource&, StreamState&, std::span<const std::int16_t>,
                          std::span<std::byte>) noexcept;

Status stream_scores(const LocalModel& model, const StreamSource& s, const StreamState& state,
                     std::span<std::int32_t> scores, std::span<std::byte> work, detail::AddStream add) noexcept
{
    if (!state.due() || scores.size() != model.readout.outputs)
        return Status::wrong_length;
    for (std::int32_t& sum : scores)
        sum = 0;
    add(model, s, work.data(), scores.data());
    model.readout.finish(scores.data());
    return Status::ok;
}

} // namespace samara
