// Learning on the board: a classifier from the desk meets a sensor that has drifted (every image is dimmed and moved by
// one pixel), notices that without a label, learns from fifty labelled images as they come, saves what it has learned,
// and goes on after a reset.
#include <cstring>

#include "digits.hpp"

namespace {

using Predictor = samara::FixedPredictor<digits_model>;

// Recursive least squares in little memory: the inverses of eight features each.
constexpr samara::RlsSpec learner_spec{
    .features = Predictor::feature_count, .outputs = Predictor::outputs, .forget = 0.999f, .prior = 1, .block = 8};

Predictor predictor;
samara::FixedLearner<learner_spec> learner;
float x[64], z[Predictor::feature_count], scores[Predictor::outputs];

// The first images are there to learn from, the others to judge.
constexpr std::size_t learned_images = 50;
static_assert(digits::image_count > learned_images);

void read_drifted(const std::uint8_t (&image)[65])
{
    for (std::size_t row = 0; row < 8; ++row)
        for (std::size_t column = 0; column < 8; ++column)
            x[8 * row + column] = column == 0 ? 0.0f : 0.6f * static_cast<float>(image[8 * row + column - 1]);
}

unsigned percent_right(bool drifted)
{
    unsigned right = 0;
    for (std::size_t i = learned_images; i < digits::image_count; ++i) {
        const auto& image = digits::images[i];
        if (drifted)
            read_drifted(image);
        else
            digits::read(image, x);
        if (predictor.features(x, z) != samara::Status::ok || learner.scores(z, scores) != samara::Status::ok)
            return 0;
        right += samara::best_of(scores) == digits::label(image) ? 1 : 0;
    }
    return static_cast<unsigned>(100 * right / (digits::image_count - learned_images));
}

// How sure the model was before: as training sealed it (samara train --confidence), else from images that have not
// drifted. A spread of 0 where something went wrong.
samara::DriftSpec before_drift()
{
    if (const samara::DriftSpec sealed = Predictor::drift(20); samara::check(sealed))
        return sealed;
    float sum = 0.0f, squares = 0.0f;
    for (std::size_t i = 0; i < learned_images; ++i) {
        digits::read(digits::images[i], x);
        if (predictor.scores(x, scores) != samara::Status::ok)
            return {.spread = 0};
        const float sure = samara::confidence(scores);
        sum += sure;
        squares += sure * sure;
    }
    const float mean = sum / learned_images, variance = squares / learned_images - mean * mean;
    float spread = 1.0f; // its root, by Newton's steps
    for (unsigned i = 0; i < 20; ++i)
        spread = 0.5f * (spread + variance / spread);
    return {.mean = mean, .spread = spread, .window = 20};
}

// How many images it takes until the drift is noticed; 0 if it is not.
unsigned images_until_noticed()
{
    samara::Drift drift;
    if (drift.open(before_drift()) != samara::Status::ok)
        return 0;
    for (unsigned i = 0; i < learned_images; ++i) {
        read_drifted(digits::images[i]);
        if (predictor.scores(x, scores) != samara::Status::ok ||
            drift.watch(samara::confidence(scores)) != samara::Status::ok)
            return 0;
        if (drift.drifted())
            return i + 1;
    }
    return 0;
}

// Two sectors of flash, here of RAM.
constexpr std::size_t slot_bytes = samara::checkpoint_bytes(samara::state_bytes(learner_spec));
alignas(4) std::byte slots[2][slot_bytes];

constexpr samara::Storage storage{
    nullptr,
    slot_bytes,
    8,
    [](void*, unsigned slot) noexcept {
        std::memset(slots[slot], 0xff, slot_bytes);
        return true;
    },
    [](void*, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept {
        std::memcpy(slots[slot] + offset, bytes.data(), bytes.size());
        return true;
    },
    [](void*, unsigned slot, std::size_t offset, std::span<std::byte> bytes) noexcept {
        std::memcpy(bytes.data(), slots[slot] + offset, bytes.size());
        return true;
    }};

} // namespace

SAMARA_EXAMPLE_MAIN
{
    if (predictor.check() != samara::Status::ok || learner.open() != samara::Status::ok ||
        learner.start(predictor) != samara::Status::ok)
        return 1;
    example::line("percent_before", percent_right(false));
    example::line("percent_drifted", percent_right(true));
    const unsigned noticed = images_until_noticed();
    example::line("noticed_after", noticed);

    example::Meter meter;
    for (std::size_t i = 0; i < learned_images; ++i) {
        read_drifted(digits::images[i]);
        meter.begin();
        const bool learned = predictor.features(x, z) == samara::Status::ok &&
                             learner.learn_class(z, digits::label(digits::images[i])) == samara::Status::ok;
        meter.end();
        if (!learned)
            return 1;
    }
    const unsigned adapted = percent_right(true);
    example::line("percent_adapted", adapted);

    if (samara::save(storage, learner.state()) != samara::Status::ok)
        return 1;
    std::memset(learner.memory().data(), 0, learner.memory().size()); // a reset
    if (samara::load(storage, learner.memory()) != samara::Status::ok || learner.resume() != samara::Status::ok)
        return 1;
    example::line("percent_after_reset", percent_right(true));
    example::print("crc ");
    example::print_hexadecimal(samara::crc32(learner.state()));
    example::print("\n");
    example::line("ram", sizeof predictor + sizeof learner + sizeof z);
    meter.report();
    return percent_right(true) == adapted && noticed != 0 ? 0 : 1;
}
