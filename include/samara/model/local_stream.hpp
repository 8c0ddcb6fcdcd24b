// Predictions in whole numbers of a stream with local maps: the samples of a series, or the rows of an image, come one
// after the other, and every `hop` of them there are the scores of the last `window`: those that a prediction of the
// whole window gives, bit for bit. SPEC.md, section 30.6.
//
//   a step of 1 or 2 bytes each number -> int8 in int16 -> the memory of the last steps
//   a few steps: what each kept filter finds at the new positions -> sums and maxima
//   every hop: features of 7 bits -> the readout in int32 -> scores
//
// FixedStream (samara/fixed.hpp) has these functions for models that are known while compiling; LocalStream
// (samara/model/open_stream.hpp) opens others. No step takes a float, a division or a number of 64 bits.
#pragma once

#include "samara/map/engine/local_stream.hpp"
#include "samara/model/local_predictor.hpp"

namespace samara {

// Sizes of a stream, all of them of the model, the hop and the form.
struct StreamPlan {
    bool running = false;
    bool series = false;
    std::uint32_t window = 0;  // steps
    std::uint32_t hop = 0;     // steps
    std::uint32_t numbers = 0; // of a step
    std::uint32_t depth = 0;   // steps in memory, of which `keep` stay when it is full
    std::uint32_t keep = 0;
    std::uint32_t right = 1; // of places, as a filter walks
    std::uint32_t features = 0;
    std::uint32_t sums = 0, maxima = 0, finals = 0; // of all features, what is remembered
    std::uint32_t words = 0;                        // of all filters in a table, 16 bits each
    std::size_t bytes = 0;                          // stream_bytes(), as long as nothing else changes

    // In memory, from a step to the next one, and from a number of it to the next one.
    constexpr std::uint32_t step() const noexcept { return series ? 1 : numbers; }
    constexpr std::uint32_t stride() const noexcept { return series ? depth : 1; }
};

// Features that are folded at a time, two bytes each.
constexpr std::uint32_t stream_room(const StreamPlan& p) noexcept
{
    return 2 * (p.features < whole_chunk ? (p.features + 7) / 8 * 8 : whole_chunk);
}
constexpr std::uint32_t stream_steps_bytes(const StreamPlan& p) noexcept
{
    return (2 * p.numbers * p.depth + 3) / 4 * 4; // of 65,535 numbers at the most
}
// The bytes that a stream needs; each of its parts begins at a multiple of 4. With D steps of N numbers in memory:
//
//   running: 2 N D, two each of up to 64 features, 4 for each sum, 2 for each maximum, 1 for each feature that waits
//   window:  2 N window, two each of up to 64 features
//
// A running feature of n positions that ends d steps before its window has ceil(n / hop) sums or maxima, and waits for
// 1 + floor(d / hop) answers.
constexpr std::size_t stream_bytes(const StreamPlan& p) noexcept
{
    std::uint64_t bytes = stream_steps_bytes(p) + stream_room(p);
    if (p.running)
        bytes += std::uint64_t{4} * p.sums + (std::uint64_t{2} * p.maxima + 3) / 4 * 4 +
                 (std::uint64_t{p.finals} + 3) / 4 * 4;
    return bytes < SIZE_MAX ? static_cast<std::size_t>(bytes) : SIZE_MAX;
}

// Whether every step is scaled in the same way, so that a stream can do it when the step comes: by one factor and
// shift, those of series by their channels, those of images by what repeats in each row.
constexpr bool steps_scale_alike(const LocalShape& shape, std::uint32_t length, std::uint32_t run) noexcept
{
    if (length <= 1)
        return true;
    if (shape.series)
        return run == shape.width && length == shape.channels;
    return run == 0 && detail::divided(shape.down(), length).rest == 0;
}

namespace detail {

// `next` gives the numbers of the kept rows, from the first one on.
template <class Next>
constexpr StreamPlan stream_plan_of(const LocalFilters& filters, std::uint32_t features, std::uint32_t hop,
                                    bool running, std::uint32_t together, Next next) noexcept
{
    const LocalShape& shape = filters.shape;
    StreamPlan p;
    p.running = running;
    p.series = shape.series;
    p.window = shape.series ? shape.width : shape.height;
    p.hop = hop;
    p.numbers = shape.series ? shape.channels : shape.down();
    p.right = shape.right();
    p.features = features;
    std::uint32_t back = 0;
    for (std::uint32_t i = 0; i < features; ++i) {
        const StreamFilter filter(filters, next(), p.window, hop, 0);
        const std::uint32_t taps = PackedFilter::taps(filter.words);
        p.words += PackedFilter::head + taps + (running ? StreamFilter::tail : 0);
        (PackedFilter::maximum(filter.words) ? p.maxima : p.sums) += filter.periods + 1;
        p.finals += filter.late + 1;
        back = filter.back > back ? filter.back : back;
    }
    if (running) {
        const std::uint32_t most = together != 0 ? together : shape.series ? stream_steps : 1;
        p.keep = back;
        p.depth = back + smaller(smaller(most, hop), p.window - back);
    } else {
        p.keep = p.window - hop;
        p.depth = p.window;
    }
    p.bytes = stream_bytes(p);
    return p;
}

constexpr const StreamPlan& smaller_plan(const StreamPlan& running, const StreamPlan& window) noexcept
{
    return running.bytes <= window.bytes ? running : window;
}

} // namespace detail

// `together`: how many steps a running stream gives to its filters at a time; 0: stream_steps of series, one row.
template <class Next>
constexpr StreamPlan stream_plan(const LocalFilters& filters, std::uint32_t features, std::uint32_t hop,
                                 StreamForm form, std::uint32_t together, Next next) noexcept
{
    if (form != StreamForm::automatic)
        return detail::stream_plan_of(filters, features, hop, form == StreamForm::running, together, next);
    return detail::smaller_plan(detail::stream_plan_of(filters, features, hop, true, together, next),
                                detail::stream_plan_of(filters, features, hop, false, together, next));
}

// The filters of a running stream, plan.words numbers.
template <class Next>
constexpr void stream_table(const LocalFilters& filters, const StreamPlan& p, Next next, std::uint16_t* table) noexcept
{
    for (std::uint32_t i = 0; i < p.features; ++i) {
        const StreamFilter filter(filters, next(), p.window, p.hop, p.depth);
        const std::uint32_t words = PackedFilter::head + PackedFilter::taps(filter.words) + StreamFilter::tail;
        for (std::uint32_t j = 0; j < words; ++j)
            *table++ = filter.words[j];
    }
}

// Where a stream stands; all of it is 0 before the first step.
struct StreamState {
    std::uint32_t filled = 0; // steps in memory, of which `done` were given to the filters
    std::uint32_t done = 0;
    std::uint32_t phase = 0; // how many steps were done, modulo the hop
    std::uint32_t left = 0;  // steps until the next answer
    bool begun = false;

    constexpr bool due() const noexcept { return begun && left == 0; }
};

struct StreamSource;

namespace detail {

// Gives the steps that were not done to the filters: of a table; or drawn anew.
using AdvanceStream = void (*)(const StreamSource&, StreamState&, std::byte* work) noexcept;
void advance_of_table(const StreamSource&, StreamState&, std::byte* work) noexcept;
void advance_drawn(const StreamSource&, StreamState&, std::byte* work) noexcept;

// Adds the readout of the features to the sums: of those that were found; or of the window, of which all is computed.
using AddStream = void (*)(const LocalModel&, const StreamSource&, std::byte* work, std::int32_t* sums) noexcept;
void running_of_table(const LocalModel&, const StreamSource&, std::byte* work, std::int32_t* sums) noexcept;
void running_drawn(const LocalModel&, const StreamSource&, std::byte* work, std::int32_t* sums) noexcept;
void of_window(const LocalModel&, const StreamSource&, std::byte* work, std::int32_t* sums) noexcept;

} // namespace detail

// What a step needs of a model.
struct StreamSource {
    const StreamPlan& plan;
    WholeScaling scaling;              // of a step
    detail::AdvanceStream advance;     // null: a window, of which all is computed when an answer is due
    const std::uint16_t* table;        // StreamFilters of the kept rows, one after the other
    const LocalModel* drawn = nullptr; // what they are drawn from, where there is no table
};

// Takes a step: the numbers of all channels, or of all pixels of a row, as the sensor gives them: uint8, int8 or int16.
// wrong_length where there are not plan.numbers of them, misaligned or small_workspace for a workspace that does not
// start at a multiple of 4 bytes or has less than stream_bytes(plan); then nothing has changed. The workspace is the
// stream's as long as it lasts. An answer is due after the first `window` steps, and after every `hop` behind them.
template <class Number>
Status push_step(const StreamSource&, StreamState&, std::span<const Number> x, std::span<std::byte> work) noexcept;

// The scores of the last window, as often as one likes until the next step comes. The workspace is that of push_step().
// wrong_length where no answer is due, or scores are not model.readout.outputs.
Status stream_scores(const LocalModel& model, const StreamSource&, const StreamState&, std::span<std::int32_t> scores,
                     std::span<std::byte> work, detail::AddStream add) noexcept;

} // namespace samara
