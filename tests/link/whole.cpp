// A sealed model that computes in whole numbers, known when this is compiled, and nothing else: no float in it.
#ifdef SAMARA_TEST_FOURIER
#include "digits_fourier_model.h"
#define SAMARA_TEST_MODEL digits_fourier_model
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
    for (unsigned i = 0; i < 64; ++i)
        pixels[i] = static_cast<std::uint8_t>(i * 7 % 17);
    return samara::test::measure(sizeof predictor, step);
}
