// Predictions of streams in whole numbers with local maps. See samara/model/local_stream.hpp.
#include "samara/model/local_stream.hpp"

#include <cstring>

#include "map/local/local_found.hpp"
#include "model/local_add.hpp"

namespace samara {

namespace detail {

namespace {

struct Rooms {
    std::int32_t* sums = nullptr;
    std::uint32_t* features = nullptr;
    std::int16_t *steps = nullptr, *maxima = nullptr;
    std::int8_t* finals = nullptr;

    Rooms(const StreamPlan& p, std::byte* work) noexcept
    {
        features = reinterpret_cast<std::uint32_t*>(work);
        work += stream_room(p);
        steps = reinterpret_cast<std::int16_t*>(work);
        work += piece_bytes(2 * std::size_t{p.numbers} * p.depth);
        sums = reinterpret_cast<std::int32_t*>(work);
        work += 4 * std::size_t{p.sums};
        maxima = reinterpret_cast<std::int16_t*>(work);
        work += piece_bytes(2 * std::size_t{p.maxima});
        finals = reinterpret_cast<std::int8_t*>(work);
    }
};

[[gnu::noinline]] std::int32_t any(const StreamPlan& p, const std::int16_t* row, const std::uint16_t* f,
                                   std::uint32_t width, std::uint32_t height) noexcept
{
    return local::any_signs(row, f, width, height, p.right, p.numbers);
}

// A filter's part: parts[0] is of the period that is running, parts[i] of the i-th before it.
template <class Part, bool maximum>
[[gnu::always_inline]] inline void extend(Part* parts, std::uint32_t periods, bool begins, std::int32_t found) noexcept
{
    if (begins) {
        for (std::uint32_t i = periods; i > 0; --i)
            parts[i] = parts[i - 1];
    } else {
        const std::int32_t before = parts[0];
        found = !maximum ? before + found : before > found ? before : found;
    }
    parts[0] = static_cast<Part>(found);
}
template <class Part, bool maximum>
[[gnu::always_inline]] inline std::int32_t whole(const Part* parts, std::uint32_t periods) noexcept
{
    std::int32_t found = parts[0];
    for (std::uint32_t i = 1; i <= periods; ++i)
        found = !maximum ? found + parts[i] : found > parts[i] ? found : parts[i];
    return found;
}

// Gives `count` steps to a filter; `phase` is that of the first one, at `steps`.
void run_filter(const StreamPlan& p, const std::uint16_t* f, const std::int16_t* steps, std::uint32_t phase,
                std::uint32_t count, Rooms& rooms) noexcept
{
    const std::uint16_t* const tail = PackedFilter::behind(f);
    const std::uint32_t first = tail[1], periods = tail[2], late = tail[3], hop = p.hop, step = p.step();
    const bool maximum = PackedFilter::maximum(f);
    phase -= tail[0];
    if (static_cast<std::int32_t>(phase) < 0)
        phase += hop;
    const std::int16_t* x = steps - f[0] * step + f[1];
    while (count > 0) {
        const bool wanted = phase < first;
        const std::uint32_t end = wanted ? first : hop, now = smaller(count, end - phase);
        if (wanted || periods > 0) {
            const std::uint32_t width = p.series ? now : f[2], height = p.series ? 1 : now;
            const std::int32_t found = local::found_by(x, f, width, height, p.right, p.numbers,
                                                       [&] { return any(p, x, f, width, height); });
            if (maximum)
                extend<std::int16_t, true>(rooms.maxima, periods, phase == 0, found);
            else
                extend<std::int32_t, false>(rooms.sums, periods, phase == 0, found);
        }
        x += now * step;
        count -= now;
        phase += now;
        if (wanted && phase == first) {
            const std::int32_t found = maximum ? whole<std::int16_t, true>(rooms.maxima, periods)
                                               : whole<std::int32_t, false>(rooms.sums, periods);
            for (std::uint32_t i = late; i > 0; --i)
                rooms.finals[i] = rooms.finals[i - 1];
            rooms.finals[0] = static_cast<std::int8_t>(local_value(found, PackedFilter::shift(f)));
        }
        if (phase == hop)
            phase = 0;
    }
    if (maximum)
        rooms.maxima += periods + 1;
    else
        rooms.sums += periods + 1;
    rooms.finals += late + 1;
}

template <class Next>
[[gnu::always_inline]] inline void advance(const StreamSource& s, StreamState& state, std::byte* work,
                                           Next next) noexcept
{
    const StreamPlan& p = s.plan;
    Rooms rooms(p, work);
    const std::uint32_t count = state.filled - state.done;
    const std::int16_t* const steps = rooms.steps + state.done * p.step();
    for (std::uint32_t i = 0; i < p.features; ++i)
        run_filter(p, next(), steps, state.phase, count, rooms);
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
    const Rooms rooms(s.plan, work);
    m.add(m, rooms.steps, rooms.features, scores);
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
    if (work.size() < stream_bytes(p))
        return Status::small_workspace;
    const detail::Rooms rooms(p, work.data());
    const std::uint32_t step = p.step();
    if (state.left == 0) {
        state.left = p.hop;
        if (!state.begun) {
            // As if there had been steps of zeros.
            std::memset(work.data(), 0, stream_bytes(p));
            state = {.filled = p.running ? p.keep : 0, .done = p.running ? p.keep : 0, .left = p.window, .begun = true};
        }
    }
    if (state.filled == p.depth) {
        // Those of each channel, or all numbers of rows.
        const std::uint32_t lines = p.series ? p.numbers : 1, kept = p.keep * step, gone = (p.depth - p.keep) * step;
        std::int16_t* line = rooms.steps;
        for (std::uint32_t i = 0; i < lines; ++i, line += p.depth)
            std::memmove(line, line + gone, sizeof(std::int16_t) * kept);
        state.filled = state.done = p.keep;
    }
    s.scaling.apply(x, rooms.steps + state.filled * step, p.stride());
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
