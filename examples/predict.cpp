// Prediction only: a sealed model, known when this is compiled, and a set of images. The board prints what the desk
// prints: every prediction, and the CRC-32 of every score's bits.
#include "digits.hpp"

namespace {

samara::FixedPredictor<digits_model> predictor; // all the RAM that it needs, but for the stack
float x[64];

} // namespace

SAMARA_EXAMPLE_MAIN
{
    if (predictor.check() != samara::Status::ok)
        return 1;
    example::Meter meter;
    std::uint32_t crc = 0;
    unsigned right = 0;
    for (const auto& image : digits::images) {
        digits::read(image, x);
        std::uint32_t digit = 0;
        meter.begin();
        const samara::Status status = predictor.predict(x, digit);
        meter.end();
        if (status != samara::Status::ok)
            return 1;
        right += digit == digits::label(image) ? 1 : 0;
        crc = samara::crc32(std::as_bytes(predictor.last_scores()), crc);
        example::line("digit", digit);
    }
    example::line("right", right);
    example::line("images", digits::image_count);
    example::print("crc ");
    example::print_hexadecimal(crc);
    example::print("\n");
    example::line("ram", sizeof predictor);
    example::line("model", sizeof digits_model);
    meter.report();
    return 0;
}
