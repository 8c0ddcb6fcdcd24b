// What `uci` does with one set and one method: hyperparameters on the tuning split, accuracy over the test folds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ports/host/data/matrix.hpp"

namespace samara::uci {

struct Split {
    std::vector<std::size_t> train, test;
};

struct Set {
    std::string name;
    desk::MatrixF x;
    std::vector<std::size_t> classes; // of each row
    std::size_t class_count = 0;
    Split tuning;
    std::vector<Split> folds;
};

// Those of which there is an input file in the directory, by name. BadInput when there are none.
std::vector<std::string> set_names(const std::string& directory);
// NAME.x, NAME.y, NAME.tune and NAME.folds, each .npy or .csv. BadInput names file and place.
Set read_set(const std::string& directory, const std::string& name);

// A map as text with {depth}, {bandwidth}, {features} and {seed} where a number goes; the first three are chosen on the
// tuning split. Without {features} it stands for its exact kernel.
struct Method {
    std::string name, text;

    bool has(const char* place) const { return text.find(place) != std::string::npos; }
    bool is_kernel() const { return !has("{features}"); }
};

struct Outcome {
    std::string map;                         // the text that was chosen
    double ridge = 0.0;                      // relative to the sum of the centred Gram matrix's eigenvalues
    double validation = 0.0, accuracy = 0.0; // per cent
};

// BadInput when the map's text is wrong.
void check(const Set& set, const Method& method);

// How many combinations of features, depth and bandwidth are tried, and about how many milliseconds one takes.
std::size_t choice_count(const Method& method);
double choice_cost(const Set& set, const Method& method);

// In one thread; calls `step` after each of them.
Outcome run(const Set& set, const Method& method, std::uint64_t seed, const std::function<void()>& step);

} // namespace samara::uci
