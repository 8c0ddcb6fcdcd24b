// What changes while steps are taken, and the file that a training goes on from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

struct GradientState {
    GradientState(std::size_t outputs, std::size_t features)
        : weights(outputs, features), squares(outputs, features), bias(outputs), bias_squares(outputs)
    {}

    MatrixF weights, squares; // an output a row; sums of squared gradients
    std::vector<float> bias, bias_squares;
    std::uint32_t epoch = 0;    // how many are done
    std::uint64_t position = 0; // rows of the next one that are done
    std::uint64_t right = 0;    // of these, the ones whose class was found
    double loss = 0.0;          // the sum of theirs
};

// `identity`: a number that is another one for another training.
void save_state(const std::string& path, std::uint32_t identity, const GradientState& state);

// BadInput for a file that is no such state, that is damaged or of another training. `state` has its sizes; `rows`: of
// an epoch.
void load_state(const std::string& path, std::uint32_t identity, std::size_t rows, GradientState& state);

} // namespace samara::desk
