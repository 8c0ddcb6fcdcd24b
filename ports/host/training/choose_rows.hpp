#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/host/text/map_text.hpp"
#include "ports/host/training/normal_equations.hpp"
#include "ports/host/training/row_selection.hpp"
#include "ports/host/training/trained.hpp"

namespace samara::desk {

// Rows of a map, and their columns among its features: one, or a cosine and a sine.
std::vector<std::vector<std::uint32_t>> columns_of_rows(const MapSpec& spec);

// How many rows one transform makes; 0 where each row is made by itself.
std::uint32_t rows_of_a_transform(const MapSpec& spec);

struct Deviations {
    double least = 0.0, most = 0.0; // most: 0 for any
};
// From all candidates' normal equations. With a range of deviations, features that vary less or more are not chosen, as
// long as a quarter of all remains.
SelectionProblem selection_problem(const MapSpec& spec, NormalEquations equations, Task task,
                                   const Deviations& range = {});

// How rows are chosen. The ridge, over the features' variance, is there against choices that fit noise.
struct ChoosingRule {
    double ridge = 0.0;
    std::size_t blocks = 0; // of how many transforms at most; 0: any. A prediction computes each that a kept row is of.
};

// Adds to what is to be explained the candidates themselves, all of them together as `share` of the outputs: seeded
// combinations of them with random signs, whose products are in the mean those of all. Rows that were chosen for few
// rows of data by their outputs alone explain these by chance.
void represent_candidates(SelectionProblem& problem, double share, std::uint64_t seed);

// The `keep` rows that together predict best, in ascending order. The exact features always stay.
std::vector<std::uint16_t> choose_rows(const SelectionProblem& problem, std::size_t keep, const ChoosingRule& rule);

} // namespace samara::desk
