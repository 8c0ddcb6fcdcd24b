// From scores to probabilities: softmax(scale * scores), where `scale` is learned from rows that training did not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::desk {

// Scores that are judged: a row each, with its class and how often it counts (empty: once).
struct JudgedScores {
    MatrixF scores;
    std::vector<std::uint32_t> classes;
    std::vector<float> weights;

    std::size_t rows() const { return classes.size(); }
    double weight(std::size_t row) const { return weights.empty() ? 1.0 : static_cast<double>(weights[row]); }
    double total_weight() const;
    void add(const float* scores, std::uint32_t wanted, float weight);
};

// -log(probability of the class `wanted`), of probabilities softmax(scale * scores).
double log_loss_of(const float* scores, std::size_t outputs, std::uint32_t wanted, double scale);
// The mean of it over the rows.
double log_loss(const JudgedScores& judged, double scale);
// The share of rows whose largest score is not that of their class.
double error_share(const JudgedScores& judged);

// The scale of least log-loss. As if one row more had been judged whose class is any of them: so rows that are all
// told apart rightly do not make it infinite, and the fewer they are, the less sure are the probabilities. 1 where the
// scores say nothing.
double probability_scale(const JudgedScores& judged);

} // namespace samara::desk
