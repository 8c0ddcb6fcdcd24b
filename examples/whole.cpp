// A model in whole numbers on the board: 100 images of digits, as bytes of pixels, without a floating-point operation
// in the prediction. A Cortex-M0+ prints what the desk prints.
#include "data/digits_whole_model.h"
#include "print.hpp"
#include "samara/samara.hpp"

namespace {

samara::FixedWholePredictor<digits_whole_model> predictor;

// 64 pixels of 0 ... 16, then the digit.
constexpr std::uint8_t images[][predictor.inputs + 1] = {
#include "data/digits_test.inc"
};

// The CRC-32 of all scores, in the order of images: those of `samara predict --scores` over the model's unit.
constexpr std::uint32_t crc_of_desk = 0xe6f973f6;

} // namespace

SAMARA_EXAMPLE_MAIN
{
    example::Meter meter;
    std::uint32_t crc = 0;
    unsigned right = 0, count = 0;
    for (const auto& image : images) {
        std::uint32_t digit = 0;
        meter.begin();
        const samara::Status status = predictor.predict(std::span(image).first<predictor.inputs>(), digit);
        meter.end();
        if (status != samara::Status::ok)
            return 1;
        right += digit == image[predictor.inputs] ? 1 : 0;
        ++count;
        crc = samara::crc32(std::as_bytes(predictor.last_scores()), crc);
    }
    example::line("right", right);
    example::line("images", count);
    example::print("crc ");
    example::print_hexadecimal(crc);
    example::print("\n");
    example::line("ram", sizeof predictor);
    example::line("model", sizeof digits_whole_model);
    meter.report();
    if (crc == crc_of_desk)
        return 0;
    example::print("the desk's scores have other bits\n");
    return 1;
}
