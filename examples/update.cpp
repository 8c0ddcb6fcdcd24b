// Updates over the air: a device takes new models while the one in its flash goes on predicting. A good one is tried
// and confirmed, a damaged one refused; the power goes in the middle of another; and one that fails its self-test is
// rolled back.
#include <cstring>

#include "digits.hpp"

namespace {

using Predictor = samara::Predictor<samara::ArcCos>;

// Two sectors of flash, here of RAM. They can lose power.
constexpr std::size_t slot_bytes = samara::model_slot_bytes(4 * sizeof digits_model);
alignas(16) std::byte slots[2][slot_bytes];
std::size_t bytes_until_cut = ~std::size_t{0};

const samara::ModelFlash flash{nullptr,
                               {slots[0], slots[1]},
                               slot_bytes,
                               8,
                               [](void*, unsigned slot) noexcept {
                                   std::memset(slots[slot], 0xff, slot_bytes);
                                   return true;
                               },
                               [](void*, unsigned slot, std::size_t offset, std::span<const std::byte> bytes) noexcept {
                                   if (bytes.size() > bytes_until_cut)
                                       return false;
                                   bytes_until_cut -= bytes.size();
                                   std::memcpy(slots[slot] + offset, bytes.data(), bytes.size());
                                   return true;
                               }};

// A board would also demand its own input layout and a signature here: examples/signed.cpp.
constexpr samara::OpenRules rules{.most_operations = 10'000'000};

samara::ModelStore store(flash);
Predictor predictor;
alignas(4) std::byte work[8192];
alignas(4) std::byte next_model[4 * sizeof digits_model];
float x[64], scores[10];

// What a device does first. Returns whether it has a model.
bool reset()
{
    bytes_until_cut = ~std::size_t{0};
    store = samara::ModelStore(flash);
    std::span<const std::byte> model;
    return store.start(model) == samara::Status::ok && predictor.open(model, rules) == samara::Status::ok &&
           predictor.workspace_bytes() <= sizeof work;
}

unsigned percent_right()
{
    unsigned right = 0;
    for (const auto& image : digits::images) {
        std::uint32_t digit = 0;
        digits::read(image, x);
        if (predictor.predict(x, digit, scores, work) != samara::Status::ok)
            return 0;
        right += digit == digits::label(image) ? 1 : 0;
    }
    return static_cast<unsigned>(100 * right / digits::image_count);
}

// The pieces of a model, as a radio brings them.
samara::Status update(std::span<const std::byte> model)
{
    samara::Status status = store.begin(model.size());
    for (std::size_t at = 0; at < model.size() && status == samara::Status::ok; at = store.written()) {
        const std::size_t left = model.size() - at;
        status = store.write(at, model.subspan(at, left < 51 ? left : 51));
    }
    return status == samara::Status::ok ? store.finish<Predictor>(rules) : status;
}

bool expect(bool good, const char* what, std::uint64_t value)
{
    example::line(what, value);
    return good;
}

} // namespace

SAMARA_EXAMPLE_MAIN
{
    std::memset(slots, 0xff, sizeof slots);
    example::Meter meter;

    // The factory.
    if (reset() || update(std::as_bytes(std::span(digits_model))) != samara::Status::ok || !reset())
        return 1;
    const unsigned percent = percent_right();
    bool good = expect(store.confirm() == samara::Status::ok, "percent_first", percent);

    // A good update: the same model with weights of another type.
    std::size_t size = 0;
    const samara::Model& first = predictor.model();
    if (samara::reseal(first, first.readout(), samara::ReadoutType::float16, next_model, size) != samara::Status::ok)
        return 1;
    const std::span<std::byte> next(next_model, size);
    meter.begin();
    samara::Status status = update(next);
    meter.end();
    good = expect(status == samara::Status::ok, "update", static_cast<unsigned>(status)) && good;
    good = reset() && store.on_trial() && good;
    good =
        expect(predictor.model().readout_type() == samara::ReadoutType::float16, "percent_second", percent_right()) &&
        store.confirm() == samara::Status::ok && good;

    // A damaged one never becomes the newest.
    next[size / 2] ^= std::byte{1};
    status = update(next);
    good = expect(status == samara::Status::damaged_model, "damaged", static_cast<unsigned>(status)) && good;
    good = reset() && expect(predictor.model().total_bytes() == size, "bytes_after", predictor.model().total_bytes()) &&
           good;

    // The power goes in the middle of another.
    bytes_until_cut = 700;
    status = update(std::as_bytes(std::span(digits_model)));
    good = expect(status == samara::Status::storage_failed, "cut", static_cast<unsigned>(status)) && good;
    good = reset() && expect(predictor.model().total_bytes() == size, "bytes_after", predictor.model().total_bytes()) &&
           good;

    // It comes whole, and fails its self-test.
    status = update(std::as_bytes(std::span(digits_model)));
    good = expect(status == samara::Status::ok, "update", static_cast<unsigned>(status)) && good;
    good = reset() && store.on_trial() && good;
    good = expect(predictor.model().total_bytes() != size, "bytes_on_trial", predictor.model().total_bytes()) && good;
    good = store.rollback() == samara::Status::ok && reset() && !store.on_trial() && good;
    good = expect(predictor.model().total_bytes() == size, "bytes_after", predictor.model().total_bytes()) && good;

    // Or it is never confirmed: the reset after its trial goes back.
    good = update(std::as_bytes(std::span(digits_model))) == samara::Status::ok && reset() && store.on_trial() && good;
    good = reset() && expect(predictor.model().total_bytes() == size, "bytes_after", predictor.model().total_bytes()) &&
           good;
    example::line("ram", sizeof store + sizeof predictor);
    meter.report();
    return good ? 0 : 1;
}
