// A stream of a sealed model that is known when this is compiled: samples of a series or rows of an image, and nothing
// else. A step of the measuring program is a hop: its samples, and the answer.
#ifdef SAMARA_TEST_ROWS
#include "digits_local_model.h"
#define SAMARA_TEST_MODEL digits_local_model
#else
#include "gestures_model.h"
#define SAMARA_TEST_MODEL gestures_model
#endif
#include "measure.hpp"
#ifdef SAMARA_TEST_KEEP_FILTERS
#include "samara/model/open_stream.hpp"
#else
#include "samara/fixed.hpp"
#endif

namespace {

#ifdef SAMARA_TEST_KEEP_FILTERS
// A model that is opened, with the face of one that is known.
class Opened {
public:
    static constexpr std::uint32_t numbers = 6;
    static constexpr samara::StreamPlan plan = [] {
        samara::StreamPlan sizes;
        sizes.hop = SAMARA_TEST_FEATURES;
        sizes.window = 100;
        return sizes;
    }();

    bool start()
    {
        return stream_.open(std::as_bytes(std::span(SAMARA_TEST_MODEL))) == samara::Status::ok &&
               stream_.numbers() == numbers && stream_.start(choice, work_) == samara::Status::ok;
    }
    samara::Status push(std::span<const std::int16_t> x) { return stream_.push(x); }
    samara::Status predict(std::uint32_t& output) { return stream_.predict(output, scores_); }
    std::size_t ram() const { return sizeof stream_ + sizeof scores_ + stream_.workspace_bytes(choice); }

private:
    static constexpr samara::StreamChoice choice{plan.hop, samara::StreamForm::SAMARA_TEST_FORM,
                                                 SAMARA_TEST_KEEP_FILTERS, 0};
    samara::LocalStream stream_;
    alignas(4) std::byte work_[4096];
    std::int32_t scores_[4];
};
Opened stream;
#else
class Known
    : public samara::FixedStream<SAMARA_TEST_MODEL, SAMARA_TEST_FEATURES, samara::StreamForm::SAMARA_TEST_FORM> {
public:
    static constexpr bool start() { return true; }
    static constexpr std::size_t ram() { return sizeof(Known); }
};
Known stream;
#endif

// Small numbers, where the measuring program has floats: different ones for several steps.
constexpr unsigned different = 17;
std::int16_t samples[different][stream.numbers];
unsigned next = 0;

bool push()
{
    const std::span<const std::int16_t> sample = samples[next];
    next = next == different - 1 ? 0 : next + 1;
    return stream.push(sample) == samara::Status::ok;
}

bool step(const float*)
{
    std::uint32_t output = 0;
    for (unsigned i = 0; i < stream.plan.hop; ++i)
        if (!push())
            return false;
    return stream.predict(output) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main()
{
    if (!stream.start())
        return 1;
    // 7 i modulo 17, without a division: this image shows that a stream brings in none.
    unsigned value = 0;
    for (auto& sample : samples) {
        for (std::int16_t& number : sample) {
            number = static_cast<std::int16_t>(value);
            value = value < 10 ? value + 7 : value - 10;
        }
        value = value < 13 ? value + 4 : value - 13;
    }
    // The first window, but for a hop.
    for (unsigned i = stream.plan.hop; i < stream.plan.window; ++i)
        if (!push())
            return 1;
    return samara::test::measure(stream.ram(), step);
}
