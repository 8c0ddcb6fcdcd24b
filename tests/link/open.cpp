// A sealed model that is opened when the program runs, by a predictor of the maps that SAMARA_TEST_MAPS names.
#include "digits_model.h"
#include "measure.hpp"
#include "samara/predictor.hpp"

#if !defined(SAMARA_TEST_MAPS)
#define SAMARA_TEST_MAPS samara::Only<samara::ArcCos, samara::kinds(samara::Rows::hadamard)>
#endif

namespace {

samara::Predictor<SAMARA_TEST_MAPS> predictor;
alignas(4) std::byte work[8192];
float scores[10];

bool step(const float* x)
{
    std::uint32_t digit = 0;
    return predictor.predict({x, 64}, digit, scores, work) == samara::Status::ok;
}

} // namespace

extern "C" int firmware_main()
{
    if (predictor.open(std::as_bytes(std::span(digits_model))) != samara::Status::ok)
        return 1;
    return samara::test::measure(sizeof predictor + predictor.workspace_bytes(), step);
}
