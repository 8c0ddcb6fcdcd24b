// Parities on the board: a sealed model of the map `skeleton` over binary inputs. Each of its features is the
// exclusive-or of up to three inputs, +1 or -1, which three the seed says. The model tells final positions of
// tic-tac-toe that x has won from the others, of positions that training did not see. The board prints what the desk
// prints.
#include "data/tic_tac_toe_model.h"
#include "print.hpp"
#include "samara/samara.hpp"

namespace {

samara::FixedPredictor<tic_tac_toe_model> predictor;
float x[predictor.inputs];

// Which of the nine fields x has, which o has, and whether x has won.
constexpr std::uint8_t positions[][predictor.inputs + 1] = {
#include "data/tic_tac_toe_test.inc"
};

// The CRC-32 of the bits of all scores, in the order of positions, as `samara predict --scores` computes them.
constexpr std::uint32_t crc_of_desk = 0xac432a0f;

} // namespace

SAMARA_EXAMPLE_MAIN
{
    if (predictor.check() != samara::Status::ok)
        return 1;
    example::Meter meter;
    std::uint32_t crc = 0;
    unsigned right = 0, count = 0;
    for (const auto& position : positions) {
        for (std::size_t i = 0; i < predictor.inputs; ++i)
            x[i] = position[i];
        std::uint32_t won = 0;
        meter.begin();
        const samara::Status status = predictor.predict(x, won);
        meter.end();
        if (status != samara::Status::ok)
            return 1;
        right += won == position[predictor.inputs] ? 1 : 0;
        ++count;
        crc = samara::crc32(std::as_bytes(predictor.last_scores()), crc);
    }
    example::line("right", right);
    example::line("positions", count);
    example::print("crc ");
    example::print_hexadecimal(crc);
    example::print("\n");
    example::line("ram", sizeof predictor);
    example::line("model", sizeof tic_tac_toe_model);
    meter.report();
    if (crc == crc_of_desk)
        return 0;
    example::print("the desk's scores have other bits\n");
    return 1;
}
