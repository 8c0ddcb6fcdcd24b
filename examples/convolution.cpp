// The convolutional Neural Tangent Kernel on the board: a sealed model of the map `cntk` tells digits of 8 x 8 pixels
// that training did not see. No filter is stored: the seed gives all of them. The board prints what the desk prints.
#include "data/digits_cntk_model.h"
#include "print.hpp"
#include "samara/samara.hpp"

namespace {

samara::FixedPredictor<digits_cntk_model> predictor;
float x[predictor.inputs];

// 64 pixels of 0 ... 16, then the digit.
constexpr std::uint8_t images[][predictor.inputs + 1] = {
#include "data/digits_test.inc"
};

// The CRC-32 of the bits of all scores, in the order of images, as `samara predict --scores` computes them.
constexpr std::uint32_t crc_of_desk = 0xe10019c6;

} // namespace

SAMARA_EXAMPLE_MAIN
{
    if (predictor.check() != samara::Status::ok)
        return 1;
    example::Meter meter;
    std::uint32_t crc = 0;
    unsigned right = 0, count = 0;
    for (const auto& image : images) {
        for (std::size_t i = 0; i < predictor.inputs; ++i)
            x[i] = image[i];
        std::uint32_t digit = 0;
        meter.begin();
        const samara::Status status = predictor.predict(x, digit);
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
    example::line("model", sizeof digits_cntk_model);
    meter.report();
    if (crc == crc_of_desk)
        return 0;
    example::print("the desk's scores have other bits\n");
    return 1;
}
