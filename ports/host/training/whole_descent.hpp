// Readouts of a few bits for losses of classes: what rounding takes is made up for where the loss says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// One output's weights in whole numbers: its score is scale * sum of q z + bias.
struct WholeRow {
    std::vector<int> q;
    double scale = 0.0, bias = 0.0;
};

// Rows of features with their classes, and how much each of them counts.
struct ClassSample {
    MatrixF z;
    std::vector<std::uint32_t> classes;
    std::vector<double> weights;
    double ridge = 0.0;            // times the square of each weight ...
    std::vector<double> variances; // ... and a number of its feature, its variance perhaps
};

// The mean logistic loss of these rows, without and with the ridge's share.
double logistic_loss(const ClassSample& sample, const std::vector<WholeRow>& outputs);

// Lowers it, by one step of one weight after the other, each within -most ... most, and by scales and biases.
void descend_logistic(const ClassSample& sample, int most, std::vector<WholeRow>& outputs);

} // namespace samara::desk
