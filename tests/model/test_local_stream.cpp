// Predictions of streams: against those of whole windows, for every hop, and memory of exactly the size that is said.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../../examples/data/bearings_model.h"
#include "../../examples/data/digits_local_model.h"
#include "../../examples/data/gestures_model.h"
#include "../../examples/gestures.hpp"
#include "../../examples/vibration.hpp"
#include "samara/model/open_stream.hpp"
#include "whole_model.hpp"

namespace {

using namespace samara;
using namespace samara::test;

constexpr std::byte untouched{0xa5};

// A workspace of so many bytes, with others behind it.
struct Room {
    std::vector<std::uint32_t> words;
    std::size_t size;

    explicit Room(std::size_t bytes) : words(bytes / 4 + 9, 0xa5a5a5a5u), size(bytes) {}
    std::span<std::byte> span() { return std::as_writable_bytes(std::span(words)).first(size); }
    bool kept_to() const
    {
        const auto all = std::as_bytes(std::span(words));
        return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(size), all.end(),
                           [](std::byte b) { return b == untouched; });
    }
};

// Steps of a stream, and the windows in it as rows of data.
template <class Number>
struct Recording {
    std::uint32_t numbers, window;
    bool series;
    std::vector<Number> steps;

    Recording(const LocalSpec& s, std::uint32_t count, std::uint64_t seed)
        : numbers(s.inputs / std::max(s.length, s.height)), window(std::max(s.length, s.height)), series(s.length != 0),
          steps(std::size_t{count} * numbers)
    {
        Xoshiro words(stream_key(seed, Domain::user, count));
        for (Number& v : steps)
            v = static_cast<Number>(words.word() >> (seed % 2 == 0 ? 24 : 22)); // some of them limited
        if (count % 3 == 0) // the ends of the range, of which filters find the most
            for (std::size_t i = 0; i < steps.size() / 2; ++i)
                steps[i] = static_cast<Number>(i / 2 % 2 == 0 ? 127 : std::is_signed_v<Number> ? -127 : 0);
    }
    std::span<const Number> step(std::uint32_t i) const
    {
        return std::span(steps).subspan(std::size_t{i} * numbers, numbers);
    }
    std::vector<Number> at(std::uint32_t first) const
    {
        std::vector<Number> x(std::size_t{numbers} * window);
        for (std::uint32_t w = 0; w < window; ++w)
            for (std::uint32_t c = 0; c < numbers; ++c)
                x[series ? c * window + w : w * numbers + c] = step(first + w)[c];
        return x;
    }
};

template <class Number>
struct Check {
    const Made<LocalSpec>& made;
    WholePredictor<Local> whole;
    LocalStream stream;
    Recording<Number> recording;
    std::vector<std::vector<std::int32_t>> expected; // of each window
    std::uint32_t answers = 0;

    Check(const Made<LocalSpec>& of, std::uint32_t count, std::uint64_t seed)
        : made(of), recording(of.spec, count, seed)
    {
        REQUIRE(whole.open(made.bytes.span()) == Status::ok);
        REQUIRE(stream.open(made.bytes.span()) == Status::ok);
        REQUIRE(stream.numbers() == recording.numbers);
        std::vector<std::uint32_t> work(whole.workspace_bytes() / 4 + 1);
        for (std::uint32_t first = 0; first + recording.window <= count; ++first) {
            expected.emplace_back(made.outputs);
            const auto x = recording.at(first);
            REQUIRE(whole.scores(std::span<const Number>(x), expected.back(),
                                 std::as_writable_bytes(std::span(work))) == Status::ok);
        }
    }
    std::uint32_t steps() const { return static_cast<std::uint32_t>(recording.steps.size() / recording.numbers); }

    void run(const StreamChoice& choice)
    {
        const std::uint32_t hop = choice.hop, window = recording.window;
        Room room(stream.workspace_bytes(choice));
        CHECK(stream.start(choice, room.span().first(room.size - 1)) == Status::small_workspace);
        REQUIRE(stream.start(choice, room.span()) == Status::ok);
        bool same = true, when_due = true;
        std::vector<std::int32_t> scores(made.outputs), again(made.outputs);
        for (std::uint32_t t = 1; t <= steps(); ++t) {
            REQUIRE(stream.push(recording.step(t - 1)) == Status::ok);
            const bool due = t >= window && (t - window) % hop == 0;
            when_due = when_due && stream.due() == due;
            std::uint32_t best = 99;
            const Status status = stream.predict(best, scores);
            when_due = when_due && status == (due ? Status::ok : Status::wrong_length);
            if (due) {
                same = same && scores == expected[t - window] && best == best_of(std::span<const std::int32_t>(scores));
                // As often as one likes.
                same = same && stream.scores(again) == Status::ok && again == scores;
                ++answers;
            }
        }
        CHECK(same);
        CHECK(when_due);
        CHECK(room.kept_to());
    }
    void run_all(std::uint32_t hop)
    {
        CAPTURE(made.spec.seed);
        CAPTURE(hop);
        for (const StreamForm form : {StreamForm::running, StreamForm::window, StreamForm::automatic})
            for (const bool keep_filters : {true, false})
                run({hop, form, keep_filters, 0});
        for (const std::uint32_t together : {1u, 3u, 1000u})
            run({hop, StreamForm::running, true, together});
    }
};

Made<LocalSpec> series(std::uint32_t channels, std::uint32_t length, std::uint64_t seed, LocalSpec more = {})
{
    more.inputs = channels * length;
    more.channels = channels;
    more.length = length;
    more.features = 150;
    more.seed = seed;
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 0; i < more.features; i += 1 + i % 5)
        some.push_back(i);
    const auto rows = seed % 3 == 0 ? std::vector<std::byte>() : coded(2, some);
    std::vector<std::pair<int, std::uint8_t>> lines(seed % 2 == 0 ? 1 : channels, {-100, whole_factor(3, 16)});
    for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i].first += static_cast<int>(300 * i);
    const bool scaled = seed % 5 != 0;
    return model_of(resolve(more), 3, seed % 4 < 2 ? ReadoutType::whole8 : ReadoutType::whole4, rows,
                    scaled ? scaling_of(lines) : std::vector<std::byte>(), scaled && lines.size() > 1);
}

Made<LocalSpec> image(std::uint32_t height, std::uint32_t width, std::uint32_t channels, std::uint64_t seed)
{
    const LocalSpec spec{.inputs = height * width * channels,
                         .features = 130,
                         .height = height,
                         .width = width,
                         .channels = channels,
                         .pairs = 1 + static_cast<std::uint32_t>(seed % 4),
                         .seed = seed};
    std::vector<std::uint32_t> some;
    for (std::uint32_t i = 2; i < spec.features; i += 1 + i % 4)
        some.push_back(i);
    const auto rows = seed % 2 == 0 ? std::vector<std::byte>() : coded(3, some);
    std::vector<std::pair<int, std::uint8_t>> lines(seed % 3 == 0 ? 1 : channels, {-400, whole_factor(0, 15)});
    for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i].first += static_cast<int>(90 * i);
    return model_of(resolve(spec), 2, seed % 4 < 2 ? ReadoutType::whole8 : ReadoutType::whole4, rows,
                    seed % 5 == 0 ? std::vector<std::byte>() : scaling_of(lines));
}

} // namespace

TEST_CASE("streams of series have the scores of whole windows, for every hop")
{
    std::uint32_t answers = 0;
    const auto each_hop = [&]<class Number>(const Made<LocalSpec>& made, Number) {
        const std::uint32_t window = made.spec.length;
        Check<Number> check(made, 3 * window + 7, made.spec.seed);
        for (std::uint32_t hop = 1; hop <= window; ++hop)
            check.run_all(hop);
        answers += check.answers;
    };
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        each_hop(series(1, 30 + static_cast<std::uint32_t>(seed), seed), std::int8_t());
        each_hop(series(6, 20 + static_cast<std::uint32_t>(seed), seed, {.pairs = 4}), std::int16_t());
        each_hop(series(2, 17, seed, {.largest = 5, .reach = 9, .kinds = LocalKinds::max}), std::uint8_t());
        each_hop(series(3, 18, seed, {.largest = 17, .reach = 255, .kinds = LocalKinds::sum, .gain = 14}),
                 std::int16_t());
    }
    each_hop(series(1, 3, 1, {.reach = 2}), std::uint8_t());
    each_hop(series(9, 4, 2), std::int8_t());
    CHECK(answers > 30000);
}

TEST_CASE("streams of images have the scores of whole images, also of windows of rows that overlap")
{
    const auto each_hop = [&]<class Number>(const Made<LocalSpec>& made, Number) {
        const std::uint32_t window = made.spec.height;
        Check<Number> check(made, 3 * window + 6, made.spec.seed);
        for (std::uint32_t hop = 1; hop <= window; ++hop)
            check.run_all(hop);
    };
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        each_hop(image(12, 9, 1, seed), std::uint8_t());
        each_hop(image(7, 10, 3, seed), std::int16_t());
    }
    each_hop(image(2, 2, 1, 1), std::int8_t());
    each_hop(image(3, 40, 2, 2), std::uint8_t());
    each_hop(image(40, 3, 1, 3), std::int8_t());
}

TEST_CASE("streams of long windows")
{
    const auto made = series(2, 500, 7, {.largest = 15, .reach = 100});
    Check<std::int16_t> check(made, 1700, 3);
    for (const std::uint32_t hop : {1u, 7u, 8u, 9u, 64u, 125u, 250u, 251u, 499u, 500u})
        check.run_all(hop);
    // Sums at the ends of their range.
    const auto longest = series(1, 3000, 9, {.largest = 31, .reach = 255, .pairs = 4, .gain = 1});
    Check<std::int8_t> other(longest, 3300, 4);
    for (const std::uint32_t hop : {300u, 3000u})
        other.run_all(hop);
}

TEST_CASE("a stream that is reset, or refused a step, goes on as if nothing had been")
{
    const auto made = series(3, 40, 8);
    Check<std::int8_t> check(made, 120, 5);
    const Recording<std::int8_t>& recording = check.recording;
    LocalStream& stream = check.stream;
    for (const StreamForm form : {StreamForm::running, StreamForm::window}) {
        const StreamChoice choice{10, form, true, 0};
        Room room(stream.workspace_bytes(choice));
        REQUIRE(stream.start(choice, room.span()) == Status::ok);
        std::vector<std::int32_t> scores(3), before(3, 5);
        for (const std::uint32_t stop : {1u, 39u, 40u, 57u}) {
            stream.reset();
            CHECK(!stream.due());
            for (std::uint32_t t = 0; t < stop; ++t)
                REQUIRE(stream.push(recording.step(80 + t % 40)) == Status::ok);
            stream.reset();
            CHECK(!stream.due());
            CHECK(stream.scores(before) == Status::wrong_length);
            for (std::uint32_t t = 0; t < 60; ++t) {
                REQUIRE(stream.push(recording.step(t)) == Status::ok);
                CHECK(stream.push(recording.step(t).first(2)) == Status::wrong_length);
                CHECK(stream.push(std::span(recording.steps).subspan(t, 4)) == Status::wrong_length);
                CHECK(stream.due() == (t + 1 >= 40 && (t + 1) % 10 == 0));
                if (stream.due()) {
                    REQUIRE(stream.scores(scores) == Status::ok);
                    CHECK(scores == check.expected[t + 1 - 40]);
                    CHECK(stream.scores(std::span(before).first(2)) == Status::wrong_length);
                }
            }
        }
        CHECK(before == std::vector<std::int32_t>(3, 5));
    }
}

TEST_CASE("what a stream refuses")
{
    LocalStream stream;
    std::vector<std::int32_t> scores(3);
    std::uint32_t best = 0;
    const std::vector<std::uint8_t> x(3);
    Room room(100000);
    CHECK(stream.push(std::span<const std::uint8_t>(x)) == Status::not_open);
    CHECK(stream.scores(scores) == Status::not_open);
    CHECK(stream.predict(best, scores) == Status::not_open);
    CHECK(stream.start({}, room.span()) == Status::not_open);
    CHECK(stream.workspace_bytes({}) == 0);
    CHECK(stream.numbers() == 0);
    const auto made = series(3, 40, 8);
    REQUIRE(stream.open(made.bytes.span()) == Status::ok);
    CHECK(stream.push(std::span<const std::uint8_t>(x)) == Status::not_open);
    CHECK(stream.start({.hop = 41}, room.span()) == Status::bad_spec);
    CHECK(stream.workspace_bytes({.hop = 41}) == 0);
    CHECK(stream.start({.hop = 40}, room.span().subspan(2)) == Status::misaligned);
    CHECK(stream.workspace_bytes({.hop = 40}) == stream.workspace_bytes({}));
    REQUIRE(stream.start({}, room.span()) == Status::ok);
    CHECK(stream.push(std::span<const std::uint8_t>(x)) == Status::ok);
    CHECK(stream.open(std::span(made.bytes.span()).first(50)) != Status::ok);
    std::uint8_t step[3] = {1, 2, 3};
    CHECK(stream.push(std::span(step)) == Status::ok); // the first one goes on
    CHECK(stream.open(made.bytes.span(), {.most_operations = 10}) == Status::too_many_operations);
    // Other maps, readouts of floats, and scalings of each place.
    const Bytes floats = test::model_of(resolve(LocalSpec{.inputs = 60, .features = 64, .length = 60}));
    CHECK(stream.open(floats.span()) == Status::unsupported_map);
    const Bytes other = test::model_of(resolve(ArcCosSpec{.inputs = 20, .features = 64}));
    CHECK(stream.open(other.span()) == Status::unsupported_map);
    std::vector<std::pair<int, std::uint8_t>> lines(120, {1, whole_factor(0, 16)});
    const LocalSpec spec = resolve(LocalSpec{.inputs = 120, .features = 64, .channels = 3});
    CHECK(stream.open(model_of(spec, 3, ReadoutType::whole8, {}, scaling_of(lines)).bytes.span()) ==
          Status::unsupported_map);
    lines.resize(3); // every third number, whatever its channel
    CHECK(stream.open(model_of(spec, 3, ReadoutType::whole8, {}, scaling_of(lines)).bytes.span()) ==
          Status::unsupported_map);
    const auto runs = model_of(spec, 3, ReadoutType::whole8, {}, scaling_of(lines), true);
    CHECK(stream.open(runs.bytes.span()) == Status::ok);
    lines.insert(lines.end(), 3, lines[0]); // halves of channels
    CHECK(stream.open(model_of(spec, 3, ReadoutType::whole8, {}, scaling_of(lines), true).bytes.span()) ==
          Status::unsupported_map);
    CHECK(stream.push(std::span<const std::uint8_t>(x)) == Status::not_open); // that of `runs` is not started
}

namespace {

template <class Stream>
void check_digits()
{
    static Stream stream;
    static FixedWholePredictor<digits_local_model> whole;
    constexpr std::uint32_t hop = Stream::plan.hop;
    const LocalSpec spec = FixedPredictor<digits_local_model>::spec;
    const Recording<std::uint8_t> recording(spec, 40, 6);
    std::uint32_t answers = 0;
    for (int time = 0; time < 2; ++time) {
        for (std::uint32_t t = 1; t <= 40; ++t) {
            REQUIRE(stream.push(recording.step(t - 1)) == Status::ok);
            std::uint32_t digit = 99, expected = 99;
            const bool due = t >= 8 && (t - 8) % hop == 0;
            CHECK(stream.due() == due);
            CHECK(stream.predict(digit) == (due ? Status::ok : Status::wrong_length));
            if (!due)
                continue;
            ++answers;
            const auto x = recording.at(t - 8);
            REQUIRE(whole.predict(std::span<const std::uint8_t>(x), expected) == Status::ok);
            CHECK(std::ranges::equal(stream.last_scores(), whole.last_scores()));
            CHECK(digit == expected);
        }
        CHECK(stream.push(std::span<const std::uint8_t>(recording.steps).first(7)) == Status::wrong_length);
        stream.reset();
    }
    CHECK(answers == 2 * (1 + 32 / hop));
    // All of its memory, and no more than scores and its state beside the workspace.
    CHECK(Stream::workspace_bytes == stream_bytes(Stream::plan));
    CHECK(sizeof(Stream) <= Stream::workspace_bytes + sizeof(StreamState) + 4 * Stream::outputs);
}

} // namespace

TEST_CASE("streams of models that are known while compiling")
{
    check_digits<FixedStream<digits_local_model>>();
    check_digits<FixedStream<digits_local_model, 8, StreamForm::running>>();
    check_digits<FixedStream<digits_local_model, 1>>();
    check_digits<FixedStream<digits_local_model, 1, StreamForm::running>>();
    check_digits<FixedStream<digits_local_model, 3, StreamForm::running>>();
    check_digits<FixedStream<digits_local_model, 3, StreamForm::window>>();
    check_digits<FixedStream<digits_local_model, 5, StreamForm::running>>();
    check_digits<FixedStream<digits_local_model, 7>>();
}

TEST_CASE("the example's gestures, from whole windows")
{
    using example::Gesture, example::GestureSample, example::gesture_channels;
    std::vector<GestureSample> samples;
    for (std::uint32_t i = 0; i < 12; ++i) {
        Gesture gesture(i % example::gesture_count, 1000 + i);
        for (std::uint32_t t = 0; t < 400; ++t)
            samples.push_back(gesture.next());
    }
    static FixedWholePredictor<gestures_model> whole;
    static FixedStream<gestures_model, 25> chosen;
    static FixedStream<gestures_model, 25, StreamForm::window> window;
    static FixedStream<gestures_model, 25, StreamForm::running, 25> together;
    static_assert(chosen.plan.running && chosen.plan.bytes < window.plan.bytes);
    std::uint32_t crc = 0;
    for (std::size_t t = 1; t <= samples.size(); ++t) {
        const std::span<const std::int16_t> sample = samples[t - 1];
        REQUIRE(chosen.push(sample) == Status::ok);
        REQUIRE(window.push(sample) == Status::ok);
        REQUIRE(together.push(sample) == Status::ok);
        const bool due = t >= 100 && t % 25 == 0;
        REQUIRE(chosen.due() == due);
        if (!due)
            continue;
        std::vector<std::int16_t> x;
        for (std::uint32_t c = 0; c < gesture_channels; ++c)
            for (std::size_t i = t - 100; i < t; ++i)
                x.push_back(samples[i][c]);
        std::uint32_t best[4] = {91, 92, 93, 94};
        REQUIRE(whole.predict(std::span<const std::int16_t>(x), best[0]) == Status::ok);
        REQUIRE(chosen.predict(best[1]) == Status::ok);
        REQUIRE(window.predict(best[2]) == Status::ok);
        REQUIRE(together.predict(best[3]) == Status::ok);
        CHECK(std::ranges::equal(chosen.last_scores(), whole.last_scores()));
        CHECK(std::ranges::equal(window.last_scores(), whole.last_scores()));
        CHECK(std::ranges::equal(together.last_scores(), whole.last_scores()));
        CHECK((best[1] == best[0] && best[2] == best[0] && best[3] == best[0]));
        crc = crc32(std::as_bytes(whole.last_scores()), crc);
    }
    CHECK(crc == 0xfaa9dddf); // as examples/gestures.cpp says
}

TEST_CASE("the example's vibration, from whole windows")
{
    static FixedWholePredictor<bearings_model> whole;
    static FixedStream<bearings_model, 256> stream;
    static FixedStream<bearings_model, 100, StreamForm::running> other;
    static_assert(stream.plan.running);
    std::uint32_t crc = 0, compared = 0;
    for (std::uint32_t i = 0; i < 12; ++i) {
        example::Vibration vibration(i % example::bearing_count, 20000 + i);
        stream.reset();
        other.reset();
        std::vector<std::int16_t> x;
        for (std::uint32_t t = 1; t <= 12 * 256; ++t) {
            x.push_back(vibration.next());
            const auto sample = std::span<const std::int16_t>(x).last(1);
            REQUIRE(stream.push(sample) == Status::ok);
            REQUIRE(other.push(sample) == Status::ok);
            if (!stream.due() && !other.due())
                continue;
            std::uint32_t best = 99, expected = 99;
            REQUIRE(whole.predict(std::span<const std::int16_t>(x).last(1024), expected) == Status::ok);
            if (other.due()) {
                REQUIRE(other.predict(best) == Status::ok);
                CHECK(std::ranges::equal(other.last_scores(), whole.last_scores()));
                ++compared;
            }
            if (!stream.due())
                continue;
            REQUIRE(stream.predict(best) == Status::ok);
            CHECK(std::ranges::equal(stream.last_scores(), whole.last_scores()));
            CHECK(best == expected);
            crc = crc32(std::as_bytes(whole.last_scores()), crc);
        }
    }
    CHECK(compared == 12 * 21);
    CHECK(crc == 0xb6981f74); // as examples/bearings.cpp says
}

TEST_CASE("a stream's memory is what the formula says")
{
    // Filters of three places side by side, all of the window: 30 - 2 positions, complete with their windows.
    const auto made = series(2, 30, 4, {.largest = 3, .reach = 3, .kinds = LocalKinds::sum});
    const LocalFilters filters = Map<LocalSpec>::filters(made.spec);
    const auto all = [i = 0u]() mutable { return i++; };
    for (const std::uint32_t hop : {1u, 4u, 7u, 15u, 30u}) {
        const StreamPlan p = stream_plan(filters, 150, hop, StreamForm::running, 0, all);
        std::size_t sums = 0, finals = 0;
        for (std::uint32_t i = 0; i < 150; ++i) {
            const LocalFilter f = local_filter(filters, i);
            sums += (f.width + hop - 1) / hop;
            finals += 1 + (30 - (f.first + f.width + 2)) / hop;
        }
        CHECK(p.sums == sums);
        CHECK(p.maxima == 0);
        // A filter of two places may end one step before.
        CHECK(p.finals >= finals);
        CHECK(p.finals <= finals + 150);
        const std::size_t depth = 2 + std::min(16u, hop);
        CHECK(stream_bytes(p) == 4 * sums + (p.finals + 3) / 4 * 4 + 2 * 2 * depth + 128);
        const StreamPlan window = stream_plan(filters, 150, hop, StreamForm::window, 0, all);
        CHECK(stream_bytes(window) == 2 * 60 + 128);
        const StreamPlan chosen = stream_plan(filters, 150, hop, StreamForm::automatic, 0, all);
        CHECK(stream_bytes(chosen) == std::min(stream_bytes(p), stream_bytes(window)));
    }
    const StreamPlan few = stream_plan(filters, 9, 30, StreamForm::window, 0, all);
    CHECK(stream_bytes(few) == 2 * 60 + 32);
    // Of images the rows that filters span, and few numbers for each feature: README has these.
    const auto bytes_of_rows = [&](std::uint32_t height, StreamForm form) {
        const LocalSpec spec =
            resolve(LocalSpec{.inputs = height * height, .features = 56, .height = height, .seed = 1});
        return stream_plan(Map<LocalSpec>::filters(spec), 56, height, form, 0, all).bytes;
    };
    CHECK(bytes_of_rows(28, StreamForm::window) == 1680);
    CHECK(bytes_of_rows(28, StreamForm::running) == 624);
    CHECK(bytes_of_rows(64, StreamForm::window) == 8304);
    CHECK(bytes_of_rows(64, StreamForm::running) == 984);
}
