// A sealed model that computes in whole numbers, known when this is compiled, and nothing else: no float in it.
#ifdef SAMARA_TEST_FOURIER
#include "digits_fourier_model.h"
#define SAMARA_TEST_MODEL digits_fourier_model
#elif defined(SAMARA_TEST_LOCAL)
#include "digits_local_model.h"
#define SAMARA_TEST_MODEL digits_local_model
#elif defined(SAMARA_TEST_POWERS)
#include "digits_power_model.h"
#define SAMARA_TEST_MODEL digits_power_model
#else
#include "digits_whole_model.h"
#define SAMARA_TEST_MODEL digits_whole_model
#endif
#include "measure.hpp"
#include "samara/fixed.hpp"

namespace {

samara::FixedWholePredictor<SAMARA_TEST_MODEL> predictor;

// Bytes of pixels from 0 to 16, where the measuring program has floats.
std::uint8_t pixels[64];

bool step(const float*)
{
    std::uint32_t digit = 0;
    return predictor.predict(std::span<const std::uint8_t, 64>(pixels), digit) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main()
{
    // 7 i modulo 17, without a division: this image shows that a prediction brings in none.
    unsigned value = 0;
    for (std::uint8_t& pixel : pixels) {
        pixel = static_cast<std::uint8_t>(value);
        value = value < 10 ? value + 7 : value - 10;
    }
    return samara::test::measure(sizeof predictor, step);
}
