// What `samara evaluate` and `samara train` say of predictions: a table for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ports/host/training/score.hpp"

namespace samara::desk {

// `names`: of the classes or targets.
std::string score_text(const Score& score, const std::vector<std::string>& names);

// Of classes: rows, accuracy, balanced_accuracy, log_loss (null without probabilities), labels, confusion (a row for
// what it is, a column for what was predicted), and classes: label, rows, predicted, recall, precision and f1 of each,
// null where there is nothing to divide by. Of values: rows, root_mean_squared_error, mean_absolute_error,
// mean_squared_error, r_squared, constant_targets, relative_error.
nlohmann::ordered_json score_json(const Score& score, const std::vector<std::string>& names);

} // namespace samara::desk
