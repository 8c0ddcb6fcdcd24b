// What training makes least, how often rows count, and which of them belong together: --loss, --balance, --weights,
// --groups and --probabilities.
#pragma once

#include <string>
#include <vector>

#include "ports/host/commands/args.hpp"
#include "ports/host/data/table_source.hpp"
#include "ports/host/data/target.hpp"
#include "ports/host/training/train.hpp"

namespace samara::desk {

struct LossOptions {
    std::string loss = "auto";
    bool balance = false;
    std::string weights, groups; // columns or files; empty where not given
};

// A command's own options, and behind them these.
std::vector<Option> with_loss_options(std::vector<Option> own);

// What can be refused without data is refused here. Sets what of the settings does not depend on data.
LossOptions read_loss_options(const Arguments& arguments, TrainSettings& settings);

// The columns that are read beside the target.
std::vector<ColumnBeside> columns_beside(const LossOptions& options);
// What they say, into the target.
void take_columns_beside(const LossOptions& options, const Dataset& data, Target& target);

// Of the training rows: their loss, and the classes' weights, which `others` take too (null: there are none).
void settle_loss(const LossOptions& options, bool exact, Target& target, const std::vector<Target*>& others,
                 TrainSettings& settings);

} // namespace samara::desk
